import type { LineSpec } from '../detect/line/line-spec.ts'
import { constants } from 'node:fs'
import { access, mkdir, rmdir, stat } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { familyOf } from '../../shared/base/address.ts'
import { systemOutboundRoute } from '../../shared/platform/network/outbound-route.ts'
import type { ClientConfig } from './read-client.ts'
import { HOOKS } from './notify-settings.ts'
import { type Complaint, fileKeyOf, formatComplaint } from '../../shared/settings/setting.ts'
import { denial, isDenial } from '../../shared/platform/files/folder.ts'
import { interfaceNames, systemInterfaces } from '../../shared/platform/network/interfaces.ts'

type Config = Pick<ClientConfig, 'sources' | 'command' | 'accounts' | 'places'>

/** Problems of the program in `command` on this host. */
export async function commandComplaints({ sources, command, places }: Config): Promise<readonly Complaint[]> {
  const isUsed = sources?.some(({ kind }) => kind === 'command') === true
  return isUsed ? argvComplaints({ setting: 'command', argv: command, where: places['command'] }) : []
}

/** Problems of the programs for notifications: updates do not depend on them. */
export async function notificationComplaints({ accounts }: Config): Promise<readonly Complaint[]> {
  const found = await Promise.all(
    accounts.flatMap(({ places, ...account }) =>
      HOOKS.map(async (key) =>
        argvComplaints({ setting: fileKeyOf(key), argv: account[key], where: places[key] }),
      ),
    ),
  )
  // A setting at the top of the file belongs to every account.
  return [...new Map(found.flat().map((one) => [JSON.stringify(one), one])).values()]
}

interface WrittenProgram {
  readonly setting: string
  readonly argv: readonly string[] | undefined
  readonly where: string | undefined
}

async function argvComplaints({ setting, argv, where = '' }: WrittenProgram): Promise<readonly Complaint[]> {
  const [program, ...more] = argv ?? []
  const problemOfProgram = program === undefined ? undefined : await programProblem(program)
  if (program === undefined || problemOfProgram === undefined) return []
  const words = program.split(/\s+/).filter((word) => word !== '')
  const isLine = more.length === 0 && words.length > 1
  const problem = isLine
    ? `${setting} is one word with spaces, and there is no such program; ` +
      `write it as a list: ${setting} = ${JSON.stringify(words).replaceAll('","', '", "')}`
    : `${setting} ${program}: ${problemOfProgram}`
  return [{ where, problem }]
}

async function programProblem(program: string): Promise<string | undefined> {
  if (program.includes('/')) return pathProblem(program)
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const problems = await Promise.all(folders.map(async (folder) => pathProblem(join(folder, program))))
  return problems.includes(undefined) ? undefined : 'there is no such program in PATH'
}

async function pathProblem(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return 'there is no such program'
  if (!found.isFile()) return 'it is not a file'
  const isExecutable = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
  return isExecutable ? undefined : `it is not executable; run chmod +x ${path}`
}

interface NamedInterface {
  readonly name: string
  readonly where: string
  readonly setting: string
}

/** The lines that accounts and hostnames are bound to. */
const boundLines = (
  accounts: Config['accounts'],
): readonly (NamedInterface & Pick<LineSpec, 'gateway'>)[] => {
  const namedIn = (lines: readonly LineSpec[] = [], where = '') =>
    lines.map(({ interface: name, ...line }) => ({ ...line, name, where, setting: 'interface' }))
  return accounts.flatMap(({ hosts, interface: lines, places }) => [
    ...namedIn(lines, places['interface']),
    ...hosts.flatMap((host) => namedIn(host.interface, host.places['interface'])),
  ])
}

function namedInterfaces({ sources = [], accounts, places }: Config): readonly NamedInterface[] {
  return [
    ...sources.flatMap((spec) =>
      spec.kind === 'interface' && spec.interface !== undefined
        ? [{ name: spec.interface, where: places['sources'] ?? '', setting: 'sources' }]
        : [],
    ),
    ...boundLines(accounts),
    ...accounts.flatMap(({ hosts }) =>
      hosts.flatMap(({ ipv6Interface: name, places: own }) =>
        name === undefined ? [] : [{ name, where: own['ipv6Interface'] ?? '', setting: 'ipv6_interface' }],
      ),
    ),
  ]
}

/** Warnings about configured interfaces that do not exist now. They may appear later: a tunnel, a modem. */
export async function absentInterfaces(config: Config): Promise<readonly string[]> {
  const named = namedInterfaces(config)
  if (named.length === 0) return []
  const known = await interfaceNames()
  return named
    .filter(({ name }) => !known.includes(name))
    .map(({ name, where, setting }) =>
      formatComplaint({
        where,
        problem: `${setting}: this host has no interface ${name} now; there are ${known.join(', ')}`,
      }),
    )
}

/** Warnings about lines whose questions leave by another one. Only a routing rule of the host changes that. */
export async function missingRules({ accounts }: Pick<Config, 'accounts'>): Promise<readonly string[]> {
  const all = await systemInterfaces()
  const found = await Promise.all(
    boundLines(accounts).map(async ({ name, gateway, where, setting }) => {
      const local = all.find((one) => one.interface === name && familyOf(one.address) === 'v4')?.address
      const route = local === undefined ? undefined : await systemOutboundRoute('v4', local)
      const isOther = gateway !== undefined && route?.gateway !== gateway
      if (route === undefined || (route.interface === name && !isOther)) return []
      const way =
        isOther && route.gateway !== undefined ? `${route.gateway} on ${route.interface}` : route.interface
      const problem =
        `${setting}: what this host sends from ${local} on ${name} leaves by ${way}; add a routing rule, such as: ` +
        `ip rule add from ${local} table N, with a default route through ${gateway ?? name} in table N`
      return [formatComplaint({ where, problem })]
    }),
  )
  return [...new Set(found.flat())]
}

/** Why a folder is not writable; undefined where it is, or where it can be made. */
export async function writeProblem(folder: string): Promise<string | undefined> {
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => error)
  const isTooLong = found instanceof Error && found.code === 'ENAMETOOLONG'
  if (isTooLong) return `${folder} cannot be made (ENAMETOOLONG)`
  if (found instanceof Error)
    return dirname(folder) === folder
      ? `${folder} is not a folder`
      : ((await writeProblem(dirname(folder))) ?? (await makeProblem(folder)))
  if (!found.isDirectory()) return `${folder} is not a folder`
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => undefined,
    async (error: NodeJS.ErrnoException) =>
      `${folder} is not writable (${(isDenial(error) && (await denial(folder))) || (error.code ?? error.message)})`,
  )
}

/** Makes the folder and removes it again, because for root access(2) reports even /proc as writable. */
async function makeProblem(folder: string): Promise<string | undefined> {
  if ((await stat(dirname(folder)).catch(() => undefined)) === undefined) return undefined
  return mkdir(folder, { mode: 0o700 }).then(
    async () => {
      await rmdir(folder).catch(() => undefined)
      return undefined
    },
    (error: NodeJS.ErrnoException) =>
      error.code === 'EEXIST' ? undefined : `${folder} cannot be made (${error.code ?? error.message})`,
  )
}
