import { constants } from 'node:fs'
import { access, mkdir, rmdir, stat } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import type { ClientConfig } from '../../config/read-client.ts'
import { type Complaint, formatComplaint } from '../../config/setting.ts'
import { interfaceNames } from '../../platform/interfaces.ts'

type Config = Pick<ClientConfig, 'sources' | 'command' | 'accounts' | 'places'>

/** What is wrong with the program of the source `command`, as this host has it. */
export async function commandFlaws({ sources, command, places }: Config): Promise<readonly Complaint[]> {
  const [program, ...more] = command ?? []
  if (program === undefined || sources?.some(({ kind }) => kind === 'command') !== true) return []
  const flaw = await flawOf(program)
  if (flaw === undefined) return []
  const words = program.split(/\s+/).filter((word) => word !== '')
  const isLine = more.length === 0 && words.length > 1
  const problem = isLine
    ? `command is one word with blanks, and no such program is there; write it as a list: command = ${JSON.stringify(words).replaceAll('","', '", "')}`
    : `command ${program}: ${flaw}`
  return [{ where: places['command'] ?? '', problem }]
}

async function flawOf(program: string): Promise<string | undefined> {
  if (program.includes('/')) return flawAt(program)
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const flaws = await Promise.all(folders.map(async (folder) => flawAt(join(folder, program))))
  return flaws.includes(undefined) ? undefined : 'there is no such program in PATH'
}

async function flawAt(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) return 'there is no such program'
  if (!found.isFile()) return 'this is no program'
  const isExecutable = await access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
  return isExecutable ? undefined : 'it is not executable; chmod +x it'
}

/** Interfaces that are named and not there. They may come later: a tunnel, a modem. */
export async function absentInterfaces({ sources, accounts, places }: Config): Promise<readonly string[]> {
  const named = [
    ...(sources ?? []).flatMap((spec) =>
      spec.kind === 'interface' && spec.interface !== undefined
        ? [{ name: spec.interface, where: places['sources'] ?? '', setting: 'sources' }]
        : [],
    ),
    ...accounts.flatMap(({ hosts }) =>
      hosts.flatMap((host) =>
        host.interface === undefined
          ? []
          : [{ name: host.interface, where: host.places['interface'] ?? '', setting: 'interface' }],
      ),
    ),
  ]
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

/** Why nothing can be kept in a folder; undefined where it can, or where the folder can be made. */
export async function writeProblem(folder: string): Promise<string | undefined> {
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => error)
  const isTooLong = found instanceof Error && found.code === 'ENAMETOOLONG'
  if (isTooLong) return `${folder} cannot be made (ENAMETOOLONG)`
  if (found instanceof Error)
    return dirname(folder) === folder
      ? `${folder} is no folder`
      : ((await writeProblem(dirname(folder))) ?? (await unmakeable(folder)))
  if (!found.isDirectory()) return `${folder} is no folder`
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => `${folder} cannot be written to (${error.code ?? error.message})`,
  )
}

/** Only a trial tells: to root, /proc problem that it may be written to. Below a folder that can be made, all can. */
async function unmakeable(folder: string): Promise<string | undefined> {
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
