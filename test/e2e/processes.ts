import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

export const ROOT = resolve(import.meta.dirname, '../..')
export const LAUNCHER = join(ROOT, 'bin/holdfast.js')

/** The Node that runs the built client; CI sets it to the oldest supported version. */
export const NODE = process.env['HOLDFAST_TEST_NODE'] ?? process.execPath

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Options {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly stdin?: string
  readonly node?: string
  /** Of another build. */
  readonly program?: string
}

/** A folder that is deleted after the test. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Not the host's own folder, where another daemon may listen. */
const RUNTIME = mkdtempSync(join(tmpdir(), 'holdfast-run-'))
process.on('exit', () => rmSync(RUNTIME, { recursive: true, force: true }))

/** Without the developer's own settings. */
export const cleanEnvironment = (over: Options['env']): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  TZ: 'UTC',
  HOLDFAST_RUNTIME_DIR: RUNTIME,
  // The fallback folder of the state, deleted after the tests.
  TMPDIR: RUNTIME,
  // Of all test files, because compiling is half of a short command.
  CACHE_DIRECTORY: process.env['HOLDFAST_TEST_CODE'] ?? join(RUNTIME, 'code'),
  // No query to the developer's router; the watchers are tested in network namespaces.
  HOLDFAST_WATCH: 'no',
  // No question about the hostnames of tests leaves this host.
  HOLDFAST_VERIFY: 'no',
  ...over,
})

export function start(
  args: readonly string[],
  { env, stdin, node = args[0] === 'serve' ? process.execPath : NODE, program = LAUNCHER }: Options = {},
): ChildProcess {
  const child = spawn(node, [program, ...args], { cwd: ROOT, env: cleanEnvironment(env), stdio: 'pipe' })
  child.stdin.on('error', () => undefined)
  child.stdin.end(stdin ?? '')
  return child
}

/** Runs the program to its end. */
export async function holdfast(args: readonly string[], options: Options = {}): Promise<Ended> {
  const child = start(args, options)
  const [out, errors]: [Buffer[], Buffer[]] = [[], []]
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk))
  const code = await new Promise<number | null>((done) => child.on('close', done))
  return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(errors).toString() }
}

export interface MadeStore {
  readonly folder: string
  /** What the commands print. */
  readonly printed: readonly string[]
}

const made = new Map<string, Promise<MadeStore>>()

/** A copy of a store in which these commands of `holdfast admin` have run: once for all tests of a file. */
export async function storeWith(...commands: readonly string[]): Promise<MadeStore> {
  const all = commands.join('\n')
  const first = made.get(all) ?? newStore(commands)
  made.set(all, first)
  const { folder, printed } = await first
  const copy = join(scratch(), 'store')
  mkdirSync(copy, { mode: 0o700 })
  cpSync(folder, copy, { recursive: true })
  return { folder: copy, printed }
}

async function newStore(commands: readonly string[]): Promise<MadeStore> {
  const folder = join(mkdtempSync(join(RUNTIME, 'store-')), 'store')
  const printed: string[] = []
  for (const words of ['init', ...commands]) {
    const { code, stdout, stderr } = await holdfast(['admin', ...words.split(' '), '--store', folder], {
      node: process.execPath,
    })
    if (code !== 0) throw new Error(`admin ${words}: ${code} ${stderr}`)
    printed.push(stdout)
  }
  return { folder, printed }
}

export interface Service {
  readonly url: string
  readonly urls: readonly string[]
  /** Where it answers DNS. */
  readonly dns: string
  readonly username: string
  readonly password: string
  readonly hostnames: readonly string[]
  readonly account: string
  readonly accountPassword: string
  readonly apiKey: string
  /** Opens the console, once. */
  readonly console: string
  readonly child: ChildProcess
  stderr(): string
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts `holdfast serve --dev`; it ends with the test. */
export const service = async (...args: readonly string[]): Promise<Service> => serviceIn({}, ...args)

/** The same, with this environment. */
export async function serviceIn(env: Options['env'], ...args: readonly string[]): Promise<Service> {
  const at = await startService(env, ...args)
  onTestFinished(at.end)
  return at
}

/** The same, until `end` is called: for a file of tests. */
export async function startService(
  env: Options['env'],
  ...args: readonly string[]
): Promise<Service & { readonly end: () => Promise<void> }> {
  const child = spawn(process.execPath, [LAUNCHER, 'serve', '--dev', '--json', ...args], {
    cwd: ROOT,
    env: cleanEnvironment(env),
    stdio: 'pipe',
  })
  const errors: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  const ended = new Promise<number | null>((done) => child.on('close', done))
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    child.kill(signal)
    return ended
  }
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) await stop()
  }
  const first = await Promise.race([firstLine(child), ended.then(() => undefined)])
  const stderr = (): string => Buffer.concat(errors).toString()
  if (first === undefined) throw new Error(`the service did not start: ${stderr()}`)
  return { ...(JSON.parse(first) as Omit<Service, 'child' | 'stop' | 'stderr'>), child, stop, stderr, end }
}

/** Starts `holdfast serve` on a store of its own; resolves when it listens. It ends with the test. */
export const serveStore = async (store: string, ...more: readonly string[]) =>
  serveStoreIn({}, store, ...more)

/** The same, with this environment. */
export const serveStoreIn = async (env: Options['env'], store: string, ...more: readonly string[]) =>
  serveWith(LAUNCHER, ['--store', store, ...more], env)

/** The same, of this build. */
export async function serveWith(program: string, more: readonly string[], env: Options['env'] = {}) {
  const args = ['serve', '--listen', '127.0.0.1:0', '--json', ...more]
  const child = start(args, { node: process.execPath, program, env })
  const errors: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => void errors.push(chunk.toString()))
  const ended = new Promise<void>((done) => child.on('close', () => done()))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const { url, dns = '' } = JSON.parse((await firstLine(child)) ?? '{}') as {
    readonly url: string
    readonly dns?: string
  }
  return { url, dns, child, ended, log: () => errors.join('') }
}

const firstLine = async (child: ChildProcess): Promise<string | undefined> => {
  if (child.stdout === null) return undefined
  for await (const line of createInterface({ input: child.stdout })) {
    child.stdout.resume()
    return line
  }
  return undefined
}

/** The flags of a client for this service, with its own state folder. */
export const clientOf = (at: Service, state: string, hostname = at.hostnames[0] ?? ''): readonly string[] => [
  '--server',
  at.url,
  '--username',
  at.username,
  '--hostname',
  hostname,
  '--state-dir',
  state,
]
