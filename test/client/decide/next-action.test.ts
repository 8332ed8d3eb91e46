import { describe, expect, it } from 'vitest'
import { type Instant, after, before, days, milliseconds, minutes } from '../../../src/shared/base/time.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import type { Sightings } from '../../../src/shared/base/sighting.ts'
import {
  type WorldView,
  heldUntil,
  isRequestDue,
  nextAction,
  pacedIn,
  sightingsOf,
  stopOf,
} from '../../../src/client/decide/next-action.ts'
import { sentOf } from '../../../src/client/decide/pace.ts'
import type { DesiredState } from '../../../src/client/decide/desired-state.ts'
import {
  type AccountState,
  type HostState,
  NEW_ACCOUNT,
  NEW_HOST,
  type AccountStatus,
} from '../../../src/client/decide/state.ts'
import { PLAN, START } from '../../fakes/world.ts'

const v4 = '192.0.2.1' as Address
const v6 = '2001:db8::1' as Address
const NEXT_LOOK = after(START, minutes(5))
const HOME = 'home.example.test'
const stopped = { since: START, because: 'nohost', about: '' } as const
const seen = (...addresses: readonly Address[]): Sightings =>
  Object.fromEntries(
    addresses.map((address) => [address.includes(':') ? 'v6' : 'v4', { kind: 'seen', address, by: 'it' }]),
  )
const CONFIRMED: HostState = { ...NEW_HOST, confirmed: { v4 }, touched: START }

interface Scene {
  readonly desired?: Partial<DesiredState>
  readonly account?: Partial<AccountState>
  readonly hosts?: Readonly<Record<string, HostState>>
  readonly view?: Partial<WorldView>
  readonly sky?: Sightings
  readonly now?: Instant
}
/** The next action for one account whose names all see the same. */
const nextOf = ({
  desired = {},
  account = {},
  hosts = {},
  view = {},
  sky = seen(v4),
  now = START,
}: Scene) => {
  const whole = { ...PLAN, ...desired }
  const sightings = { [PLAN.account]: Object.fromEntries(whole.hostnames.map((name) => [name, sky])) }
  const state = { accounts: { [PLAN.account]: { ...NEW_ACCOUNT, hosts, ...account } } }
  return nextAction(state, [whole], { world: { sightings, nextLook: NEXT_LOOK, ...view }, now })
}
const look = (at: Instant) => ({ kind: 'look', at })
const send = (hostnames: readonly string[], addresses: object, more: object = {}) => ({
  kind: 'send',
  account: PLAN.account,
  endpoint: 0,
  request: { hostnames, addresses, ...more },
})

describe('an account is silenced', () => {
  const two: DesiredState = { ...PLAN, hostnames: ['a', 'b'] }
  const one = { ...NEW_ACCOUNT, hosts: { b: { ...NEW_HOST, stopped } } }
  const both = { ...NEW_ACCOUNT, hosts: { a: { ...NEW_HOST, stopped }, b: { ...NEW_HOST, stopped } } }
  it.each([
    ['by one name, where that is the setting', one, 'account', stopped],
    ['by no single name, where that is the setting', one, 'hostname', undefined],
    ['by all of its names', both, 'hostname', stopped],
    ['by nothing', NEW_ACCOUNT, 'account', undefined],
  ] as const)('%s', (_, account, nohostStops, stop) =>
    expect(stopOf(account, { ...two, nohostStops })).toEqual(stop),
  )
  it('and does nothing then', () =>
    expect(nextOf({ account: { status: { kind: 'stopped', ...stopped } } })).toEqual({ kind: 'halt' }))
})

describe('an account that waits', () => {
  const until = after(START, minutes(1))
  const status = (kind: 'waiting' | 'retrying', attempt = 0): AccountStatus =>
    ({ kind, since: START, until, because: '911', detail: '', attempt }) as AccountStatus
  it.each(['waiting', 'retrying'] as const)('is free again at its moment: %s', (kind) => {
    const account = { ...NEW_ACCOUNT, status: status(kind) }
    expect(heldUntil(account, before(until, milliseconds(1)))).toBe(until)
    expect(heldUntil(account, until)).toBeUndefined()
    expect(nextOf({ account: { status: status(kind) } })).toEqual(look(until))
  })
  it('is not held where it is ready', () => expect(heldUntil(NEW_ACCOUNT, START)).toBeUndefined())

  it.each([
    [0, 3, 1],
    [1, 3, 2],
    [2, 3, 0],
    [0, 1, 0],
  ])('tries the next endpoint: after failure %i, of %i, endpoint %i', (attempt, endpoints, endpoint) =>
    expect(
      nextOf({
        desired: { endpointCount: endpoints },
        account: { status: status('retrying', attempt) },
        now: until,
      }),
    ).toMatchObject({ endpoint }),
  )
  it('tries the first endpoint after a wait', () =>
    expect(
      nextOf({ desired: { endpointCount: 3 }, account: { status: status('waiting', 1) }, now: until }),
    ).toMatchObject({ endpoint: 0 }))
})

