import { type Result, err, ok } from '../base/result.ts'
import { FAMILIES, type Family } from '../net/address.ts'
import { canBeBasic } from '../net/basic.ts'
import { Secret } from '../net/secret.ts'
import { type RangeClass, explainRange, isGlobal, specialRangeOf } from '../net/special.ts'
import {
  ACCOUNT_SETTINGS,
  type AccountSettings,
  CLIENT_SETTINGS,
  HOST_SETTINGS,
  type HostSettings,
  type ClientSettings,
  parseServer,
} from './client-settings.ts'
import { NO_FILE, type ParsedFile, THE_FILE, readFile } from './client-file.ts'
import { type About, type Complaint, type Layer, type Reading, readTable } from './setting.ts'

/** Where each value stands that was given, by setting key: for complaints that only a look at this host can make. */
export type Places = Readonly<Record<string, string>>

export interface HostConfig extends HostSettings {
  readonly places: Places
}

export interface AccountConfig extends AccountSettings {
  /** What is special about some of its hostnames. */
  readonly hosts: readonly HostConfig[]
  readonly places: Places
}

export interface ClientConfig extends ClientSettings {
  readonly accounts: readonly AccountConfig[]
  readonly places: Places
  /** Those that anybody wants. */
  readonly families: readonly Family[]
}

/** Everything somebody said, most important layer first. */
export interface Sources {
  readonly flags: Layer
  readonly environment: Layer
  readonly file?: ParsedFile
  /** Where a file would be looked for, if there is none. */
  readonly lookedFor?: string
  /** Only these accounts of the file, by name; empty means all. */
  readonly chosen: readonly string[]
  /** Where nothing will be sent, no password is needed; where only the network is looked at, no account either. */
  readonly needs?: Needs
  readonly passwordFileFor?: PasswordFileFor
}

/** The password file of an account that gives no password: another than it names, or one although it names none. */
export type PasswordFileFor = (
  account: Partial<Pick<AccountSettings, 'name' | 'username' | 'passwordFile'>>,
) => string | undefined

export type Needs = 'everything' | 'names' | 'nothing'

/** All complaints at once: an operator should not have to fix a file one line per restart. */
export function readClientConfig(given: Sources): Result<ClientConfig, readonly Complaint[]> {
  const file = given.file === undefined ? NO_FILE : readFile(given.file)
  const over = [given.flags, given.environment]
  const inFile = given.file?.name ?? given.lookedFor ?? THE_FILE
  const client = readTable(CLIENT_SETTINGS, [...over, file.top], { subject: '', file: inFile })
  const named = file.accounts.map((layer, at) => ({ layer, name: nameOf(layer, at) }))
  const shared = (layer: Layer): Layer => ({ ...file.top, ...layer, ...given.environment, ...given.flags })
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
  const families = FAMILIES.filter((family) =>
    all.some(({ values }) => (family === 'v4' ? values.ipv4 : values.ipv6)),
  )
  return ok({
    ...client.values,
    families,
    places: client.places,
    accounts: accounts.map(({ values }) => values),
  })
}

/** Each of a name that the account keeps, once, and with one way of making its address. */
function readHosts(
  layers: readonly Layer[],
  hostnames: readonly string[],
): { readonly values: readonly HostConfig[]; readonly complaints: readonly Complaint[] } {
  const read = layers.map((layer) => readTable(HOST_SETTINGS, [layer], { subject: 'host', file: '' }))
  const names = read.map(({ values }) => values.name)
  const complaints = read.flatMap(({ values, places, complaints: own }, at) => {
    const { name, suffix, mac } = values
    // biome-ignore format: a table
    const rules: readonly (readonly [broken: boolean, says: string, about: string])[] = [
      [name !== undefined && !hostnames.includes(name), `host ${name} is not among the hostnames of its account`, 'name'],
      [name !== undefined && names.indexOf(name) < at, `host ${name} stands there twice`, 'name'],
      [suffix !== undefined && mac !== undefined, 'suffix and mac are both given; keep one', 'mac'],
    ]
    // It cannot be given anywhere but here, and what else it says tells where that is.
    const [place] = Object.values(places)
    const nameless = { where: place ?? '', says: 'a host has no name; name one of the hostnames' }
    return [
      ...(name === undefined && places['name'] === undefined ? [nameless] : own),
      ...rules.flatMap(([broken, says, about]) => (broken ? [{ where: places[about] ?? '', says }] : [])),
    ]
  })
  return { values: read.map(({ values, places }) => ({ ...values, places })), complaints }
}

function nameOf(layer: Layer, at: number): string {
  const name = layer['name']?.value ?? layer['username']?.value
  return typeof name === 'string' ? name : String(at + 1)
}

/** What --account may call it: its name, its username, or both username and host as the log shows them. */
function namesOf(layer: Layer, name: string): readonly string[] {
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
            says: `there is no account ${name}; there are ${names.map(([first]) => first).join(', ') || 'none'}`,
          },
        ],
  )

/** A name that leads to two accounts leads to the wrong one. */
function namesakes(accounts: readonly Layer[]): readonly Complaint[] {
  return accounts.flatMap(({ name }, at) => {
    if (name === undefined) return []
    const twin = accounts.slice(0, at).find((other) => other['name']?.value === name.value)?.['name']
    const other = accounts.find((one, where) => where !== at && one['username']?.value === name.value)
    const user = other?.['username']
    return [
      ...(twin === undefined
        ? []
        : [
            {
              where: name.where,
              says: `name ${String(name.value)} is that of another account too (${twin.where})`,
            },
          ]),
      ...(user === undefined
        ? []
        : [
            {
              where: name.where,
              says: `name ${String(name.value)} is the username of another account (${user.where})`,
            },
          ]),
    ]
  })
}

