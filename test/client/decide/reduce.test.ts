import { describe, expect, it } from 'vitest'
import { after, type Instant, milliseconds, minutes, seconds } from '../../../src/shared/base/time.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import { reduce } from '../../../src/client/decide/step.ts'
import type { Observation } from '../../../src/client/decide/observation.ts'
import type { DesiredState } from '../../../src/client/decide/desired-state.ts'
import {
  type AccountState,
  type AccountStatus,
  NEW_ACCOUNT,
  NEW_HOST,
  NEW_STATE,
} from '../../../src/client/decide/state.ts'
import { PLAN, START } from '../../fakes/world.ts'
import type { Reply } from '../../../src/shared/protocol/reply-codec.ts'

const account = PLAN.account
const v4 = '192.0.2.1' as Address
const NOW = after(START, minutes(1))
const stop = { since: START, because: 'nohost', about: 'c1' } as const
const CONFIRMED = { ...NEW_HOST, confirmed: { v4 }, touched: START }
const waiting = (over: Partial<Extract<AccountStatus, { kind: 'waiting' }>> = {}): AccountStatus => ({
  kind: 'waiting',
  since: START,
  until: NOW,
  because: '911',
  detail: '',
  attempt: 2,
  ...over,
})
const retrying = (attempt: number): AccountStatus => ({
  kind: 'retrying',
  since: START,
  until: NOW,
  detail: 'x',
  attempt,
})

/** The account after an observation. */
const after1 = (
  before: Partial<AccountState>,
  seen: Observation,
  { now = NOW, desired = {} }: { now?: Instant; desired?: Partial<DesiredState> } = {},
) =>
  reduce({ accounts: { [account]: { ...NEW_ACCOUNT, ...before } } }, seen, {
    desiredStates: [{ ...PLAN, ...desired }],
    now,
    random: 0,
  }).accounts[account]
const statusAfter = (status: AccountStatus, seen: Observation, desired: Partial<DesiredState> = {}) =>
  after1({ status }, seen, { desired })?.status
const answered = (
  hostnames: readonly string[],
  replies: readonly Reply[],
  over: object = {},
): Observation => ({
  kind: 'answered',
  account,
  sent: { hostnames, addresses: { v4 } },
  replies,
  ...over,
})
const good = { word: 'good', addresses: [v4] } as const

describe('a start', () => {
  it('ends a stop whose subject changed, and no other', () => {
    const hosts = {
      a: { ...CONFIRMED, stopped: stop },
      b: { ...NEW_HOST, stopped: { ...stop, about: 'c0' } },
    }
    const recent = [{ at: START, hostname: 'a', addresses: v4 }]
    const refused = { ...stop, because: '!donator', about: 's1' } as const
    expect(after1({ hosts, recent, offlineRefused: refused }, { kind: 'started' })).toStrictEqual({
      status: { kind: 'ready' },
      hosts: { a: { ...CONFIRMED, stopped: stop }, b: NEW_HOST },
      offlineRefused: refused,
      recent,
    })
    expect(after1({ offlineRefused: { ...refused, about: 's0' } }, { kind: 'started' })).toStrictEqual(
      NEW_ACCOUNT,
    )
  })

  it.each([
    ['c1', 'stopped'],
    ['c0', 'ready'],
  ])('finds a stop of the account about %s %s', (about, kind) =>
    expect(
      statusAfter({ kind: 'stopped', ...stop, because: 'badauth', about }, { kind: 'started' })?.kind,
    ).toBe(kind),
  )
  it('ends no wait', () => expect(statusAfter(waiting(), { kind: 'started' })).toEqual(waiting()))
})

describe('resume', () => {
  it.each([
    ['a stop', { kind: 'stopped', ...stop, because: 'abuse' }, 'ready'],
    ['a wait that no word asked for', waiting({ because: 'HTTP 500' }), 'ready'],
    ['a wait that a word asked for', waiting(), 'waiting'],
    ['a retry', retrying(1), 'retrying'],
  ] as const)('of %s', (_, status, kind) => expect(statusAfter(status, { kind: 'resumed' })?.kind).toBe(kind))

  it('clears the stops of names and options, and keeps the rest', () => {
    const before = { hosts: { a: { ...CONFIRMED, stopped: stop } }, offlineRefused: stop, recent: [] }
    expect(after1(before, { kind: 'resumed', account })).toStrictEqual({
      ...NEW_ACCOUNT,
      hosts: { a: CONFIRMED },
      recent: [],
      resumed: expect.any(Number),
    })
  })
  it('of another account changes nothing', () =>
    expect(statusAfter({ kind: 'stopped', ...stop }, { kind: 'resumed', account: 'other' })?.kind).toBe(
      'stopped',
    ))
})

