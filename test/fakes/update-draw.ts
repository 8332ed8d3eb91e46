import type { Random } from '../bench/fleet-random.ts'

/** Choices from random numbers: the same ones for the same numbers. */
export interface UpdateDraw {
  /** A whole number from 0, less than this. */
  readonly below: (end: number) => number
  readonly from: <T>(values: readonly T[]) => T
  readonly isOnceIn: (times: number) => boolean
  /** So many of them, from 0 to `max`. */
  readonly several: <T>(max: number, make: () => T) => readonly T[]
}

export function updateDraw(random: Random): UpdateDraw {
  const below = (end: number): number => Math.floor(random() * end)
  return {
    below,
    isOnceIn: (times) => below(times) === 0,
    several: (max, make) => Array.from({ length: below(max + 1) }, make),
    from: (values) => {
      const value = values[below(values.length)]
      if (value === undefined) throw new Error('nothing to choose from')
      return value
    },
  }
}

/** Each as often as its share says. */
export const byShare = <T>(rows: readonly (readonly [share: number, value: T])[]): readonly T[] =>
  rows.flatMap(([share, value]) => Array.from({ length: share }, () => value))
