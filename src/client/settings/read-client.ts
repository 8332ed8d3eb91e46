import { protocolLayer } from './protocol-settings.ts'
import { hasOtherProtocol, mixedServices, NIC_UPDATE_KEYS, presetLayer } from './protocol-checks.ts'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { FAMILIES, type Family } from '../../shared/base/address.ts'
import {
  accountConflicts,
  duplicateAccounts,
  duplicateNames,
  missingCommand,
  missingOperator,
  nonPublicMyip,
  type SettingNeeds,
  unclearAccount,
  unknownOffline,
  unprotectedPage,
} from './client-checks.ts'
import { namesOfAccounts } from './account-names.ts'
import { type ClientFile, NO_FILE, readFile } from './client-file.ts'
import { type ParsedFile, UNNAMED_FILE } from '../../shared/settings/file-layer.ts'
import {
  ACCOUNT_SETTINGS,
  type AccountSettings,
  CLIENT_SETTINGS,
  type ClientSettings,
  HOST_SETTINGS,
  type HostSettings,
  parseServer,
} from './client-settings.ts'
import {
  type Complaint,
  type ReadContext,
  readTable,
  type SettingLayer,
  type TableResult,
  type ValuePlaces,
} from '../../shared/settings/setting.ts'

const PASSWORD_KEYS = ['password', 'passwordFile'] as const

/** Drops both password settings from every layer below the first that has one of them: the most important origin wins. */
function withOnePassword(layers: readonly SettingLayer[]): readonly SettingLayer[] {
  const top = layers.findIndex((layer) => PASSWORD_KEYS.some((key) => layer[key] !== undefined))
  const withoutPassword = ({
    password: _password,
    passwordFile: _file,
    ...others
  }: SettingLayer): SettingLayer => others
  return layers.map((layer, at) => (at > top && top >= 0 ? withoutPassword(layer) : layer))
}

/** A service with another protocol takes the place of that of farther layers, with the settings of its requests. */
function withOneService(layers: readonly SettingLayer[]): readonly SettingLayer[] {
  const nearest = layers.findIndex(isOther)
  const service = layers[nearest]?.['url'] === undefined ? [] : ['provider', 'server']
  const dropped: readonly string[] = [...service, ...NIC_UPDATE_KEYS]
  const others = (layer: SettingLayer): SettingLayer =>
    Object.fromEntries(Object.entries(layer).filter(([key]) => !dropped.includes(key)))
  return layers.map((layer, at) => (nearest >= 0 && at > nearest ? others(layer) : layer))
}

const isOther = ({ url, provider }: SettingLayer): boolean =>
  url !== undefined || (provider !== undefined && hasOtherProtocol(String(provider.value)))

/** One [[account.host]] table. */
interface HostConfig extends HostSettings {
  readonly places: ValuePlaces
}

export interface AccountConfig extends AccountSettings {
  /** The hostnames that have settings of their own. */
  readonly hosts: readonly HostConfig[]
  readonly places: ValuePlaces
}

export interface ClientConfig extends ClientSettings {
  readonly accounts: readonly AccountConfig[]
  readonly places: ValuePlaces
  /** The families that at least one account uses. */
  readonly families: readonly Family[]
}

/** All origins of client settings, and how to read them. Flags override the environment, which overrides the file. */
interface ClientLayers {
  readonly flags: SettingLayer
  readonly environment: SettingLayer
  readonly file?: ParsedFile
  /** Without a file: the path at which one is expected, for complaints. */
  readonly lookedFor?: string
  /** Read only these accounts of the file, by name, username or account key; empty means all. */
  readonly chosen: readonly string[]
  /** Default: `everything`. */
  readonly needs?: SettingNeeds
  readonly passwordFileFor?: PasswordFileFor
  readonly wholePath?: ReadContext['wholePath']
}

/**
 * The password file of an account that sets no password: replaces the one in its settings, or supplies one. Undefined where
 * there is none.
 */
export type PasswordFileFor = (
  account: Partial<Pick<AccountSettings, 'name' | 'username' | 'passwordFile'>>,
) => string | undefined

