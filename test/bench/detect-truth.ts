import { isIPv6 } from 'node:net'

/** A request under way may carry an address for this long after it has gone, in ms. */
const GRACE_PERIOD = 2000

/** The addresses that were in use, and when. A request with any other is wrong. */
export class Truth {
  /** Addresses that are in use all the time. */
  readonly #always: readonly string[]
  readonly #held: { readonly address: string; readonly from: number; until: number }[] = []

  constructor(always: readonly string[] = []) {
    this.#always = always
  }

  /** The address replaces the one of its family from `from` on; the old one was in use until `until`. */
  moved(address: string, from: number, until = from): void {
    for (const one of this.#held)
      if (isIPv6(one.address) === isIPv6(address)) one.until = Math.min(one.until, until)
    this.holds(address, from)
  }

  /** In addition to the others. */
  holds(address: string, from: number): void {
    this.#held.push({ address, from, until: Infinity })
  }

  /** The addresses in use now. */
  current(family: 'v4' | 'v6'): readonly string[] {
    const isOf = (address: string): boolean => isIPv6(address) === (family === 'v6')
    return this.#held
      .filter(({ address, until }) => isOf(address) && until === Infinity)
      .map(({ address }) => address)
  }

  /** The addresses of a request that were not in use. Allows 2 ms, because log times are whole milliseconds. */
  wrong(addresses: readonly string[], at: number): readonly string[] {
    return addresses.filter(
      (address) =>
        !this.#always.includes(address) &&
        !this.#held.some(
          (one) => one.address === address && one.from - 2 <= at && at <= one.until + GRACE_PERIOD,
        ),
    )
  }
}
