import { ok } from '../../shared/base/result.ts'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS, HOST_SETTINGS } from './client-settings.ts'
import type { Located } from '../../shared/settings/document.ts'
import {
  type Advice,
  type LayerResult,
  layerOf,
  type ParsedFile,
  syntaxComplaint,
} from '../../shared/settings/file-layer.ts'
import { type Complaint, fileKeyOf, type SettingLayer } from '../../shared/settings/setting.ts'

/** A configuration file as layers: one for its top, one per account and one per host. */
export interface ClientFile {
  readonly top: SettingLayer
  readonly accounts: readonly SettingLayer[]
  /** The layers of each account's hosts. */
  readonly hosts: ReadonlyMap<SettingLayer, readonly SettingLayer[]>
  readonly complaints: readonly Complaint[]
  /** The syntax is wrong: the layers are empty. */
  readonly isUnreadable: boolean
}

export const NO_FILE: ClientFile = {
  top: {},
  accounts: [],
  hosts: new Map(),
  complaints: [],
  isUnreadable: false,
}
const ACCOUNTS = 'account'
const HOSTS = 'host'

const adviceFor = (settings: object, advice: string): Advice =>
  new Map(Object.keys(settings).map((key) => [fileKeyOf(key), advice]))

/** A setting that two tables define is valid in both; the advice is used only for keys that a table does not define. */
const NOT_AT_TOP = adviceFor(HOST_SETTINGS, 'belongs in an [[account.host]] table')
const NOT_IN_ACCOUNT: Advice = new Map([
  ...NOT_AT_TOP,
  ...adviceFor(CLIENT_SETTINGS, 'belongs at the top of the file, above [[account]]'),
])
const NOT_IN_HOST: Advice = new Map([
  ...adviceFor(ACCOUNT_SETTINGS, 'belongs above [[account.host]], in the account'),
  ...adviceFor(CLIENT_SETTINGS, 'belongs at the top of the file, above [[account]]'),
])

/** Splits a file into layers. Keys that no setting has and misplaced settings are complaints. */
export function readFile({ name, document }: ParsedFile): ClientFile {
  if (!document.ok)
    return { ...NO_FILE, isUnreadable: true, complaints: [syntaxComplaint(name, document.error)] }
  const account = document.value.members?.get(ACCOUNTS)
  const top = layerOf(document.value, name, {
    settings: { ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS },
    otherKeys: [ACCOUNTS, '$schema'],
    advice: NOT_AT_TOP,
  })
  const accounts = (account?.entries ?? []).map((entry) => readAccountTable(entry, name))
  const isMisplaced = account !== undefined && accounts.length === 0
  const misplaced = {
    where: `${name}:${account?.line ?? 1}`,
    problem: 'account must be a list of tables: write [[account]]',
  }
  return {
    top: top.layer,
    accounts: accounts.map(({ layer }) => layer),
    hosts: new Map(accounts.map(({ layer, hosts }) => [layer, hosts])),
    isUnreadable: false,
    complaints: [
      ...top.complaints,
      ...accounts.flatMap(({ complaints }) => complaints),
      ...(isMisplaced ? [misplaced] : []),
    ],
  }
}

const CLIENT_KEYS: ReadonlySet<string> = new Set(Object.keys(CLIENT_SETTINGS).map(fileKeyOf))

/** A file without its faulty lines, or without its accounts; undefined if nothing in it can be used. */
export function soundParts(
  file: ParsedFile,
  complaints: readonly Complaint[],
): readonly (ParsedFile | undefined)[] {
  const { name, document } = file
  if (!document.ok) return [undefined]
  const places = new Set(complaints.map(({ where }) => where))
  const isWrong = ({ line, members, entries = [] }: Located): boolean =>
    places.has(`${name}:${line}`) || [...(members?.values() ?? []), ...entries].some(isWrong)
  const members = [...(document.value.members ?? [])]
  const top = members.filter(([key, member]) => key !== ACCOUNTS && !isWrong(member))
  const accounts = members.flatMap(([key, member]) => {
    const entries = key === ACCOUNTS ? (member.entries ?? []).filter((entry) => !isWrong(entry)) : []
    return entries.length > 0 ? [[key, { ...member, entries }] as const] : []
  })
  const part = (...kept: readonly (readonly [string, Located])[]): ParsedFile => ({
    name,
    document: ok({ ...document.value, members: new Map(kept) }),
  })
  const ofClient = top.filter(([key]) => CLIENT_KEYS.has(key))
  return [part(...top, ...accounts), part(...ofClient), undefined]
}

/** One [[account]] table with its [[account.host]] tables. */
function readAccountTable(
  table: Located,
  file: string,
): LayerResult & { readonly hosts: readonly SettingLayer[] } {
  const account = layerOf(table, file, {
    settings: ACCOUNT_SETTINGS,
    otherKeys: [HOSTS],
    advice: NOT_IN_ACCOUNT,
  })
  const host = table.members?.get(HOSTS)
  const hosts = (host?.entries ?? []).map((entry) =>
    layerOf(entry, file, { settings: HOST_SETTINGS, otherKeys: [], advice: NOT_IN_HOST }),
  )
  const misplaced = {
    where: `${file}:${host?.line ?? table.line}`,
    problem: 'host must be a list of tables: write [[account.host]]; list names in hostnames',
  }
  return {
    layer: account.layer,
    hosts: hosts.map(({ layer }) => layer),
    complaints: [
      ...account.complaints,
      ...hosts.flatMap(({ complaints }) => complaints),
      ...(host !== undefined && host.entries === undefined ? [misplaced] : []),
    ],
  }
}
