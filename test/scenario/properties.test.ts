import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../runs.ts'
import {
  after,
  days,
  hours,
  type Instant,
  instant,
  milliseconds,
  minutes,
} from '../../src/shared/base/time.ts'
import type { DesiredState } from '../../src/client/decide/desired-state.ts'
import { nextAction, stopOf } from '../../src/client/decide/next-action.ts'
import type { Action, Observation } from '../../src/client/decide/observation.ts'
import { reduce } from '../../src/client/decide/step.ts'
import { accountOf, NEW_STATE, type State } from '../../src/client/decide/state.ts'
import { formatState, parseState } from '../../src/client/agent/memory/codec.ts'
import { type Addresses, FAMILIES, parseAddress } from '../../src/shared/base/address.ts'
import type { Sightings } from '../../src/shared/base/sighting.ts'
import { actionOf, isAddressedWord, REPLY_WORDS } from '../../src/shared/protocol/reply.ts'
import { PLAN, START } from '../fakes/world.ts'
import type { Reply } from '../../src/shared/protocol/reply-codec.ts'

/** One turn: time passes, addresses are seen or not, and the service answers. */
interface Turn {
  readonly pass: number
  readonly v4: number | undefined
  readonly v6: number | undefined
  readonly does: 'answer' | 'unrecognized' | 'unreached' | 'restart' | 'force'
  readonly words: readonly number[]
  readonly random: number
}

const turn: fc.Arbitrary<Turn> = fc.record({
  pass: fc.oneof(fc.integer({ min: 0, max: hours(5) }), fc.integer({ min: 0, max: minutes(31) })),
  v4: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  v6: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  does: fc.constantFrom('answer', 'answer', 'answer', 'unrecognized', 'unreached', 'restart', 'force'),
  words: fc.array(fc.nat(REPLY_WORDS.length - 1), { minLength: 3, maxLength: 3 }),
  random: fc.double({ min: 0, max: 0.999999, noNaN: true }),
})

const PLANS: readonly DesiredState[] = [
  { ...PLAN, account: 'a', hostnames: ['a1.test', 'a2.test'] },
  { ...PLAN, account: 'b', hostnames: ['b1.test'], nohostStops: 'hostname' },
]

interface Sent {
  readonly at: Instant
  readonly account: string
  readonly before: State
  readonly action: Extract<Action, { kind: 'send' }>
  readonly seen: Observation
}

const sightingsOf = ({ v4, v6 }: Turn): Sightings => {
  const see = (text: string | undefined): Sightings['v4'] => {
    const address = text === undefined ? undefined : parseAddress(text)
    return address === undefined
      ? { kind: 'unknown', because: 'no answer' }
      : { kind: 'seen', address, by: 'source' }
  }
  return {
    v4: see(v4 === undefined ? v4 : `192.0.2.${v4}`),
    v6: see(v6 === undefined ? v6 : `2001:db8::${v6}`),
  } as Sightings
}

const answerTo = (action: Extract<Action, { kind: 'send' }>, turn: Turn): Observation => {
  const { account, request: sent } = action
  if (turn.does === 'unreached')
    return { kind: 'unreached', account, because: 'gone', isTls: turn.words.length % 2 === 0 }
  if (turn.does === 'unrecognized')
    return { kind: 'notUnderstood', account, because: 'unrecognized', looksLikePortal: false }
  const words = turn.words.map((n) => REPLY_WORDS[n] ?? 'good')
  const replies = sent.hostnames.map((_, at): Reply => {
    const word = words[at % words.length] ?? 'good'
    return isAddressedWord(word) ? { word, addresses: [] } : { word }
  })
  return { kind: 'answered', account, sent, replies }
}

/** Runs the turns. Every state is encoded and decoded, as after a restart. */
function play(turns: readonly Turn[]): readonly Sent[] {
  let now = START
  let state = NEW_STATE
  const log: Sent[] = []
  for (const turn of turns) {
    now = after(now, milliseconds(turn.pass))
    const moment = { now, random: turn.random }
    if (turn.does === 'restart')
      state = reduce(state, { kind: 'started' }, { desiredStates: PLANS, ...moment })
    if (turn.does === 'force') state = reduce(state, { kind: 'forced' }, { desiredStates: PLANS, ...moment })
    const seen = sightingsOf(turn)
    const sightings = Object.fromEntries(
      PLANS.map(({ account, hostnames }) => [
        account,
        Object.fromEntries(hostnames.map((name) => [name, seen])),
      ]),
    )
    const world = { sightings, nextLook: after(now, minutes(5)) }
    const action = nextAction(state, PLANS, { world, now })
    if (action.kind !== 'send') continue
    const answer = answerTo(action, turn)
    log.push({ at: now, account: action.account, before: state, action, seen: answer })
    const reloaded = parseState(formatState(reduce(state, answer, { desiredStates: PLANS, ...moment })))
    if (!reloaded.ok) throw new Error(reloaded.error)
    state = reloaded.value.state
  }
  return log
}