describe('before the first look', () => {
  const view = { sightings: undefined }
  it('it looks at once', () => expect(nextOf({ view })).toEqual(look(START)))
  it('it needs no look where the service takes the address of the connection', () =>
    expect(nextOf({ view, desired: { reliesOnConnection: true } })).toEqual(send([HOME], {})))
  it('it needs no look to go offline', () =>
    expect(nextOf({ view, desired: { isOffline: true } })).toEqual(send([HOME], {}, { offline: 'YES' })))
  it('it looks where going offline was refused', () =>
    expect(nextOf({ view, desired: { isOffline: true }, account: { offlineRefused: stopped } })).toEqual(
      look(START),
    ))
  it('it waits for the next run where this one has tried', () =>
    expect(nextOf({ view: { spent: [PLAN.account] } })).toEqual(look(after(START, milliseconds(1)))))
  it('it sends if only another account has tried', () =>
    expect(nextOf({ view: { spent: ['other'] } })).toMatchObject({ kind: 'send' }))
})

describe('it sends', () => {
  it('what was never confirmed', () => expect(nextOf({})).toEqual(send([HOME], { v4 })))
  it('another address', () =>
    expect(
      nextOf({ hosts: { [HOME]: { ...CONFIRMED, confirmed: { v4: '192.0.2.9' as Address } } } }),
    ).toEqual(send([HOME], { v4 })))
  it('nothing that is confirmed', () =>
    expect(nextOf({ hosts: { [HOME]: CONFIRMED } })).toEqual(look(NEXT_LOOK)))
  it('nothing where no address is known', () => expect(nextOf({ sky: {} })).toEqual(look(NEXT_LOOK)))
  it('nothing of a family that is not wanted', () =>
    expect(nextOf({ desired: { families: ['v4'] }, sky: seen(v4, v6) })).toEqual(send([HOME], { v4 })))
  it('IPv6 alone', () => expect(nextOf({ sky: seen(v6) })).toEqual(send([HOME], { v6 })))
  it('nothing where a family is no longer seen', () =>
    expect(nextOf({ hosts: { [HOME]: { ...CONFIRMED, confirmed: { v4, v6 } } } })).toEqual(look(NEXT_LOOK)))
  it('nothing of a family that is unknown', () =>
    expect(nextOf({ sky: { ...seen(v4), v6: { kind: 'unknown', because: 'x' } } })).toEqual(
      send([HOME], { v4 }),
    ))
  it('both families together', () =>
    expect(nextOf({ sky: seen(v4, v6), hosts: { [HOME]: CONFIRMED } })).toEqual(send([HOME], { v4, v6 })))
  it('nothing that was not echoed, until it changes', () => {
    const host = { ...CONFIRMED, unechoed: { v6 } }
    expect(nextOf({ sky: seen(v4, v6), hosts: { [HOME]: host } })).toEqual(look(NEXT_LOOK))
    const other = '2001:db8::2' as Address
    expect(nextOf({ sky: seen(v4, other), hosts: { [HOME]: host } })).toEqual(send([HOME], { v4, v6: other }))
  })
  it('nothing for a name that is stopped, and the others', () => {
    const hosts = { a: { ...NEW_HOST, stopped } }
    expect(nextOf({ desired: { hostnames: ['a', 'b'], nohostStops: 'hostname' }, hosts })).toEqual(
      send(['b'], { v4 }),
    )
  })
  it('once where the service takes the address of the connection', () =>
    expect(nextOf({ desired: { reliesOnConnection: true }, hosts: { [HOME]: CONFIRMED } })).toEqual(
      look(NEXT_LOOK),
    ))
})

