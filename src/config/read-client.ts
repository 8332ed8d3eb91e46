import { err, ok, type Result } from '../base/result.ts'
import { FAMILIES, type Family } from '../net/address.ts'
import {
  ambiguous,
  commandless,
  impossible,
  namesakes,
  type SettingNeeds,
  twins,
  unpublishable,
} from './client-checks.ts'
import { NO_FILE, type ParsedFile, readFile, THE_FILE } from './client-file.ts'
import {
  ACCOUNT_SETTINGS,
  type AccountSettings,
  CLIENT_SETTINGS,
  type ClientSettings,
  HOST_SETTINGS,
  type HostSettings,
  parseServer,
} from './client-settings.ts'
import { type Complaint, readTable, type SettingLayer, type TableResult } from './setting.ts'

/** Where each value stands that was given, by setting key: for complaints that only a look at this host can make. */
export type ValuePlaces = Readonly<Record<string, string>>

export interface HostConfig extends HostSettings {
  readonly places: ValuePlaces
}

export interface AccountConfig extends AccountSettings {
  /** What is special about some of its hostnames. */
  readonly hosts: readonly HostConfig[]
  readonly places: ValuePlaces
}

export interface ClientConfig extends ClientSettings {
  readonly accounts: readonly AccountConfig[]
  readonly places: ValuePlaces
  /** Those that anybody wants. */
  readonly families: readonly Family[]
}

/** Everything somebody said, most important layer first. */
export interface ClientLayers {
  readonly flags: SettingLayer
  readonly environment: SettingLayer
  readonly file?: ParsedFile
  /** Where a file would be looked for, if there is none. */
  readonly lookedFor?: string
  /** Only these accounts of the file, by name; empty means all. */
  readonly chosen: readonly string[]
  /** Where nothing will be sent, no password is needed; where only the network is looked at, no account either. */
  readonly needs?: SettingNeeds
  readonly passwordFileFor?: PasswordFileFor
}

/** The password file of an account that gives no password: another than it names, or one although it names none. */
export type PasswordFileFor = (
  account: Partial<Pick<AccountSettings, 'name' | 'username' | 'passwordFile'>>,
) => string | undefined

/** All complaints at once: an operator should not have to fix a file one line per restart. */
export function readClientConfig(given: ClientLayers): Result<ClientConfig, readonly Complaint[]> {
  const file = given.file === undefined ? NO_FILE : readFile(given.file)
  const over = [given.flags, given.environment]
  const inFile = given.file?.name ?? given.lookedFor ?? THE_FILE
  const client = readTable(CLIENT_SETTINGS, [...over, file.top], { subject: '', file: inFile })
  const named = file.accounts.map((layer, at) => ({ layer, name: nameOf(layer, at) }))
  const shared = (layer: SettingLayer): SettingLayer => ({
    ...file.top,
    ...layer,
    ...given.environment,
    ...given.flags,
  })
  const names = (file.accounts.length > 0 ? file.accounts : [{}])
    .map((layer, at) => namesOf(shared(layer), nameOf(shared(layer), at)))
    .filter(() => file.accounts.length > 0 || WHO.some((key) => shared({})[key] !== undefined))
  const chosen = named.filter(
    (_, at) => given.chosen.length === 0 || names[at]?.some((one) => given.chosen.includes(one)),
  )
  const layers = file.accounts.length === 0 ? [{ layer: {}, name: '' }] : chosen
  const all = layers.map(({ layer, name }) => {
    const subject = file.accounts.length > 1 ? `account ${name}` : ''
    const about = { subject, file: inFile }
    const reading = withPasswordFile(
      readTable(ACCOUNT_SETTINGS, onePassword([...over, layer, file.top]), about),
      given.passwordFileFor,
    )
    const hosts = readHosts(file.hosts.get(layer) ?? [], reading.values.hostnames ?? [])
    const isBlank = given.needs === 'nothing' && !WHO.some((key) => reading.places[key] !== undefined)
    return {
      isBlank,
      values: { ...reading.values, hosts: hosts.values, places: reading.places },
      complaints: [
        ...reading.complaints,
        ...impossible(reading, about, given.needs),
        ...unpublishable(reading, client.values.allow),
        ...hosts.complaints,
      ],
    }
  })
  const accounts = all.filter(({ isBlank }) => !isBlank)
  const whole = [...accounts.flatMap((one) => one.complaints), ...twins(accounts.map(({ values }) => values))]
  const complaints = [
    ...file.complaints,
    ...client.complaints,
    ...commandless(client),
    ...unknownAccounts(given.chosen, names),
    ...namesakes(file.accounts.map((layer) => ({ ...file.top, ...layer }))),
    ...ambiguous(over, layers.length),
    // Of a file that could not be read nobody knows what it would have said.
    ...(file.isBroken ? [] : whole),
  ]
  if (complaints.length > 0) return err(distinct(complaints))
  return ok({
    ...client.values,
    families: familiesOf(all.map(({ values }) => values)),
    places: client.places,
    accounts: accounts.map(({ values }) => values),
  })
}

