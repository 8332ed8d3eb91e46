import { describe, expect, it } from 'vitest'
import { after, minutes } from '../../../src/shared/base/time.ts'
import type { Address, Addresses } from '../../../src/shared/base/address.ts'
import type { UpdateRequest } from '../../../src/shared/protocol/request.ts'
import { confirmedBy, unechoedOf } from '../../../src/client/decide/confirmation.ts'
import { type HostState, NEW_HOST } from '../../../src/client/decide/state.ts'
import { START } from '../../fakes/world.ts'
import type { Reply } from '../../../src/shared/protocol/reply-codec.ts'

const v4 = '192.0.2.1' as Address
const v6 = '2001:db8::1' as Address
const LATER = after(START, minutes(1))
const good = (...addresses: readonly Address[]) => ({ word: 'good' as const, addresses })
const confirmed = (addresses: Addresses, echoed: readonly Address[], host = NEW_HOST) =>
  confirmedBy(
    good(...echoed),
    { hostnames: ['h'], addresses },
    { host, isApart: false, now: LATER, random: 0.75 },
  )

describe('a word of success confirms', () => {
  it('what was sent where it names nothing', () =>
    expect(confirmed({ v4, v6 }, [])).toStrictEqual({
      confirmed: { v4, v6 },
      touched: LATER,
      since: LATER,
      spread: 0.5,
      isOffline: false,
    }))

  it('one family without the key of the other', () =>
    expect(Object.keys(confirmed({ v4 }, [v4]).confirmed)).toEqual(['v4']))

  it('not the family that it leaves out while it names the other', () =>
    expect(confirmed({ v4, v6 }, [v4], { ...NEW_HOST, confirmed: { v6 } })).toStrictEqual({
      ...confirmed({ v4 }, [v4]),
      unechoed: { v6 },
    }))

  it('nothing new where it has no addresses, and none was sent', () =>
    expect(
      confirmedBy(
        { word: 'nochg' } as Reply,
        { hostnames: ['h'], addresses: {} },
        { host: { ...NEW_HOST, confirmed: { v4 } }, isApart: false, now: LATER, random: 0.75 },
      ).confirmed,
    ).toStrictEqual({ v4 }))

  it('what it names where no address was sent', () =>
    expect(confirmed({}, [v4]).confirmed).toStrictEqual({ v4 }))

  it('the same addresses since the same moment', () => {
    const host = { ...NEW_HOST, confirmed: { v4 }, since: START }
    expect(confirmed({ v4 }, [v4], host).since).toBe(START)
    expect(confirmed({ v4 }, [v4], { ...NEW_HOST, confirmed: { v4 } }).since).toBe(LATER)
    expect(confirmed({ v4, v6 }, [v4, v6], host).since).toBe(LATER)
  })

  it.each([
    ['YES', true],
    ['NO', false],
  ] as const)('offline=%s as offline: %j', (offline, isOffline) =>
    expect(
      confirmedBy(
        good(v4),
        { hostnames: ['h'], addresses: { v4 }, offline },
        { host: NEW_HOST, isApart: false, now: START, random: 0 },
      ),
    ).toMatchObject({ isOffline, spread: -1 }),
  )
})

describe('the moment of each family, where each has a request of its own', () => {
  const both = { ...NEW_HOST, confirmed: { v4, v6 }, touched: START }
  const apart = (sent: Partial<UpdateRequest>, host: HostState = both, isApart = true) =>
    confirmedBy(
      good(),
      { hostnames: ['h'], addresses: {}, ...sent },
      { host, isApart, now: LATER, random: 0 },
    ).touchedBy

  it('is that of its own request; the other one keeps its moment', () => {
    expect(apart({ addresses: { v4 } })).toEqual({ v4: LATER, v6: START })
    expect(apart({ addresses: { v6 } }, { ...both, touchedBy: { v4: LATER, v6: START } })).toEqual({
      v4: LATER,
      v6: LATER,
    })
    expect(apart({ addresses: { v4 } }, NEW_HOST)).toEqual({ v4: LATER })
  })
  it('is none after an offline request: both are sent again', () =>
    expect(apart({ addresses: { v4, v6 }, offline: 'YES' })).toEqual({}))
  it('is not kept where one request has both', () =>
    expect(apart({ addresses: { v4, v6 } }, { ...both, touchedBy: { v4: START } }, false)).toBeUndefined())
})

it.each([
  [{ v4, v6 }, [], []],
  [{ v4, v6 }, [v4], ['v6']],
  [{ v4, v6 }, [v6], ['v4']],
  [{ v4 }, [v6], ['v4']],
  [{ v4 }, [v4], []],
])('of %j, answered with %j, %j is not echoed', (sent, echoed, families) =>
  expect(unechoedOf(sent, good(...echoed))).toEqual(families),
)

it('a word without addresses echoes nothing', () => expect(unechoedOf({ v4 }, { word: '911' })).toEqual([]))
