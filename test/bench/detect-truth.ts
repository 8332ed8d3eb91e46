import { isIPv6 } from 'node:net'

/** For so long after an address has gone, a request that was under way with it is nobody's mistake. */
const GRACE = 2000

/** Which addresses the world saw, and when. A request with any other is wrong. */
export class Truth {
  /** Addresses that work throughout, whichever else do. */
  readonly #always: readonly string[]
  readonly #held: { readonly address: string; readonly from: number; until: number }[] = []

  constructor(always: readonly string[] = []) {
    this.#always = always
  }

  /** The address replaces the one of its family, from `from` on; the old one was there until `until`. */
  moved(address: string, from: number, until = from): void {
    for (const one of this.#held)
      if (isIPv6(one.address) === isIPv6(address)) one.until = Math.min(one.until, until)
    this.holds(address, from)
  }

  /** Beside others. */
  holds(address: string, from: number): void {
    this.#held.push({ address, from, until: Infinity })
  }

  /** What the world sees now. */
  current(family: 'v4' | 'v6'): readonly string[] {
    const isOf = (address: string): boolean => isIPv6(address) === (family === 'v6')
    return this.#held
      .filter(({ address, until }) => isOf(address) && until === Infinity)
      .map(({ address }) => address)
  }

  /** Of what a request carried, what was not true. The log's clock counts whole milliseconds only. */
  lies(addresses: readonly string[], at: number): readonly string[] {
    return addresses.filter(
      (address) =>
        !this.#always.includes(address) &&
        !this.#held.some((one) => one.address === address && one.from - 2 <= at && at <= one.until + GRACE),
    )
  }
}
