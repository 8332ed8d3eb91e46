import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { questionWire } from '../../src/shared/dns/response.ts'
import { RR_TYPES } from '../../src/shared/dns/types.ts'
import { type Running, running } from './commands.ts'
import type { Filled } from './fill.ts'
import { addressIn, Asker } from './publish-asker.ts'
import { onCore, type Throughput, wrk } from './wrk.ts'

/** What a service is asked for under load. `hello` is asked of a bare node:http. */
export type Kind = 'hello' | 'unchanged' | 'changed' | 'wrong' | 'get' | 'put' | 'answer'

/** A server that is measured. */
export interface Subject {
  readonly pid: number
  load(kind: Kind, seconds: number): Promise<Throughput>
}

const HELLO = `require('node:http').createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 6 })
  response.end('hello\\n')
}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

export interface Hello extends Subject, Pick<Running, 'stop'> {}

/** The bare server that the others are compared with. */
export async function startHello(node: string, folder: string): Promise<Hello> {
  const file = join(folder, 'hello.cjs')
  writeFileSync(file, HELLO)
  const server = running(onCore(0, [node, file]))
  const [port] = await once(createInterface({ input: server.child.stdout ?? process.stdin }), 'line')
  const url = `http://127.0.0.1:${String(port)}/`
  return {
    pid: server.pid,
    stop: async () => server.stop(),
    load: async (_, seconds) => wrk({ url, seconds, mayTimeOut: true }),
  }
}

interface Loaded {
  readonly pid: number
  readonly url: string
  /** Where it answers DNS, if it does. */
  readonly dnsPort?: number
}

/** A service on a store that `fill` made. One half of the names changes, the other never does. */
export function subjectOn({ pid, url, dnsPort }: Loaded, filled: Filled): Subject {
  // An address is made from the number of its request: none of PUT is one of an update.
  const sent: Partial<Record<Kind, number>> = { put: 10_000_000 }
  const half = filled.names / 2
  const range = (kind: Kind): readonly [from: number, to: number] =>
    kind === 'changed' || kind === 'put' ? [1, half] : [half + 1, filled.names]
  return {
    pid,
    async load(kind, seconds) {
      const [from, to] = range(kind)
      // `fill` publishes nothing: one of the first names that are changed, see wire.lua. wrk does not send the first request.
      const published = `${filled.nameOf(1 + ((10 * 7919) % half))}.${filled.zone}`
      if (kind === 'answer') return answers(dnsPort ?? 0, published, seconds)
      const isApi = kind === 'get' || kind === 'put'
      const env = {
        MODE: kind,
        FROM: String(from),
        TO: String(to),
        PER_KEY: String(filled.names / filled.keys),
        PASSWORD: isApi ? filled.apiKey : filled.password,
        START: String(sent[kind] ?? 0),
      }
      const script = join(import.meta.dirname, 'wire.lua')
      const done = await wrk({ url, seconds, script, env, mayTimeOut: true })
      // Those under way when time was up were answered too.
      sent[kind] = (sent[kind] ?? 0) + done.requests + 100
      return done
    },
  }
}

const LANES = 64

/** Questions for one name, 64 at a time, asked by this process. */
async function answers(port: number, hostname: string, seconds: number): Promise<Throughput> {
  const asker = new Asker()
  const wire = questionWire(hostname, RR_TYPES.A)
  const begin = performance.now()
  const end = begin + seconds * 1000
  let requests = 0
  const lane = async (): Promise<void> => {
    while (performance.now() < end) {
      if (addressIn(await asker.ask(port, wire, 10_000)) === undefined)
        throw new Error(`${hostname}: no address`)
      requests++
    }
  }
  try {
    await Promise.all(Array.from({ length: LANES }, lane))
  } finally {
    asker.close()
  }
  return { requests, perSecond: (requests * 1000) / (performance.now() - begin), p99: Number.NaN }
}

/** In milliseconds, of all its threads, in the kernel too. The kernel counts in hundredths of a second (proc(5), sysconf). */
export function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name of the program, in brackets, may contain blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** In milliseconds: what a load leaves behind, such as changes that are not published, is done by then. */
const SETTLED = 500

export interface Sample extends Throughput {
  /** Of the server, in microseconds for each request. */
  readonly cpu: number
}

/** The load, and the CPU time that it costs the server. Goes on for as long as it takes to send at least `min` requests. */
export async function sample(
  subject: Subject,
  kind: Kind,
  { seconds, min = 0 }: { readonly seconds: number; readonly min?: number },
): Promise<Sample> {
  const before = cpuOf(subject.pid)
  let done = await subject.load(kind, seconds)
  while (done.requests < min) {
    const more = await subject.load(kind, seconds)
    done = { ...more, requests: done.requests + more.requests }
  }
  if (kind === 'changed' || kind === 'put') await sleep(SETTLED)
  return { ...done, cpu: ((cpuOf(subject.pid) - before) * 1000) / done.requests }
}
