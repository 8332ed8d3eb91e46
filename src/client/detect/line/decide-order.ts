import {
  after,
  type Duration,
  earliest,
  type Instant,
  isBefore,
  milliseconds,
  minutes,
  seconds,
} from '../../../shared/base/time.ts'

/** What is remembered of one line of an order. */
interface OrderedLine {
  /** Since when it is up without a break. */
  readonly upSince?: Instant
  /** How long it must be up before it is published again. */
  readonly span: Duration
  /** When it was published again. */
  readonly returned?: Instant
}

export interface OrderState {
  /** The line that is published; undefined before one was up. */
  readonly active?: number
  readonly moved?: Instant
  readonly lines: readonly OrderedLine[]
}

export interface OrderEvent {
  readonly at: Instant
  /** Of each line, in the order of the list. */
  readonly up: readonly boolean[]
}

export interface OrderStep {
  readonly state: OrderState
  /** When time alone may change it. */
  readonly until?: Instant
}

/** How long a line must be up before it is published again. Doubles after each return that fails soon. */
const STEADY = { first: seconds(30), max: minutes(10), failsWithin: minutes(10) } as const
/** Minimum time between two moves. */
const MIN_STAY: Duration = seconds(30)

export const newOrder = (count: number): OrderState => ({
  lines: Array.from({ length: count }, () => ({ span: STEADY.first })),
})

/** Which line of an order is published: the first that is up, with hysteresis (decision 0075). Pure. */
export function decideOrder(state: OrderState, { at, up }: OrderEvent): OrderStep {
  const lines = state.lines.map((line, nth) =>
    seenLine(line, { at, isUp: up[nth] === true, isActive: nth === state.active }),
  )
  const now = { ...state, lines }
  const { active } = state
  if (active === undefined) return { state: movedTo(now, up.indexOf(true), at) }
  const isDown = up[active] !== true
  const mayMove = state.moved === undefined ? at : after(state.moved, MIN_STAY)
  const better = lines.findIndex((line, nth) => nth < active && isSteady(line, at))
  const next = better >= 0 ? better : isDown ? up.indexOf(true) : -1
  if (next >= 0 && next !== active)
    return isBefore(at, mayMove) ? { state: now, until: mayMove } : { state: movedTo(now, next, at) }
  const steadyAt = lines.flatMap(({ upSince, span }, nth) =>
    nth < active && upSince !== undefined ? after(upSince, span) : [],
  )
  const [first, ...others] = steadyAt
  return { state: now, ...(first !== undefined && { until: earliest(first, ...others) }) }
}

const isSteady = ({ upSince, span }: OrderedLine, at: Instant): boolean =>
  upSince !== undefined && !isBefore(at, after(upSince, span))

interface SeenLine {
  readonly at: Instant
  readonly isUp: boolean
  readonly isActive: boolean
}

function seenLine(line: OrderedLine, { at, isUp, isActive }: SeenLine): OrderedLine {
  const { upSince, returned, ...rest } = line
  const isSoon = returned !== undefined && isBefore(at, after(returned, STEADY.failsWithin))
  if (isUp) {
    // It stayed up long enough after its return.
    const span = isActive && returned !== undefined && !isSoon ? STEADY.first : line.span
    return { span, upSince: upSince ?? at, ...(returned !== undefined && { returned }) }
  }
  if (!isSoon || !isActive) return rest
  return { span: milliseconds(Math.min(line.span * 2, STEADY.max)) }
}

function movedTo(state: OrderState, next: number, at: Instant): OrderState {
  if (next < 0) return state
  const isReturn = state.active !== undefined && next < state.active
  const lines = state.lines.map((line, nth) => (nth === next && isReturn ? { ...line, returned: at } : line))
  return { active: next, lines, ...(state.active === undefined ? {} : { moved: at }) }
}
