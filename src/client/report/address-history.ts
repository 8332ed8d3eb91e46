import { formatInstant, type Instant } from '../../shared/base/time.ts'
import { type Address, parseAddress } from '../../shared/base/address.ts'

/** An address that a service had for a while. */
export interface PastAddress {
  readonly address: Address
  /** RFC 3339. */
  readonly from: string
  /** RFC 3339; null while a hostname has it. */
  readonly until: string | null
}

export const MAX_PAST_ADDRESSES = 100

/** The history, in the order of `from`, when these addresses are confirmed; the same value where nothing is new. */
export function nextHistory(
  history: readonly PastAddress[],
  confirmed: readonly Address[],
  now: Instant,
): readonly PastAddress[] {
  const at = formatInstant(now)
  const present = history.filter(({ until }) => until === null).map(({ address }) => address)
  const added = [...new Set(confirmed)].filter((one) => !present.includes(one))
  if (added.length === 0 && present.every((one) => confirmed.includes(one))) return history
  return [
    ...history.map((one) =>
      one.until === null && !confirmed.includes(one.address) ? { ...one, until: at } : one,
    ),
    ...added.map((address) => ({ address, from: at, until: null })),
  ].slice(-MAX_PAST_ADDRESSES)
}

export const formatHistory = (history: readonly PastAddress[]): string =>
  `${JSON.stringify({ version: 1, addresses: history })}\n`

/** The inverse. A text that is damaged counts as none. */
export function parseHistory(text: string): readonly PastAddress[] {
  try {
    const { version, addresses } = JSON.parse(text) as {
      readonly version?: unknown
      readonly addresses?: unknown
    }
    return version === 1 && Array.isArray(addresses) ? addresses.flatMap(pastFrom) : []
  } catch {
    return []
  }
}

function pastFrom(value: unknown): readonly PastAddress[] {
  const { address, from, until } = (value ?? {}) as Readonly<Record<string, unknown>>
  const known = typeof address === 'string' ? parseAddress(address) : undefined
  return known === undefined || typeof from !== 'string' || Number.isNaN(Date.parse(from))
    ? []
    : [
        {
          address: known,
          from,
          until: typeof until === 'string' && !Number.isNaN(Date.parse(until)) ? until : null,
        },
      ]
}
