import {
  after,
  type Duration,
  type Instant,
  isBefore,
  milliseconds,
  minutes,
} from '../../shared/base/time.ts'
import type { Address } from '../../shared/base/address.ts'

/** The published address and the ones before it. */
export interface AddressHistory {
  readonly current?: Address
  /** When each address was replaced; only those of the last minutes. */
  readonly left: Readonly<Record<string, Instant>>
  /** An address that returned too soon, since when, and how long it must stay. */
  readonly returning?: { readonly address: Address; readonly since: Instant; readonly holdFor: Duration }
  /** Returns in a row. */
  readonly flips: number
  /** The line that the published address was seen through, where it is known. */
  readonly line?: string
}

export const NO_HISTORY: AddressHistory = { left: {}, flips: 0 }

/** Two uplinks that alternate look like an address that returns. A regular change brings a new address. */
const RETURN_WINDOW: Duration = minutes(10)
const HOLDS = { first: minutes(1), max: minutes(30) } as const

interface FlipOutcome {
  readonly history: AddressHistory
  /** The end of the hold; undefined where the address may be published. */
  readonly heldUntil?: Instant
}

interface FlipInput {
  readonly now: Instant
  /** The router or an interface has the address: then it belongs to this line, and is never held back. */
  readonly hasNear: boolean
  readonly line?: string
}

/** Whether the address was replaced a short while ago, so that it is held back. */
export const isReturning = (
  { current, left, returning }: AddressHistory,
  address: Address,
  now: Instant,
): boolean => address !== current && (returning?.address === address || isRecent(left[address], now))

const isRecent = (leftAt: Instant | undefined, now: Instant): boolean =>
  leftAt !== undefined && isBefore(now, after(leftAt, RETURN_WINDOW))

/** This host moved to another line; addresses alternate unnoticed only behind one line. */
export const isOtherLine = (history: AddressHistory, line: string | undefined): boolean =>
  line !== undefined && history.line !== undefined && line !== history.line

/** Passes an address, or holds back one that flips (A, B, A): it must then stay for a while, longer after each flip. */
export function passOrHold(
  history: AddressHistory,
  address: Address,
  { now, hasNear, line }: FlipInput,
): FlipOutcome {
  const { current, returning, flips } = history
  const { returning: _, ...settled } = history
  const onLine = line === undefined ? {} : { line }
  if (address === current) return { history: { ...settled, ...onLine } }
  if (hasNear || isOtherLine(history, line) || !isReturning(history, address, now))
    return { history: moved({ ...settled, flips: 0, ...onLine }, address, now) }
  if (returning?.address === address) {
    const until = after(returning.since, returning.holdFor)
    return isBefore(now, until) ? { history, heldUntil: until } : { history: moved(settled, address, now) }
  }
  const holdFor = milliseconds(Math.min(HOLDS.first * 2 ** flips, HOLDS.max))
  const held: AddressHistory = { ...settled, flips: flips + 1, returning: { address, since: now, holdFor } }
  return { history: held, heldUntil: after(now, holdFor) }
}

function moved(history: AddressHistory, address: Address, now: Instant): AddressHistory {
  const recent = Object.entries(history.left).filter(([, at]) => isRecent(at, now))
  const left = history.current === undefined ? recent : [...recent, [history.current, now] as const]
  return { ...history, current: address, left: Object.fromEntries(left) }
}
