import { rowOf } from '../services/client-services.ts'
import { shownNames, validHostnames } from '../hostnames.ts'
import {
  type FormatRow,
  type ImportContext,
  type Imported,
  type ImportedService,
  type ImportedUpdate,
  type Lookup,
  Remarks,
} from '../imported.ts'
import { commandLookup, DEFAULT_LOOKUP, interfaceLookup } from '../lookup.ts'
import { readOwnRequest, remarkOnOwn } from '../services/own-template.ts'
import { noService } from '../services/service-names.ts'
import { takeService } from '../services/take-service.ts'
import { readYaml, type YamlValue } from '../yaml-file.ts'

/** Members of the document, with what a user may miss; empty where nothing is. */
// biome-ignore format: a table
const TOP: Readonly<Record<string, string>> = {
  dnsconf: '', dns: '', ipv4: '', ipv6: '', ttl: '', name: '', user: '', lang: '', notallowwanaccess: '', httpinterface: '',
  webhook: 'see webhook in docs/notify.md',
}
/** Members of an entry that have no counterpart. */
// biome-ignore format: a table
const LOST_MEMBERS: readonly (readonly [path: readonly string[], text: string])[] = [
  [['dns', 'extparam'],  'it has no counterpart'],
  [['ipv6', 'ipv6reg'],  'see ipv6_choice and ipv6_suffix in docs/settings.md'],
]

const at = (value: YamlValue | undefined, ...path: readonly string[]): YamlValue | undefined =>
  path.reduce<YamlValue | undefined>((one, key) => one?.members?.get(key), value)
const textAt = (value: YamlValue | undefined, ...path: readonly string[]): string =>
  at(value, ...path)?.text ?? ''

/** Reads the YAML of ddns-go 4 to 6; before version 5, the document is the only entry. */
function importDdnsGo(text: string, { file }: ImportContext): Imported {
  const remarks = new Remarks(file)
  const document = readYaml(text)
  if (!document.ok) {
    remarks.add(
      'not taken',
      document.error.line,
      `the YAML cannot be read from here (${document.error.problem})`,
    )
    return { settings: {}, updates: [], remarks: remarks.all }
  }
  const entries = at(document.value, 'dnsconf')?.items ?? [document.value]
  const updates = entries.flatMap((entry) => entryUpdates(entry, { file, remarks }))
  for (const [key, { line, members }] of document.value.members ?? []) {
    const isEmpty = key === 'webhook' && (members?.get('webhookurl')?.text ?? '') === ''
    const lost = Object.hasOwn(TOP, key) ? TOP[key] : 'it has no counterpart'
    if (lost !== '' && !isEmpty) remarks.add('lost', line, `${key}: ${lost}`)
  }
  return { settings: {}, updates, remarks: remarks.all }
}

interface EntryContext {
  readonly file: string
  readonly remarks: Remarks
}

/** A name of ddns-go: `home:example.com` has its zone, and `?` begins parameters. */
interface WrittenName {
  readonly name: string
  readonly zone: string | undefined
  readonly line: number
}

function entryUpdates(entry: YamlValue, { file, remarks }: EntryContext): readonly ImportedUpdate[] {
  const families = (['ipv4', 'ipv6'] as const).map((family) => ({
    family,
    names: textAt(entry, family, 'enable') === 'true' ? namesOf(at(entry, family, 'domains'), remarks) : [],
  }))
  const all = families.flatMap(({ names }) => names)
  const line = at(entry, 'dns', 'name')?.line ?? entry.line
  if (all.length === 0) remarks.add('dropped', line, 'neither family is enabled with domains')
  else remarkOnLost(entry, remarks)
  return [...new Set(all.map(({ zone }) => zone))].flatMap((zone) => {
    const service = serviceOf(entry, { line, zone, remarks })
    const name = textAt(entry, 'dns', 'name')
    const own = (names: readonly WrittenName[]) => names.filter((one) => one.zone === zone)
    if (typeof service === 'string') {
      const shown = `${name === '' ? 'an entry without dns.name' : name} for ${shownNames(own(all).map((one) => one.name))}`
      remarks.add('not taken', line, `${shown}: ${service}`)
      return []
    }
    const { read: _, namesOf: whole, ...rest } = service
    return families.flatMap(({ family, names }): readonly ImportedUpdate[] => {
      const hostnames = own(names).flatMap((one) => validHostnames(whole([one.name]), one.line, remarks))
      if (hostnames.length === 0) return []
      const lookup = lookupOf(at(entry, family), family, remarks)
      const [ipv4, ipv6] = [family === 'ipv4', family === 'ipv6']
      const bound = textAt(entry, 'httpinterface')
      const through = lookup.kind === 'default' && bound !== '' ? { through: bound } : {}
      return [
        {
          ...rest,
          place: { file, line },
          label: textAt(entry, 'name'),
          hostnames,
          ipv4,
          ipv6,
          lookup,
          ...through,
        },
      ]
    })
  })
}

