import { after, type Duration, type Instant, isBefore, seconds } from '../../../shared/base/time.ts'
import { familyOf } from '../../../shared/base/address.ts'
import { type HomeNow, isSameLine, lineKey, heldName, type LineInUse } from './line.ts'
import type { Line } from '../../decide/state.ts'

/** `follow`: the user takes every line that the kernel selects. */
export type LineRule = 'guard' | 'follow'

/** A sign that the home line may be dead. Signs with a duration in `LASTS` must last that long. */
export type Sign = 'address' | 'gateway' | 'beyond' | 'word' | 'route'

/** How long a sign must last until it is a proof. */
// biome-ignore format: a table
export const LASTS: { readonly [S in Exclude<Sign, 'address'>]: Duration } = {
  // Four questions of three packets each, or three of the kernel itself and then these.
  gateway: seconds(6),
  beyond:  seconds(8),
  // A redial takes less.
  word:    seconds(20),
  // VPN programs set several routes in sequence.
  route:   seconds(3),
}

type LastingSign = keyof typeof LASTS

export interface LineState {
  /** The line whose address may be published. */
  readonly home?: Line
  /** Lines that were left after their address was published, newest first: the way back needs no proof. */
  readonly known: readonly Line[]
  /** Since when each sign is seen without a break. */
  readonly since: Readonly<Partial<Record<LastingSign, Instant>>>
  /** The line in use of the last reading. Another one starts the sign `route` over: a VPN may set up its way in steps. */
  readonly through?: string
  /** Known lines, by their keys, that were found dead since the last line that could be published. */
  readonly dead?: readonly string[]
  /**
   * The previous line, kept until an address of the new one is agreed on: its router may only be restarting, and a
   * tunnel may briefly have no line beneath it while a host roams.
   */
  readonly left?: Line
}

export const NO_LINE: LineState = { known: [], since: {} }

/** One reading of the tables of the kernel. */
export interface LineEvent {
  readonly at: Instant
  /** Without one there is no way out. */
  readonly use?: LineInUse
  /** Where the line in use is another one than the home line. */
  readonly home?: HomeNow
  /** The gateway of the line that was left answers. */
  readonly isBack?: boolean
  /** An address of the home line was agreed on. */
  readonly isAgreed?: boolean
  /** An address of this host is published. */
  readonly isPublished: boolean
  readonly rule: LineRule
}

export type LineVerdict =
  /** What outside services see through the line in use may be published, by the votes. */
  | { readonly kind: 'open'; readonly because: RowName; readonly sign?: Sign }
  /** The line in use must not be published. With `until`, it is not reported before that moment. */
  | { readonly kind: 'held'; readonly because: RowName; readonly through: string; readonly until?: Instant }
  | { readonly kind: 'offline'; readonly because: RowName }

export interface LineStep {
  readonly state: LineState
  readonly verdict: LineVerdict
  /** The previous home line, if it was replaced. */
  readonly left?: Line
}

interface View extends LineEvent {
  readonly state: LineState
  readonly use: LineInUse
  readonly now: HomeNow
  readonly lasts: (sign: LastingSign) => boolean
}

interface Row {
  readonly name: string
  readonly when: (view: View) => boolean
  readonly outcome: 'adopt' | 'stay' | 'hold' | 'wait' | 'return'
}

const isNew = ({ state }: View): boolean => state.home === undefined
/** Another line carries the line in use. */
const isOver = ({ use }: View): boolean => use.beneath !== undefined || use.isForeign
/** Over IPv6 a VPN box on the LAN may hand out global addresses, which lead to the box. */
const isOwn = ({ use, now }: View): boolean =>
  use.isGlobal && (familyOf(use.source) === 'v4' || !now.hasSource)
const isKnown = ({ use, state: { known, left } }: View): boolean =>
  known.some((one) => isSameLine(use, one)) || (left !== undefined && isSameLine(use, left))
const isBare = ({ use, now, state }: View): boolean =>
  !now.hasRoute && !use.isTunnel && use.interface !== state.home?.interface

