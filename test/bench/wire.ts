import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startBind } from './bind.ts'
import { found, type Running, running } from './commands.ts'
import { type Filled, fill } from './fill.ts'
import { startPowerDns } from './powerdns.ts'
import { type Bar, type Bench, type Context, type Figure, median } from './report.ts'
import { type BenchService, startService } from './service.ts'
import { onCore, type Throughput, wrk } from './wrk.ts'

const SIZES = {
  full: { names: 100_000, keys: 10_000, rounds: 11, seconds: 2, warmUp: 10, window: 300, more: 1_000_000 },
  quick: { names: 1000, keys: 100, rounds: 1, seconds: 1, warmUp: 1, window: 0, more: 10_000 },
} as const

const HELLO = `require('node:http').createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 6 })
  response.end('hello\\n')
}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

type Kind = 'unchanged' | 'changed' | 'wrong'
type Lane = 'hello' | Kind | 'PowerDNS' | 'BIND'

const BARS: Partial<Record<Lane, Bar>> = {
  changed: { of: 'ratio', atLeast: 0.18 },
  unchanged: { of: 'ratio', atLeast: 0.28 },
}
const CALLED: Readonly<Record<Lane, string>> = {
  hello: 'bare node:http',
  unchanged: 'unchanged address',
  changed: 'changed address, durable',
  wrong: 'wrong password',
  PowerDNS: 'PowerDNS API, PATCH (LMDB)',
  BIND: 'BIND, UPDATE by 32 nsupdate',
}

interface Stage {
  readonly filled: Filled
  readonly service: BenchService
  /** Requests of each kind so far. */
  readonly sent: Record<Kind, number>
}

/** One half of the names changes, the other never does. */
async function load({ filled, service, sent }: Stage, kind: Kind, seconds: number): Promise<Throughput> {
  const half = filled.names / 2
  const [from, to] = kind === 'unchanged' ? [half + 1, filled.names] : [1, half]
  const env = {
    MODE: kind,
    FROM: String(from),
    TO: String(to),
    PER_KEY: String(filled.names / filled.keys),
    PASSWORD: filled.password,
    START: String(sent[kind]),
  }
  const script = join(import.meta.dirname, 'wire.lua')
  const done = await wrk({ url: `${service.url}/nic/update`, seconds, script, env })
  // Those under way when time was up were answered too.
  sent[kind] += done.requests + 100
  return done
}

async function startHello({ node, folder }: Context): Promise<Running & { readonly url: string }> {
  const file = join(folder, 'hello.cjs')
  writeFileSync(file, HELLO)
  const server = running(onCore(0, [node, file]))
  const [port] = await once(createInterface({ input: server.child.stdout ?? process.stdin }), 'line')
  return { ...server, url: `http://127.0.0.1:${String(port)}/` }
}

const residentOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

interface Mark {
  readonly sent: number
  readonly resident: number
}

const markOf = ({ service, sent }: Stage): Mark => ({
  sent: sent.unchanged + sent.changed,
  resident: residentOf(service.pid),
})

/** Resident memory at a moment of load, and after so many requests more. */
async function memory(stage: Stage, from: number, more: number): Promise<readonly Figure[]> {
  let turn = 0
  const loadUntil = async (isEnough: () => boolean): Promise<Mark> => {
    while (!isEnough()) await load(stage, turn++ % 2 === 0 ? 'changed' : 'unchanged', 2)
    return markOf(stage)
  }
  const before = await loadUntil(() => performance.now() >= from)
  const after = await loadUntil(() => markOf(stage).sent >= before.sent + more)
  const ratio = after.resident / before.resident
  return [
    { what: 'resident', value: before.resident, unit: 'MiB' },
    {
      what: `resident after ${after.sent - before.sent} more requests`,
      value: after.resident,
      unit: 'MiB',
      ratio,
      bar: { of: 'ratio', atMost: 1.2 },
    },
  ]
}

