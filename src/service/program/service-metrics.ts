import { isReplyWord } from '../../shared/protocol/reply.ts'
import { ZONE_PUBLICATIONS, type ZonePublication } from '../model/publication.ts'
import type { OutgoingResponse } from '../http/request.ts'
import { STORE_TOTALS, type StoreTotal, type StoreTotals } from '../store/totals.ts'
import { RCODES } from '../../shared/dns/types.ts'
import type { SecondaryStatus } from '../publish/status.ts'
import { exposition, type MetricFamily } from '../../shared/base/exposition.ts'
import { Counter, gauge, Histogram } from '../../shared/base/instruments.ts'
import { steadyClock } from '../../shared/platform/clock/clock.ts'
import { isApiPath } from '../api/handle.ts'
import type { RequestHandler } from '../http/listen.ts'
import { StoreBusy } from '../store/errors.ts'
import type { Store } from '../store/store.ts'
import { isUpdatePath } from '../update/handle.ts'

/** What is read at the moment of a scrape. */
interface MomentaryValues {
  readonly totals: StoreTotals
  readonly zones: Readonly<Record<ZonePublication, number>>
  readonly connections: number
  readonly secondaries: readonly Pick<SecondaryStatus, 'name' | 'behind' | 'stuck' | 'lag'>[]
  readonly version: string
}

/** The measurements of a running service. */
export interface ServiceMetrics {
  /** One answered request. `seconds` is its duration in the service. */
  answered(part: 'update' | 'api' | 'other', response: OutgoingResponse, seconds: number): void
  /** One transaction, from its request to the moment when it is durable. */
  written(seconds: number): void
  /** A change failed: other sessions had locked it, or the store did not answer in time. */
  wasBusy(): void
  /** One flush of changed names into what is published. */
  flushed(seconds: number): void
  /** One message sent by DNS, with its RCODE. */
  answeredDns(rcode: number): void
  /** A request to `/v1`, or an update with many targets, waited so long for its turn. */
  waited(kind: 'read' | 'write' | 'update', seconds: number): void
  /** An answer by DNS was truncated, or not sent, because of the limits. */
  limitedDns(verdict: 'truncate' | 'drop'): void
  /** A serial was raised above the one of this secondary. */
  raised(secondary: string): void
  /** Transactions that wait or run. */
  queued(change: 1 | -1): void
  text(values: MomentaryValues): string
}

/** The text has these, in this order. */
// biome-ignore format: a table
const instruments = () => ({
  requests:    new Counter({ name: 'holdfast_requests', help: 'Requests, by the part of the service and its answer' }),
  durations:   new Histogram({ name: 'holdfast_request_duration_seconds', help: 'Time from a request to its answer' }),
  writes:      new Histogram({ name: 'holdfast_store_write_duration_seconds', help: 'Time from the beginning of a transaction until it is durable' }),
  busy:        new Counter({ name: 'holdfast_store_busy', help: 'Changes that failed because other sessions had locked what they change, or the store did not answer in time' }),
  flushes:     new Histogram({ name: 'holdfast_publish_duration_seconds', help: 'Time of a flush of changed names into the published zones' }),
  waits:       new Histogram({ name: 'holdfast_turn_wait_seconds', help: 'Time that requests to the API wait for their turn' }),
  raises:      new Counter({ name: 'holdfast_serials_raised', help: 'Serials that were raised because a secondary had a newer one' }),
  limits:      new Counter({ name: 'holdfast_dns_limited', help: 'Answers by DNS that the limits truncated or dropped' }),
  dnsMessages: new Counter({ name: 'holdfast_dns_messages', help: 'DNS messages sent, by their RCODE' }),
})