/** The settings of the client, or all complaints together, so that one run shows every mistake. */
export function readClientConfig(layers: ClientLayers): Result<ClientConfig, readonly Complaint[]> {
  const file = layers.file === undefined ? NO_FILE : readFile(layers.file)
  const fileName = layers.file?.name ?? layers.lookedFor ?? UNNAMED_FILE
  const overrides = [layers.flags, layers.environment]
  const client = readTable(CLIENT_SETTINGS, [...overrides, file.top], {
    wholePath: layers.wholePath,
    subject: '',
    file: fileName,
  })
  const names = accountNames(file, layers)
  const selected = selectAccounts(file, names, layers.chosen)
  const all = selected.map((account) =>
    readAccount(account, { layers, file, fileName, allow: client.values.allow }),
  )
  const present = all.filter(({ isEmpty }) => !isEmpty)
  const accounts = present.map(({ config }) => config)
  const accountComplaints = [
    ...present.flatMap(({ complaints }) => complaints),
    ...duplicateAccounts(accounts),
    ...unknownOffline(client, accounts),
  ]
  const complaints = [
    ...file.complaints,
    ...client.complaints,
    ...missingCommand(client),
    ...missingOperator(client),
    ...unprotectedPage(client),
    ...unknownAccounts(layers.chosen, names),
    ...duplicateNames(file.accounts.map((layer) => ({ ...file.top, ...layer }))),
    ...unclearAccount(overrides, selected.length),
    // An unreadable file has no accounts: complaints about missing settings would mislead.
    ...(file.isUnreadable ? [] : accountComplaints),
  ]
  if (complaints.length > 0) return err(distinct(complaints))
  return ok({
    ...client.values,
    whenStopped: whenStoppedOf(client),
    families: familiesOf(all.map(({ config }) => config)),
    places: client.places,
    accounts,
  })
}

/** With a page, a daemon without anything to do stays: the page shows why, and has the button that resumes. */
const whenStoppedOf = ({
  values,
  places,
}: TableResult<typeof CLIENT_SETTINGS>): ClientSettings['whenStopped'] =>
  values.page !== undefined && places['whenStopped'] === undefined ? 'idle' : values.whenStopped

/** The names by which --account can select each account, in the order of the file; the first is the one to show. */
function accountNames(
  file: ClientFile,
  { flags, environment }: ClientLayers,
): readonly (readonly string[])[] {
  const withShared = (layer: SettingLayer): SettingLayer => ({
    ...file.top,
    ...layer,
    ...environment,
    ...flags,
  })
  if (file.accounts.length === 0 && !identifiesAccount(withShared({}))) return []
  const layers = (file.accounts.length === 0 ? [{}] : file.accounts).map(withShared)
  const shown = namesOfAccounts(layers.map(valuesIn))
  return layers.map((layer, at) => selectorsOf(layer, shown[at] ?? '', at))
}

/** An account table to read; empty where the top of the file, flags and environment define the only account. */
interface SelectedAccount {
  readonly layer: SettingLayer
  readonly name: string
}

function selectAccounts(
  file: ClientFile,
  names: readonly (readonly string[])[],
  chosen: readonly string[],
): readonly SelectedAccount[] {
  if (file.accounts.length === 0) return [{ layer: {}, name: '' }]
  const shown = namesOfAccounts(file.accounts.map((layer) => valuesIn({ ...file.top, ...layer })))
  return file.accounts
    .map((layer, at) => ({ layer, name: shown[at] ?? '' }))
    .filter((_, at) => chosen.length === 0 || names[at]?.some((name) => chosen.includes(name)))
}

interface AccountContext {
  readonly layers: ClientLayers
  readonly file: ClientFile
  readonly fileName: string
  readonly allow: ClientSettings['allow']
}

interface AccountResult {
  readonly config: AccountConfig
  /** Nothing identifies an account, and the command needs none. */
  readonly isEmpty: boolean
  readonly complaints: readonly Complaint[]
}

function readAccount(
  { layer, name }: SelectedAccount,
  { layers, file, fileName, allow }: AccountContext,
): AccountResult {
  const subject = file.accounts.length > 1 ? `account ${name}` : ''
  const context = { wholePath: layers.wholePath, subject, file: fileName }
  const written = withOneService(withOnePassword([layers.flags, layers.environment, layer, file.top]))
  const known = [...written, presetLayer(written)]
  const inOrder = [...known, protocolLayer(known)]
  const account = withPasswordFile(readTable(ACCOUNT_SETTINGS, inOrder, context), layers.passwordFileFor)
  const hosts = readHosts(file.hosts.get(layer) ?? [], account.values.hostnames ?? [])
  return {
    config: { ...account.values, hosts: hosts.values, places: account.places },
    isEmpty: layers.needs === 'nothing' && !identifiesAccount(account.places),
    complaints: [
      ...account.complaints,
      ...mixedServices([layers.flags, layers.environment, layer, file.top], 2),
      ...accountConflicts(account, context, layers.needs),
      ...nonPublicMyip(account, allow),
      ...hosts.complaints,
    ],
  }
}

