import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type Running, running } from './commands.ts'

export const ROOT = resolve(import.meta.dirname, '../..')
export const LAUNCHER = join(ROOT, 'bin/holdfast.js')

export interface BenchService extends Running {
  readonly url: string
  readonly port: number
  /** Milliseconds from its start to its first line, printed when it listens. */
  readonly startedIn: number
  readonly hello: Readonly<Record<string, unknown>>
}

/** Far above the load of a benchmark, so that limits do not affect the measurement. */
const PATIENT = ['nochg', 'request', 'badauth', 'refusal'].map((limit) => `--${limit}-limit`)

/** The built service under a Node of our choice; `wrapped` puts a command before it. */
export async function startService(
  node: string,
  args: readonly string[],
  wrapped: (argv: readonly string[]) => readonly string[] = (argv) => argv,
): Promise<BenchService> {
  const start = performance.now()
  const argv = [
    node,
    LAUNCHER,
    'serve',
    '--listen',
    '127.0.0.1:0',
    '--json',
    ...(args.includes('--log-level') ? [] : ['--log-level', 'error']),
    ...PATIENT.flatMap((limit) => (args.includes(limit) ? [] : [limit, '1000000'])),
    ...args,
  ]
  const service = running(wrapped(argv))
  let said = ''
  service.child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const lines = createInterface({ input: service.child.stdout ?? process.stdin })
  const first = await Promise.race([once(lines, 'line'), once(service.child, 'close').then(() => [])])
  if (first[0] === undefined) throw new Error(`the service did not start: ${said}`)
  const startedIn = performance.now() - start
  const hello = JSON.parse(String(first[0])) as Record<string, unknown>
  const url = String(hello['url'])
  return { ...service, url, port: Number(new URL(url).port), startedIn, hello }
}
