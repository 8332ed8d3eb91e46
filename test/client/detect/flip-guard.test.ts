import { NO_DEFAULT_ROUTE } from '../../../src/client/detect/sources/nat-pmp.ts'
import { describe, expect, it } from 'vitest'
import { minutes, seconds } from '../../../src/shared/base/time.ts'
import type { Agreement, SourceVote } from '../../../src/client/detect/agree.ts'
import type { Finding } from '../../../src/client/detect/finding.ts'
import { uplinkTracker } from '../../../src/client/detect/uplink.ts'
import { FlipGuard } from '../../../src/client/detect/flip-guard.ts'
import { SecondRound } from '../../../src/client/detect/second-round.ts'
import type { Vantage } from '../../../src/client/detect/sources/source.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import type { Sighting } from '../../../src/shared/base/sighting.ts'
import { virtualClock } from '../../fakes/clock.ts'

const [A, B] = ['8.8.8.8', '9.9.9.9'] as Address[] as [Address, Address]
const seen = (address: Address) => ({ kind: 'seen', address, by: 'x' }) as const
const UNKNOWN: Sighting = { kind: 'unknown', because: 'rain' }
const vote = <S extends Sighting>(name: string, sighting: S, vantage: Vantage = 'outside') => ({
  source: { name, operator: name, vantage },
  sighting,
})
const agreed = (address: Address, over: Partial<Extract<Agreement, { kind: 'agreed' }>> = {}): Agreement => ({
  kind: 'agreed',
  address,
  by: ['x', 'y'],
  against: [],
  hasNear: false,
  ...over,
})

function scene() {
  const clock = virtualClock()
  const findings: Finding[] = []
  const ending = new AbortController()
  let looks = 0
  const tell = (finding: Finding): void => void findings.push(finding)
  const options = { clock, report: tell, requestLook: () => looks++, signal: ending.signal }
  const made = new FlipGuard(options, new SecondRound(options))
  const weigh = (verdict: Agreement, votes: readonly SourceVote[] = [], through?: string) =>
    made.sightingOf(verdict, { votes, isAtRouter: false, ...(through !== undefined && { through }) })
  return { clock, findings, made, weigh, ending, looks: () => looks }
}

describe('a round without a verdict tells', () => {
  it.each([
    [[], undefined, 'no source answered'],
    [[vote('x', UNKNOWN)], undefined, 'no source reports an address: x: rain'],
    [
      [vote('x', UNKNOWN), vote('y', { kind: 'none' })],
      undefined,
      'no source reports an address: x: rain; y: none',
    ],
    [[vote('x', seen(A))], undefined, `one source alone is not enough: x reports ${A}`],
    [
      [vote('x', seen(A)), vote('y', seen(B))],
      undefined,
      `no two sources agree: x reports ${A}; y reports ${B}`,
    ],
    [[vote('x', seen(A)), vote('y', UNKNOWN)], undefined, `one source alone is not enough: x reports ${A}`],
    [
      Array.from({ length: 9 }, () => vote('a longer name', UNKNOWN)),
      undefined,
      'no source reports an address (of 9)',
    ],
    [[vote('router', { kind: 'unknown', because: NO_DEFAULT_ROUTE })], undefined, NO_DEFAULT_ROUTE],
    [
      [vote('x', seen(A)), vote('y', UNKNOWN)],
      'tun0',
      'traffic leaves through tun0, which is not the line whose address is published',
    ],
    [[vote('x', UNKNOWN)], 'tun0', 'no source reports an address: x: rain'],
  ])('of %j through %j: %s', (votes, through, because) =>
    expect(scene().weigh({ kind: 'open' }, votes, through)).toMatchObject({ kind: 'unknown', because }),
  )

  it('whose cause behind a VPN is the same, whatever each source answered', () => {
    const { weigh } = scene()
    const [one, other] = [[vote('x', seen(A))], [vote('x', seen(A)), vote('y', UNKNOWN)]].map((votes) =>
      weigh({ kind: 'open' }, votes, 'tun0'),
    )
    const cause = 'traffic leaves through tun0, which is not the line whose address is published'
    expect([one, other]).toMatchObject([{ cause }, { cause }])
    expect(weigh({ kind: 'open' }, [vote('x', seen(A))])).not.toHaveProperty('cause')
  })

  it('that no outside source could be asked', () =>
    expect(
      scene().weigh({ kind: 'open', isUnasked: true }, [vote('router', { kind: 'none' })]),
    ).toMatchObject({
      kind: 'unknown',
      because:
        'no source reports an address: router: none; outside sources were asked too often in the last few minutes and must wait',
    }))
})

