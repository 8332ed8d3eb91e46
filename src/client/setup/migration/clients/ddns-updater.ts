import { parsePattern } from '../../../services/template.ts'
import { rowOf } from '../services/client-services.ts'
import { listedNames, shownNames, validHostnames } from '../hostnames.ts'
import {
  type FormatRow,
  type ImportContext,
  type Imported,
  type ImportedUpdate,
  type RemarkKind,
  Remarks,
} from '../imported.ts'
import { DEFAULT_LOOKUP } from '../lookup.ts'
import { environmentOf } from '../environment.ts'
import { intervalOf } from '../periods.ts'
import { hasReplies, NO_SUCCESS, readOwnRequest, usesHttps } from '../services/own-template.ts'
import { providerOfQdm12, noService } from '../services/service-names.ts'
import { takeService } from '../services/take-service.ts'

type Members = Readonly<Record<string, unknown>>
const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const KNOWN: ReadonlySet<string> = new Set([
  'provider',
  'domain',
  'host',
  'ip_version',
  'ipv6_suffix',
  'username',
  'email',
  'user',
  'password',
  'token',
  'client_key',
  'key',
  'owner',
  'group',
  'mode',
  'provider_ip',
])

/** Reads config.json of qdm12/ddns-updater, or its environment with the variable CONFIG. */
function importQdm12(text: string, { file, variable }: ImportContext): Imported {
  const remarks = new Remarks(file)
  const environment = text.trimStart().startsWith('{') ? undefined : environmentOf(text, variable)
  const document = parsed(environment?.get('CONFIG')?.value ?? text)
  if (document === undefined) {
    remarks.add('not taken', 1, 'the text is not the JSON of ddns-updater')
    return { settings: {}, updates: [], remarks: remarks.all }
  }
  const settings: readonly unknown[] = Array.isArray(document['settings']) ? document['settings'] : []
  const lines = linesOf(text, settings)
  const updates = settings.flatMap((one, at) => {
    const line = lines[at] ?? 1
    if (isMembers(one)) return updateOf(one, { line, file, remarks })
    remarks.add('not taken', line, `number ${at + 1} of settings is not an object`)
    return []
  })
  const period = environment?.get('PERIOD')
  for (const [name, { line }] of environment ?? []) remarkOnVariable(name, line, remarks)
  return { settings: period === undefined ? {} : intervalOf(period, remarks), updates, remarks: remarks.all }
}