const familiesOf = (accounts: readonly Pick<AccountSettings, 'ipv4' | 'ipv6'>[]): readonly Family[] =>
  FAMILIES.filter((family) => accounts.some(({ ipv4, ipv6 }) => (family === 'v4' ? ipv4 : ipv6)))

/** Each host must name a hostname of its account, once, and set at most one of suffix and mac. */
function readHosts(
  layers: readonly SettingLayer[],
  hostnames: readonly string[],
): { readonly values: readonly HostConfig[]; readonly complaints: readonly Complaint[] } {
  const read = layers.map((layer) => readTable(HOST_SETTINGS, [layer], { subject: 'host', file: '' }))
  const names = read.map(({ values }) => values.name)
  const complaints = read.flatMap(({ values, places, complaints: ownComplaints }, at) => {
    const { name, suffix, mac } = values
    // biome-ignore format: a table
    const rules: readonly (readonly [isBroken: boolean, problem: string, key: string])[] = [
      [name !== undefined && !hostnames.includes(name), `host ${name} is not one of the hostnames of its account; add it there or correct it`, 'name'],
      [name !== undefined && names.indexOf(name) < at, `host ${name} is set twice; keep one`, 'name'],
      [suffix !== undefined && mac !== undefined, 'suffix and mac are both set; keep one', 'mac'],
    ]
    // Only the file can set the name of a host, so the place of any other setting of the host shows where.
    const [place] = Object.values(places)
    const nameless = { where: place ?? '', problem: 'a host has no name; set name to one of the hostnames' }
    return [
      ...(name === undefined && places['name'] === undefined ? [nameless] : ownComplaints),
      ...rules.flatMap(([isBroken, problem, key]) =>
        isBroken ? [{ where: places[key] ?? '', problem }] : [],
      ),
    ]
  })
  return { values: read.map(({ values, places }) => ({ ...values, places })), complaints }
}

const valuesIn = (layer: SettingLayer): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(layer).map(([key, { value }]) => [key, value]))

/** The names that --account accepts: name, username, the account key that the log shows, and the number of the table. */
function selectorsOf(layer: SettingLayer, name: string, at: number): readonly string[] {
  const [username, server] = [layer['username']?.value, layer['server']?.value]
  const number = layer['name'] === undefined && username === undefined ? [String(at + 1)] : []
  if (typeof username !== 'string') return [name, ...number]
  const parsed = typeof server === 'string' ? parseServer(server) : undefined
  return [name, username, ...(parsed?.ok ? [`${username}@${new URL(parsed.value).host}`] : [])]
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
            problem: `there is no account ${name}; the accounts are ${names.map(([first]) => first).join(', ') || 'none'}`,
          },
        ],
  )

/** Settings that define an account: without any of them, there is none. */
const ACCOUNT_KEYS = ['server', 'username', 'hostnames'] as const
const identifiesAccount = (values: Readonly<Record<string, unknown>>): boolean =>
  ACCOUNT_KEYS.some((key) => values[key] !== undefined)

function withPasswordFile(
  account: TableResult<typeof ACCOUNT_SETTINGS>,
  passwordFileFor: PasswordFileFor = ({ passwordFile }) => passwordFile,
): TableResult<typeof ACCOUNT_SETTINGS> {
  const path = account.places['password'] === undefined ? passwordFileFor(account.values) : undefined
  const { apiKeyFile } = account.values
  const keyPath = apiKeyFile === undefined ? undefined : passwordFileFor({ passwordFile: apiKeyFile })
  return {
    ...account,
    values: {
      ...account.values,
      ...(path !== undefined && { passwordFile: path }),
      ...(keyPath !== undefined && { apiKeyFile: keyPath }),
    },
  }
}

const distinct = (complaints: readonly Complaint[]): readonly Complaint[] =>
  complaints.filter(
    ({ where, problem }, at) =>
      complaints.findIndex((other) => other.where === where && other.problem === problem) === at,
  )
