import { describe, expect, it } from 'vitest'
import { after, type Duration, minutes, seconds } from '../../../src/shared/base/time.ts'
import { addressEvents, type ReportedCauses } from '../../../src/client/agent/change-reporter.ts'
import type { AgentEvent } from '../../../src/client/agent/events.ts'
import { NEW_STATE, type State } from '../../../src/client/decide/state.ts'
import { type Addresses, byFamily, parseAddress } from '../../../src/shared/base/address.ts'
import type { Sighting, Sightings } from '../../../src/shared/base/sighting.ts'
import { PLAN, START } from '../../fakes/world.ts'

const addresses = (...texts: readonly string[]): Addresses =>
  byFamily(texts.flatMap((text) => parseAddress(text) ?? []))
const seen = (text: string): Sighting => {
  const address = parseAddress(text)
  if (address === undefined) throw new Error(`${text} is no address`)
  return { kind: 'seen', address, by: 'x' }
}
const unknown = (because: string): Sighting => ({ kind: 'unknown', because })
const NONE: Sighting = { kind: 'none' }

const confirmed = (...texts: readonly string[]): State => ({
  accounts: {
    [PLAN.account]: {
      status: { kind: 'ready' },
      hosts: { 'home.example.test': { confirmed: addresses(...texts), spread: 0, isOffline: false } },
    },
  },
})

/** The events of each look. */
function eventsOf(
  looks: readonly (readonly [at: Duration, seen: Sightings])[],
  state: State = NEW_STATE,
): readonly string[][] {
  let reported: ReportedCauses = {}
  return looks.map(([at, sightings]) => {
    const world = {
      sightings: { [PLAN.account]: { 'home.example.test': sightings } },
      lastLook: after(START, at),
      nextLook: START,
    }
    const next = addressEvents(reported, { world, state, desiredStates: [PLAN] })
    ;({ reported } = next)
    return next.events.map((event: AgentEvent) =>
      'family' in event && event.family !== undefined ? `${event.kind} ${event.family}` : event.kind,
    )
  })
}
const at = (minute: number): Duration => minutes(minute)

describe('address events report', () => {
  it('an unknown address once, and again after it was known in between', () => {
    const nothing = { v4: unknown('no source answered'), v6: unknown('no source answered') }

    expect(
      eventsOf(
        [
          [at(0), nothing],
          [at(5), nothing],
          [at(10), { v4: seen('8.8.8.8'), v6: NONE }],
          [at(15), nothing],
        ],
        NEW_STATE,
      ),
    ).toEqual([['addressUnknown'], [], [], ['addressUnknown']])
  })

  it('each cause once, and at most three, regardless of the order of its parts and of the addresses in it', () => {
    const causes = [
      'no two: a says 1.2.3.4; b: silent',
      'no two: b: silent; a says 5.6.7.8',
      'another',
      'a third',
      'a fourth',
    ]
    const looks = causes.map((cause, n) => [at(n), { v4: unknown(cause) }] as const)

    expect(eventsOf(looks, confirmed('8.8.8.8')).map((events) => events.length)).toEqual([0, 1, 1, 1, 0])
  })

  it('a cause once, whatever its details are', () => {
    const held = (because: string): Sightings => ({ v4: { kind: 'unknown', because, cause: 'a VPN' } })

    expect(
      eventsOf([
        [at(0), held('a VPN: x')],
        [at(5), held('a VPN: x; y')],
        [at(10), { v4: unknown('a VPN: z') }],
      ]),
    ).toEqual([['addressUnknown'], [], ['addressUnknown']])
  })

  it('a published family that is unknown for ten seconds, and that it is known again', () =>
    expect(
      eventsOf(
        [
          [at(0), { v4: seen('8.8.8.8'), v6: unknown('x') }],
          [seconds(5), { v4: seen('8.8.8.8'), v6: unknown('x') }],
          [seconds(15), { v4: seen('8.8.8.8'), v6: unknown('x') }],
          [at(1), { v4: seen('8.8.8.8'), v6: seen('2600::1') }],
        ],
        confirmed('8.8.8.8', '2600::1'),
      ),
    ).toEqual([[], [], ['addressUnknown v6'], ['addressKnown v6']]))

  it('nothing for an unpublished family, or for an address that is held until it is stable', () =>
    expect(
      eventsOf(
        [
          [at(0), { v4: seen('8.8.8.8'), v6: unknown('x') }],
          [at(1), { v4: { kind: 'unknown', because: 'held', isHeld: true } }],
        ],
        confirmed('8.8.8.8'),
      ),
    ).toEqual([[], []]))

  it('a published family that is gone for a minute, and not one that is gone for seconds', () =>
    expect(
      eventsOf(
        [
          [at(0), { v6: NONE }],
          [seconds(2), { v6: seen('2600::2') }],
          [at(5), { v6: NONE }],
          [at(10), { v6: NONE }],
          [at(15), { v6: NONE }],
        ],
        confirmed('8.8.8.8', '2600::1'),
      ),
    ).toEqual([[], [], [], ['familyGone v6'], []]))

  it('nothing for a family that the user left unset', () =>
    expect(
      eventsOf(
        [
          [at(0), { v6: { kind: 'none', isLeft: true } }],
          [at(5), { v6: { kind: 'none', isLeft: true } }],
        ],
        confirmed('2600::1'),
      ),
    ).toEqual([[], []]))
})