function remarkOnLost(entry: YamlValue, remarks: Remarks): void {
  for (const [path, text] of LOST_MEMBERS) {
    const found = at(entry, ...path)
    if ((found?.text ?? '') !== '')
      remarks.add('lost', found?.line ?? entry.line, `${path.join('.')}: ${text}`)
  }
}

function namesOf(domains: YamlValue | undefined, remarks: Remarks): readonly WrittenName[] {
  return (domains?.items ?? []).flatMap(({ text = '', line }) => {
    const [written = '', parameters] = text.trim().split('?')
    if (parameters !== undefined)
      remarks.add('lost', line, 'the parameters behind a domain have no counterpart')
    const [label = '', zone] = written.split(':')
    if (written === '') return []
    const name = zone === undefined ? label : label === '' || label === '@' ? zone : `${label}.${zone}`
    return [{ name, zone, line }]
  })
}

interface ServiceContext {
  readonly line: number
  readonly zone: string | undefined
  readonly remarks: Remarks
}
type NamedService = Omit<ImportedService, 'hostnames'> & {
  readonly namesOf: (names: readonly string[]) => readonly string[]
}

/** The service of an entry; a text says why it is not taken. */
function serviceOf(entry: YamlValue, { line, zone, remarks }: ServiceContext): NamedService | string {
  const name = textAt(entry, 'dns', 'name')
  if (name === 'callback') return callbackOf(entry, line, remarks)
  const row = rowOf('ddns-go', name)
  if (typeof row !== 'object') return row ?? noService('ddns-go', name)
  const valueOf = (key: string) => {
    if (key === '@zone') return zone === undefined ? undefined : { value: zone, line }
    const found = key === 'ttl' ? at(entry, 'ttl') : at(entry, 'dns', key)
    return found?.text === undefined || found.text === ''
      ? undefined
      : { value: found.text, line: found.line }
  }
  return takeService(row, { client: 'ddns-go', line, names: [], remarks, valueOf })
}

/** A request of the user: the URL is the id, and the body the secret. */
function callbackOf(entry: YamlValue, line: number, remarks: Remarks): NamedService | string {
  const own = readOwnRequest({ url: textAt(entry, 'dns', 'id'), body: textAt(entry, 'dns', 'secret') })
  if (!own.ok) return `its URL ${own.error}`
  remarkOnOwn(own.value, line, remarks)
  const hasTtl = JSON.stringify(own.value.settings).includes('{ttl}')
  const seconds = /^\d+/.exec(textAt(entry, 'ttl'))?.[0] ?? '600'
  return {
    ...own.value,
    settings: { ...own.value.settings, ...(hasTtl && { ttl: `${seconds}s` }) },
    read: new Set(),
  }
}

/** How ddns-go looks the address of a family up. */
function lookupOf(family: YamlValue | undefined, name: string, remarks: Remarks): Lookup {
  const kind = textAt(family, 'gettype')
  if (kind === 'netInterface') return interfaceLookup(textAt(family, 'netinterface'))
  if (kind === 'cmd') return commandLookup(textAt(family, 'cmd'))
  remarks.once(
    'dropped',
    at(family, 'url')?.line ?? family?.line ?? 1,
    `${name}.url: the default sources are used`,
  )
  return DEFAULT_LOOKUP
}

export const DDNS_GO: FormatRow = {
  read: importDdnsGo,
  matches: (text) =>
    /^dnsconf[ \t]*:/m.test(text) || (/^dns[ \t]*:/m.test(text) && /^ipv4[ \t]*:/m.test(text)),
  files: ['/root/.ddns_go_config.yaml', '/etc/ddns-go/ddns-go-config.yaml'],
  stop: 'ddns-go -s uninstall',
}