/** The line that was left; without a home line the kernel may select it itself. */
function isBackAgain(view: View): boolean {
  const { state, use, isBack } = view
  if (state.left === undefined || isSameLine(use, state.left)) return false
  return isBack === true || (!isNew(view) && isOver(view) && !use.isGlobal)
}

function proofIn({ now, lasts }: View): Sign | undefined {
  if (!now.hasSource) return 'address'
  if (lasts('gateway')) return 'gateway'
  if (lasts('beyond')) return 'beyond'
  return lasts('word') ? 'word' : undefined
}

const isDead = (view: View): boolean => proofIn(view) !== undefined

/** The known line that may carry the line in use, and is not dead itself. */
const besideOf = ({ use, state: { home, dead = [] } }: View): Line | undefined =>
  use.beside?.find((one) => {
    const key = lineKey(one)
    return !dead.includes(key) && (home === undefined || lineKey(home) !== key)
  })

/** Another gateway of the network of a known line is a box of that network, and a tunnel is carried by some line. */
const isBeside = (view: View): boolean =>
  besideOf(view) !== undefined &&
  view.isPublished &&
  (isNew(view) || isDead(view)) &&
  !isOver(view) &&
  !isKnown(view)

/** A tunnel that shows nothing beneath it, after this host had another line. */
const isStray = (view: View): boolean => view.use.isTunnel && view.state.known.length > 0 && !isKnown(view)

/** The first row that holds decides. */
// biome-ignore format: a table
export const ROWS = [
  { name: 'chosen by the user',          when: ({ rule }) => rule === 'follow',                                 outcome: 'adopt' },
  { name: 'old line answers again',      when: isBackAgain,                                                     outcome: 'return' },
  { name: 'known line beside it',        when: isBeside,                                                        outcome: 'return' },
  { name: 'first line, over another',    when: (v) => isNew(v) && !v.use.isGlobal && (isOver(v) || isStray(v)), outcome: 'hold'  },
  { name: 'first line',                  when: isNew,                                                           outcome: 'adopt' },
  { name: 'same line',                   when: ({ use, state: { home } }) => home !== undefined && isSameLine(use, home), outcome: 'stay' },
  { name: 'back to a known line',        when: (v) => !isOver(v) && isKnown(v),                                 outcome: 'adopt' },
  { name: 'nothing to protect',          when: (v) => !isOver(v) && !v.isPublished,                             outcome: 'adopt' },
  { name: 'own public address',          when: (v) => !isOver(v) && isOwn(v),                                   outcome: 'adopt' },
  { name: 'old line dead, over another', when: (v) => isOver(v) && isDead(v) && !v.use.isGlobal,                outcome: 'hold'  },
  { name: 'old line dead',               when: isDead,                                                          outcome: 'adopt' },
  { name: 'its router has the address',  when: (v) => !isOver(v) && v.use.hasWord === true,                     outcome: 'adopt' },
  { name: 'nothing else carries it',     when: (v) => !isOver(v) && isBare(v) && v.lasts('route'),              outcome: 'adopt' },
  { name: 'nothing else may carry it',   when: (v) => !isOver(v) && isBare(v),                                  outcome: 'wait'  },
  { name: 'old line alive',              when: () => true,                                                      outcome: 'hold'  },
] as const satisfies readonly Row[]

export type RowName = (typeof ROWS)[number]['name'] | 'no way out'

/**
 * Selects the home line, and says whether outside questions leave by it (decision 0074). Pure; events must be in
 * chronological order.
 */