function parsed(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return isMembers(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** For each entry the line of its "provider"; of one without it, the line of the entry before. */
function linesOf(text: string, entries: readonly unknown[]): readonly number[] {
  const lines = text.split('\n').flatMap((line, at) => [...line.matchAll(/"provider"/g)].map(() => at + 1))
  const counts = entries.map(
    (_, at) => entries.slice(0, at + 1).filter((one) => isMembers(one) && 'provider' in one).length,
  )
  return counts.map((count) => lines[Math.max(0, count - 1)] ?? 1)
}

// biome-ignore format: a table
const VARIABLES: readonly (readonly [name: RegExp, kind: RemarkKind, text: string])[] = [
  [/^(?:CONFIG|PERIOD)$/,              'dropped', ''],
  [/^(?:SHOUTRRR|HEALTH)_/,            'lost',    'see webhook and health_url in docs/settings.md'],
  [/^(?:PUBLICIP_|RESOLVER_ADDRESS$)/, 'changed', 'the default sources are used; see sources in docs/settings.md'],
  [/^(?:HTTPS?|ALL|NO)_PROXY$/i,       'lost',    'see "Through a proxy" in docs/client.md'],
  [/^(?:LOG_|LISTENING_|SERVER_|ROOT_URL$|DATADIR$|BACKUP_|UPDATE_COOLDOWN_PERIOD$|HTTP_TIMEOUT$|GOTIFY_|TZ$|PUID$|PGID$|UMASK$)/, 'dropped', 'it is not needed'],
]

/** A name that ddns-updater does not know may belong to another program of the same file. */
function remarkOnVariable(name: string, line: number, remarks: Remarks): void {
  const row = VARIABLES.find(([pattern]) => pattern.test(name))
  if (row !== undefined && row[2] !== '') remarks.once(row[1], line, `${name}: ${row[2]}`)
}

interface EntryContext {
  readonly line: number
  readonly file: string
  readonly remarks: Remarks
}

function updateOf(entry: Members, { line, file, remarks }: EntryContext): readonly ImportedUpdate[] {
  const name = textOf(entry['provider']) ?? ''
  const hostnames = hostnamesIn(entry)
  const found = rowOf('ddns-updater', name)
  const provider = providerOfQdm12(name)
  const row = typeof found === 'object' ? found : provider === undefined ? undefined : { provider }
  if (name === 'custom') return customUpdate(entry, hostnames, { line, file, remarks })
  const isOtherMode = name === 'ovh' && entry['mode'] !== undefined && entry['mode'] !== 'dynamic'
  if (row === undefined || isOtherMode) {
    remarks.add(
      'not taken',
      line,
      `${name === '' ? 'an entry without provider' : `provider ${name}`} for ${shownNames(hostnames)}: ` +
        (isOtherMode
          ? 'its mode is the REST API of the service; leave ddns-updater in use for it'
          : noService('ddns-updater', name)),
    )
    return []
  }
  const taken = takeService(row, {
    client: 'ddns-updater',
    line,
    names: hostnames,
    remarks,
    valueOf: valueIn(entry, line),
  })
  for (const key of Object.keys(entry))
    if (!KNOWN.has(key) && !taken.read.has(key)) remarks.once('lost', line, `${key} has no counterpart`)
  if (entry['provider_ip'] === true)
    remarks.once('changed', line, 'provider_ip: the address is looked up here, and sent')
  return [
    {
      ...taken,
      ...sharedMembers(entry),
      place: { file, line },
      hostnames: validHostnames(taken.namesOf(hostnames), line, remarks),
    },
  ]
}

/** Keys of every entry. */
function sharedMembers(
  entry: Members,
): Pick<ImportedUpdate, 'label' | 'ipv4' | 'ipv6' | 'lookup' | 'suffix'> {
  const version = textOf(entry['ip_version']) ?? 'ipv4 or ipv6'
  return {
    label: '',
    ipv4: version !== 'ipv6',
    ipv6: version !== 'ipv4',
    lookup: DEFAULT_LOOKUP,
    suffix: textOf(entry['ipv6_suffix']),
  }
}

/** Numbers and truth values as texts. */
const valueIn = (entry: Members, line: number) => (key: string) => {
  const value = entry[key]
  return typeof value === 'string' || typeof value === 'number' || value === true
    ? { value: String(value), line }
    : undefined
}

/** `custom`: a URL, to which the addresses are appended under names of their own. */
function customUpdate(
  entry: Members,
  hostnames: readonly string[],
  { line, file, remarks }: EntryContext,
): readonly ImportedUpdate[] {
  const url = textOf(entry['url']) ?? ''
  const shared = sharedMembers(entry)
  const keys = [shared.ipv4 ? ['ipv4key', '[IPV4]'] : [], shared.ipv6 ? ['ipv6key', '[IPV6]'] : []]
  const added = keys.flatMap(([key = '', place]) => {
    const name = textOf(entry[key])
    return name === undefined ? [] : [`${name}=${place}`]
  })
  const own = readOwnRequest({ url: `${url}${url.includes('?') ? '&' : '?'}${added.join('&')}` })
  if (!own.ok) {
    remarks.add('not taken', line, `provider custom for ${shownNames(hostnames)}: its url ${own.error}`)
    return []
  }
  if (own.value.plain !== undefined) remarks.once('changed', line, usesHttps(`url with ${own.value.plain}`))
  // Go has its flags at the beginning, and Holdfast ignores the case of letters anyway.
  const success = (textOf(entry['success_regex']) ?? '').replace(/^\(\?i\)/, '')
  const isPattern = parsePattern(success).ok
  if (!isPattern && !hasReplies(own.value)) remarks.add('lost', line, NO_SUCCESS)
  return [
    {
      ...own.value,
      ...shared,
      place: { file, line },
      hostnames: validHostnames(own.value.namesOf(hostnames), line, remarks),
      settings: { ...own.value.settings, ...(isPattern && !hasReplies(own.value) && { success: [success] }) },
    },
  ]
}

/** A list of whole names, or the older pair of `host` (labels) and `domain`. */
function hostnamesIn(entry: Members): readonly string[] {
  const domains = listedNames(textOf(entry['domain']) ?? '')
  const labels = listedNames(textOf(entry['host']) ?? textOf(entry['owner']) ?? '')
  if (labels.length === 0) return domains.map((domain) => domain.replace(/^@\./, ''))
  // Of services that have one zone.
  if (domains.length === 0) return labels
  return domains.flatMap((domain) => labels.map((label) => (label === '@' ? domain : `${label}.${domain}`)))
}

export const DDNS_UPDATER: FormatRow = {
  read: importQdm12,
  variables: ['CONFIG'],
  matches: (text) =>
    /^\s*\{[^]*"settings"\s*:/.test(text) || /^[ \t]*(?:-[ \t]+)?CONFIG[ \t]*[=:][ \t]*['"]?\{/m.test(text),
  files: [],
  stop: 'stop the container of ddns-updater',
}