describe('a name is refreshed', () => {
  const desired = { refreshAfter: days(20) }
  it.each([
    [0, 20],
    [1, 21],
    [-1, 19],
  ])('with a spread of %d after %d days', (spread, length) => {
    const at = after(START, days(length))
    const hosts = { [HOME]: { ...CONFIRMED, spread } }
    const view = { nextLook: after(START, days(99)) }
    expect(nextOf({ desired, hosts, view, now: before(at, milliseconds(1)) })).toEqual(look(at))
    expect(nextOf({ desired, hosts, view, now: at })).toEqual(send([HOME], { v4 }))
  })
  it('never where that is switched off', () =>
    expect(
      nextOf({
        desired: { refreshAfter: days(0) },
        hosts: { [HOME]: CONFIRMED },
        now: after(START, days(999)),
      }),
    ).toEqual(look(NEXT_LOOK)))
  it('not while it is stopped, and nothing waits for that moment once it is past', () => {
    const hosts = { a: { ...CONFIRMED, stopped }, b: { ...CONFIRMED, touched: after(START, days(15)) } }
    const [nextLook, now] = [after(START, days(99)), after(START, days(30))]
    expect(
      nextOf({
        desired: { ...desired, hostnames: ['a', 'b'], nohostStops: 'hostname' },
        hosts,
        view: { nextLook },
        now,
      }),
    ).toEqual(look(after(START, days(35))))
  })
  it('while it is offline, too', () => {
    const hosts = { [HOME]: { ...CONFIRMED, isOffline: true } }
    expect(nextOf({ desired: { ...desired, isOffline: true }, hosts })).toEqual(look(NEXT_LOOK))
    expect(nextOf({ desired: { ...desired, isOffline: true }, hosts, now: after(START, days(20)) })).toEqual(
      send([HOME], { v4 }, { offline: 'YES' }),
    )
  })
  it('while it may be online, since an answer was lost', () => {
    const lost = {
      ...CONFIRMED,
      isOffline: true,
      unanswered: { addresses: {}, isOffline: false, isOnline: true },
    }
    expect(nextOf({ desired: { ...desired, isOffline: true }, hosts: { [HOME]: lost } })).toEqual(
      send([HOME], { v4 }, { offline: 'YES' }),
    )
  })
  it('when it is to be online again', () =>
    expect(nextOf({ hosts: { [HOME]: { ...CONFIRMED, isOffline: true } } })).toEqual(send([HOME], { v4 })))

  it('it is published again with IPv4 first, where each family has a request of its own', () => {
    const both = { ...CONFIRMED, confirmed: { v4, v6 }, isOffline: true }
    const desired = { families: ['v4', 'v6'], form: { ...PLAN.form, isApart: true } } as const
    expect(nextOf({ desired, hosts: { [HOME]: both }, sky: seen(v4, v6) })).toEqual(send([HOME], { v4 }))
  })
})

describe('a request holds', () => {
  const hostnames = ['a', 'b', 'c']
  it('all names that need the same', () =>
    expect(nextOf({ desired: { hostnames } })).toEqual(send(hostnames, { v4 })))
  it('names that were never confirmed first', () => {
    const old = { ...CONFIRMED, confirmed: {} }
    expect(nextOf({ desired: { hostnames }, hosts: { a: old, b: old } })).toEqual(
      send(['c', 'a', 'b'], { v4 }),
    )
  })
  it('no name that sees another address', () => {
    const sky = { a: seen(v4), b: seen(v6), c: seen(v4) }
    expect(nextOf({ desired: { hostnames }, view: { sightings: { [PLAN.account]: sky } } })).toEqual(
      send(['a', 'c'], { v4 }),
    )
  })
  it('what the first of them needs', () => {
    const sky = { a: seen(v4), b: seen(v6) }
    const desired = { hostnames: ['a', 'b'] }
    expect(nextOf({ desired, view: { sightings: { [PLAN.account]: sky } } })).toEqual(send(['a'], { v4 }))
  })
  it('as many names as the batch', () =>
    expect(nextOf({ desired: { hostnames, batch: 2 } })).toEqual(send(['a', 'b'], { v4 })))
  it('as many characters as a query may have, and always one name', () => {
    const long = Array.from({ length: 20 }, (_, n) => `${n}`.padStart(120, 'x'))
    const { request } = nextOf({ desired: { hostnames: long } }) as {
      request: { hostnames: readonly string[] }
    }
    expect(request.hostnames).toEqual(long.slice(0, 16))
    for (const hostnames of [['x'.repeat(3000)], ['x'.repeat(1500), 'y'.repeat(1500)]])
      expect(nextOf({ desired: { hostnames } })).toEqual(send(hostnames.slice(0, 1), { v4 }))
    const exactly = ['x'.repeat(1000), 'y'.repeat(2000 - 1000 - 'hostname=,&myip=192.0.2.1'.length)]
    expect(nextOf({ desired: { hostnames: exactly } })).toEqual(send(exactly, { v4 }))
  })
})