const holds = (check: (log: readonly Sent[]) => void): void =>
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 60 }), (turns) => check(play(turns))),
    { numRuns: runs(50) },
  )

describe('in any sequence of turns, the client', () => {
  it('sends nothing for a stopped account', () =>
    holds((log) => {
      for (const { before, account } of log) {
        const desired = PLANS.find((one) => one.account === account) ?? PLAN
        expect(stopOf(accountOf(before, account), desired)).toBeUndefined()
      }
    }))

  it('sends nothing after a word that stops the account', () =>
    holds((log) => {
      const stopped = new Set<string>()
      for (const { account, seen } of log) {
        expect(stopped).not.toContain(account)
        const isStop =
          seen.kind === 'answered' &&
          seen.replies.some(({ word }) => actionOf(word).kind === 'stop' && word !== 'nohost')
        if (isStop) stopped.add(account)
      }
    }))

  it('sends nothing within half an hour after a reply that requires a wait', () =>
    holds((log) => {
      const until = new Map<string, Instant>()
      for (const { at, account, seen } of log) {
        expect(at).toBeGreaterThanOrEqual(until.get(account) ?? 0)
        const isWait = seen.kind === 'answered' && seen.replies.some(({ word }) => word === '911')
        if (seen.kind === 'notUnderstood' || isWait) until.set(account, after(at, minutes(30)))
      }
    }))

  it('repeats a confirmed address only for a refresh, a new address or --force', () =>
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 60 }), (turns) => {
        const log = play(turns.filter(({ does }) => does !== 'force'))
        for (const { at, account, before, action } of log) {
          const [name = ''] = action.request.hostnames
          const host = accountOf(before, account).hosts[name]
          const isNew = FAMILIES.some(
            (f) =>
              action.request.addresses[f] !== undefined && action.request.addresses[f] !== host?.confirmed[f],
          )
          expect(isNew || at - (host?.touched ?? 0) >= days(28) * 0.95).toBe(true)
        }
      }),
      { numRuns: runs(50) },
    ))

  it('never removes a lost family, and never sends an empty update', () =>
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 60 }), (turns) => {
        const confirmed = new Map<string, Addresses>()
        for (const { account, action, seen, before } of play(turns.filter(({ does }) => does !== 'force'))) {
          expect(Object.keys(action.request.addresses)).not.toEqual([])
          action.request.hostnames.forEach((name, at) => {
            const key = `${account} ${name}`
            expect(accountOf(before, account).hosts[name]?.confirmed ?? {}).toEqual(confirmed.get(key) ?? {})
            const word = seen.kind === 'answered' ? seen.replies[at]?.word : undefined
            if (word === 'good' || word === 'nochg')
              confirmed.set(key, { ...confirmed.get(key), ...action.request.addresses })
          })
        }
      }),
      { numRuns: runs(50) },
    ))
})

it('a state survives encoding and decoding unchanged', () =>
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 30 }), (turns) => {
      const last = play(turns).at(-1)?.before ?? NEW_STATE
      expect(parseState(formatState(last))).toEqual({ ok: true, value: { state: last } })
    }),
  ))

it('a state with any changed byte is rejected, but for the second record of its stops', () => {
  const [first] = play([
    { pass: 0, v4: 1, v6: 1, does: 'answer', words: [0, 0, 0], random: 0.5 },
    { pass: 1, v4: 2, v6: 1, does: 'answer', words: [0], random: 0 },
  ]).slice(-1)
  const text = formatState(first?.before ?? NEW_STATE)
  const wrong = Array.from(
    { length: text.length },
    (_, at) => `${text.slice(0, at)}${text[at] === '1' ? '2' : '1'}${text.slice(at + 1)}`,
  )

  const accepted = wrong.flatMap((one) => {
    const state = parseState(one)
    return state.ok && formatState(state.value.state) !== text ? [one] : []
  })

  expect(accepted).toEqual([])
  const whole = text.indexOf('\n}\n') + 2
  for (let cut = 0; cut < whole; cut++) expect(parseState(text.slice(0, cut)).ok).toBe(false)
  expect(instant(0)).toBe(0)
})
