import { describe, expect, it } from 'vitest'
import { formatInstant, type Instant, instant } from '../../../src/shared/base/time.ts'
import { admit, compareReports, MAX_PER_DAY } from '../../../src/client/notify/compare.ts'
import { duePings, withoutPing } from '../../../src/client/notify/notifier.ts'
import {
  formatNotifyMemory,
  NEW_MEMORY,
  type NotifyMemory,
  parseNotifyMemory,
} from '../../../src/client/notify/memory.ts'
import { NO_DETAILS, type Notification } from '../../../src/client/notify/notification.ts'
import type { Outcome } from '../../../src/client/report/cause.ts'
import type { AccountReport } from '../../../src/client/report/report.ts'
import { type Address, byFamily, parseAddress } from '../../../src/shared/base/address.ts'

const START = instant(Date.parse('2026-11-22T00:00:00Z'))
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const at = (milliseconds: number): Instant => instant(START + milliseconds)
const addresses = (...all: readonly string[]) => byFamily(all.map((one) => parseAddress(one) as Address))

interface Given {
  readonly outcome?: Outcome
  readonly confirmed?: readonly string[]
  readonly since?: Instant
  readonly hostnames?: readonly string[]
  readonly account?: string
  readonly isLooked?: boolean
  readonly isDue?: boolean
  /** By hostname: since when it is stopped. */
  readonly stops?: Readonly<Record<string, Instant>>
}

const message = (now: Instant) => ({ now, targets: ['webhook'] as const })
const heard = (now: Instant) => ({ now, targetsOf: () => ['webhook'] as const })

const reportOf = ({
  outcome = 'settled',
  confirmed = [],
  since,
  hostnames = ['home.example.test'],
  account = 'u@s',
  isLooked = true,
  isDue = false,
  stops = {},
}: Given): AccountReport => ({
  account,
  name: 'home',
  outcome,
  addresses: {},
  hostnames: hostnames.map((hostname) => ({
    hostname,
    sent: null,
    answered: null,
    meaning: null,
    confirmed: addresses(...confirmed),
    isOffline: false,
    since: null,
    lastConfirmed: null,
    stoppedSince: stops[hostname] === undefined ? null : formatInstant(stops[hostname]),
    published: null,
    seen: [],
    remarks: [],
  })),
  because: outcome === 'settled' ? null : 'the cause',
  since: since === undefined ? null : formatInstant(since),
  remedy: outcome === 'settled' ? null : 'the remedy',
  nextAttempt: null,
  lastLook: isLooked ? '2026-01-01T00:00:00.000Z' : null,
  isDue,
  nextLook: null,
})

/** Follows reports over time; each step is a moment and what the report says then. */
function follow(steps: readonly (readonly [number, Given])[], start: NotifyMemory = NEW_MEMORY) {
  let memory = start
  const told: (readonly [number, string, number])[] = []
  for (const [moment, given] of steps) {
    const compared = compareReports(memory, [reportOf(given)], heard(at(moment)))
    // What is saved between two steps changes nothing.
    memory = parseNotifyMemory(formatNotifyMemory(compared.memory))
    told.push(...compared.notifications.map((one) => [moment, one.event, one.times] as const))
  }
  return { told, memory }
}

const A: Given = { confirmed: ['192.0.2.1'] }
const B: Given = { confirmed: ['192.0.2.2'] }