export function decideLine(state: LineState, event: LineEvent): LineStep {
  const { use } = event
  if (use === undefined) return { state, verdict: { kind: 'offline', because: 'no way out' } }
  const since = sinceOf(state, event)
  const lasts = (sign: LastingSign): boolean =>
    since[sign] !== undefined && !isBefore(seenAt(sign, event), after(since[sign], LASTS[sign]))
  const view: View = { ...event, use, now: event.home ?? UNTOUCHED, state, lasts }
  const rows: readonly (Row & { readonly name: RowName })[] = ROWS
  const { name: because = 'old line alive', outcome = 'hold' } = rows.find(({ when }) => when(view)) ?? {}
  if (outcome === 'adopt' || outcome === 'stay') return moved(view, because)
  const until = outcome === 'wait' ? after(since.route ?? event.at, LASTS.route) : undefined
  const isKnownBefore = because === 'known line beside it'
  const back = isKnownBefore ? besideOf(view) : state.left
  const home = outcome === 'return' ? back : state.home
  const through = heldName(use, home)
  const verdict = { kind: 'held', because, through, ...(until !== undefined && { until }) } as const
  // A dead home line is dropped: the next usable line becomes the first one.
  const isLost = because === 'old line dead, over another'
  if (isLost)
    return { state: { known: knownWith(state), since: {}, ...(state.home && { left: state.home }) }, verdict }
  const { left: _, ...kept } = state
  return outcome === 'return' && home !== undefined
    ? {
        state: {
          ...kept,
          ...(isKnownBefore && state.home && { dead: [...(state.dead ?? []), lineKey(state.home)] }),
          home,
          since: {},
        },
        verdict,
      }
    : { state: { ...state, since, through: lineKey(use) }, verdict }
}

const UNTOUCHED: HomeNow = { hasSource: true, hasRoute: true, gateway: 'unknown' }

/** A reading between two questions repeats the last answer and must not extend a sign. */
const seenAt = (sign: LastingSign, { at, home }: LineEvent): Instant =>
  sign === 'route' ? at : (home?.asked ?? at)

/** A sign that is interrupted starts over. */
function sinceOf({ since, home, through }: LineState, event: LineEvent): LineState['since'] {
  const { home: now, use } = event
  if (now === undefined || home === undefined || use === undefined) return {}
  // biome-ignore format: a table
  const signs: { readonly [S in LastingSign]: boolean } = {
    gateway: now.gateway === 'silent',
    // Without a route, nothing beyond could be asked.
    beyond:  now.beyond === 'silent' && now.hasRoute,
    word:    now.word === 'no address' && !now.hasRoute,
    route:   !now.hasRoute,
  }
  const seen = (Object.keys(signs) as LastingSign[]).filter((sign) => signs[sign])
  const isOther = through !== undefined && through !== lineKey(use)
  const begun = (sign: LastingSign): Instant | undefined =>
    sign === 'route' && isOther ? undefined : since[sign]
  return Object.fromEntries(seen.map((sign) => [sign, begun(sign) ?? seenAt(sign, event)]))
}

const MAX_KNOWN = 8

function knownWith({ home, known }: LineState): readonly Line[] {
  if (home === undefined) return known
  return [home, ...known.filter((one) => lineKey(one) !== lineKey(home))].slice(0, MAX_KNOWN)
}

function moved(view: View, because: RowName): LineStep {
  const { use, state, isPublished } = view
  const { interface: name, source, gateway } = use
  const isStill = because === 'same line'
  const mac = use.mac ?? (isStill ? state.home?.mac : undefined)
  const home: Line = { interface: name, source, ...(gateway && { gateway }), ...(mac && { mac }) }
  const sign = because === 'old line dead' ? proofIn(view) : undefined
  const verdict = { kind: 'open', because, ...(sign && { sign }) } as const
  const { left, dead: _, ...kept } = state
  if (state.home === undefined || isStill || lineKey(state.home) === lineKey(home)) {
    const isTried = left !== undefined && view.isAgreed !== true
    return { state: { ...kept, home, since: {}, ...(isTried && { left }) }, verdict }
  }
  // A line that was left without a proof needs none to return.
  const isEqual = because === 'nothing to protect' && view.isAgreed === true
  const known = (isPublished && view.isAgreed !== false) || isEqual ? knownWith(state) : state.known
  const mayReturn = sign === 'gateway' || use.isTunnel
  return {
    state: { home, known, since: {}, ...(mayReturn && { left: state.home }) },
    verdict,
    left: state.home,
  }
}
