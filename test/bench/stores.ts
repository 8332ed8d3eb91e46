import { join } from 'node:path'
import { steadyClock } from '../../src/shared/platform/clock/clock.ts'
import { days, instant, seconds } from '../../src/shared/base/time.ts'
import type { Address } from '../../src/shared/base/address.ts'
import { formatBasic, Secret } from '../../src/shared/base/secret.ts'
import { limitsOf } from '../../src/service/auth/limits.ts'
import { keyedHash, pepperOf } from '../../src/service/auth/hashes.ts'
import { passwordChecker } from '../../src/service/auth/login.ts'
import type { NameQuery } from '../../src/service/model/query.ts'
import { replacedPostgresRows } from '../../src/service/store/postgres/copy-rows.ts'
import { sqliteRows, tableColumns } from '../../src/service/store/sqlite/copy-rows.ts'
import { copyRows } from '../../src/service/store/copy-rows.ts'
import { postgresStore } from '../../src/service/store/postgres/store.ts'
import { sqliteStore } from '../../src/service/store/sqlite/store.ts'
import type { Store } from '../../src/service/store/store.ts'
import { answerUpdate, type Updater } from '../../src/service/update/update.ts'
import { ReadUpdate } from '../../src/service/update/read-update.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { fill } from './fill.ts'
import { type Bench, type Figure, median } from './report.ts'

const PEPPER = pepperOf(new Uint8Array(32))
const PEER = '192.0.2.1' as Address
const PASSWORD = 'swordfish'
const KEYS = 1000
const CALLERS = 64
const NOW = instant(Date.UTC(2026, 0, 1))
const MANY = 1_000_000_000

const POLICY: Updater['policy'] = {
  limits: limitsOf({
    nochgLimit: MANY,
    requestLimit: MANY,
    refusalLimit: MANY,
    badauthLimit: MANY,
    longBlock: days(1),
    shortBlock: seconds(1),
  }),
  allHostnames: 'all-hostnames',
  strictAgents: false,
  blockedAgents: [],
}

const updaterOf = (store: Store): Updater => ({
  store,
  passwords: passwordChecker(PEPPER),
  policy: POLICY,
  now: () => instant(Date.now()),
  audit: () => undefined,
})

/** One zone; each key has a name with an A record. */
async function fillStore(store: Store): Promise<void> {
  const hash = keyedHash(PEPPER, PASSWORD)
  await store.write(async (w) => {
    const plan = await w.addPlan({
      name: 'bench',
      maxNames: MANY,
      maxRdata: MANY,
      maxNameMetadata: 9,
      maxRRSetMetadata: 9,
      minTtl: 60,
      hasOffline: true,
      hasWildcards: true,
    })
    const accountId = await w.addAccount({ name: 'bench', hash, planId: plan }, NOW)
    const zoneId = await w.addZone({ accountId, name: 'bench.test', isShared: false }, NOW)
    for (let nth = 0; nth < KEYS; nth++) {
      const keyId = await w.addKey({ accountId, username: `key${1000 + nth}`, hash, description: '' }, NOW)
      const target = await w.addName({ zoneId, accountId, name: `h${nth}` }, NOW)
      await w.attach(keyId, target)
      await w.setSingleValue(target, { dnsType: 'A', value: '192.0.2.1' }, NOW)
    }
  })
}

/** What a request asks for, by its number. */
const KINDS = {
  unchanged: { address: () => '192.0.2.1', password: PASSWORD, word: 'nochg' },
  changed: {
    address: (nth: number) => `198.51.${Math.floor(nth / KEYS) % 200}.${nth % 250}`,
    password: PASSWORD,
    word: 'good',
  },
  'wrong password': { address: () => '192.0.2.1', password: 'wrong', word: 'badauth' },
} as const
type Kind = keyof typeof KINDS

let asked = 0

