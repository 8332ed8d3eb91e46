import { canBeBasic, Secret } from '../../shared/base/secret.ts'
import { explainRange, isGlobal, type RangeClass, specialRangeOf } from '../../shared/base/special.ts'
import { providerCalled } from '../services/providers/providers.ts'
import { nameProblems } from './name-checks.ts'
import { bodyProblem, lacksChat, webhookIn } from './notify-settings.ts'
import type { ACCOUNT_SETTINGS, AccountSettings, CLIENT_SETTINGS } from './client-settings.ts'
import { formatPageListener, isLoopback } from './page-settings.ts'
import { PASSWORD_PLACE } from './parameter.ts'
import { protocolRules, sendsPassword } from './protocol-checks.ts'
import { hostOfSource, type SourceSpec } from '../detect/sources/spec.ts'
import type {
  Complaint,
  GivenValue,
  ReadContext,
  SettingLayer,
  TableResult,
  ValuePlaces,
} from '../../shared/settings/setting.ts'

/**
 * The settings that a command needs: `names` (no password) where it sends nothing, `nothing` (no account) where it only
 * inspects the network.
 */
export type SettingNeeds = 'everything' | 'names' | 'nothing'

/** Ranges for documentation and benchmarks: users try the program with them, and no real network has them by accident. */
const TRIAL_RANGES: readonly RangeClass[] = ['documentation', 'benchmark']

/** The identity of an account in the state file: "username@host[:port]", without a final dot of the host. */
export const accountKey = ({ server, username }: AccountSettings): string =>
  `${username}@${new URL(server).host.replace(/\.(?=$|:)/, '')}`

/** Account names that another account has as its name or its username: --account could not tell the two apart. */
export function duplicateNames(accounts: readonly SettingLayer[]): readonly Complaint[] {
  return accounts.flatMap(({ name }, at) => {
    if (name === undefined) return []
    const sameName = accounts.slice(0, at).find((other) => other['name']?.value === name.value)?.['name']
    const sameUser = accounts.find((other, i) => i !== at && other['username']?.value === name.value)
    const problem = (is: string, { where }: GivenValue): Complaint => ({
      where: name.where,
      problem: `name ${String(name.value)} is also the ${is} of another account (${where}); choose another`,
    })
    return [
      ...(sameName === undefined ? [] : [problem('name', sameName)]),
      ...(sameUser?.['username'] === undefined ? [] : [problem('username', sameUser['username'])]),
    ]
  })
}

/** A flag or variable of one account where several are selected. */
export function unclearAccount(overrides: readonly SettingLayer[], accounts: number): readonly Complaint[] {
  if (accounts < 2) return []
  const [override] = overrides.flatMap((layer) =>
    ['server', 'username', 'password', 'passwordFile', 'hostnames'].flatMap((key) => layer[key] ?? []),
  )
  if (override === undefined) return []
  return [{ where: override.where, problem: `the file has ${accounts} accounts; choose one with --account` }]
}

/** Accounts with the same key: each would break the waits that the service demanded of the other. */
export function duplicateAccounts(accounts: readonly AccountSettings[]): readonly Complaint[] {
  const keys = accounts
    .filter(({ server, username }) => server !== undefined && username !== undefined)
    .map(accountKey)
  const duplicates = new Set(keys.filter((key, at) => keys.indexOf(key) !== at))
  return [...duplicates].map((key) => ({
    where: '',
    problem: `two accounts are ${key}; merge their hostnames into one, or give each a name if their tokens differ`,
  }))
}