describe('a changed address', () => {
  it('is nothing for an account that is seen for the first time', () =>
    expect(follow([[0, A]]).told).toEqual([]))
  it('is told once, with the address before', () => {
    const first = compareReports(NEW_MEMORY, [reportOf(A)], heard(at(0)))
    const second = compareReports(first.memory, [reportOf(B)], heard(at(MINUTE)))
    expect(second.notifications).toMatchObject([
      {
        event: 'changed',
        account: 'u@s',
        name: 'home',
        hostnames: ['home.example.test'],
        addresses: { v4: '192.0.2.2' },
        before: { v4: '192.0.2.1' },
        because: null,
        times: 1,
      },
    ])
    expect(compareReports(second.memory, [reportOf(B)], heard(at(2 * MINUTE))).notifications).toEqual([])
  })
  it('is the first address of a new hostname', () =>
    expect(
      follow([
        [0, {}],
        [1, A],
      ]).told,
    ).toEqual([[1, 'first', 1]]))
  it('is no change that keeps the next one back where it is the first address', () =>
    expect(
      follow([
        [0, {}],
        [1, A],
        [2, B],
        [3, A],
      ]).told,
    ).toEqual([
      [1, 'first', 1],
      [2, 'changed', 1],
    ]))
  it('runs a program each time, and at a recovery', () => {
    let memory = NEW_MEMORY
    const ran: (readonly unknown[])[] = []
    const targetsOf = () => ['hook'] as const
    const stop: Given = { ...B, outcome: 'stopped', since: at(4) }
    const steps = [{}, A, B, A, stop, { confirmed: ['192.0.2.3'] }]
    for (const [moment, given] of steps.entries()) {
      const compared = compareReports(memory, [reportOf(given)], { now: at(moment), targetsOf })
      memory = parseNotifyMemory(formatNotifyMemory(compared.memory))
      for (const { event, before, addresses: now } of [...compared.atOnce, ...compared.notifications])
        ran.push([event, before.v4, now.v4])
    }
    const [first, second, third] = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
    expect(ran).toEqual([
      ['first', undefined, first],
      ['changed', first, second],
      ['changed', second, first],
      ['changed', first, second],
      ['stopped', undefined, second],
      ['changed', second, third],
      ['recovered', second, third],
    ])
    expect(memory.count).toBe(0)
  })
  it('is a further family', () =>
    expect(
      follow([
        [0, A],
        [1, { confirmed: ['192.0.2.1', '2001:db8::1'] }],
      ]).told,
    ).toEqual([[1, 'changed', 1]]))
  it('is no address that is gone, because an update was forced', () =>
    expect(
      follow([
        [0, A],
        [1, {}],
      ]).told,
    ).toEqual([]))
  it('is no address that is confirmed again after that', () =>
    expect(
      follow([
        [0, A],
        [1, {}],
        [2, A],
        [3, { confirmed: ['192.0.2.1', '2001:db8::1'] }],
        [4, { confirmed: ['192.0.2.1'] }],
        [20 * MINUTE, { confirmed: ['192.0.2.1', '2001:db8::1'] }],
      ]).told,
    ).toEqual([[3, 'changed', 1]]))
  it('of many hostnames is told once', () => {
    const hostnames = ['a.example.test', 'b.example.test']
    const first = compareReports(NEW_MEMORY, [reportOf({ ...A, hostnames })], heard(at(0)))
    expect(
      compareReports(first.memory, [reportOf({ ...B, hostnames })], heard(at(1))).notifications,
    ).toMatchObject([{ hostnames }])
  })
  it('that flaps is joined: at once, and then one in ten minutes', () => {
    const flaps = Array.from({ length: 100 }, (_, step) => [step * 10_000, step % 2 === 0 ? A : B] as const)
    const { told } = follow([...flaps, [2000_000, A]])
    expect(told).toEqual([
      [10_000, 'changed', 1],
      [610_000, 'changed', 60],
      [2000_000, 'changed', 39],
    ])
  })
  it('that was held back is told with the first address before it', () => {
    const { memory } = follow([
      [0, A],
      [1, B],
      [2, A],
      [3, { confirmed: ['192.0.2.3'] }],
    ])
    const later = compareReports(memory, [reportOf({ confirmed: ['192.0.2.3'] })], heard(at(11 * MINUTE)))
    expect(later.notifications).toMatchObject([
      { addresses: { v4: '192.0.2.3' }, before: { v4: '192.0.2.2' }, times: 2 },
    ])
  })
})

