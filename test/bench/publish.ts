import { createSocket, type Socket } from 'node:dgram'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseResponse, questionWire } from '../../src/dns/response.ts'
import { RR_TYPES } from '../../src/dns/types.ts'
import { bind, knot, type NameServer, nsd } from '../system/name-server-programs.ts'
import { found } from './commands.ts'
import { freePort } from './ports.ts'
import type { Bench, Figure } from './report.ts'
import { type BenchService, startService } from './service.ts'

const SECRET_OCTETS = 32
/** In milliseconds: between two changes. Knot refreshes a zone at most about once a second. */
const PAUSE = 150
const ANSWER_TIMEOUT = 5000
const QUESTION_LANES = 64

/** Questions for one name on one socket. */
class Asker {
  readonly #socket: Socket = createSocket('udp4')
  readonly #waiting = new Map<number, (bytes: Buffer | undefined) => void>()
  #id = 0

  constructor() {
    this.#socket.on('message', (bytes) => this.#waiting.get(bytes.readUInt16BE(0))?.(bytes))
  }

  async ask(port: number, wire: Buffer, timeout = 200): Promise<Buffer | undefined> {
    const id = (this.#id = (this.#id + 1) & 0xffff)
    const header = Buffer.alloc(12)
    header.writeUInt16BE(id, 0)
    header.writeUInt16BE(1, 4)
    return new Promise((resolve) => {
      const settle = (bytes: Buffer | undefined): void => {
        clearTimeout(timer)
        this.#waiting.delete(id)
        resolve(bytes)
      }
      const timer = setTimeout(() => settle(undefined), timeout)
      this.#waiting.set(id, settle)
      this.#socket.send(Buffer.concat([header, wire]), port, '127.0.0.1')
    })
  }

  close(): void {
    this.#socket.close()
  }
}

const addressIn = (bytes: Buffer | undefined): string | undefined => {
  const [record] = (bytes === undefined ? undefined : parseResponse(bytes))?.answers ?? []
  return record === undefined
    ? undefined
    : [...(bytes ?? Buffer.alloc(0)).subarray(record.rdataAt, record.end)].join('.')
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN

interface Limits {
  readonly p50: number
  readonly p95: number
}
const LIMITS: Readonly<Record<string, Limits>> = {
  own: { p50: 30, p95: 80 },
  bind: { p50: 40, p95: 150 },
  nsd: { p50: 40, p95: 150 },
  knot: { p50: 50, p95: 1100 },
}

/** From `good` to the answers of the service and of three name servers, and questions a second. */
export const publish: Bench = {
  name: 'publish',
  run: async ({ node, isQuick, folder }) => {
    const missing = ['knotd', 'named', 'nsd'].filter((program) => found(program) === undefined)
    const ports = await Promise.all([0, 1, 2].map(freePort))
    const [first = 0, second = 0, third = 0] = ports
    const dns = await freePort()
    const keys = join(folder, 'keys')
    const secret = Buffer.alloc(SECRET_OCTETS, 7).toString('base64')
    writeFileSync(keys, ['knot', 'bind', 'nsd'].map((name) => `${name}-key hmac-sha256 ${secret}\n`).join(''))
    chmodSync(keys, 0o600)
    const service = await startService(node, [
      '--dev',
      '--dns-listen',
      `127.0.0.1:${dns}`,
      '--tsig-key-file',
      keys,
      ...['knot', 'bind', 'nsd'].flatMap((name, n) => [
        '--secondaries',
        `${name}=127.0.0.1:${ports[n]} key ${name}-key`,
      ]),
    ])
    mkdirSync(join(folder, 'servers'))
    const place = (port: number) => ({ folder: join(folder, 'servers'), port, dns })
    const servers: readonly NameServer[] =
      missing.length > 0 ? [] : [knot(place(first)), bind(place(second)), nsd(place(third))]
    const asker = new Asker()
    try {
      for (const server of servers) {
        await server.start()
        server.addZone('example.test')
      }
      const targets = [{ name: 'own', port: dns }, ...servers]
      const changes = isQuick ? 3 : 100
      const times = await latencies(service, { targets, asker, changes })
      const perSecond = await questions(asker, dns, isQuick ? 0.2 : 5)
      return {
        title: 'Publishing',
        how: `From the answer good to the moment when a name server answers with the new address: ${changes} changes of one name, ${PAUSE} ms apart, asked for every few milliseconds; then questions for that name, ${QUESTION_LANES} at a time, from the process that counts them.`,
        figures: [
          ...targets.flatMap(({ name }) => figuresOf(name, times.get(name) ?? [])),
          {
            what: 'answers of the service',
            value: perSecond,
            unit: '/s',
            bar: { of: 'value', atLeast: 8000 },
          },
        ],
        notes: missing.map((program) => `${program} is not installed: skipped`),
      }
    } finally {
      asker.close()
      await Promise.all(servers.map(async (server) => server.stop('SIGKILL')))
      await service.stop()
    }
  },
}

interface Measuring {
  readonly targets: readonly { readonly name: string; readonly port: number }[]
  readonly asker: Asker
  readonly changes: number
}

/** In milliseconds, by target. */
async function latencies(
  { url, hello }: BenchService,
  { targets, asker, changes }: Measuring,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map<string, number[]>(targets.map(({ name }) => [name, []]))
  const [hostname = ''] = hello['hostnames'] as readonly string[]
  const wire = questionWire(hostname, RR_TYPES.A)
  const authorization = `Basic ${Buffer.from(`${String(hello['username'])}:${String(hello['password'])}`).toString('base64')}`
  const headers = { authorization, 'user-agent': 'Holdfast bench/1-1 bench@example.test' }
  const set = async (address: string): Promise<void> => {
    const response = await fetch(`${url}/nic/update?hostname=${hostname}&myip=${address}`, { headers })
    const text = await response.text()
    if (!text.startsWith('good')) throw new Error(`not updated: ${text}`)
  }
  const until = async (port: number, address: string): Promise<void> => {
    const end = performance.now() + ANSWER_TIMEOUT
    while (addressIn(await asker.ask(port, wire)) !== address)
      if (performance.now() > end) throw new Error(`port ${port} does not answer ${address}`)
      else await sleep(1)
  }
  for (let n = 0; n <= changes; n++) {
    const address = `192.0.${2 + (n >> 8)}.${n & 255}`
    await set(address)
    const begin = performance.now()
    await Promise.all(
      targets.map(async ({ name, port }) => {
        await until(port, address)
        // The first change is that of servers that have only just started.
        if (n > 0) times.get(name)?.push(performance.now() - begin)
      }),
    )
    await sleep(PAUSE)
  }
  return times
}

const figuresOf = (name: string, times: readonly number[]): readonly Figure[] => {
  const limits = LIMITS[name]
  return (['p50', 'p95'] as const).map((which) => ({
    what: `${name === 'own' ? 'the service itself' : name}, ${which}`,
    value: percentile(times, which === 'p50' ? 0.5 : 0.95),
    unit: 'ms',
    ...(limits !== undefined && { bar: { of: 'value', atMost: limits[which] } as const }),
  }))
}

/** Answers a second to questions for a stored name. */
async function questions(asker: Asker, port: number, seconds: number): Promise<number> {
  const wire = questionWire('home.example.test', RR_TYPES.A)
  const begin = performance.now()
  const end = begin + seconds * 1000
  let answered = 0
  const lane = async (): Promise<void> => {
    while (performance.now() < end) if ((await asker.ask(port, wire, 1000)) !== undefined) answered++
  }
  await Promise.all(Array.from({ length: QUESTION_LANES }, lane))
  return (answered / (performance.now() - begin)) * 1000
}
