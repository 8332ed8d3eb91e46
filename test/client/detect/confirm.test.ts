import { describe, expect, it } from 'vitest'
import { type Duration, between, milliseconds, seconds } from '../../../src/shared/base/time.ts'
import type { AgreementQuestion, SourceVote } from '../../../src/client/detect/agree.ts'
import { confirmAddress } from '../../../src/client/detect/confirm.ts'
import type { Vantage, AddressSource } from '../../../src/client/detect/sources/source.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import type { Sighting } from '../../../src/shared/base/sighting.ts'
import { virtualClock } from '../../fakes/clock.ts'

const seen = (address: string): Sighting => ({ kind: 'seen', address: address as Address, by: 'x' })
const [A, B] = [seen('8.8.8.8'), seen('9.9.9.9')]
const UNKNOWN: Sighting = { kind: 'unknown', because: 'rain' }
const QUESTION: AgreementQuestion = { family: 'v4', quorum: 2, hint: 'hinted', hasOwn: false }

interface Answer {
  readonly says: Sighting
  /** Never, without it. */
  readonly takes?: number
}
/** When each was asked, and when it was over. */
async function round(
  near: readonly Answer[],
  outside: readonly Answer[],
  { question = QUESTION, vantage = 'router' }: { question?: AgreementQuestion; vantage?: Vantage } = {},
) {
  const clock = virtualClock()
  const start = clock.now()
  const asked: Record<string, Duration> = {}
  const votes: SourceVote[] = []
  const make = (name: string, at: Vantage, { says, takes }: Answer): AddressSource => ({
    name,
    operator: name,
    vantage: at,
    families: ['v4', 'v6'],
    cooldown: milliseconds(0),
    look: async (_, signal) => {
      asked[name] = between(start, clock.now())
      if (takes === undefined) return new Promise(() => {})
      await clock.sleep((clock.now() + takes) as ReturnType<typeof clock.now>, signal)
      return says
    },
  })
  let over: { readonly kind: string; readonly took: number } | undefined
  const done = confirmAddress(
    {
      isAlone: near.length === 0,
      question,
      near: near.map((one, n) => make(`near${n}`, vantage, one)),
      outside: outside.map((one, n) => make(`out${n}`, 'outside', one)),
    },
    { clock, mayAsk: () => true, signal: new AbortController().signal, votes },
  ).then(({ kind }) => (over = { kind, took: clock.now() - start }))
  await clock.pass(seconds(6))
  await done
  return { asked, over, votes: votes.length }
}
const silent: Answer = { says: UNKNOWN }
const many = (count: number): readonly Answer[] => Array.from({ length: count }, () => silent)

describe('the outside is asked', () => {
  it('two at once, and then one after the other', async () =>
    expect((await round([], many(7))).asked).toEqual({
      out0: 0,
      out1: 0,
      out2: 250,
      out3: 500,
      out4: 1000,
      out5: 1500,
      out6: 2000,
    }))

  it('after what is near, where that says nothing for ten milliseconds', async () =>
    expect((await round([silent], many(6))).asked).toEqual({
      near0: 0,
      out0: 10,
      out1: 120,
      out2: 250,
      out3: 500,
      out4: 1000,
      out5: 1500,
    }))

  it.each([
    ['an address that is worth confirming', [{ says: A, takes: 2 }, silent], 2],
    ['one that cannot tell, while another is silent', [{ says: UNKNOWN, takes: 2 }, silent], 10],
    [
      'that none of them can tell',
      [
        { says: UNKNOWN, takes: 2 },
        { says: UNKNOWN, takes: 3 },
      ],
      3,
    ],
  ])('at once after %s', async (_, near, at) => expect((await round(near, many(1))).asked['out0']).toBe(at))

  it('not where what is near settles it', async () =>
    expect(
      await round([{ says: A, takes: 2 }], many(2), {
        question: { ...QUESTION, hint: 'no', previous: '8.8.8.8' as Address },
      }),
    ).toEqual({ asked: { near0: 0 }, over: { kind: 'agreed', took: 2 }, votes: 1 }))
})

describe('a round is over', () => {
  it('when two agree, and what comes later is not heard', async () => {
    const answers = [
      { says: A, takes: 5 },
      { says: A, takes: 7 },
      { says: B, takes: 0 },
    ]
    expect(await round([], answers)).toEqual({
      asked: { out0: 0, out1: 0 },
      over: { kind: 'agreed', took: 7 },
      votes: 2,
    })
    const together = [{ says: A, takes: 5 }, { says: A, takes: 5 }, silent]
    expect((await round([], together)).votes).toBe(2)
  })

  it('with the first agreement, also where another answer arrives at the same moment', async () => {
    const answers = [
      { says: A, takes: 0 },
      { says: B, takes: 0 },
    ]
    expect((await round([], answers, { question: { ...QUESTION, quorum: 1 } })).over?.kind).toBe('agreed')
  })

  it('after five seconds, although some sources have not answered', async () => {
    expect((await round([silent], many(1))).over).toEqual({ kind: 'open', took: seconds(5) })
  })
})

describe('over IPv6 an interface without an address ends it', () => {
  const question: AgreementQuestion = { ...QUESTION, family: 'v6', hasOwn: true }
  const none: Answer = { says: { kind: 'none' }, takes: 1 }
  const v6 = seen('2001:db8::1')
  it.each([
    ['', question, 'own', [none], []],
    ['not over IPv4', { ...question, family: 'v4' }, 'own', [none], ['out0']],
    ['not where no interface is asked', { ...question, hasOwn: false }, 'own', [none], ['out0']],
    ['not where it is the router that has none', question, 'router', [none], ['out0']],
    ['not where it cannot tell', question, 'own', [{ says: UNKNOWN, takes: 1 }], ['out0']],
    [
      'not where another one has an address',
      question,
      'own',
      [{ says: v6, takes: 0 }, { ...none }],
      ['out0'],
    ],
    ['also where another one cannot tell', question, 'own', [{ says: UNKNOWN, takes: 0 }, { ...none }], []],
  ] as const)('%s', async (_, asking, vantage, near, asked) => {
    const result = await round(near, many(1), { question: asking, vantage })
    expect(Object.keys(result.asked).filter((name) => name.startsWith('out'))).toEqual(asked)
  })
  it('not while another interface has an address that an outside source may confirm', async () => {
    const near = [{ says: v6, takes: 0 }, none]
    const { over } = await round(near, [{ says: v6, takes: 5 }], { question, vantage: 'own' })
    expect(over).toEqual({ kind: 'agreed', took: 5 })
  })

  it('although an outside source sees one', async () => {
    const near = [{ says: { kind: 'none' }, takes: 20 } as const]
    const { over } = await round(near, [{ says: v6, takes: 1 }, silent], { question, vantage: 'own' })
    expect(over).toEqual({ kind: 'open', took: 20 })
  })
})
