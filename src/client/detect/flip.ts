import { after, type Duration, type Instant, isBefore, milliseconds, minutes } from '../../base/time.ts'
import type { Address } from '../../net/address.ts'

/** What was published lately, and what has come back since. */
export interface AddressHistory {
  readonly current?: Address
  /** When each address was left for another. */
  readonly left: Readonly<Record<string, Instant>>
  /** An address that came back too soon, since when, and for how long it must stay. */
  readonly returning?: { readonly address: Address; readonly since: Instant; readonly holdFor: Duration }
  /** How often one came back in a row. */
  readonly flips: number
}

export const NO_HISTORY: AddressHistory = { left: {}, flips: 0 }

/** Two uplinks that take turns look like an address that comes back: a new address never does so soon. */
const SOON: Duration = minutes(10)
const HOLDS = { first: minutes(1), max: minutes(30) } as const

export interface FlipOutcome {
  readonly history: AddressHistory
  /** Until when the address is held back; without it, it may be published. */
  readonly heldUntil?: Instant
}

export interface FlipInput {
  readonly now: Instant
  /** The router or an interface of this host states it: then it is this line's address, however soon it is back. */
  readonly isStated: boolean
}

/** Lets an address through, or holds back one that flips: A, B, A again. It must then stay a while, longer each time. */
export function passOrHold(
  history: AddressHistory,
  address: Address,
  { now, isStated }: FlipInput,
): FlipOutcome {
  const { current, left, returning, flips } = history
  const { returning: _, ...settled } = history
  if (address === current) return { history: settled }
  if (isStated) return { history: moved({ ...settled, flips: 0 }, address, now) }
  const leftAt = Object.hasOwn(left, address) ? left[address] : undefined
  const isBack = leftAt !== undefined && isBefore(now, after(leftAt, SOON))
  if (!isBack && returning?.address !== address)
    return { history: moved({ ...settled, flips: 0 }, address, now) }
  if (returning?.address === address) {
    const until = after(returning.since, returning.holdFor)
    return isBefore(now, until) ? { history, heldUntil: until } : { history: moved(settled, address, now) }
  }
  const holdFor = milliseconds(Math.min(HOLDS.first * 2 ** flips, HOLDS.max))
  const held: AddressHistory = { ...settled, flips: flips + 1, returning: { address, since: now, holdFor } }
  return { history: held, heldUntil: after(now, holdFor) }
}

/** Only the lately left are worth remembering. */
function moved(history: AddressHistory, address: Address, now: Instant): AddressHistory {
  const recent = Object.entries(history.left).filter(([, at]) => isBefore(now, after(at, SOON)))
  const left = history.current === undefined ? recent : [...recent, [history.current, now] as const]
  return { ...history, current: address, left: Object.fromEntries(left) }
}
