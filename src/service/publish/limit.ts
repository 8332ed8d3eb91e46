import type { Instant } from '../../shared/base/time.ts'
import { type Address, bitsOf, familyOf } from '../../shared/base/address.ts'

/** In octets: what one network gets in a second, over all zones, before its answers are truncated. */
const MAX_OCTETS = 128 * 1024
/** Networks and kinds of answers that are counted at a time. */
const MAX_ENTRIES = 10_000
/** Bits of a network: /24 and /56. */
const HOST_BITS = { v4: 8n, v6: 72n } as const

type Verdict = 'send' | 'truncate' | 'drop'

interface ResponseLimitSettings {
  /** Equal answers to one network in a second. */
  readonly max: () => number
  readonly onLimited: (verdict: 'truncate' | 'drop') => void
}

/** Sums by key in the present second; the key that was counted longest ago is forgotten. */
class SecondCounts {
  readonly #counts = new Map<string, { second: number; count: number }>()

  add(key: string, amount: number, now: Instant): number {
    const second = Math.floor(now / 1000)
    const entry = this.#counts.get(key)
    const count = entry?.second === second ? entry.count + amount : amount
    this.#counts.delete(key)
    this.#counts.set(key, { second, count })
    const [oldest] = this.#counts.size > MAX_ENTRIES ? this.#counts.keys() : []
    if (oldest !== undefined) this.#counts.delete(oldest)
    return count
  }
}

/**
 * Limits equal answers by UDP, and all answers to one network, so that forged questions cannot flood the host in their
 * source address. Above a limit every second answer is empty and truncated: a real client asks again by TCP.
 */
export class ResponseLimit {
  readonly #settings: ResponseLimitSettings
  readonly #answers = new SecondCounts()
  readonly #octets = new SecondCounts()
  readonly #limited = new SecondCounts()

  constructor(settings: ResponseLimitSettings) {
    this.#settings = settings
  }

  /** `kind`: what makes answers equal, such as the name and its type; `length` in octets. */
  check(
    peer: Address,
    kind: string,
    { length, now }: { readonly length: number; readonly now: Instant },
  ): Verdict {
    if (isLoopback(peer)) return 'send'
    const network = clientBlock(peer)
    const count = this.#answers.add(`${network} ${kind}`, 1, now)
    if (count <= this.#settings.max() && this.#octets.add(network, length, now) <= MAX_OCTETS) return 'send'
    const verdict = this.#limited.add(network, 1, now) % 2 === 0 ? 'truncate' : 'drop'
    this.#settings.onLimited(verdict)
    return verdict
  }
}

const isLoopback = (address: Address): boolean => address.startsWith('127.') || address === '::1'

const clientBlock = (address: Address): string => {
  const family = familyOf(address)
  return `${family}/${(bitsOf(address) >> HOST_BITS[family]).toString(16)}`
}
