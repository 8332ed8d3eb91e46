import { join } from 'node:path'
import { startBind } from './bind.ts'
import { type Build, buildOf } from './builds.ts'
import { found } from './commands.ts'
import { fill } from './fill.ts'
import { type Sample, sample, startHello, type Subject, subjectOn } from './load.ts'
import { memoryUnder } from './memory.ts'
import { startPowerDns } from './powerdns.ts'
import { type Bench, type Context, type Figure, median } from './report.ts'
import { startService } from './service.ts'
import { onCore, type Throughput } from './wrk.ts'

const SIZES = {
  full: { names: 100_000, keys: 10_000, rounds: 11, seconds: 2, warmUp: 10, window: 300, more: 1_000_000 },
  medium: { names: 20_000, keys: 2000, rounds: 7, seconds: 2, warmUp: 5, window: 0, more: 0 },
  quick: { names: 1000, keys: 100, rounds: 1, seconds: 1, warmUp: 1, window: 0, more: 10_000 },
} as const

const KINDS = {
  unchanged: 'unchanged address',
  changed: 'changed address, durable',
  wrong: 'wrong password',
} as const
const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[]

/** A build of the service under load. */
interface Party {
  /** After the names of its figures; empty for this checkout. */
  readonly suffix: string
  readonly subject: Subject
  readonly stop: () => Promise<void>
}

interface Stage extends Pick<Context, 'folder' | 'node'> {
  readonly size: (typeof SIZES)[keyof typeof SIZES]
}

async function partyOf({ commit, fill, startService }: Build, { folder, node, size }: Stage): Promise<Party> {
  const filled = fill(join(folder, `store-${commit}`), size)
  const settings = ['--store', filled.folder, '--trusted-proxies', '127.0.0.1', '--badauth-limit', '20']
  const service = await startService(node, settings, (argv) => onCore(0, argv))
  const suffix = commit === '' ? '' : `, ${commit}`
  return { suffix, subject: subjectOn(service, filled), stop: async () => service.stop() }
}

/** What was measured of each, by its name in the table. */
class Lanes<T extends Throughput> {
  readonly #all = new Map<string, T[]>()

  note(name: string, one: T): void {
    this.#all.set(name, [...(this.#all.get(name) ?? []), one])
  }

  names(): readonly string[] {
    return [...this.#all.keys()]
  }

  median(name: string, of: (one: T) => number): number {
    return median((this.#all.get(name) ?? []).map(of))
  }
}

const BASE = 'bare node:http'
const rateOf = ({ perSecond }: Throughput): number => perSecond
const p99Of = ({ p99 }: Throughput): number => p99
const cpuOf = ({ cpu }: Sample): number => cpu

function ratesOf(lanes: Lanes<Throughput>, base: number): readonly Figure[] {
  return lanes.names().flatMap((what): Figure[] => {
    const [value, p99] = [lanes.median(what, rateOf), lanes.median(what, p99Of)]
    return [
      { what, value, unit: 'req/s', ratio: value / base },
      ...(Number.isNaN(p99) ? [] : [{ what: `${what}: p99`, value: p99, unit: 'ms' }]),
    ]
  })
}

const costsOf = (lanes: Lanes<Sample>): readonly Figure[] =>
  lanes.names().map((name) => {
    const value = lanes.median(name, cpuOf)
    return { what: `${name}: CPU of a request`, value, unit: 'µs', ratio: value / lanes.median(BASE, cpuOf) }
  })

/** The other name servers by themselves afterwards: what they still have to write would be in our way. */
async function peers(lanes: Lanes<Throughput>, { folder, size }: Stage): Promise<readonly string[]> {
  const notes: string[] = []
  for (const start of [startPowerDns, startBind]) {
    const peer = await start(folder, size.names)
    if (typeof peer === 'string') {
      notes.push(peer)
      continue
    }
    const what = { PowerDNS: 'PowerDNS API, PATCH (LMDB)', BIND: 'BIND, UPDATE by 32 nsupdate' }[peer.name]
    try {
      for (let round = 0; round < size.rounds; round++) lanes.note(what, await peer.load(size.seconds))
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
 * The update protocol under load, compared with an empty server, with other commits, and with two name servers that accept
 * changes over the network.
 */
export const wire: Bench = {
  name: 'update',
  async run(context) {
    const size = SIZES[context.size]
    const stage = { ...context, size }
    const title = 'The service under load'
    const how =
      `wrk with 32 connections on one core, the server on the other; ${size.names} names and ${size.keys} keys; ` +
      `${size.rounds} rounds of ${size.seconds} s of each kind, after ${size.warmUp} s of warm-up. Half of the names never change, ` +
      'the other half change with every request. Every response was as expected. The ratio is relative to the bare server. ' +
      'CPU is that of the server, in the kernel too. The other name servers were measured in the same run, after Holdfast. Memory is ' +
      `that of the service, measured from ${size.window} s of load: the requests of the last five minutes are counted per key, and ` +
      'until then their number grows with each request.'
    if (found('wrk') === undefined)
      return { title, how, figures: [], notes: ['wrk is not installed: skipped'] }
    const hello = await startHello(context.node, context.folder)
    const parties: Party[] = []
    try {
      const begun = performance.now()
      const builds = [{ commit: '', fill, startService }, ...(await Promise.all(context.beside.map(buildOf)))]
      for (const build of builds) parties.push(await partyOf(build, stage))
      for (const { subject } of parties) for (const kind of kinds) await subject.load(kind, size.warmUp)
      const lanes = new Lanes<Sample>()
      for (let round = 0; round < size.rounds; round++) {
        lanes.note(BASE, await sample(hello, 'hello', size))
        for (const kind of kinds)
          for (const { suffix, subject } of parties)
            lanes.note(`${KINDS[kind]}${suffix}`, await sample(subject, kind, size))
      }
      const base = lanes.median(BASE, rateOf)
      const figures = [...ratesOf(lanes, base), ...costsOf(lanes)]
      const [own] = parties
      if (context.size === 'medium' || own === undefined) return { title, how, figures, notes: [LIFTED] }
      const kept = await memoryUnder(own.subject, begun + size.window * 1000, size.more)
      const others = new Lanes<Throughput>()
      const notes = [LIFTED, ...(await peers(others, stage))]
      const changed = lanes.median(KINDS.changed, rateOf)
      const beside = others.names().map((what) => ({
        what: `changed, relative to ${what.split(/[ ,]/)[0]}`,
        value: changed,
        unit: 'req/s',
        ratio: changed / others.median(what, rateOf),
      }))
      return { title, how, figures: [...figures, ...ratesOf(others, base), ...beside, ...kept], notes }
    } finally {
      for (const one of [hello, ...parties]) await one.stop()
    }
  },
}