function figuresOf(lanes: Lanes): readonly Figure[] {
  const rate = (lane: Lane): number => median((lanes[lane] ?? []).map(({ perSecond }) => perSecond))
  const figures = (Object.keys(lanes) as Lane[]).flatMap((lane): Figure[] => {
    const [value, bar] = [rate(lane), BARS[lane]]
    const p99 = median((lanes[lane] ?? []).map((one) => one.p99))
    return [
      { what: CALLED[lane], value, unit: 'req/s', ratio: value / rate('hello'), ...(bar && { bar }) },
      ...(Number.isNaN(p99) ? [] : [{ what: `${CALLED[lane]}: p99`, value: p99, unit: 'ms' }]),
    ]
  })
  if (lanes.PowerDNS === undefined) return figures
  const ratio = rate('changed') / rate('PowerDNS')
  return [
    ...figures,
    {
      what: 'changed, relative to PowerDNS',
      value: rate('changed'),
      unit: 'req/s',
      ratio,
      bar: { of: 'ratio', atLeast: 5 },
    },
  ]
}

type Lanes = Partial<Record<Lane, Throughput[]>>

const note = (lanes: Lanes, lane: Lane, one: Throughput): void => void (lanes[lane] ??= []).push(one)

/** The other name servers by themselves afterwards: what they still have to write would be in our way. */
async function peers(
  lanes: Lanes,
  folder: string,
  { names, rounds, seconds }: { readonly names: number; readonly rounds: number; readonly seconds: number },
): Promise<readonly string[]> {
  const notes: string[] = []
  for (const start of [startPowerDns, startBind]) {
    const peer = await start(folder, names)
    if (typeof peer === 'string') {
      notes.push(peer)
      continue
    }
    try {
      for (let round = 0; round < rounds; round++) note(lanes, peer.name, await peer.load(seconds))
    } finally {
      await peer.stop()
    }
  }
  return notes
}

const LIFTED =
  'The abuse limits are raised for the load, so all requests of five minutes are stored for each key, here hundreds; ' +
  'the default is 31.'

/**
 * The update protocol under load, compared with an empty server and two name servers that accept changes over the
 * network.
 */
export const wire: Bench = {
  name: 'update',
  async run(context) {
    const size = SIZES[context.isQuick ? 'quick' : 'full']
    const title = 'The service under load'
    const how =
      `wrk with 32 connections on one core, the server on the other; ${size.names} names and ${size.keys} keys; ` +
      `${size.rounds} rounds of ${size.seconds} s of each kind, after ${size.warmUp} s of warm-up. Half of the names never change, ` +
      'the other half change with every request. Every response was as expected. The ratio is relative to the bare server. ' +
      'The other name servers were measured in the same run, after Holdfast. Memory is that of the service, measured from ' +
      `${size.window} s of load: the requests of the last five minutes are counted per key, and until then their number grows ` +
      'with each request.'
    if (found('wrk') === undefined)
      return { title, how, figures: [], notes: ['wrk is not installed: skipped'] }
    const filled = fill(join(context.folder, 'store'), size)
    const hello = await startHello(context)
    const settings = ['--store', filled.folder, '--trusted-proxies', '127.0.0.1', '--badauth-limit', '20']
    const service = await startService(context.node, settings, (argv) => onCore(0, argv))
    try {
      const begun = performance.now()
      const stage: Stage = { filled, service, sent: { unchanged: 0, changed: 0, wrong: 0 } }
      for (const kind of ['unchanged', 'changed', 'wrong'] as const) await load(stage, kind, size.warmUp)
      const lanes: Lanes = {}
      for (let round = 0; round < size.rounds; round++) {
        note(lanes, 'hello', await wrk({ url: hello.url, seconds: size.seconds }))
        for (const kind of ['unchanged', 'changed', 'wrong'] as const)
          note(lanes, kind, await load(stage, kind, size.seconds))
      }
      const kept = await memory(stage, begun + size.window * 1000, size.more)
      const notes = [LIFTED, ...(await peers(lanes, context.folder, size))]
      return { title, how, figures: [...figuresOf(lanes), ...kept], notes }
    } finally {
      for (const one of [hello, service]) await one.stop()
    }
  },
}