export function serviceMetrics(): ServiceMetrics {
  const all = instruments()
  const { requests, durations, writes, busy, flushes, waits, raises, limits, dnsMessages } = all
  let queue = 0
  return {
    answered(part, response, seconds) {
      requests.add({ part, answer: answerOf(part, response) })
      durations.observe({ part }, seconds)
    },
    written: (seconds) => writes.observe({}, seconds),
    wasBusy: () => busy.add({}),
    flushed: (seconds) => flushes.observe({}, seconds),
    answeredDns: (rcode) => dnsMessages.add({ rcode: RCODE_NAMES[rcode] ?? String(rcode) }),
    waited: (kind, seconds) => waits.observe({ kind }, seconds),
    limitedDns: (verdict) => limits.add({ verdict }),
    raised: (secondary) => raises.add({ secondary }),
    queued: (change) => {
      queue += change
    },
    text: ({ totals, zones, connections, secondaries, version }) =>
      exposition([
        {
          name: 'holdfast_build',
          type: 'info',
          help: 'The version of the service',
          samples: [{ suffix: '_info', labels: { version }, value: 1 }],
        },
        ...Object.values(all).map((one) => one.family()),
        publicationFamily(zones),
        ...secondaryFamilies(secondaries),
        gauge({ name: 'holdfast_store_queue', help: 'Transactions that wait or run' }, queue),
        gauge({ name: 'holdfast_connections', help: 'Open connections' }, connections),
        ...(Object.keys(STORE_TOTALS) as StoreTotal[]).map((total) =>
          gauge({ name: `holdfast_${total}`, help: STORE_TOTALS[total].help }, totals[total]),
        ),
      ]),
  }
}

const publicationFamily = (zones: MomentaryValues['zones']): MetricFamily => ({
  name: 'holdfast_zones_by_publication',
  type: 'gauge',
  help: 'Zones, by what name servers serve of them',
  samples: ZONE_PUBLICATIONS.map((publication) => ({
    suffix: '',
    labels: { publication },
    value: zones[publication],
  })),
})

const RCODE_NAMES: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(RCODES).map(([name, number]) => [number, name]),
)

// biome-ignore format: a table
const OF_SECONDARIES = [
  ['behind', 'Zones that a secondary was notified of but has not fetched'],
  ['stuck',  'Zones that a secondary has not fetched a minute after it was notified'],
  ['lag',    'Seconds for which a secondary has not fetched what it was notified of'],
] as const

const secondaryFamilies = (secondaries: MomentaryValues['secondaries']): readonly MetricFamily[] =>
  OF_SECONDARIES.map(([value, help]) => ({
    name: `holdfast_secondary_${value === 'lag' ? 'lag_seconds' : `${value}_zones`}`,
    type: 'gauge',
    help,
    samples: secondaries.map((one) => ({ suffix: '', labels: { secondary: one.name }, value: one[value] })),
  }))

/** Bounded: a reply word, or a status. */
function answerOf(part: 'update' | 'api' | 'other', { status, body }: OutgoingResponse): string {
  const [word = ''] = part === 'update' ? body.split(/[\s]/) : []
  return isReplyWord(word) ? word : String(status)
}

/** In seconds. */
const now = (): number => steadyClock.now() / 1000

interface WriteObserver {
  readonly metrics: Pick<ServiceMetrics, 'queued' | 'wasBusy' | 'written'>
  /** Called after every write. */
  readonly onWrite: () => void
}

/** The same store; its writes are observed. `Required`: without a member, even an optional one, it does not compile. */
export const observedStore = (store: Store, { metrics, onWrite }: WriteObserver): Required<Store> => ({
  isShared: store.isShared,
  read: async (work) => store.read(work),
  snapshot: async (work) => store.snapshot(work),
  probe: async (at) => store.probe(at),
  countRequest: async (...request) => store.countRequest(...request),
  checkpoint: () => store.checkpoint(),
  close: async () => store.close(),
  async write(work, about) {
    const began = now()
    metrics.queued(1)
    try {
      const value = await store.write(work, about)
      onWrite()
      return value
    } catch (error) {
      if (error instanceof StoreBusy) metrics.wasBusy()
      throw error
    } finally {
      metrics.queued(-1)
      metrics.written(now() - began)
    }
  },
})

/** The same handler; its requests are measured. */
export const measuredHandler =
  (handle: RequestHandler, metrics: ServiceMetrics): RequestHandler =>
  async (request) => {
    const began = now()
    const response = await handle(request)
    metrics.answered(partOf(request.path), response, now() - began)
    return response
  }

function partOf(path: string): 'update' | 'api' | 'other' {
  if (isUpdatePath(path)) return 'update'
  return isApiPath(path) ? 'api' : 'other'
}