describe('a verdict', () => {
  it('is published with who said it', () => {
    const { made, weigh } = scene()
    expect(weigh(agreed(A))).toEqual({ kind: 'seen', address: A, by: 'x and y' })
    expect(made.current).toBe(A)
    expect(weigh({ kind: 'none' })).toEqual({ kind: 'none' })
  })

  it('that is an address too soon back is held, told once, and looked at again at its moment', async () => {
    const { clock, findings, weigh, looks } = scene()
    for (const address of [A, B]) weigh(agreed(address))
    const held = {
      kind: 'unknown',
      because: `${A} returned too soon; it is held back until it stays`,
      isHeld: true,
    }
    expect([weigh(agreed(A)), weigh(agreed(A))]).toEqual([held, held])
    expect(findings).toEqual([{ kind: 'flipping', address: A, heldFor: minutes(1) }])
    await clock.pass(minutes(0.9))
    expect(looks()).toBe(0)
    await clock.pass(minutes(0.2))
    expect(looks()).toBe(1)
  })

  it('that is held causes no look after the end', async () => {
    const { clock, weigh, looks, ending } = scene()
    for (const address of [A, B, A]) weigh(agreed(address))
    ending.abort()
    await clock.pass(minutes(2))
    expect(looks()).toBe(0)
  })

  it('about another line is told once for each line, and blames no source for it', async () => {
    const { findings, weigh, clock, looks } = scene()
    const elsewhere = { isElsewhere: true, elsewhere: B, against: [vote('z', seen(B))] } as const
    weigh(agreed(A, elsewhere))
    weigh(agreed(A, elsewhere))
    expect(findings).toEqual([])
    await clock.pass(seconds(2))
    expect(looks()).toBe(1)
    weigh(agreed(A, elsewhere))
    weigh(agreed(A, elsewhere))
    await clock.pass(seconds(10))
    expect(looks()).toBe(1)
    weigh({ kind: 'open', isElsewhere: true }, [])
    expect(findings).toEqual([{ kind: 'elsewhere', published: A, outside: B }])
  })

  const stray = vote('x', { kind: 'unknown', because: 'rain', through: 'tun0' })

  it('about a tunnel that takes some questions is told again after a round without one', () => {
    const { findings, weigh } = scene()
    const strays = (): unknown => weigh({ kind: 'open', isElsewhere: true }, [stray])
    strays()
    weigh({ kind: 'open' }, [])
    strays()
    expect(findings).toHaveLength(1)
    weigh(agreed(A))
    strays()
    expect(findings).toHaveLength(2)
  })

  it('about one that comes and goes is told in short, and in full after a while', async () => {
    const { findings, weigh, clock } = scene()
    for (const span of [seconds(5), minutes(10), seconds(1)]) {
      weigh({ kind: 'open', isElsewhere: true }, [stray])
      weigh(agreed(A))
      await clock.pass(span)
    }
    const full = { kind: 'elsewhere', through: 'tun0' }
    expect(findings).toEqual([full, { ...full, isAgain: true }, full])
  })

  it('behind a line that is held names it, and its watch tells', () => {
    const { findings, weigh } = scene()
    expect(weigh(agreed(A, { isElsewhere: true, elsewhere: B }), [], 'wg0')).toMatchObject({
      lineHeld: 'wg0',
    })
    expect(weigh({ kind: 'open', isElsewhere: true }, [], 'wg0')).toMatchObject({ lineHeld: 'wg0' })
    expect(findings).toEqual([])
  })

  it('about a tunnel that takes some questions is told once, also where others confirm the address', () => {
    const { findings, weigh } = scene()
    for (let n = 0; n < 3; n++) weigh(agreed(A), [stray, vote('y', seen(A))])
    weigh({ kind: 'open' }, [stray])
    expect(findings).toEqual([{ kind: 'elsewhere', published: A, through: 'tun0' }])
  })

  it('holds back an address that returns, unless the router has it', () => {
    const { made, weigh } = scene()
    for (const address of [A, B]) weigh(agreed(address))
    expect([
      made.holdsBack(agreed(A), undefined),
      made.holdsBack(agreed(A, { hasNear: true }), undefined),
      made.holdsBack(agreed(B), undefined),
      made.holdsBack({ kind: 'open' }, undefined),
    ]).toEqual([true, false, false, false])
  })

  it('about this line tells no other', () => {
    const { findings, weigh } = scene()
    weigh(agreed(A), [], 'tun0')
    expect(findings).toEqual([])
  })
})

