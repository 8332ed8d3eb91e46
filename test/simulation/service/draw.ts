import { between, oneOf, type Stream, streamOf } from '../random.ts'

/** One request, in the words of the model. */
export type Ask =
  | { readonly kind: 'patch'; readonly zone: string; readonly items: readonly Item[] }
  | { readonly kind: 'remove'; readonly zone: string; readonly name: string }
  | { readonly kind: 'update'; readonly zone: string; readonly name: string; readonly address: string }
  | { readonly kind: 'addZone'; readonly zone: string }
  | { readonly kind: 'removeZone'; readonly zone: string }
  /** Two writers have read the same state, and both write. */
  | {
      readonly kind: 'race'
      readonly zone: string
      readonly name: string
      readonly values: readonly [string, string]
    }

/** Of the operator: these names, each with one address, take the place of what the zone has. */
export interface ImportAsk {
  readonly kind: 'import'
  readonly zone: string
  readonly names: readonly string[]
  readonly address: string
}

/** An RRSet of a name; without values, it goes. */
export interface Item {
  readonly name: string
  readonly type: 'A' | 'TXT' | 'MX'
  readonly values: readonly string[]
}

/** What happens to the service next. */
export type ServiceEvent =
  | { readonly kind: 'ask'; readonly asks: readonly Ask[] }
  | { readonly kind: 'flush' }
  /** Another program imports, while the service goes on, for so many events. */
  | { readonly kind: 'import'; readonly ask: ImportAsk }
  /** What was removed is deleted, in steps. */
  | { readonly kind: 'sweep' }
  /** The operator forbids changes of a name, or allows them again. */
  | { readonly kind: 'lock'; readonly zone: string; readonly name: string; readonly isLocked: boolean }
  | { readonly kind: 'restart' }
  /**
   * The power fails after so many turns of the requests, or in the transaction of one of their writes; what is not durable
   * is cut at this part of it.
   */
  | {
      readonly kind: 'crash'
      readonly asks: readonly Ask[]
      readonly turns: number
      readonly write: number
      readonly cut: number
    }
  /** Another program writes for so many milliseconds. */
  | { readonly kind: 'busy'; readonly asks: readonly Ask[]; readonly span: number }
  /** Each commit fails; or succeeds, and nobody hears of it. */
  | { readonly kind: 'full' | 'lost'; readonly asks: readonly Ask[] }

export interface ServiceWorld {
  readonly seed: number
  readonly events: readonly ServiceEvent[]
}

/** Zones that are there from the start, and those that come and go. */
export const ZONES = ['a.test', 'b.test'] as const
export const GUESTS = ['guest.test', 'in.a.test'] as const
export const DYNAMIC = ['d0', 'd1', 'd2'] as const
const NAMES = ['www', 'mail-1', 'x', 'y.x', 'z', '*'] as const

export function drawServiceWorld(seed: number, count: number): ServiceWorld {
  const draw = streamOf(seed, 'service')
  const events = Array.from({ length: count }, () => {
    const event = drawEvent(draw)
    // Who got no answer asks again.
    const isRepeated = 'asks' in event && event.kind !== 'ask' && draw() < 0.6
    return isRepeated ? [event, { kind: 'ask', asks: event.asks } as const] : [event]
  })
  return { seed, events: events.flat() }
}

function drawEvent(draw: Stream): ServiceEvent {
  const asks = Array.from({ length: 1 + Math.floor(draw() * 4) }, () => drawAsk(draw))
  const kind = draw()
  if (kind < 0.55) return { kind: 'ask', asks }
  if (kind < 0.75) return { kind: 'flush' }
  if (kind < 0.87) {
    const [turns, write] = [Math.floor(between(draw, 0, 400)), Math.floor(between(draw, 0, 4))]
    return { kind: 'crash', asks, turns, write, cut: draw() }
  }
  if (kind < 0.91) return { kind: 'busy', asks, span: between(draw, 1, 8000) }
  if (kind < 0.94) return { kind: 'full', asks }
  if (kind < 0.96) return { kind: 'lost', asks }
  if (kind < 0.965) return { kind: 'restart' }
  if (kind < 0.98) return { kind: 'import', ask: drawImport(draw) }
  if (kind < 0.985) return { kind: 'sweep' }
  const name = oneOf(draw, [...DYNAMIC, ...NAMES])
  return { kind: 'lock', zone: oneOf(draw, ZONES), name, isLocked: draw() < 0.5 }
}

function drawAsk(draw: Stream): Ask {
  const zone = oneOf(draw, ZONES)
  const kind = draw()
  if (kind < 0.45) return { kind: 'patch', zone: drawZone(draw), items: drawItems(draw) }
  if (kind < 0.75) return { kind: 'update', zone, name: oneOf(draw, DYNAMIC), address: drawAddress(draw) }
  if (kind < 0.85) return { kind: 'remove', zone: drawZone(draw), name: oneOf(draw, NAMES) }
  if (kind < 0.93)
    return { kind: 'race', zone, name: oneOf(draw, NAMES), values: [drawAddress(draw), drawAddress(draw)] }
  return { kind: draw() < 0.5 ? 'addZone' : 'removeZone', zone: oneOf(draw, GUESTS) }
}

function drawImport(draw: Stream): ImportAsk {
  const many = Array.from(
    { length: draw() < 0.5 ? 0 : Math.floor(between(draw, 40, 160)) },
    (_, n) => `n${n}`,
  )
  const names = [...DYNAMIC, ...NAMES].filter(() => draw() < 0.5)
  return {
    kind: 'import',
    zone: drawZone(draw),
    names: [...names, 'www', ...many],
    address: drawAddress(draw),
  }
}

const drawZone = (draw: Stream): string => oneOf(draw, draw() < 0.8 ? ZONES : GUESTS)
const drawAddress = (draw: Stream): string => `8.8.${Math.floor(draw() * 4)}.${Math.floor(draw() * 8)}`

function drawItems(draw: Stream): readonly Item[] {
  const items = new Map<string, Item>()
  for (let n = 1 + Math.floor(draw() * 4); n > 0; n--) {
    const [name, type] = [oneOf(draw, NAMES), oneOf(draw, ['A', 'TXT', 'MX'] as const)]
    const values = Array.from({ length: Math.floor(draw() * 3) }, () => drawValue(draw, type))
    items.set(`${name} ${type}`, { name, type, values: [...new Set(values)].toSorted() })
  }
  return [...items.values()]
}

function drawValue(draw: Stream, type: Item['type']): string {
  if (type === 'A') return drawAddress(draw)
  return type === 'TXT' ? `"t${Math.floor(draw() * 5)}"` : `${Math.floor(draw() * 5)} mx.other.test.`
}