it.each([
  ['retrying', retrying(1), 'ready'],
  ['waiting', waiting(), 'waiting'],
  ['stopped', { kind: 'stopped', ...stop }, 'stopped'],
] as const)('a changed network finds an account %s', (_, status, kind) =>
  expect(statusAfter(status, { kind: 'networkChanged' })?.kind).toBe(kind),
)

describe('what is to be confirmed once more', () => {
  const hosts = { a: CONFIRMED, b: { ...CONFIRMED, stopped: stop }, c: CONFIRMED }
  const forgotten = { ...NEW_HOST, confirmed: {}, earlier: CONFIRMED.confirmed }
  const desired = { hostnames: ['a', 'b'] }
  it.each([
    ['all names of the desired', {}, { a: forgotten, b: { ...forgotten, stopped: stop }, c: CONFIRMED }],
    ['one name', { hostnames: ['c'] }, { ...hosts, c: forgotten }],
    ['names of this account', { account, hostnames: ['a'] }, { ...hosts, a: forgotten }],
    ['names of another account', { account: 'other' }, hosts],
  ])('%s', (_, forced, left) =>
    expect(after1({ hosts }, { kind: 'forced', ...forced }, { desired })?.hosts).toStrictEqual(left),
  )
})

describe('nothing is written', () => {
  it('of an account that nothing is known of', () =>
    expect(reduce(NEW_STATE, { kind: 'started' }, { desiredStates: [PLAN], now: NOW, random: 0 })).toBe(
      NEW_STATE,
    ))
  it('of an account that is not desired', () =>
    expect(reduce(NEW_STATE, answered(['a'], [good]), { desiredStates: [], now: NOW, random: 0 })).toBe(
      NEW_STATE,
    ))
  it('of a look', () =>
    expect(reduce(NEW_STATE, { kind: 'sighted' }, { desiredStates: [PLAN], now: NOW, random: 0 })).toBe(
      NEW_STATE,
    ))
})

it('a request is remembered before it goes out', () =>
  expect(
    after1({}, { kind: 'sending', account, request: { hostnames: ['a'], addresses: { v4 } } })?.recent,
  ).toEqual([{ at: NOW, hostname: 'a', addresses: v4 }]))

