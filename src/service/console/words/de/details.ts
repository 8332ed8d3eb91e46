/** German versions of common error details. For others, `germanDetail` keeps only the leading value. */
// biome-ignore format: a table
const DETAILS: readonly (readonly [english: RegExp, german: string])[] = [
  [/^(.+) is not a name of this account$/,      '$1 ist kein Name dieses Kontos'],
  [/^(.+) is not an? (?:IPv4|IPv6) address$/,   '$1 ist keine solche Adresse'],
  [/^(.+) is not a domain name.*$/,             '$1 ist kein Name im DNS'],
  [/^(.+) contains characters other than .*$/,  '$1 darf nur Buchstaben, Ziffern, - und _ enthalten'],
  [/^(.+) exists(?: already)?$/,                '$1 gibt es schon'],
  [/^(.+) is inside a zone of another account$/, '$1 liegt in einer Zone eines anderen Kontos'],
  [/^there are zones or names of other accounts beneath (.+)$/, 'unter $1 haben andere Konten Zonen oder Namen'],
  [/^the operator has locked or blocked .* at or beneath (.+)$/, 'der Betreiber hat $1 oder etwas darunter gesperrt'],
  [/^the operator has locked or blocked .*$/,   'der Betreiber hat etwas davon gesperrt'],
  [/^the plan allows (\d+).*$/,                 'der Plan erlaubt $1'],
  [/^(.+) has the DDNS key (\w+)$/,             '$1 hat den Schlüssel $2'],
  [/^(.+) is a public suffix.*$/,               '$1 gehört niemandem allein'],
  [/^(.+) has two labels or more.*$/,           '$1 hat mindestens zwei Teile'],
  [/^(.+) is for the service itself.*$/,        '$1 ist für den Dienst selbst'],
]

/** The verb after the leading value of a detail. */
const VERB = / (?:is|are|has|have|must|may|cannot|can|does|do|holds?|contains?|needs?|belongs?|was|were)\b/
/** A detail that does not begin with a value. */
const SENTENCE =
  /^(?:the|a|an|only|another|there|this|that|no|at|it|its|one|give|write|to|with|without|each|add|use)\b/i

/** Undefined if nothing can be kept. */
export function germanDetail(detail: string): string | undefined {
  for (const [english, german] of DETAILS) if (english.test(detail)) return detail.replace(english, german)
  const { index: verb } = VERB.exec(detail) ?? {}
  if (SENTENCE.test(detail)) return undefined
  return verb === undefined ? (/\s/.test(detail) ? undefined : detail) : detail.slice(0, verb)
}

/** Prefixes of actors in the trail. */
// biome-ignore format: a table
const ACTORS: readonly (readonly [english: RegExp, german: string])[] = [
  [/^account /,  'Konto '],
  [/^link of /,  'Link von '],
  [/^key /,      'Schlüssel '],
  [/^API key /,  'API-Schlüssel '],
  [/^TSIG key /, 'TSIG-Schlüssel '],
  [/^operator /, 'Betreiber '],
]

export const germanActor = (actor: string): string =>
  ACTORS.reduce((text, [english, german]) => text.replace(english, german), actor)
