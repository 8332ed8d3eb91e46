import {
  after,
  between,
  type Duration,
  hours,
  type Instant,
  milliseconds,
  minutes,
  seconds,
} from '../../src/shared/base/time.ts'
import { type Client, isConfirmed, look, settledClient } from './fleet-client.ts'
import { seededRandom } from './fleet-random.ts'
import { AT } from './fleet-scenario.ts'
import { type Service, serviceWith, upService } from './fleet-service.ts'
import type { Bar, Figure } from './report.ts'

/** When a client's address changes: just as the service goes away, or at any moment while it is away. */
export type Meets = 'its beginning' | 'any moment'

interface Case {
  readonly lasts: Duration
  readonly title: string
  readonly meets: Meets
  readonly bar?: Bar
}

const atMost = (span: Duration): Bar => ({ of: 'value', atMost: span / 1000 })

// biome-ignore format: a table
const CASES: readonly Case[] = [
  { title: '30 s',  lasts: seconds(30), meets: 'its beginning', bar: atMost(seconds(45)) },
  { title: '30 s',  lasts: seconds(30), meets: 'any moment' },
  { title: '3 min', lasts: minutes(3),  meets: 'its beginning', bar: atMost(seconds(150)) },
  { title: '3 min', lasts: minutes(3),  meets: 'any moment',    bar: atMost(seconds(150)) },
  { title: '1 h',   lasts: hours(1),    meets: 'any moment',    bar: atMost(minutes(10)) },
]

/** How long after the return of a service that was not reached each of so many clients is right, in order. */
export function lateness(lasts: Duration, meets: Meets, clients: number): readonly Duration[] {
  const random = seededRandom(3)
  const back = after(AT.fails, lasts)
  const away = serviceWith('unreached')
  const service: Service = (account, sent, now) => (now < back ? away : upService)(account, sent, AT.fails)
  const settled = settledClient(AT.fails)
  const one = (): Duration => {
    let now: Instant =
      meets === 'any moment' ? after(AT.fails, milliseconds(Math.floor(random() * lasts))) : AT.fails
    let client: Client = { ...settled, changes: settled.changes + 1 }
    for (;;) {
      client = look(client, { now, random, service })
      if (isConfirmed(client)) return between(back, now)
      now = client.wakes
    }
  }
  return Array.from({ length: clients }, one).toSorted((a, b) => a - b)
}

const at = (all: readonly Duration[], share: number): number =>
  (all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? 0) / 1000

export const latenessFigures = (clients: number): readonly Figure[] =>
  CASES.flatMap(({ title, lasts, meets, bar }) => {
    const all = lateness(lasts, meets, clients)
    const what = `not reached for ${title}, changed at ${meets}: correct after the outage`
    return [
      { what: `${what}, median`, value: at(all, 0.5), unit: 's' },
      { what: `${what}, last`, value: at(all, 1), unit: 's', ...(bar !== undefined && { bar }) },
    ]
  })