describe('the pace', () => {
  const recent = Array.from({ length: 25 }, (_, n) =>
    sentOf({ hostnames: ['h'], addresses: { v4 } }, after(START, milliseconds(n))),
  )
  const now = after(START, minutes(1))
  const state = (over: Partial<AccountState>) => ({
    accounts: { [PLAN.account]: { ...NEW_ACCOUNT, recent, ...over } },
  })
  const view = (sky: Sightings, nextLook = NEXT_LOOK): WorldView => ({
    sightings: { [PLAN.account]: { [HOME]: sky } },
    nextLook,
  })

  it('delays a request until it is allowed, and continues to check the address', () => {
    const until = after(START, minutes(5))
    expect(pacedIn(state({}), PLAN, { world: view(seen(v4)), now })).toEqual({
      until,
      limit: 'requests',
      max: 25,
    })
    expect(nextAction(state({}), [PLAN], { world: view(seen(v4), after(START, minutes(9))), now })).toEqual(
      look(until),
    )
    expect(nextAction(state({}), [PLAN], { world: view(seen(v4), after(START, minutes(2))), now })).toEqual(
      look(after(START, minutes(2))),
    )
  })
  it('is not what keeps an account that is stopped, waits, or has nothing due', () => {
    const waiting = {
      kind: 'waiting',
      since: START,
      until: NEXT_LOOK,
      because: '911',
      detail: '',
      attempt: 0,
    } as const
    expect(
      pacedIn(state({ status: { kind: 'stopped', ...stopped } }), PLAN, { world: view(seen(v4)), now }),
    ).toBeUndefined()
    expect(pacedIn(state({ status: waiting }), PLAN, { world: view(seen(v4)), now })).toBeUndefined()
    expect(pacedIn(state({}), PLAN, { world: view({}), now })).toBeUndefined()
  })
})

describe('a request', () => {
  const state = (account: Partial<AccountState>) => ({
    accounts: { [PLAN.account]: { ...NEW_ACCOUNT, ...account } },
  })
  const view: WorldView = { sightings: { [PLAN.account]: { [HOME]: seen(v4) } }, nextLook: NEXT_LOOK }
  const desired = { ...PLAN, hostnames: [HOME] }
  const isDue = (account: Partial<AccountState>): boolean =>
    isRequestDue(state(account), desired, { world: view, now: START })
  const until = after(START, minutes(1))

  it('is due where a hostname is not confirmed', () => expect(isDue({})).toBe(true))
  it('is not where each is', () => expect(isDue({ hosts: { [HOME]: CONFIRMED } })).toBe(false))
  it('is not while the account is stopped', () =>
    expect(isDue({ status: { kind: 'stopped', ...stopped } })).toBe(false))
  it('is not while the account waits', () =>
    expect(
      isDue({ status: { kind: 'waiting', since: START, until, because: '911', detail: '', attempt: 1 } }),
    ).toBe(false))
})

describe('of several accounts', () => {
  const other: DesiredState = { ...PLAN, account: 'other' }
  const view: WorldView = { sightings: {}, nextLook: NEXT_LOOK }
  it('the earliest moment counts', () => {
    const until = after(START, minutes(1))
    const status = { kind: 'waiting', since: START, until, because: '911', detail: '', attempt: 0 } as const
    expect(
      nextAction({ accounts: { other: { ...NEW_ACCOUNT, status } } }, [PLAN, other], {
        world: view,
        now: START,
      }),
    ).toEqual(look(until))
  })
  it('one that is stopped keeps no other from looking', () => {
    const account: AccountState = { ...NEW_ACCOUNT, status: { kind: 'stopped', ...stopped } }
    expect(
      nextAction({ accounts: { [PLAN.account]: account } }, [PLAN, other], { world: view, now: START }),
    ).toEqual(look(NEXT_LOOK))
  })
})

it.each(['constructor', 'toString'])('a name that is called %s has no sightings of its own', (name) =>
  expect(sightingsOf({}, name)).toEqual({}),
)
