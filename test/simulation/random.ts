/** Random numbers that follow from a seed and a name, so that one more draw in one stream shifts no other stream. */
export type Stream = () => number

export function streamOf(seed: number, name: string): Stream {
  let state = seed >>> 0
  for (const letter of name) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x9e3779b1) >>> 0
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const between = (stream: Stream, low: number, high: number): number => low + (high - low) * stream()

export function oneOf<T>(stream: Stream, all: readonly T[]): T {
  const one = all[Math.floor(stream() * all.length)]
  if (one === undefined) throw new Error('nothing to draw from')
  return one
}
