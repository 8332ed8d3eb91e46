import { type Instant, instant } from '../../src/shared/base/time.ts'

/** What happens to one client: its provider gives it another address, or it looks which one it has. */
export interface Happening {
  readonly at: Instant
  readonly client: number
  readonly what: 'change' | 'look'
}

/** Gives back what was put in by its moment; at one moment by client, and a change before a look. */
export interface Queue {
  put(happening: Happening): void
  take(): Happening | undefined
}

/** One happening is one number, so that a million of them are one array of doubles: 52 bits hold 50 days. */
const CLIENTS = 2 ** 20
const packed = ({ at, client, what }: Happening): number =>
  (at * CLIENTS + client) * 2 + (what === 'look' ? 1 : 0)
const unpacked = (code: number): Happening => ({
  at: instant(Math.floor(code / 2 / CLIENTS)),
  client: Math.floor(code / 2) % CLIENTS,
  what: code % 2 === 1 ? 'look' : 'change',
})

/** A binary heap with the smallest item on top. */
export function emptyQueue(): Queue {
  const heap: number[] = []
  const codeAt = (place: number): number => heap[place] ?? Infinity
  return {
    put(happening) {
      if (happening.client >= CLIENTS) throw new Error(`a fleet has a maximum of ${CLIENTS} clients`)
      const code = packed(happening)
      let place = heap.push(code) - 1
      for (let above = (place - 1) >> 1; place > 0 && codeAt(above) > code; above = (place - 1) >> 1) {
        heap[place] = codeAt(above)
        place = above
      }
      heap[place] = code
    },
    take() {
      const [top] = heap
      const last = heap.pop()
      if (top === undefined || last === undefined) return undefined
      if (heap.length === 0) return unpacked(top)
      let place = 0
      for (let below = lesserChild(0); codeAt(below) < last; below = lesserChild(place)) {
        heap[place] = codeAt(below)
        place = below
      }
      heap[place] = last
      return unpacked(top)
    },
  }

  function lesserChild(place: number): number {
    const left = 2 * place + 1
    return codeAt(left + 1) < codeAt(left) ? left + 1 : left
  }
}