describe('a problem', () => {
  const stopped: Given = { outcome: 'stopped', since: at(-5000) }
  it('that stops is told at once, and not again, also after a restart', () =>
    expect(
      follow([
        [0, A],
        [1, stopped],
        [2, stopped],
        [3 * HOUR, stopped],
      ]).told,
    ).toEqual([[1, 'stopped', 1]]))

  it('is reported immediately if the clock of its moment is a step ahead', () =>
    expect(follow([[0, { outcome: 'stopped', since: at(9) }]]).told).toEqual([[0, 'stopped', 1]]))

  it('is told again where it is another stop', () =>
    expect(
      follow([
        [0, stopped],
        [1, { outcome: 'stopped', since: at(-4000) }],
        [3 * MINUTE, { outcome: 'stopped', since: at(2 * MINUTE) }],
      ]).told,
    ).toEqual([
      [0, 'stopped', 1],
      [3 * MINUTE, 'stopped', 1],
    ]))
  it.each([
    ['waiting', 'waiting', HOUR],
    ['unreached', 'unreached', HOUR],
    ['addressUnknown', 'unknown', 15 * MINUTE],
  ] as const)('%s is told after its time, and then each day', (outcome, event, delay) => {
    const given: Given = { outcome, since: at(0) }
    expect(
      follow([
        [0, given],
        [delay - 1, given],
        [delay, given],
        [delay + HOUR, given],
        [delay + 24 * HOUR, given],
      ]).told,
    ).toEqual([
      [delay, event, 1],
      [delay + 24 * HOUR, event, 1],
    ])
  })
  it('without a moment of its own begins when it is seen first', () => {
    const given: Given = { outcome: 'waiting' }
    expect(
      follow([
        [0, given],
        [HOUR - 1, given],
        [HOUR, given],
      ]).told,
    ).toEqual([[HOUR, 'waiting', 1]])
  })
  it('that ends before its time is never told, and neither is its end', () =>
    expect(
      follow([
        [0, { outcome: 'unreached', since: at(0) }],
        [HOUR / 2, {}],
        [HOUR, { outcome: 'unreached', since: at(HOUR) }],
      ]).told,
    ).toEqual([]))
  it('that was told is told when it ends, once', () =>
    expect(
      follow([
        [0, stopped],
        [1, {}],
        [2, {}],
        [3, stopped],
        [4, {}],
      ]).told,
    ).toEqual([
      [0, 'stopped', 1],
      [1, 'recovered', 1],
      [3, 'stopped', 1],
      [4, 'recovered', 1],
    ]))
  it('ends neither before the first look of a process nor while a request is on its way', () =>
    expect(
      follow([
        [0, stopped],
        [1, { isLooked: false }],
        [2, { isDue: true }],
        [3, stopped],
        [4, {}],
      ]).told,
    ).toEqual([
      [0, 'stopped', 1],
      [4, 'recovered', 1],
    ]))
  it('that lasts over many processes is told after its time', () =>
    expect(
      follow(
        [0, 10, 20].flatMap((minute) => [
          [minute * MINUTE, { isLooked: false }] as const,
          [minute * MINUTE + 1, { isDue: true }] as const,
          [minute * MINUTE + 2, { outcome: 'addressUnknown' as const }] as const,
        ]),
      ).told,
    ).toEqual([[20 * MINUTE + 2, 'unknown', 1]]))
  it('that is held back is no news when it has ended', () => {
    const waiting: Given = { outcome: 'waiting', since: at(-2 * HOUR) }
    const other: Given = { outcome: 'waiting', since: at(-3 * HOUR) }
    expect(
      follow([
        [0, waiting],
        [1, {}],
        [2, other],
        [3, {}],
        [11 * MINUTE, {}],
      ]).told.filter(([moment]) => moment === 11 * MINUTE),
    ).toEqual([])
  })
  it('that no one hears of is not told, and neither is its end', () => {
    const deaf = (now: Instant) => ({
      now,
      targetsOf: (_: string, event: string) => (event === 'recovered' ? (['webhook'] as const) : []),
    })
    const first = compareReports(NEW_MEMORY, [reportOf(stopped)], deaf(at(0)))
    expect([
      first.notifications,
      compareReports(first.memory, [reportOf({})], deaf(at(1))).notifications,
    ]).toEqual([[], []])
  })
  it('that becomes another one is no recovery until all is well', () =>
    expect(
      follow([
        [0, stopped],
        [1, { outcome: 'unreached', since: at(1) }],
        [2, {}],
      ]).told,
    ).toEqual([
      [0, 'stopped', 1],
      [2, 'recovered', 1],
    ]))
  it('has its cause and remedy', () =>
    expect(compareReports(NEW_MEMORY, [reportOf(stopped)], heard(at(0))).notifications).toMatchObject([
      { because: 'the cause', remedy: 'the remedy', since: formatInstant(at(-5000)) },
    ]))
})

describe('a stop of hostnames', () => {
  const hostnames = ['a.test', 'b.test', 'c.test']
  const stopped = (stops: Readonly<Record<string, Instant>>): Given => ({
    outcome: 'stopped',
    since: at(0),
    hostnames,
    stops,
  })

  it('names those that are stopped, and is told again with a further one', () => {
    const one = stopped({ 'a.test': at(0) })
    const two = stopped({ 'a.test': at(0), 'b.test': at(HOUR) })
    const told: (readonly string[])[] = []
    let memory = NEW_MEMORY
    for (const [moment, given] of [
      [0, one],
      [MINUTE, one],
      [HOUR, two],
      [2 * HOUR, two],
      [3 * HOUR, one],
    ] as const) {
      const compared = compareReports(memory, [reportOf(given)], heard(at(moment)))
      memory = compared.memory
      told.push(...compared.notifications.map((notification) => notification.hostnames))
    }
    expect(told).toEqual([['a.test'], ['a.test', 'b.test']])
  })
  it('of the whole account names all', () => {
    const { notifications } = compareReports(NEW_MEMORY, [reportOf(stopped({}))], heard(at(0)))
    expect(notifications).toMatchObject([{ event: 'stopped', hostnames }])
  })
})