/** Settings of one account that contradict each other. The place is that of the first of them that is set. */
export function accountConflicts(
  { values, places }: TableResult<typeof ACCOUNT_SETTINGS>,
  { subject, file }: ReadContext,
  needs: SettingNeeds = 'everything',
): readonly Complaint[] {
  const { username, password, passwordFile, server, myip, ipv4, ipv6, httpFallback } = values
  const credentials = { username: username ?? '', password: password ?? new Secret('') }
  // A url with places for one family takes one of two addresses.
  const isLeftOut = (key: 'ipv4' | 'ipv6'): boolean => !values[key] && places[key] !== places['url']
  const isOff =
    typeof myip === 'object' &&
    ((myip.v4 !== undefined && isLeftOut('ipv4')) || (myip.v6 !== undefined && isLeftOut('ipv6')))
  const hooks = (values.webhook ?? []).map((entry) => webhookIn(entry, values.webhookFormat))
  const badBody =
    values.webhookBody === undefined ? undefined : bodyProblem(values.webhookBody, values.webhookType)
  // biome-ignore format: a table
  const rules: readonly (readonly [isBroken: boolean, problem: string, ...keys: string[]])[] = [
    [!ipv4 && !ipv6, 'ipv4 and ipv6 are both false; set one of them to true', 'ipv4', 'ipv6'],
    [password !== undefined && passwordFile !== undefined, 'password and password_file are both set; keep one', 'passwordFile'],
    [hasNoPassword(values, places, needs) && sendsPassword(values), `password is missing; set password_file in ${file}, --password-file or HOLDFAST_PASSWORD, or a credential of the systemd unit`],
    [!canBeBasic(credentials), 'username must not contain a colon, and neither username nor password a control character', 'username', 'password'],
    [httpFallback && (server ?? '').startsWith('http:'), 'http_fallback is for https servers only, and server is http; remove it', 'httpFallback'],
    [values.ipv6Server !== undefined && values.families !== 'apart', 'ipv6_server is for IPv6-only requests; write families = "apart" too', 'ipv6Server'],
    [values.hostnameParameter === 'none' && values.hostnames !== undefined && values.hostnames.length > 1, 'hostname_parameter is none, so the username stands for one hostname; write an account for each hostname', 'hostnames'],
    ...nameProblems(values.hostnames ?? [], values).map((problem) => [true, problem, 'hostnames'] as const),
    [needsOwnParameter(values), `absent_family = "${values.absentFamily}" needs a separate parameter for IPv6; set ipv6_parameter`, 'absentFamily'],
    [values.absentFamily !== 'omit' && values.absentFamily !== 'keep' && values.families === 'apart', `absent_family = "${values.absentFamily}" is for services that take both families in one request; remove it or families = "apart"`, 'absentFamily'],
    [values.absentFamily === 'hold-ipv4' && !ipv4, 'ipv4 is false, and the service publishes a wrong IPv4 address for an update without one (absent_family = "hold-ipv4"); remove ipv4 = false', 'ipv4', 'absentFamily'],
    [myip === 'connection' && values.absentFamily !== 'omit', `absent_family = "${values.absentFamily}" needs addresses, and myip = "connection" sends none: the service would delete the other family; remove myip`, 'myip', 'absentFamily'],
    [values.offline && !hasOffline(values), `offline is set, and ${offlineRisk(values.provider)}; remove it`, 'offline'],
    [hooks.some(lacksChat), 'webhook for Telegram has no chat_id; write https://api.telegram.org/botTOKEN/sendMessage?chat_id=CHAT', 'webhook'],
    [hooks.some(({ format }) => format === 'template') && values.webhookBody === undefined, 'the format template needs webhook_body', 'webhookFormat', 'webhook'],
    [badBody !== undefined, badBody ?? '', 'webhookBody'],
    [values.mailTo !== undefined && places['mailServer'] === undefined, 'mail_to needs mail_server, such as smtp.example:587', 'mailTo'],
    [places['mailTo'] === undefined && values.mailServer !== undefined, 'mail_server is set, and mail_to is not, so no message is sent; add mail_to', 'mailServer'],
    [(places['mailUsername'] === undefined) !== (places['mailPasswordFile'] === undefined), 'mail_username and mail_password_file belong together; write both, or none', 'mailUsername', 'mailPasswordFile'],
    [isOff, 'myip has an address of a family that is off; remove the address, or set ipv4 or ipv6 to true', 'myip'],
  ]
  return [...rules, ...protocolRules(values, places)].flatMap(([isBroken, problem, ...keys]) =>
    isBroken ? [{ where: keys.flatMap((key) => places[key] ?? [])[0] ?? subject, problem }] : [],
  )
}

/** The service of the specification has it, and of the others those of which a source says so. */
const hasOffline = ({ provider, url }: AccountSettings): boolean =>
  url === undefined && (provider === undefined || providerCalled(provider)?.hasOffline === true)

const offlineRisk = (provider = 'this service'): string =>
  `no source confirms that ${provider} supports it: it may publish the address of the connection instead`

