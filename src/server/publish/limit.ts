import type { Instant } from '../../base/time.ts'
import { type Address, bitsOf, familyOf } from '../../net/address.ts'

/** Equal answers to one network in a second. */
const MAX_ANSWERS = 20
/** Networks and kinds of answers that are counted at a time. */
const MAX_ENTRIES = 10_000
/** Bits of a network: /24 and /56. */
const HOST_BITS = { v4: 8n, v6: 72n } as const

type Verdict = 'send' | 'truncate' | 'drop'

/**
 * Limits equal answers by UDP, so that forged questions cannot flood the host in their source address. Above the limit every
 * second answer is empty and truncated: a real client asks again by TCP.
 */
export class ResponseLimit {
  readonly #counts = new Map<string, { second: number; count: number }>()

  /** `kind`: what makes answers equal, such as the zone and the RCODE. */
  check(peer: Address, kind: string, now: Instant): Verdict {
    if (isLoopback(peer)) return 'send'
    const second = Math.floor(now / 1000)
    const key = `${clientBlock(peer)} ${kind}`
    const entry = this.#counts.get(key)
    const count = entry?.second === second ? entry.count + 1 : 1
    this.#counts.delete(key)
    this.#counts.set(key, { second, count })
    this.#forgetOldest()
    if (count <= MAX_ANSWERS) return 'send'
    return count % 2 === 0 ? 'truncate' : 'drop'
  }

  #forgetOldest(): void {
    const [oldest] = this.#counts.size > MAX_ENTRIES ? this.#counts.keys() : []
    if (oldest !== undefined) this.#counts.delete(oldest)
  }
}

const isLoopback = (address: Address): boolean => address.startsWith('127.') || address === '::1'

const clientBlock = (address: Address): string => {
  const family = familyOf(address)
  return `${family}/${(bitsOf(address) >> HOST_BITS[family]).toString(16)}`
}
