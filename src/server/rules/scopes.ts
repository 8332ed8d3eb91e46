import { parseHost, parseTarget } from '../model/dns-name.ts'
import { asciiName } from '../model/idn.ts'
import { isDnsType } from '../model/rdata-values.ts'
import type { Caller } from './access.ts'

/** What the scopes of an API key leave of the permissions of its account. Lists of different kinds apply together. */
type Restrictions = Pick<Caller, 'isReadOnly' | 'zones' | 'names' | 'types'>

interface ScopeKind {
  readonly field: Exclude<keyof Restrictions, 'isReadOnly'>
  readonly form: string
  /** The value in the form in which it is stored and compared; undefined if it is invalid. */
  readonly parse: (value: string) => string | undefined
}

/** The scopes with a value. Several of one kind allow each of their values. */
// biome-ignore format: a table
const KINDS: Readonly<Record<string, ScopeKind>> = {
  zone: { field: 'zones', form: 'zone:NAME', parse: parseHost },
  name: { field: 'names', form: 'name:FQDN', parse: parseTarget },
  type: { field: 'types', form: 'type:TYPE', parse: (value) => isDnsType(value.toUpperCase()) ? value.toUpperCase() : undefined },
}
const READ = 'read'

export const SCOPE_FORMS: string = [READ, ...Object.values(KINDS).map(({ form }) => form)].join(', ')

/** A scope in its canonical form; undefined if it is none. */
export function parseScope(text: string): string | undefined {
  const [word = '', ...rest] = text.split(':')
  if (text === READ) return READ
  const value = Object.hasOwn(KINDS, word) ? KINDS[word]?.parse(asciiName(rest.join(':'))) : undefined
  return value === undefined ? undefined : `${word}:${value}`
}

/** An unknown scope, as a later version may have stored it, allows nothing: no zone is accessible. */
export function restrictionsOf(scopes: readonly string[]): Restrictions {
  const lists: { zones?: string[]; names?: string[]; types?: string[] } = {}
  for (const scope of scopes.map(parseScope)) {
    if (scope === READ) continue
    const [word = '', value = ''] = scope?.split(':') ?? []
    const kind = KINDS[word]
    if (kind === undefined) return { isReadOnly: true, zones: [] }
    lists[kind.field] = [...(lists[kind.field] ?? []), value]
  }
  return { isReadOnly: scopes.includes(READ), ...lists }
}
