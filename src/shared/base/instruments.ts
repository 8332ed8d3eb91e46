import type { Labels, MetricFamily, Sample } from './exposition.ts'

/** Upper bounds in seconds: an update takes a millisecond, a slow hash thirty, a full disk seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, Infinity] as const

interface Family {
  readonly name: string
  readonly help: string
}

/** Counts by the values of labels, whose number must be bounded. */
export class Counter {
  readonly #family: Family
  readonly #counts = new Map<string, { readonly labels: Labels; value: number }>()

  constructor(family: Family) {
    this.#family = family
  }

  add(labels: Labels): void {
    const key = Object.values(labels).join('\n')
    const counted = this.#counts.get(key)
    if (counted === undefined) this.#counts.set(key, { labels, value: 1 })
    else counted.value++
  }

  family(): MetricFamily {
    const samples = [...this.#counts.values()].map(({ labels, value }) => ({
      suffix: '_total',
      labels,
      value,
    }))
    return { ...this.#family, type: 'counter', samples }
  }
}

interface Distribution {
  readonly labels: Labels
  readonly counts: number[]
  sum: number
}

/** Durations in seconds, in buckets. */
export class Histogram {
  readonly #family: Family
  readonly #bounds: readonly number[]
  readonly #distributions = new Map<string, Distribution>()

  /** `bounds`: the upper bounds in seconds; the last one is Infinity. */
  constructor(family: Family, bounds: readonly number[] = BOUNDS) {
    this.#family = family
    this.#bounds = bounds
  }

  observe(labels: Labels, seconds: number): void {
    const key = Object.values(labels).join('\n')
    const known = this.#distributions.get(key)
    const distribution = known ?? { labels, counts: this.#bounds.map(() => 0), sum: 0 }
    if (known === undefined) this.#distributions.set(key, distribution)
    const at = this.#bounds.findIndex((bound) => seconds <= bound)
    distribution.counts[at] = (distribution.counts[at] ?? 0) + 1
    distribution.sum += seconds
  }

  family(): MetricFamily {
    return {
      ...this.#family,
      type: 'histogram',
      samples: [...this.#distributions.values()].flatMap((one) => samplesOf(one, this.#bounds)),
    }
  }
}

/** Each bucket counts all durations up to its bound. */
function samplesOf({ labels, counts, sum }: Distribution, bounds: readonly number[]): readonly Sample[] {
  let total = 0
  const buckets = bounds.map((bound, at) => {
    total += counts[at] ?? 0
    return {
      suffix: '_bucket',
      labels: { ...labels, le: bound === Infinity ? '+Inf' : String(bound) },
      value: total,
    }
  })
  return [...buckets, { suffix: '_count', labels, value: total }, { suffix: '_sum', labels, value: sum }]
}

/** Values of this moment. */
export const gauge = (family: Family, value: number): MetricFamily => ({
  ...family,
  type: 'gauge',
  samples: [{ suffix: '', labels: {}, value }],
})
