import { canBeBasic } from '../net/basic.ts'
import { Secret } from '../net/secret.ts'
import { explainRange, isGlobal, type RangeClass, specialRangeOf } from '../net/special.ts'
import type { ACCOUNT_SETTINGS, AccountSettings, CLIENT_SETTINGS } from './client-settings.ts'
import type { Complaint, MissingContext, SettingLayer, TableResult } from './setting.ts'

/** How much a command needs: names alone where nothing is sent, nothing where only the network is looked at. */
export type SettingNeeds = 'everything' | 'names' | 'nothing'

/** Ranges for documents and measurements. They are used to try the program out, and no network has them by mistake. */
const EXAMPLES: readonly RangeClass[] = ['documentation', 'benchmark']

/** What the client remembers an account by: credentials of another user are another account. */
export const accountKey = ({ server, username }: AccountSettings): string =>
  `${username}@${new URL(server).host}`

/** A name that leads to two accounts leads to the wrong one. */
export function namesakes(accounts: readonly SettingLayer[]): readonly Complaint[] {
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
              problem: `name ${String(name.value)} is that of another account too (${twin.where})`,
            },
          ]),
      ...(user === undefined
        ? []
        : [
            {
              where: name.where,
              problem: `name ${String(name.value)} is the username of another account (${user.where})`,
            },
          ]),
    ]
  })
}

/** A hostname on the command line beside a file of three accounts: whose is it? */
export function ambiguous(over: readonly SettingLayer[], accounts: number): readonly Complaint[] {
  if (accounts < 2) return []
  const [given] = over.flatMap((layer) =>
    ['server', 'username', 'password', 'passwordFile', 'hostnames'].flatMap((key) => layer[key] ?? []),
  )
  if (given === undefined) return []
  return [{ where: given.where, problem: `the file has ${accounts} accounts; choose one with --account` }]
}

/** Two accounts of one user at one service would take turns at breaking each other's waits. */
export function twins(accounts: readonly AccountSettings[]): readonly Complaint[] {
  const keys = accounts
    .filter(({ server, username }) => server !== undefined && username !== undefined)
    .map(accountKey)
  const twice = new Set(keys.filter((key, at) => keys.indexOf(key) !== at))
  return [...twice].map((key) => ({
    where: '',
    problem: `two accounts are ${key}; put their hostnames into one`,
  }))
}

/** What no single setting can see; named by the place of the first of the settings that somebody gave. */
export function impossible(
  { values, places }: TableResult<typeof ACCOUNT_SETTINGS>,
  { subject, file }: MissingContext,
  needs: SettingNeeds = 'everything',
): readonly Complaint[] {
  const { username, password, passwordFile, server, myip, ipv4, ipv6, httpFallback } = values
  const credentials = { username: username ?? '', password: password ?? new Secret('') }
  const isOff =
    typeof myip === 'object' && ((myip.v4 !== undefined && !ipv4) || (myip.v6 !== undefined && !ipv6))
  // biome-ignore format: a table
  const rules: readonly (readonly [broken: boolean, problem: string, ...about: string[]])[] = [
    [!ipv4 && !ipv6, 'ipv4 and ipv6 are both off; there is nothing to keep current', 'ipv4', 'ipv6'],
    [password !== undefined && passwordFile !== undefined, 'password and password_file are both given; keep one', 'passwordFile'],
    [needs === 'everything' && places['password'] === undefined && passwordFile === undefined, `password is missing; give it as password_file in ${file}, as --password-file or HOLDFAST_PASSWORD, or to the unit of systemd as a credential`],
    [!canBeBasic(credentials), 'username may not hold a colon, and neither username nor password a control character', 'username', 'password'],
    [httpFallback && (server ?? '').startsWith('http:'), 'http_fallback has no meaning for an http server', 'httpFallback'],
    [isOff, 'myip names an address of a family that is switched off', 'myip'],
  ]
  return rules.flatMap(([broken, problem, ...about]) =>
    broken ? [{ where: about.flatMap((key) => places[key] ?? [])[0] ?? subject, problem }] : [],
  )
}

/** A source without what it needs. */
export function commandless({ values, places }: TableResult<typeof CLIENT_SETTINGS>): readonly Complaint[] {
  const isNamed = values.sources?.some(({ kind }) => kind === 'command') === true
  if (!isNamed || places['command'] !== undefined) return []
  const problem = 'sources lists command, and there is none; write command = ["/path/of/a/program"]'
  return [{ where: places['sources'] ?? '', problem }]
}

/** An address that is given is published as it is; one that cannot be reached from outside is mostly a slip. */
export function unpublishable(
  { values: { myip }, places }: TableResult<typeof ACCOUNT_SETTINGS>,
  allow: readonly RangeClass[],
): readonly Complaint[] {
  const addresses = typeof myip === 'object' ? Object.values(myip) : []
  return addresses
    .filter((address) => !isGlobal(address, [...allow, ...EXAMPLES]))
    .map((address) => ({
      where: places['myip'] ?? '',
      problem: `myip ${address} is not public (${explainRange(address)}); to publish it, write allow = ["${specialRangeOf(address)}"]`,
    }))
}