describe('the maximum of a day', () => {
  const one = (account: string, event: Notification['event']): Notification => ({
    event,
    account,
    ...NO_DETAILS,
  })
  /** Each after the pause of the one before, within a day. */
  function many(event: Notification['event'], count: number, accounts = 1) {
    let memory: NotifyMemory = NEW_MEMORY
    let told = 0
    for (let number = 0; number < count; number += 1) {
      const moment = at(Math.floor(number / accounts) * 11 * MINUTE)
      const admitted = admit(memory, one(`account ${number % accounts}`, event), message(moment))
      memory = admitted.memory
      told += admitted.notifications.length
    }
    return { memory, told }
  }
  it('holds back the rest', () => expect(many('changed', 100).told).toBe(MAX_PER_DAY))
  it('is one for each account', () => expect(many('changed', 200, 2).told).toBe(2 * MAX_PER_DAY))
  it.each(['stopped', 'recovered', 'waiting', 'unreached', 'unknown'] as const)(
    'does not hold back %s, without which the news of its end would be false',
    (event) => expect(many(event, 100).told).toBe(100),
  )
  it('ends with the day', () => {
    const { memory } = many('changed', 100)
    expect(admit(memory, one('account 0', 'changed'), message(at(25 * HOUR))).notifications).toHaveLength(1)
  })
})

it.each(['behind-nat', 'flipping', 'outlier', 'quarantined'] as const)(
  '%s is told once a day, and does not count',
  (event) => {
    const one: Notification = { event, account: 'a', ...NO_DETAILS }
    let memory = NEW_MEMORY
    const told: number[] = []
    for (let hour = 0; hour < 50; hour += 1) {
      const admitted = admit(memory, one, message(at(hour * HOUR)))
      memory = admitted.memory
      if (admitted.notifications.length > 0) told.push(hour)
    }
    expect([told, memory.count]).toEqual([[0, 24, 48], 0])
  },
)

it('another address than the one that was sent is a change where nobody hears of "different"', () => {
  const first = compareReports(NEW_MEMORY, [reportOf(A)], heard(at(0)))
  const [host] = reportOf(B).hostnames
  const other = {
    ...reportOf(B),
    hostnames: host === undefined ? [] : [{ ...host, different: addresses('192.0.2.9') }],
  }
  const eventsFor = (events: readonly string[]) =>
    compareReports(first.memory, [other], {
      now: at(MINUTE),
      targetsOf: (_, event) => (events.includes(event) ? ['webhook'] : []),
    }).notifications.map(({ event }) => event)
  expect(eventsFor(['changed'])).toEqual(['changed'])
  expect(eventsFor(['changed', 'different'])).toEqual([])
})

it.each(['started', 'ended'] as const)('%s is not told later', (event) => {
  const one: Notification = { event, account: 'a', ...NO_DETAILS }
  const first = admit(NEW_MEMORY, one, message(at(0)))
  const second = admit(first.memory, one, message(at(MINUTE)))
  expect([first.notifications.length, second.notifications.length]).toEqual([1, 0])
  expect(second.memory.accounts['a']?.events[event]).toEqual({ at: at(0) })
})

describe('pings', () => {
  it('follow a start with the next look', () => {
    const { memory } = duePings(NEW_MEMORY, [reportOf(A)], { every, now: at(0) })
    expect(due(withoutPing(memory, 'u@s'), A, MINUTE).accounts).toEqual(['u@s'])
    expect(withoutPing(memory, 'x')).toBe(memory)
  })
  const every = new Map([['u@s', HOUR]])
  const due = (memory: NotifyMemory, given: Given, moment: number) =>
    duePings(memory, [reportOf(given)], { every, now: at(moment) })
  it('are due at once, and then at their interval', () => {
    const first = due(NEW_MEMORY, A, 0)
    expect(first.accounts).toEqual(['u@s'])
    expect(due(first.memory, A, HOUR - 1).accounts).toEqual([])
    expect(due(first.memory, A, HOUR).accounts).toEqual(['u@s'])
  })
  it('are due after the clock was set back', () =>
    expect(due(due(NEW_MEMORY, A, HOUR).memory, A, 0).accounts).toEqual(['u@s']))
  it.each(['stopped', 'waiting', 'unreached', 'addressUnknown'] as const)(
    'are not due while it is %s',
    (outcome) => expect(due(NEW_MEMORY, { outcome }, 0).accounts).toEqual([]),
  )
})

describe('what is saved', () => {
  it('is read as it was', () => {
    const { memory } = follow([
      [0, A],
      [1, B],
      [2, A],
      [3, { outcome: 'stopped', since: at(3) }],
    ])
    expect(parseNotifyMemory(formatNotifyMemory(memory))).toEqual(memory)
  })
  it.each([
    '',
    'x',
    '[]',
    '{"version":2}',
    '{"version":1,"accounts":{"a":{"confirmed":{"h":{"v4":"x"}},"problem":{"event":"?"},"events":{"changed":{"at":"x"}}}}}',
  ])('does not throw for %j', (text) => expect(() => parseNotifyMemory(text)).not.toThrow())
})