const familiesOf = (accounts: readonly Pick<AccountSettings, 'ipv4' | 'ipv6'>[]): readonly Family[] =>
  FAMILIES.filter((family) => accounts.some(({ ipv4, ipv6 }) => (family === 'v4' ? ipv4 : ipv6)))

/** Each of a name that the account keeps, once, and with one way of making its address. */
function readHosts(
  layers: readonly SettingLayer[],
  hostnames: readonly string[],
): { readonly values: readonly HostConfig[]; readonly complaints: readonly Complaint[] } {
  const read = layers.map((layer) => readTable(HOST_SETTINGS, [layer], { subject: 'host', file: '' }))
  const names = read.map(({ values }) => values.name)
  const complaints = read.flatMap(({ values, places, complaints: own }, at) => {
    const { name, suffix, mac } = values
    // biome-ignore format: a table
    const rules: readonly (readonly [broken: boolean, problem: string, about: string])[] = [
      [name !== undefined && !hostnames.includes(name), `host ${name} is not among the hostnames of its account`, 'name'],
      [name !== undefined && names.indexOf(name) < at, `host ${name} stands there twice`, 'name'],
      [suffix !== undefined && mac !== undefined, 'suffix and mac are both given; keep one', 'mac'],
    ]
    // It cannot be given anywhere but here, and what else it problem tells where that is.
    const [place] = Object.values(places)
    const nameless = { where: place ?? '', problem: 'a host has no name; name one of the hostnames' }
    return [
      ...(name === undefined && places['name'] === undefined ? [nameless] : own),
      ...rules.flatMap(([broken, problem, about]) =>
        broken ? [{ where: places[about] ?? '', problem }] : [],
      ),
    ]
  })
  return { values: read.map(({ values, places }) => ({ ...values, places })), complaints }
}

function nameOf(layer: SettingLayer, at: number): string {
  const name = layer['name']?.value ?? layer['username']?.value
  return typeof name === 'string' ? name : String(at + 1)
}

/** What --account may call it: its name, its username, or both username and host as the log shows them. */
function namesOf(layer: SettingLayer, name: string): readonly string[] {
  const [username, server] = [layer['username']?.value, layer['server']?.value]
  if (typeof username !== 'string') return [name]
  const read = typeof server === 'string' ? parseServer(server) : undefined
  return [name, username, ...(read?.ok ? [`${username}@${new URL(read.value).host}`] : [])]
}

const unknownAccounts = (
  chosen: readonly string[],
  names: readonly (readonly string[])[],
): readonly Complaint[] =>
  chosen.flatMap((name) =>
    names.some((all) => all.includes(name))
      ? []
      : [
          {
            where: '--account',
            problem: `there is no account ${name}; there are ${names.map(([first]) => first).join(', ') || 'none'}`,
          },
        ],
  )

/** Who says none of these has said nothing of an account. */
const WHO = ['server', 'username', 'hostnames'] as const

const PASSWORDS = ['password', 'passwordFile'] as const

/** A password given further up outdoes a password file given further down, and the other way round. */
function onePassword(layers: readonly SettingLayer[]): readonly SettingLayer[] {
  const top = layers.findIndex((layer) => PASSWORDS.some((key) => layer[key] !== undefined))
  const without = ({ password: _password, passwordFile: _file, ...others }: SettingLayer): SettingLayer =>
    others
  return layers.map((layer, at) => (at > top && top >= 0 ? without(layer) : layer))
}

function withPasswordFile(
  reading: TableResult<typeof ACCOUNT_SETTINGS>,
  passwordFileFor: PasswordFileFor = ({ passwordFile }) => passwordFile,
): TableResult<typeof ACCOUNT_SETTINGS> {
  const path = reading.places['password'] === undefined ? passwordFileFor(reading.values) : undefined
  return path === undefined ? reading : { ...reading, values: { ...reading.values, passwordFile: path } }
}

const distinct = (complaints: readonly Complaint[]): readonly Complaint[] =>
  complaints.filter(
    ({ where, problem }, at) =>
      complaints.findIndex((c) => c.where === where && c.problem === problem) === at,
  )
