import { expect, it } from 'vitest'
import { instant } from '../../../src/shared/base/time.ts'
import {
  formatHistory,
  MAX_PAST_ADDRESSES,
  nextHistory,
  parseHistory,
  type PastAddress,
} from '../../../src/client/report/address-history.ts'
import { address } from '../../fakes/address.ts'

const [A, B, SIX] = [address('192.0.2.1'), address('192.0.2.2'), address('2001:db8::1')]
const at = (seconds: number) => instant(Date.parse('2026-01-01T00:00:00Z') + seconds * 1000)
const time = (seconds: number): string => new Date(at(seconds)).toISOString()

it('an address is present from its confirmation until no hostname has it', () => {
  const first = nextHistory([], [A, SIX, A], at(1))
  expect(first).toEqual([
    { address: A, from: time(1), until: null },
    { address: SIX, from: time(1), until: null },
  ])
  expect(nextHistory(first, [SIX, A], at(2))).toBe(first)
  const second = nextHistory(first, [A, B, SIX], at(3))
  expect(nextHistory(second, [B, SIX], at(4))).toEqual([
    { address: A, from: time(1), until: time(4) },
    { address: SIX, from: time(1), until: null },
    { address: B, from: time(3), until: null },
  ])
})

it('an address that comes back is a row of its own', () => {
  const back = nextHistory(nextHistory(nextHistory([], [A], at(1)), [B], at(2)), [A], at(3))
  expect(back.map(({ address: one, until }) => [one, until])).toEqual([
    [A, time(2)],
    [B, time(3)],
    [A, null],
  ])
})

it('the oldest are forgotten', () => {
  let history: readonly PastAddress[] = []
  for (let nth = 0; nth < MAX_PAST_ADDRESSES + 5; nth++)
    history = nextHistory(history, [nth % 2 === 0 ? A : B], at(nth))
  expect([history.length, history.at(-1)?.until, history[0]?.from]).toEqual([
    MAX_PAST_ADDRESSES,
    null,
    time(5),
  ])
})

it('is read as it was written; what is damaged is left out', () => {
  const history = nextHistory(nextHistory([], [A], at(1)), [B], at(2))
  expect(parseHistory(formatHistory(history))).toEqual(history)
  for (const text of ['', '{', '{"version":2,"addresses":[]}', '{"version":1,"addresses":7}', 'null'])
    expect(parseHistory(text)).toEqual([])
  const damaged = [
    null,
    7,
    { address: 'x', from: time(1) },
    { address: A, from: 'x' },
    { address: A, from: time(1) },
  ]
  expect(parseHistory(JSON.stringify({ version: 1, addresses: damaged }))).toEqual([
    { address: A, from: time(1), until: null },
  ])
})
