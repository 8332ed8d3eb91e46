import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** The PATH of root does not always include the sbin folders. */
export const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`

/** Milliseconds since 1970, finer than Date.now(). */
export const now = (): number => performance.timeOrigin + performance.now()

export function isProgram(name: string): boolean {
  return PATH.split(':').some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

export interface StartOptions {
  readonly namespace: string
  readonly program: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly stdio?: StdioOptions
}

/** Starts a program in a namespace. `ip` becomes the program, so the child's pid is the program's. */
export function start({ namespace, program, args, env, stdio }: StartOptions): ChildProcess {
  return spawn('ip', ['netns', 'exec', namespace, program, ...args], {
    env: { PATH, HOME: '/nonexistent', ...env },
    stdio: stdio ?? ['ignore', 'pipe', 'pipe'],
  })
}

/** The output of a child; rejects unless it exits with 0. */
async function finished(child: ChildProcess, what: string): Promise<string> {
  const [out, errors, code] = await Promise.all([
    child.stdout === null ? '' : text(child.stdout),
    child.stderr === null ? '' : text(child.stderr),
    new Promise<number | null>((done, fail) => child.on('close', done).on('error', fail)),
  ])
  if (code !== 0) throw new Error(`${what}: ${errors.trim() || `it ended with ${code}`}`)
  return out
}

async function run(args: readonly string[], stdin: string): Promise<string> {
  const child = spawn('ip', args, { env: { PATH }, stdio: 'pipe' })
  child.stdin.on('error', () => undefined)
  child.stdin.end(stdin)
  return finished(child, `ip ${args.join(' ')}`)
}

/** Runs a program in a namespace to its end. */
export const inside = (namespace: string, program: readonly string[], stdin = ''): Promise<string> =>
  run(['netns', 'exec', namespace, ...program], stdin)

export const nft = (namespace: string, rules: string): Promise<string> =>
  inside(namespace, ['nft', '-f', '-'], rules)

/** Several `ip` commands in one process; without a namespace, in that of this process. */
export async function ip(namespace: string | undefined, lines: readonly string[]): Promise<void> {
  await run([...(namespace === undefined ? [] : ['-n', namespace]), '-batch', '-'], `${lines.join('\n')}\n`)
}

/** Kernel settings below /proc/sys/net, as "ipv4/ip_forward=1". */
export async function settings(namespace: string, pairs: readonly string[]): Promise<void> {
  const loop = 'for pair; do echo "${pair#*=}" >"/proc/sys/net/${pair%%=*}" || exit 1; done'
  await inside(namespace, ['sh', '-c', loop, 'sh', ...pairs])
}

/**
 * Starts an `ip` process that waits for its commands in the namespace, so that the start time of a change does not include the
 * start of a process. The returned function resolves to the start time.
 */
export async function prepared(namespace: string): Promise<(lines: readonly string[]) => Promise<number>> {
  const child = spawn('ip', ['-n', namespace, '-batch', '-'], { env: { PATH }, stdio: 'pipe' })
  child.stdin.on('error', () => undefined)
  const end = finished(child, `ip in ${namespace}`)
  end.catch(() => undefined)
  const namespaceId = statSync(`/run/netns/${namespace}`).ino
  const hasEntered = (): boolean =>
    statSync(`/proc/${child.pid}/ns/net`, { throwIfNoEntry: false })?.ino === namespaceId
  await until(hasEntered, `an ip in ${namespace}`, 2000)
  return async (lines) => {
    const at = now()
    child.stdin.end(`${lines.join('\n')}\n`)
    await end
    return at
  }
}

/** Polls every 2 ms until the condition holds, and returns the time. Rejects after `timeout` ms. */
export async function until(condition: () => boolean, what: string, timeout = 10_000): Promise<number> {
  const deadline = performance.now() + timeout
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${timeout} ms`)
    await sleep(2)
  }
  return now()
}