describe('what is known of the uplink', () => {
  const line = (way: object = {}) =>
    uplinkTracker('v4', { published: () => [A], outboundRoute: async () => Promise.resolve(way) })
  const known = { published: [A], isElsewhere: false, isProven: false, isInterrupted: false }

  it('is nothing where the kernel is not asked', async () =>
    expect(await uplinkTracker('v4', { published: () => [A], outboundRoute: undefined }).now()).toEqual({}))
  it('is where questions leave', async () => {
    expect(await line().now()).toStrictEqual({ uplink: known })
    expect(await line({ elsewhere: 'tun0', line: 'eth0 a' }).now()).toStrictEqual({
      uplink: { ...known, isElsewhere: true },
      through: 'tun0',
      line: 'eth0 a',
    })
  })

  it.each([
    ['stated', agreed(A, { hasNear: true }), true],
    ['not stated', agreed(A), false],
    ['open', { kind: 'open' }, false],
  ] as const)('is proven by a verdict that is %s: %j', async (_, verdict, isProven) => {
    const made = line()
    made.record(verdict, [])
    expect((await made.now()).uplink?.isProven).toBe(isProven)
    made.record({ kind: 'none' }, [])
    expect((await made.now()).uplink?.isProven).toBe(isProven)
  })

  it('is interrupted where the router did not answer or has just started, until a near source agrees again', async () => {
    const made = line()
    const router = { name: 'router', operator: 'router', vantage: 'router' } as const
    const silent = { source: router, sighting: { kind: 'unknown', because: 'silent' } } as const
    const isInterrupted = async (verdict: Agreement, votes: readonly SourceVote[]) => {
      made.record(verdict, votes)
      return (await made.now()).uplink?.isInterrupted
    }
    expect(await isInterrupted({ kind: 'open' }, [])).toBe(false)
    expect(await isInterrupted({ kind: 'open' }, [silent])).toBe(true)
    expect(await isInterrupted(agreed(A), [])).toBe(true)
    expect(await isInterrupted(agreed(A, { hasNear: true }), [])).toBe(false)
    // It has just started, and the outside was believed.
    const early = {
      source: router,
      sighting: { kind: 'seen', address: A, by: 'router', isEarly: true },
    } as const
    expect(await isInterrupted(agreed(A), [early])).toBe(true)
    expect(await isInterrupted(agreed(A, { hasNear: true }), [early])).toBe(false)
  })

  it('is the address that the outside sees on another one, as long as it is another', async () => {
    const made = line()
    const foreign = async (verdict: Agreement) => {
      made.record(verdict, [])
      return (await made.now()).uplink?.foreign
    }
    expect(await foreign({ kind: 'open', isElsewhere: true, elsewhere: B })).toBe(B)
    expect(await foreign({ kind: 'none' })).toBe(B)
    expect(await foreign({ kind: 'open', isElsewhere: true })).toBe(B)
    expect(await foreign({ kind: 'open' })).toBeUndefined()
  })
})