/** `offline_on_stop` is for all accounts, and one of them has no such function. */
export const unknownOffline = (
  { values, places }: TableResult<typeof CLIENT_SETTINGS>,
  accounts: readonly AccountSettings[],
): readonly Complaint[] =>
  accounts
    .filter((account) => values.offlineOnStop && !hasOffline(account))
    .slice(0, 1)
    .map(({ provider }) => ({
      where: places['offlineOnStop'] ?? '',
      problem: `offline_on_stop is set, and ${offlineRisk(provider)}; remove it`,
    }))

/** One that is written wrongly has a complaint of its own. */
const hasNoPassword = (
  { passwordFile }: AccountSettings,
  places: ValuePlaces,
  needs: SettingNeeds,
): boolean =>
  needs === 'everything' &&
  passwordFile === undefined &&
  places['password'] === undefined &&
  places['passwordFile'] === undefined

/** In a list of addresses a word cannot stand for one of them. */
const needsOwnParameter = ({ absentFamily, ipv6Parameter }: AccountSettings): boolean =>
  (absentFamily === 'preserve' || absentFamily === 'no') && ipv6Parameter === 'myip'

/** The source `command` without a command. */
export function missingCommand({
  values,
  places,
}: TableResult<typeof CLIENT_SETTINGS>): readonly Complaint[] {
  const isListed = values.sources?.some(({ kind }) => kind === 'command') === true
  if (!isListed || places['command'] !== undefined) return []
  const problem = 'sources lists command, and command is not set; write command = ["/path/to/program"]'
  return [{ where: places['sources'] ?? '', problem }]
}

/** The only operator of several sources, none of which is the router or an interface. */
export function onlyOperator(sources: readonly SourceSpec[] | undefined): string | undefined {
  const [host, ...others] = [...new Set(sources?.map(hostOfSource))]
  return others.length === 0 ? host : undefined
}

/** Two are demanded in writing, and the word of one operator would count alone. */
export function missingOperator({
  values: { sources, agreement },
  places,
}: TableResult<typeof CLIENT_SETTINGS>): readonly Complaint[] {
  const [operator, where] = [onlyOperator(sources), places['agreement']]
  if (operator === undefined || agreement === 'one' || where === undefined) return []
  const problem =
    `agreement is two, and sources has one operator, ${operator}; ` +
    'add a source of another operator, or write agreement = "one"'
  return [{ where, problem }]
}

/** Everyone in the network could stop and start updates, and read hostnames and addresses. */
export function unprotectedPage({
  values: { page, pagePasswordFile },
  places,
}: TableResult<typeof CLIENT_SETTINGS>): readonly Complaint[] {
  if (page === undefined || isLoopback(page.host) || pagePasswordFile !== undefined) return []
  const problem =
    `page ${formatPageListener(page)} can be reached from other hosts, and needs a password; ` +
    'set page_password_file, or use 127.0.0.1'
  return [{ where: places['page'] ?? '', problem }]
}

/** Parameters with a secret written into them; they are sent as they are. */
export const literalSecrets = ({
  parameters,
  places,
}: Pick<AccountSettings, 'parameters'> & { readonly places: ValuePlaces }): readonly Complaint[] =>
  parameters.flatMap(([name, value]) =>
    typeof value === 'string'
      ? []
      : [
          {
            where: places['parameters'] ?? '',
            problem:
              `parameters has the value of ${name} itself; write parameters = ["${name}=${PASSWORD_PLACE}"], ` +
              'and the value into the file of password_file',
          },
        ],
  )

/** Addresses in `myip` are published unchecked, so a non-public one is most likely a mistake. */
export function nonPublicMyip(
  { values: { myip }, places }: TableResult<typeof ACCOUNT_SETTINGS>,
  allow: readonly RangeClass[],
): readonly Complaint[] {
  const addresses = typeof myip === 'object' ? Object.values(myip) : []
  return addresses
    .filter((address) => !isGlobal(address, [...allow, ...TRIAL_RANGES]))
    .map((address) => ({
      where: places['myip'] ?? '',
      problem:
        `myip ${address} is not public (${explainRange(address)}); to publish it, ` +
        `write allow = ["${specialRangeOf(address)}"]`,
    }))
}