/** A hostname on the command line beside a file of three accounts: whose is it? */
function ambiguous(over: readonly Layer[], accounts: number): readonly Complaint[] {
  if (accounts < 2) return []
  const [given] = over.flatMap((layer) =>
    ['server', 'username', 'password', 'passwordFile', 'hostnames'].flatMap((key) => layer[key] ?? []),
  )
  if (given === undefined) return []
  return [{ where: given.where, says: `the file has ${accounts} accounts; choose one with --account` }]
}

/** Who says none of these has said nothing of an account. */
const WHO = ['server', 'username', 'hostnames'] as const

const PASSWORDS = ['password', 'passwordFile'] as const

/** A password given further up outdoes a password file given further down, and the other way round. */
function onePassword(layers: readonly Layer[]): readonly Layer[] {
  const top = layers.findIndex((layer) => PASSWORDS.some((key) => layer[key] !== undefined))
  const without = ({ password: _password, passwordFile: _file, ...others }: Layer): Layer => others
  return layers.map((layer, at) => (at > top && top >= 0 ? without(layer) : layer))
}

function withPasswordFile(
  reading: Reading<typeof ACCOUNT_SETTINGS>,
  passwordFileFor: PasswordFileFor = ({ passwordFile }) => passwordFile,
): Reading<typeof ACCOUNT_SETTINGS> {
  const path = reading.places['password'] === undefined ? passwordFileFor(reading.values) : undefined
  return path === undefined ? reading : { ...reading, values: { ...reading.values, passwordFile: path } }
}

/** Two accounts of one user at one service would take turns at breaking each other's waits. */
function twins(accounts: readonly AccountSettings[]): readonly Complaint[] {
  const keys = accounts
    .filter(({ server, username }) => server !== undefined && username !== undefined)
    .map(accountKey)
  const twice = new Set(keys.filter((key, at) => keys.indexOf(key) !== at))
  return [...twice].map((key) => ({
    where: '',
    says: `two accounts are ${key}; put their hostnames into one`,
  }))
}

/** What the client remembers an account by: credentials of another user are another account. */
export const accountKey = ({ server, username }: AccountSettings): string =>
  `${username}@${new URL(server).host}`

/** What no single setting can see; named by the place of the first of the settings that somebody gave. */
function impossible(
  { values, places }: Reading<typeof ACCOUNT_SETTINGS>,
  { subject, file }: About,
  needs: Needs = 'everything',
): readonly Complaint[] {
  const { username, password, passwordFile, server, myip, ipv4, ipv6, httpFallback } = values
  const credentials = { username: username ?? '', password: password ?? new Secret('') }
  const isOff =
    typeof myip === 'object' && ((myip.v4 !== undefined && !ipv4) || (myip.v6 !== undefined && !ipv6))
  // biome-ignore format: a table
  const rules: readonly (readonly [broken: boolean, says: string, ...about: string[]])[] = [
    [!ipv4 && !ipv6, 'ipv4 and ipv6 are both off; there is nothing to keep current', 'ipv4', 'ipv6'],
    [password !== undefined && passwordFile !== undefined, 'password and password_file are both given; keep one', 'passwordFile'],
    [needs === 'everything' && places['password'] === undefined && passwordFile === undefined, `password is missing; give it as password_file in ${file}, as --password-file or HOLDFAST_PASSWORD, or to the unit of systemd as a credential`],
    [!canBeBasic(credentials), 'username may not hold a colon, and neither username nor password a control character', 'username', 'password'],
    [httpFallback && (server ?? '').startsWith('http:'), 'http_fallback has no meaning for an http server', 'httpFallback'],
    [isOff, 'myip names an address of a family that is switched off', 'myip'],
  ]
  return rules.flatMap(([broken, says, ...about]) =>
    broken ? [{ where: about.flatMap((key) => places[key] ?? [])[0] ?? subject, says }] : [],
  )
}

/** A source without what it needs. */
function commandless({ values, places }: Reading<typeof CLIENT_SETTINGS>): readonly Complaint[] {
  const isNamed = values.sources?.some(({ kind }) => kind === 'command') === true
  if (!isNamed || places['command'] !== undefined) return []
  const says = 'sources lists command, and there is none; write command = ["/path/of/a/program"]'
  return [{ where: places['sources'] ?? '', says }]
}

/** Ranges for documents and measurements. They are used to try the program out, and no network has them by mistake. */
const EXAMPLES: readonly RangeClass[] = ['documentation', 'benchmark']

/** An address that is given is published as it is; one that cannot be reached from outside is mostly a slip. */
function unpublishable(
  { values: { myip }, places }: Reading<typeof ACCOUNT_SETTINGS>,
  allow: readonly RangeClass[],
): readonly Complaint[] {
  const addresses = typeof myip === 'object' ? Object.values(myip) : []
  return addresses
    .filter((address) => !isGlobal(address, [...allow, ...EXAMPLES]))
    .map((address) => ({
      where: places['myip'] ?? '',
      says: `myip ${address} is not public (${explainRange(address)}); to publish it, write allow = ["${specialRangeOf(address)}"]`,
    }))
}

const distinct = (complaints: readonly Complaint[]): readonly Complaint[] =>
  complaints.filter(
    ({ where, says }, at) => complaints.findIndex((c) => c.where === where && c.says === says) === at,
  )