describe('an answer', () => {
  it('settles each name by its own line', () => {
    const state = after1(
      { status: waiting() },
      answered(['a', 'b'], [good, { word: 'nohost', said: '!yours' }]),
    )
    expect(state?.status).toEqual({ kind: 'ready' })
    expect(state?.hosts).toMatchObject({
      a: { confirmed: { v4 }, touched: NOW },
      b: { stopped: { since: NOW, because: 'nohost', about: 'c1', said: '!yours' } },
    })
  })

  it('of one name ends a wait', () =>
    expect(after1({ status: waiting() }, answered(['a'], [good]))?.status).toEqual({ kind: 'ready' }))

  it('of badauth to a request to go offline is about the account', () => {
    const sent = { hostnames: ['a'], addresses: { v4 }, offline: 'YES' }
    expect(after1({}, answered(['a'], [{ word: 'badauth' }], { sent }))?.status).toMatchObject({
      because: 'badauth',
    })
  })

  it('starts with the first wait after retries, and has no detail', () =>
    expect(after1({ status: retrying(5) }, answered(['a'], [{ word: '911' }]))?.status).toMatchObject({
      attempt: 2,
      detail: '',
    }))

  it('of a word about the account settles no wait before it', () =>
    expect(after1({ status: waiting() }, answered(['a'], [{ word: '911' }]))?.status).toMatchObject({
      attempt: 3,
      since: START,
    }))

  it('obeys the word of the highest severity, at any place', () => {
    const words = (...all: readonly Reply[]) => after1({}, answered(['a', 'b', 'c'], all))?.status
    expect(words({ word: 'abuse' }, { word: '911' }, { word: 'badauth' })).toMatchObject({ because: 'abuse' })
    expect(words({ word: '911' }, { word: 'badauth' }, { word: '911' })).toMatchObject({ because: 'badauth' })
    expect(words({ word: '911' }, { word: '911' }, { word: '911' })).toMatchObject({ attempt: 2 })
  })

  it.each([
    [0, 30],
    [29, 30],
    [31, 31],
  ])('of 911 with Retry-After %i waits for %i minutes', (asked, length) =>
    expect(
      after1({}, answered(['a'], [{ word: '911', said: 'dnserr' }], { retryAfter: minutes(asked) }))?.status,
    ).toEqual({
      kind: 'waiting',
      since: NOW,
      until: after(NOW, minutes(length)),
      because: '911',
      detail: 'dnserr',
      attempt: 2,
    }),
  )

  it.each([
    ['YES', 'ready', true],
    ['NO', 'stopped', false],
    [undefined, 'stopped', false],
  ] as const)('of !donator to offline=%s leaves the account %s', (offline, kind, isRefused) => {
    const sent = { hostnames: ['a'], addresses: { v4 }, ...(offline !== undefined && { offline }) }
    const state = after1({ status: waiting() }, answered(['a'], [{ word: '!donator' }], { sent }))
    expect(state?.status.kind).toBe(kind)
    expect(state?.offlineRefused !== undefined).toBe(isRefused)
  })

  it('of a word of another service to offline=YES is a stop of the account', () => {
    const sent = { hostnames: ['a'], addresses: { v4 }, offline: 'YES' }
    const state = after1({}, answered(['a'], [{ word: '!donator', said: 'badsys' }], { sent }))
    expect([state?.status.kind, state?.offlineRefused]).toEqual(['stopped', undefined])
  })

  it('of a refused option and a wait is a wait', () => {
    const sent = { hostnames: ['a', 'b'], addresses: { v4 }, offline: 'YES' }
    const state = after1({}, answered(['a', 'b'], [{ word: '911' }, { word: '!donator' }], { sent }))
    expect([state?.status.kind, state?.offlineRefused?.because]).toEqual(['waiting', '!donator'])
  })
})

describe('an answer that is not understood', () => {
  it.each([
    [undefined, 'unrecognized-reply', 30, 2],
    [503, 'HTTP 503', 1, 0],
    [500, 'HTTP 500', 30, 2],
  ])('with status %j waits because of %s', (status, because, length, attempt) =>
    expect(
      after1(
        {},
        {
          kind: 'notUnderstood',
          account,
          because: 'text',
          looksLikePortal: false,
          ...(status !== undefined && { status }),
        },
      )?.status,
    ).toEqual({
      kind: 'waiting',
      since: NOW,
      until: after(NOW, minutes(length)),
      because,
      detail: 'text',
      attempt,
    }),
  )
})

describe('a service that is not reached', () => {
  const unreached = (isTls: boolean): Observation => ({ kind: 'unreached', account, because: 'y', isTls })
  const ready: AccountStatus = { kind: 'ready' }
  it.each([
    ['the only endpoint', ready, 1, false, 0, 5],
    ['the first of two', ready, 2, false, 0, 0],
    ['the second of two', retrying(0), 2, false, 1, 5],
    ['the first of two, again', retrying(1), 2, false, 2, 0],
    ['the second of two, again', retrying(2), 2, false, 3, 15],
    ['the first of two, after TLS', ready, 2, true, 1, 5],
    ['the first of three, after TLS, again', retrying(2), 3, true, 5, 15],
    ['the only endpoint, again', retrying(0), 1, false, 1, 15],
    ['after a wait', waiting(), 1, false, 0, 5],
  ] as const)('%s', (_, status, endpoints, isTls, attempt, pause) =>
    expect(statusAfter(status, unreached(isTls), { endpointCount: endpoints })).toEqual({
      kind: 'retrying',
      since: status.kind === 'retrying' ? START : NOW,
      until: pause === 0 ? NOW : after(NOW, seconds(pause)),
      detail: 'y',
      attempt,
    }),
  )
})

it('a state of another process is joined to ours', () => {
  const theirs = {
    accounts: { [account]: { ...NEW_ACCOUNT, status: waiting({ until: after(NOW, milliseconds(1)) }) } },
  }
  expect(after1({ status: waiting() }, { kind: 'found', state: theirs })).toEqual(theirs.accounts[account])
})
