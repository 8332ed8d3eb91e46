import { isReplyWord } from '../../protocol/reply.ts'
import type { OutgoingResponse } from '../http/request.ts'
import type { StoreTotals } from '../store/store.ts'
import { exposition } from './exposition.ts'
import { Counter, gauge, Histogram } from './instruments.ts'

/** What is read at the moment of a scrape. */
export interface MomentaryValues {
  readonly totals: StoreTotals
  readonly connections: number
  readonly version: string
}

/** The measurements of a running service. */
export interface ServiceMetrics {
  /** One answered request. `seconds` is its duration in the service. */
  answered(part: 'update' | 'api' | 'other', response: OutgoingResponse, seconds: number): void
  /** One transaction, from its request to the moment when it is durable. */
  written(seconds: number): void
  /** Transactions that wait or run. */
  queued(change: 1 | -1): void
  text(values: MomentaryValues): string
}

export function serviceMetrics(): ServiceMetrics {
  const requests = new Counter({
    name: 'holdfast_requests',
    help: 'Requests, by the part of the service and its answer',
  })
  const durations = new Histogram({
    name: 'holdfast_request_duration_seconds',
    help: 'Time from a request to its answer',
  })
  const writes = new Histogram({
    name: 'holdfast_store_write_duration_seconds',
    help: 'Time from the begin of a transaction until it is durable',
  })
  let queue = 0
  return {
    answered(part, response, seconds) {
      requests.add({ part, answer: answerOf(part, response) })
      durations.observe({ part }, seconds)
    },
    written: (seconds) => writes.observe({}, seconds),
    queued: (change) => {
      queue += change
    },
    text: ({ totals, connections, version }) =>
      exposition([
        {
          name: 'holdfast_build',
          type: 'info',
          help: 'The version of the service',
          samples: [{ suffix: '_info', labels: { version }, value: 1 }],
        },
        requests.family(),
        durations.family(),
        writes.family(),
        gauge({ name: 'holdfast_store_queue', help: 'Transactions that wait or run' }, queue),
        gauge({ name: 'holdfast_connections', help: 'Open connections' }, connections),
        ...TOTALS.map(([total, help]) => gauge({ name: `holdfast_${total}`, help }, totals[total])),
      ]),
  }
}

// biome-ignore format: a table
const TOTALS = [
  ['accounts', 'Accounts in the store'],
  ['zones',    'Zones in the store'],
  ['names',    'Names in the store'],
  ['keys',     'DDNS keys in the store'],
  ['blocks',   'Keys and accounts that are blocked after abuse'],
  ['lockouts', 'Networks that are locked out after failed logins'],
] as const satisfies readonly (readonly [keyof StoreTotals, string])[]

/** Bounded: a reply word, or a status. */
function answerOf(part: 'update' | 'api' | 'other', { status, body }: OutgoingResponse): string {
  const [word = ''] = part === 'update' ? body.split(/[\s]/) : []
  return isReplyWord(word) ? word : String(status)
}
