import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { questionWire } from '../../src/shared/dns/response.ts'
import { RR_TYPES } from '../../src/shared/dns/types.ts'
import { openConnections } from '../../src/service/store/sqlite/open.ts'
import type { NameServer } from '../system/name-server-programs.ts'
import { type Filled, fill } from './fill.ts'
import { addressIn, Asker, percentile } from './publish-asker.ts'
import { secondariesIn } from './publish-servers.ts'
import type { Context, Figure } from './report.ts'
import { type BenchService, startService } from './service.ts'

/** Names of a zone, and the most seconds until a name server answers from it. */
const SIZES = {
  full: [
    { names: 100_000, atMost: 4 },
    { names: 1_000_000, atMost: 30 },
  ],
  quick: [{ names: 1000, atMost: 4 }],
} as const
const KEYS = 1000
/** Rows that one transaction adds. */
const STEP = 100_000
/** In milliseconds. */
const TIMEOUT = 180_000
const UPDATE_PAUSE = 20
const MAX_UPDATE_P95 = 50
/** In MB: of the primary. */
const MAX_PEAK = 200

/** Zones of many names that each name server fetches from its start on, one after the other, while names are updated. */
export async function largeTransfers({ node, isQuick, folder }: Context): Promise<{
  readonly how: string
  readonly figures: readonly Figure[]
}> {
  const figures: Figure[] = []
  for (const { names, atMost } of SIZES[isQuick ? 'quick' : 'full']) {
    const own = join(folder, `${names}`)
    const filled = fill(join(own, 'store'), { names, keys: KEYS })
    publishFilled(filled)
    const { dns, servers, flags } = await secondariesIn(own)
    const nameservers = ['--nameservers', 'ns1.operator.test', '--answer-queries']
    const service = await startService(node, ['--store', filled.folder, ...nameservers, ...flags])
    const asker = new Asker()
    try {
      const apex = { port: dns, wire: questionWire(filled.zone, RR_TYPES.NS), pause: 20, timeout: TIMEOUT }
      await asker.until(apex, (answer) => addressIn(answer) !== undefined)
      const updates = new Updates(service, filled)
      for (const server of servers)
        figures.push({
          what: `${server.name}: ${names} names`,
          value: await updates.during(async () => fetched(server, filled, asker)),
          unit: 's',
          bar: { of: 'value', atMost },
        })
      if (servers.length > 0) figures.push(...primaryFigures(names, service, updates))
    } finally {
      asker.close()
      await service.stop()
    }
  }
  return {
    how: `Last, zones of many names: from the start of a name server to its answer for the last name, one server after the other, with an update every ${UPDATE_PAUSE} ms meanwhile.`,
    figures,
  }
}

/** As after a flush of all names. */
export function publishFilled({ folder, zone, names }: Filled): void {
  const { writer, reader } = openConnections(folder)
  writer.exec('PRAGMA synchronous = OFF')
  for (let from = 1; from <= names; from += STEP)
    writer.exec(`INSERT INTO dns_rr (zone_id, owner, type, rdata, ttl)
      SELECT 1, name, ${RR_TYPES.A}, unhex(printf('01%02x%02x%02x', id / 65536 % 256, id / 256 % 256, id % 256)), 60
        FROM name WHERE id BETWEEN ${from} AND ${from + STEP - 1}`)
  writer.exec(`UPDATE dns_zone SET size = (SELECT sum(length(owner) + 12 + length(rdata)) FROM dns_rr) WHERE id = 1;
    INSERT INTO dns_dirty VALUES (0, '${zone}'); PRAGMA wal_checkpoint(TRUNCATE)`)
  reader.close()
  writer.close()
}

/** In seconds. */
async function fetched(server: NameServer, { zone, names, nameOf }: Filled, asker: Asker): Promise<number> {
  const began = performance.now()
  const wire = questionWire(`${nameOf(names)}.${zone}`, RR_TYPES.A)
  try {
    await server.start()
    server.addZone(zone)
    const last = { port: server.port, wire, pause: 20, timeout: TIMEOUT }
    await asker.until(last, (answer) => addressIn(answer) !== undefined)
    return (performance.now() - began) / 1000
  } finally {
    await server.stop('SIGKILL')
  }
}

/** Updates of the names of one key, at an even pace. */
class Updates {
  readonly times: number[] = []
  readonly #service: BenchService
  readonly #filled: Filled
  #count = 0

  constructor(service: BenchService, filled: Filled) {
    this.#service = service
    this.#filled = filled
  }

  /** Each begins on time, also where the one before has no answer yet: so a pause of the service counts in full. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const running: Promise<void>[] = []
    const failures: unknown[] = []
    const update = async (): Promise<void> =>
      this.#update().catch((error: unknown) => void failures.push(error))
    const timer = setInterval(() => running.push(update()), UPDATE_PAUSE)
    const result = await work().finally(() => clearInterval(timer))
    await Promise.all(running)
    if (failures.length > 0) throw failures[0]
    return result
  }

  async #update(): Promise<void> {
    const { zone, names, nameOf, usernameOf, password } = this.#filled
    const n = this.#count++
    const hostname = `${nameOf(1 + (n % Math.floor(names / KEYS)))}.${zone}`
    const address = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
    const authorization = `Basic ${Buffer.from(`${usernameOf(1)}:${password}`).toString('base64')}`
    const began = performance.now()
    const response = await fetch(`${this.#service.url}/nic/update?hostname=${hostname}&myip=${address}`, {
      headers: { authorization, 'user-agent': 'Holdfast bench/1-1 bench@example.test' },
    })
    const text = await response.text()
    if (!text.startsWith('good')) throw new Error(`not updated: ${text}`)
    this.times.push(performance.now() - began)
  }
}

function primaryFigures(names: number, { pid }: BenchService, { times }: Updates): readonly Figure[] {
  const [, kib] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return [
    {
      what: `peak RSS of the primary, ${names} names`,
      value: (Number(kib) * 1024) / 1e6,
      unit: 'MB',
      bar: { of: 'value', atMost: MAX_PEAK },
    },
    {
      what: `/nic/update meanwhile, p95, ${names} names`,
      value: percentile(times, 0.95),
      unit: 'ms',
      bar: { of: 'value', atMost: MAX_UPDATE_P95 },
    },
  ]
}
