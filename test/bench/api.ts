import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { type Filled, fill } from './fill.ts'
import { type Bar, type Bench, type Figure, median } from './report.ts'
import { type BenchService, startService } from './service.ts'

const SIZES = {
  full: { names: [1000, 100_000, 1_000_000], rounds: 11, asks: 20 },
  quick: { names: [100, 1000], rounds: 1, asks: 3 },
} as const

/** A store of one size, and the service on it. */
interface Party {
  readonly filled: Filled
  readonly service: BenchService
  readonly agent: Agent
}

interface Ask {
  readonly method: 'GET' | 'PUT'
  readonly path: string
  readonly body?: string
}

/** One of the names, another each time. */
const someName = ({ names, nameOf }: Filled, nth: number): string => nameOf(1 + ((nth * 7919) % names))
const R = '/v1/dns/records'
const deep = ({ names }: Filled): number => Math.floor(names / 2)

const SAME: Bar = { of: 'ratio', atMost: 2 }
const DEEP: Bar = { of: 'ratio', atMost: 10 }

interface Operation {
  readonly what: string
  readonly ask: (filled: Filled, nth: number) => Ask
  readonly bar?: Bar
}

const get = (path: string): Ask => ({ method: 'GET', path })

// biome-ignore format: a table
const OPERATIONS: readonly Operation[] = [
  { what: 'GET a name',                       bar: SAME, ask: (f, n) => get(`${R}/${f.zone}/${someName(f, n)}`) },
  { what: 'PUT rdata',                        bar: SAME, ask: (f, n) => ({ method: 'PUT', path: `${R}/${f.zone}/${someName(f, n)}/rrsets/A/rdata/_1`, body: JSON.stringify({ value: `5.${n >> 16 & 255}.${n >> 8 & 255}.${n & 255}` }) }) },
  { what: 'first page',                       bar: SAME, ask: () => get(`${R}?limit=50`) },
  { what: 'first page, sorted by labels',                ask: () => get(`${R}?limit=50&sort[name_labels_reversed]=asc`) },
  { what: 'first page of the zone',           bar: SAME, ask: (f) => get(`${R}/${f.zone}?limit=50`) },
  { what: 'page in the middle',               bar: DEEP, ask: (f) => get(`${R}?limit=50&offset=${deep(f)}`) },
  { what: 'page in the middle, sorted',                  ask: (f) => get(`${R}?limit=50&offset=${deep(f)}&sort[name_labels_reversed]=asc`) },
  { what: 'page at nine tenths, sorted',                 ask: (f) => get(`${R}?limit=50&offset=${Math.floor(f.names * 0.9)}&sort[name_labels_reversed]=asc`) },
  { what: 'filter: a name',                              ask: (f, n) => get(`${R}?filter[dns_name][]=${someName(f, n)}`) },
  { what: 'filter: an update group',                     ask: (f) => get(`${R}?filter[update_group][]=${f.usernameOf(1)}`) },
  { what: 'filter: rdata',                               ask: () => get(`${R}?filter[rdata][]=1.0.0.77`) },
  { what: 'filter: metadata expression',                 ask: () => get(`${R}?metadata[op]=exact&metadata[key]=room&metadata[value]=r7`) },
]

/** Milliseconds until the whole answer is there, over a connection that stays. */
async function timed({ service, filled, agent }: Party, { method, path, body }: Ask): Promise<number> {
  const start = performance.now()
  await new Promise<void>((done, failed) => {
    const headers = {
      authorization: `Bearer ${filled.apiKey}`,
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    }
    const asked = request(`${service.url}${path}`, { method, agent, headers }, (answer) => {
      const { statusCode = 0 } = answer
      answer
        .resume()
        .once('end', () =>
          statusCode < 300 ? done() : failed(new Error(`${method} ${path}: ${statusCode}`)),
        )
    })
    asked.once('error', failed).end(body)
  })
  return performance.now() - start
}

/** What each store needs for one operation, in turns. */
async function measured(
  parties: readonly Party[],
  { ask }: Operation,
  size: { readonly rounds: number; readonly asks: number },
) {
  const rounds = parties.map((): number[] => [])
  let nth = 0
  for (let round = 0; round <= size.rounds; round++)
    for (const [at, party] of parties.entries()) {
      const times: number[] = []
      for (let asked = 0; asked < size.asks; asked++) times.push(await timed(party, ask(party.filled, ++nth)))
      // The first round is for the caches.
      if (round > 0) rounds[at]?.push(median(times))
    }
  return rounds.map(median)
}

const figuresOf = (
  parties: readonly Party[],
  { what, bar }: Operation,
  costs: readonly number[],
): readonly Figure[] =>
  costs.map((value, at) => {
    const isLast = at === costs.length - 1
    return {
      what: `${what}, ${parties[at]?.filled.names} names`,
      value,
      unit: 'ms',
      ratio: value / (costs[0] ?? value),
      ...(isLast && bar !== undefined && { bar }),
    }
  })

export const api: Bench = {
  name: 'api',
  async run({ node, isQuick, folder }) {
    const size = SIZES[isQuick ? 'quick' : 'full']
    const parties: Party[] = []
    try {
      for (const names of size.names) {
        const filled = fill(join(folder, String(names)), { names, keys: Math.min(1000, names / 10) })
        const service = await startService(node, ['--store', filled.folder])
        parties.push({ filled, service, agent: new Agent({ keepAlive: true, maxSockets: 1 }) })
      }
      const figures: Figure[] = []
      for (const operation of OPERATIONS)
        figures.push(...figuresOf(parties, operation, await measured(parties, operation, size)))
      return {
        title: 'The management API on small and large zones',
        how:
          `One account with one zone of ${size.names.join(', ')} names, one service per zone, one connection, one request at a time, ` +
          `${size.rounds} interleaved rounds of ${size.asks} requests; milliseconds until the end of the response, pages of 50. The ` +
          'ratio is relative to the smallest zone. A tenth of the names have metadata.',
        figures,
        notes: [],
      }
    } finally {
      for (const { service, agent } of parties) {
        agent.destroy()
        await service.stop()
      }
    }
  },
}