interface Pace {
  /** Requests in a second. */
  readonly rate: number
  /** CPU of this process for each request, in microseconds. */
  readonly cpu: number
}

/** Of 64 callers that each wait for the answer. */
async function paceOf(updater: Updater, kind: Kind, span: number): Promise<Pace> {
  const { address, password, word } = KINDS[kind]
  const begin = performance.now()
  const before = process.cpuUsage()
  let answered = 0
  const caller = async (): Promise<void> => {
    while (performance.now() - begin < span) {
      const nth = asked++
      const at = nth % KEYS
      const [reply] = await answerUpdate(
        updater,
        new ReadUpdate({
          method: 'GET',
          path: '/nic/update',
          query: `hostname=h${at}.bench.test&myip=${address(nth)}`,
          userAgent: 'Acme test/1-1 me@example.test',
          authorization: formatBasic({
            username: `key${1000 + at}`,
            password: new Secret(password),
          }).reveal(),
          peer: PEER,
          isProxy: false,
        }),
      )
      if (reply?.word !== word) throw new Error(`${kind}: ${String(reply?.word)}`)
      answered++
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  const { user, system } = process.cpuUsage(before)
  return { rate: (answered * 1000) / (performance.now() - begin), cpu: (user + system) / answered }
}

/** Sets all addresses back, so that the next requests find them as they are. */
async function reset(updater: Updater): Promise<void> {
  await updater.store.write(async (w) => {
    for (let nth = 0; nth < KEYS; nth++)
      for (const name of await w.namesByFqdn(`h${nth}.bench.test`))
        await w.setSingleValue(name, { dnsType: 'A', value: '192.0.2.1' }, NOW)
  })
}

const BARS: Readonly<Record<Kind, number>> = { unchanged: 0.35, changed: 0.4, 'wrong password': 0.25 }
/** CPU of the process for a request: that of PostgreSQL beside that of SQLite. */
const CPU_BAR = { of: 'ratio', atMost: 2.5, stretch: 2 } as const

const LARGE = 100_000

type Both = Readonly<Record<'SQLite' | 'PostgreSQL', Store>>

type Query = Pick<NameQuery, 'filter' | 'metadata'>

/** First pages of 50 of a large account. */
// biome-ignore format: a table
const QUERIES: readonly { readonly what: string; readonly query: Query; readonly atMost: number }[] = [
  { what: 'first page',                  query: { filter: {} },                                                           atMost: 3 },
  { what: 'filter: a name',              query: { filter: { names: ['h0050000'] } },                                      atMost: 5 },
  { what: 'filter: an update group',     query: { filter: { updateGroups: ['k000500'] } },                                atMost: 5 },
  { what: 'filter: metadata expression', query: { filter: {}, metadata: { op: 'exact', key: 'room', value: 'r7' } },      atMost: 5 },
]

async function pagesOf(both: Both, rounds: number): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  for (const { what, query, atMost } of QUERIES) {
    const times = { SQLite: [] as number[], PostgreSQL: [] as number[] }
    for (let round = -1; round < rounds; round++)
      for (const name of ['SQLite', 'PostgreSQL'] as const) {
        const time = await timeOf(both[name], query)
        if (round >= 0) times[name].push(time)
      }
    const [first, second] = [median(times.SQLite), median(times.PostgreSQL)]
    figures.push(
      { what: `${what}, SQLite`, value: first, unit: 'ms' },
      {
        what: `${what}, PostgreSQL`,
        value: second,
        unit: 'ms',
        ratio: second / first,
        bar: { of: 'ratio', atMost },
      },
    )
  }
  return figures
}

/** In milliseconds, of twenty. */
async function timeOf(store: Store, query: Query): Promise<number> {
  const begin = performance.now()
  for (let n = 0; n < 20; n++) {
    const { total } = await store.read(async (r) =>
      r.namesBy({ accountId: 1, ...query, page: { offset: 0, limit: 50 }, sort: [] }),
    )
    if (total === 0) throw new Error('the filter finds nothing')
  }
  return (performance.now() - begin) / 20
}

/** The same rows in both stores. */
async function largeStores(folder: string, postgres: Postgres): Promise<Both> {
  fill(folder, { names: LARGE, keys: 1000 })
  const place = await postgres.store()
  const [source, sink] = [sqliteRows(folder), await replacedPostgresRows(place)]
  await copyRows(source, sink, tableColumns())
  await sink.close()
  await source.close()
  return { SQLite: sqliteStore(folder, steadyClock), PostgreSQL: postgresStore(place, steadyClock) }
}

/** The same requests in one process on both stores, in turns. */
export const stores: Bench = {
  name: 'stores',
  async run({ isQuick, folder }) {
    const how = `Requests handled in one process, without HTTP, by ${CALLERS} callers that each wait for the answer; ${KEYS} keys in one zone; SQLite and PostgreSQL in turns, with the server on the same machine. Pages: the first 50 of ${LARGE} names of one account.`
    const lacking = whyNoPostgres()
    const title = 'PostgreSQL beside SQLite'
    if (lacking !== undefined) return { title, how, figures: [], notes: [lacking] }
    const postgres = await startPostgres()
    const [sqlite, shared] = [
      sqliteStore(join(folder, 'store'), steadyClock),
      postgresStore(await postgres.store(), steadyClock),
    ]
    try {
      const updaters = { SQLite: updaterOf(sqlite), PostgreSQL: updaterOf(shared) }
      for (const { store } of Object.values(updaters)) await fillStore(store)
      const figures: Figure[] = []
      for (const kind of Object.keys(KINDS) as Kind[]) {
        const paces = await inTurns(
          updaters,
          kind,
          isQuick ? { rounds: 1, span: 200 } : { rounds: 11, span: 1000 },
        )
        const rate = { what: kind, unit: 'req/s', bar: { of: 'ratio', atLeast: BARS[kind] } } as const
        const cpu = { what: `${kind}, CPU`, unit: 'µs', bar: CPU_BAR } as const
        figures.push(...beside(rate, paces, (pace) => pace.rate), ...beside(cpu, paces, (pace) => pace.cpu))
      }
      const large = await largeStores(join(folder, 'large'), postgres)
      figures.push(...(await pagesOf(large, isQuick ? 1 : 11)))
      for (const store of Object.values(large)) await store.close()
      return { title, how, figures, notes: [] }
    } finally {
      await shared.close()
      await sqlite.close()
      await postgres.stop()
    }
  },
}

/** The median of both, the second one relative to the first. */
function beside(
  { what, ...more }: Pick<Figure, 'what' | 'unit' | 'bar'>,
  { SQLite, PostgreSQL }: Paces,
  valueOf: (pace: Pace) => number,
): readonly Figure[] {
  const [first, second] = [median(SQLite.map(valueOf)), median(PostgreSQL.map(valueOf))]
  return [
    { what: `${what}, SQLite`, unit: more.unit, value: first },
    { what: `${what}, PostgreSQL`, ...more, value: second, ratio: second / first },
  ]
}

type Paces = Readonly<Record<'SQLite' | 'PostgreSQL', Pace[]>>

async function inTurns(
  updaters: Readonly<Record<'SQLite' | 'PostgreSQL', Updater>>,
  kind: Kind,
  { rounds, span }: { readonly rounds: number; readonly span: number },
) {
  const paces: Paces = { SQLite: [], PostgreSQL: [] }
  for (const updater of Object.values(updaters)) {
    if (kind === 'unchanged') await reset(updater)
    // The code has to be warm.
    await paceOf(updater, kind, span)
  }
  for (let round = 0; round < rounds; round++)
    for (const name of ['SQLite', 'PostgreSQL'] as const)
      paces[name].push(await paceOf(updaters[name], kind, span))
  return paces
}
