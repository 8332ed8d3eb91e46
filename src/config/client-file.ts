import type { Result } from '../base/result.ts'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS, HOST_SETTINGS } from './client-settings.ts'
import type { Located, SyntaxFault } from './document.ts'
import { type Complaint, fileKeyOf, type SettingLayer, unknownKey } from './setting.ts'

/** A parsed configuration file. The parsers are loaded only where there is a file. */
export interface ParsedFile {
  readonly name: string
  readonly document: Result<Located, SyntaxFault>
}

/** What a configuration file problem: the layer of its top, and one for each account and each host. */
export interface ClientFile {
  readonly top: SettingLayer
  readonly accounts: readonly SettingLayer[]
  /** The layers of each account's hosts. */
  readonly hosts: ReadonlyMap<SettingLayer, readonly SettingLayer[]>
  readonly complaints: readonly Complaint[]
  readonly isBroken: boolean
}

export const NO_FILE: ClientFile = {
  top: {},
  accounts: [],
  hosts: new Map(),
  complaints: [],
  isBroken: false,
}
const ACCOUNTS = 'account'
const HOSTS = 'host'

/** Where it is not known which. */
export const THE_FILE = 'the file'

type Places = ReadonlyMap<string, string>

const placed = (settings: object, place: string): Places =>
  new Map(Object.keys(settings).map((key) => [fileKeyOf(key), place]))

/** Where settings belong that stand in the wrong table; what two tables have is right in both. */
const OF_HOSTS = placed(HOST_SETTINGS, 'belongs in an [[account.host]] table')
const NOT_AT_TOP: Places = OF_HOSTS
const NOT_IN_ACCOUNT: Places = new Map([
  ...OF_HOSTS,
  ...placed(CLIENT_SETTINGS, 'belongs at the top of the file, above [[account]]'),
])
const NOT_IN_HOST: Places = new Map([
  ...placed(ACCOUNT_SETTINGS, 'belongs above [[account.host]], in the account'),
  ...placed(CLIENT_SETTINGS, 'belongs at the top of the file, above [[account]]'),
])

export function readFile({ name, document }: ParsedFile): ClientFile {
  if (!document.ok)
    return {
      ...NO_FILE,
      isBroken: true,
      complaints: [{ where: `${name}:${document.error.line}`, problem: document.error.problem }],
    }
  const entries = document.value.members?.get(ACCOUNTS)?.entries ?? []
  const whole = { ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS }
  const top = layerOf(document.value, name, whole, { tables: [ACCOUNTS, '$schema'], elsewhere: NOT_AT_TOP })
  const accounts = entries.map((entry) =>
    layerOf(entry, name, ACCOUNT_SETTINGS, { tables: [HOSTS], elsewhere: NOT_IN_ACCOUNT }),
  )
  const hosts = entries.map((entry) =>
    (entry.members?.get(HOSTS)?.entries ?? []).map((host) =>
      layerOf(host, name, HOST_SETTINGS, { tables: [], elsewhere: NOT_IN_HOST }),
    ),
  )
  const hostless = entries.flatMap(({ members }) => {
    const host = members?.get(HOSTS)
    return host === undefined || host.entries !== undefined
      ? []
      : [
          {
            where: `${name}:${host.line}`,
            problem: 'host must be a list of tables: write [[account.host]]; names go into hostnames',
          },
        ]
  })
  const isMisplaced = document.value.members?.has(ACCOUNTS) === true && entries.length === 0
  const line = document.value.members?.get(ACCOUNTS)?.line ?? 1
  return {
    top: top.layer,
    accounts: accounts.map(({ layer }) => layer),
    hosts: new Map(accounts.map(({ layer }, at) => [layer, (hosts[at] ?? []).map((host) => host.layer)])),
    isBroken: false,
    complaints: [
      ...top.complaints,
      ...[...accounts, ...hosts.flat()].flatMap((one) => one.complaints),
      ...hostless,
      ...(isMisplaced
        ? [{ where: `${name}:${line}`, problem: 'account must be a list of tables: write [[account]]' }]
        : []),
    ],
  }
}

/** Other keys that a table may hold, and settings that belong into another table. */
interface Others {
  readonly tables: readonly string[]
  readonly elsewhere?: Places
}

/** One table of the file as a layer; keys that no setting has are complaints. */
export function layerOf(
  table: Located,
  name: string,
  settings: Readonly<Record<string, unknown>>,
  { tables, elsewhere }: Others,
): { readonly layer: SettingLayer; readonly complaints: readonly Complaint[] } {
  const keys = new Map(Object.keys(settings).map((key) => [fileKeyOf(key), key]))
  const members = [...(table.members ?? [])].filter(([key]) => !tables.includes(key))
  const layer = members.flatMap(([key, { line, value }]) => {
    const setting = keys.get(key)
    return setting === undefined ? [] : [[setting, { value, where: `${name}:${line}` }]]
  })
  const complaints = members.flatMap(([key, { line }]) =>
    keys.has(key) ? [] : [{ where: `${name}:${line}`, problem: wrongKey(key) }],
  )
  function wrongKey(key: string): string {
    const place = elsewhere?.get(key)
    return place === undefined ? unknownKey(key, [...keys.keys(), ...tables]) : `${key} ${place}`
  }
  return { layer: Object.fromEntries(layer) as SettingLayer, complaints }
}
