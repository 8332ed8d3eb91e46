import { setTimeout as sleep } from 'node:timers/promises'
import { questionWire } from '../../src/shared/dns/response.ts'
import { RR_TYPES } from '../../src/shared/dns/types.ts'
import { addressIn, Asker, percentile } from './publish-asker.ts'
import { largeTransfers } from './publish-large.ts'
import { secondariesIn } from './publish-servers.ts'
import type { Bench, Figure } from './report.ts'
import { type BenchService, startService } from './service.ts'

/** In milliseconds: between two changes. Knot refreshes a zone at most about once a second. */
const PAUSE = 150
const ANSWER_TIMEOUT = 5000
const QUESTION_LANES = 64

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
  run: async (context) => {
    const { node, isQuick, folder } = context
    const { dns, servers, flags, notes } = await secondariesIn(folder)
    const service = await startService(node, ['--dev', ...flags])
    const asker = new Asker()
    const figures: Figure[] = []
    const changes = isQuick ? 3 : 100
    try {
      for (const server of servers) {
        await server.start()
        server.addZone('example.test')
      }
      const targets = [{ name: 'own', port: dns }, ...servers]
      const times = await latencies(service, { targets, asker, changes })
      figures.push(...targets.flatMap(({ name }) => figuresOf(name, times.get(name) ?? [])))
      for (const { name, port } of targets)
        figures.push(answersOf(name, await questions(asker, port, isQuick ? 0.2 : 5)))
    } finally {
      asker.close()
      await Promise.all(servers.map(async (server) => server.stop('SIGKILL')))
      await service.stop()
    }
    const large = await largeTransfers(context)
    return {
      title: 'Publishing',
      how: [
        `From the answer good to the moment when a name server answers with the new address: ${changes} changes of one name, ${PAUSE} ms apart, asked for every few milliseconds;`,
        `then questions for that name, ${QUESTION_LANES} at a time, from the process that counts them, which is what limits the faster servers.`,
        large.how,
      ].join(' '),
      figures: [...figures, ...large.figures],
      notes,
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
  for (let n = 0; n <= changes; n++) {
    const address = `192.0.${2 + (n >> 8)}.${n & 255}`
    await set(address)
    const begin = performance.now()
    await Promise.all(
      targets.map(async ({ name, port }) => {
        await asker.until(
          { port, wire, pause: 1, timeout: ANSWER_TIMEOUT },
          (answer) => addressIn(answer) === address,
        )
        // The first change is that of servers that have only just started.
        if (n > 0) times.get(name)?.push(performance.now() - begin)
      }),
    )
    await sleep(PAUSE)
  }
  return times
}

const titleOf = (name: string): string => (name === 'own' ? 'the service itself' : name)

const answersOf = (name: string, value: number): Figure => ({
  what: `answers of ${titleOf(name)}`,
  value,
  unit: '/s',
  ...(name === 'own' && { bar: { of: 'value', atLeast: 8000 } as const }),
})

const figuresOf = (name: string, times: readonly number[]): readonly Figure[] => {
  const limits = LIMITS[name]
  return (['p50', 'p95'] as const).map((which) => ({
    what: `${titleOf(name)}, ${which}`,
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
    while (performance.now() < end) if (addressIn(await asker.ask(port, wire, 1000)) !== undefined) answered++
  }
  await Promise.all(Array.from({ length: QUESTION_LANES }, lane))
  return (answered / (performance.now() - begin)) * 1000
}
