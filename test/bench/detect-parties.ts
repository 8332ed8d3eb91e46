/** The two programs that take part: the service outside, and the daemon at home. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Lab, Where } from '../lab/lab.ts'
import { CERTIFICATE_FILE, serviceV4, UPDATE_HOST, UPDATE_PORT } from '../lab/plan.ts'
import { now, until } from '../lab/run.ts'

const LAUNCHER = join(import.meta.dirname, '../../bin/holdfast.js')
const LISTEN = `${serviceV4(UPDATE_HOST)}:${UPDATE_PORT}`
export const UPDATE_URL = `http://${LISTEN}`

/** An update request, as the service logged it. */
export interface Arrival {
  readonly at: number
  readonly reply: string
  readonly addresses: readonly string[]
}

interface ServiceLine {
  readonly time: string
  readonly path?: string
  readonly reply?: string
}

export interface Service {
  readonly username: string
  readonly password: string
  readonly arrivals: readonly Arrival[]
  readonly lines: readonly string[]
  /** The first request with the address from that moment on; waits for it, or for so many ms. */
  arrival(address: string, from: number, within: number): Promise<Arrival | undefined>
}

/** Reads a program's log into memory, where nothing of it is lost and nothing of it waits. */
function logOf(child: ChildProcess, each: (line: string) => void = () => undefined): readonly string[] {
  const lines: string[] = []
  if (child.stderr !== null)
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line)
      each(line)
    })
  return lines
}

export async function startService(lab: Lab): Promise<Service> {
  // More changes in a minute than a line makes in an hour: they are no abuse here.
  const limits = ['--request-limit', '1000']
  const args = ['serve', '--dev', '--json', '--log-level', 'debug', '--listen', LISTEN, ...limits]
  const child = lab.spawn('isp', process.execPath, [LAUNCHER, ...args])
  const arrivals: Arrival[] = []
  const lines = logOf(child, (line) => {
    const { time, path, reply } = JSON.parse(line) as ServiceLine
    if (path !== '/nic/update' || reply === undefined) return
    // "good 192.0.2.1,2001:db8::1": what it answers names what it was sent.
    const addresses = reply.trim().split(' ')[1]?.split(',') ?? []
    arrivals.push({ at: Date.parse(time), reply: reply.trim(), addresses })
  })
  if (child.stdout === null) throw new Error('the service has no output')
  const out = createInterface({ input: child.stdout })
  const first = (await Promise.race([once(out, 'line'), once(child, 'exit').then(() => [])])) as string[]
  if (first[0] === undefined) throw new Error(`the service did not start: ${lines.join('\n')}`)
  const { username, password } = JSON.parse(first[0]) as { username: string; password: string }
  const find = (address: string, from: number): Arrival | undefined =>
    // The log has whole milliseconds, rounded down.
    arrivals.find(({ at, addresses }) => at >= from - 1 && addresses.includes(address))
  const arrival = async (address: string, from: number, within: number): Promise<Arrival | undefined> => {
    await until(() => find(address, from) !== undefined, address, within).catch(() => undefined)
    return find(address, from)
  }
  return { username, password, arrivals, lines, arrival }
}

export interface Daemon {
  readonly pid: number
  readonly lines: readonly string[]
  /** What the command prints about the accounts of this daemon. */
  ask(command: 'status' | 'doctor'): Promise<string>
  /** How and when it ended although nothing had asked it to. */
  crash(): Crash | undefined
  stop(): Promise<void>
}

export interface Crash {
  readonly at: number
  readonly how: string
}

export interface DaemonOptions {
  /** Runs the daemon; the Node of the bench otherwise. */
  readonly node?: string | undefined
  readonly where: Where
  /** The client's own default otherwise. */
  readonly sources: string | undefined
  readonly service: Service
  readonly environment: Readonly<Record<string, string>>
  /** What it remembers; a folder that is deleted at its end otherwise. */
  readonly memory?: string
  /** A file with the settings of its account, instead of the usual ones. */
  readonly config?: string
}

/** A daemon that remembers nothing, unless it is told where, in folders of its own. */
export function startDaemon(lab: Lab, options: DaemonOptions): Daemon {
  const { node, where, sources, service, environment, memory, config } = options
  const folder = memory ?? mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  const account = ['--server', UPDATE_URL, '--username', service.username, '--hostname', 'home.example.test']
  const args = config === undefined ? account : ['--config', config]
  const more = ['--state-dir', folder, '--runtime-dir', folder]
  const from = sources === undefined ? [] : ['--source', sources]
  const holdfast = (command: string, ...last: readonly string[]): ChildProcess =>
    lab.spawn(where, node ?? process.execPath, [LAUNCHER, command, ...args, ...more, ...from, ...last], {
      HOLDFAST_PASSWORD: service.password,
      HOLDFAST_VERIFY: 'no',
      ...environment,
      ...(sources === undefined && { NODE_EXTRA_CA_CERTS: join(lab.folder, CERTIFICATE_FILE) }),
    })
  // More changes in a minute than a line makes in an hour: the pace must not hold them back.
  const child = holdfast('run', '--pace', '1000', '--json', '--log-level', 'debug')
  child.stdout?.resume()
  const lines = logOf(child)
  let [isStopping, crash]: [boolean, Crash | undefined] = [false, undefined]
  const gone = once(child, 'exit')
  child.once('exit', (code, signal) => {
    if (!isStopping) crash = { at: now(), how: code === null ? String(signal) : `exit ${code}` }
  })
  const stop = async (): Promise<void> => {
    isStopping = true
    child.kill('SIGKILL')
    await gone
    if (memory === undefined) rmSync(folder, { recursive: true, force: true })
  }
  const ask = async (command: string): Promise<string> => {
    const { stdout, stderr } = holdfast(command)
    const outputs = [stdout, stderr].map(async (stream) => (stream === null ? '' : text(stream)))
    return (await Promise.all(outputs)).join('')
  }
  return { pid: child.pid ?? 0, lines, ask, crash: () => crash, stop }
}

/** Details to find the cause of an outlier. */
export function keepLogs(folder: string, name: string, service: Service, daemons: readonly Daemon[]): void {
  writeFileSync(join(folder, `${name}.service.log`), `${service.lines.join('\n')}\n`)
  daemons.forEach(({ lines }, nth) =>
    writeFileSync(join(folder, `${name}.daemon-${nth}.log`), `${lines.join('\n')}\n`),
  )
}
