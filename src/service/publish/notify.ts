import { after, type Duration, type Instant, minutes, seconds } from '../../shared/base/time.ts'
import { CATALOG_ID } from '../store/published.ts'
import type { Secondary } from './settings.ts'
import { isNewer } from './soa.ts'

/** A zone as a secondary is told of it. */
export interface NotifiedZone {
  readonly id: number
  readonly apex: string
  readonly serial: number
}

/** What is known of one zone at one secondary. Serials are those of this service. */
export interface ZoneAtSecondary {
  readonly id: number
  readonly apex: string
  /** The next NOTIFY. */
  readonly wanted: NotifiedZone | undefined
  readonly told: number | undefined
  /** When it was first told something that it has not fetched. */
  readonly toldAt: Instant | undefined
  readonly isAcknowledged: boolean
  readonly fetched: number | undefined
  readonly fetchedAt: Instant | undefined
  /** By its answer to a question for the SOA. */
  readonly served: number | undefined
  readonly servedAt: Instant | undefined
}

interface Entry extends ZoneAtSecondary {
  /** When it may be told again. */
  readonly dueAt: Instant
  /** NOTIFYs without an answer, one after the other. */
  readonly failures: number
}

/** A secondary that has acknowledged and does not fetch is told the next serial after this. */
const FETCH_TIME: Duration = seconds(1)
/** A secondary that was told a serial fetches it within this, or is stuck. */
const STUCK_AFTER: Duration = minutes(1)
/** After that the secondary finds out by itself, when it refreshes the zone. */
const MAX_FAILURES = 8
/** In seconds, between two repetitions. */
const MAX_PAUSE = 60
/** NOTIFYs without an answer yet: as many as a secondary answers. One more is for what has just changed. */
const IN_FLIGHT = { first: 32, min: 4, max: 1000 } as const

/** A change that was just made; or one that the secondary may know of, after a start or without an answer. */
type Urgency = 'fresh' | 'repeated'

/**
 * When one secondary is told of changes (RFC 1996). It sets the pace itself: while it has not fetched what it was told,
 * later changes of a zone wait and become one, and it gets as many NOTIFYs at a time as it answers. What has just changed
 * comes before repetitions, of which there are thousands after a start. The caller sends what is due, and reports the
 * outcome.
 */
export class NotifyQueue {
  readonly #zones = new Map<number, Entry>()
  readonly #waiting: Readonly<Record<Urgency, Set<number>>> = { fresh: new Set(), repeated: new Set() }
  /** Without an outcome yet. */
  readonly #sent = new Set<number>()
  #window: number = IN_FLIGHT.first
  readonly #signs: boolean

  constructor({ signs = false }: Partial<Pick<Secondary, 'signs'>> = {}) {
    this.#signs = signs
  }

  changed(zone: NotifiedZone, now: Instant, kind: Urgency = 'fresh'): void {
    const entry = this.#zones.get(zone.id)
    this.#zones.set(zone.id, { ...EMPTY, dueAt: now, ...entry, id: zone.id, apex: zone.apex, wanted: zone })
    this.#wait(zone.id, kind)
  }

  /** Another process published this and tells the secondary; this one does at `dueAt` if it does not have it by then. */
  noticed(zone: NotifiedZone, dueAt: Instant): void {
    const entry = this.#zones.get(zone.id)
    // A signer serves serials of its own.
    const known = [
      entry?.wanted?.serial,
      entry?.told,
      entry?.fetched,
      this.#signs ? undefined : entry?.served,
    ]
    if (known.some((serial) => serial !== undefined && !isNewer(zone.serial, serial))) return
    this.changed(zone, dueAt, 'repeated')
    const changed = this.#zones.get(zone.id)
    if (changed !== undefined) this.#zones.set(zone.id, { ...changed, dueAt })
  }

  /** The zones to tell now. They are not due again before their outcome is reported. */
  due(now: Instant): readonly NotifiedZone[] {
    return [...this.#dueOf('fresh', now, this.#window + 1), ...this.#dueOf('repeated', now, this.#window)]
  }

  #dueOf(kind: Urgency, now: Instant, window: number): readonly NotifiedZone[] {
    const zones: NotifiedZone[] = []
    for (const id of this.#waiting[kind]) {
      if (this.#sent.size >= window) break
      const entry = this.#zones.get(id)
      if (entry?.wanted === undefined || entry.dueAt > now) continue
      zones.push(entry.wanted)
      this.#waiting[kind].delete(id)
      this.#sent.add(id)
      this.#zones.set(id, {
        ...entry,
        wanted: undefined,
        told: entry.wanted.serial,
        toldAt: isBehind(entry) ? entry.toldAt : now,
        isAcknowledged: false,
        dueAt: after(now, STUCK_AFTER),
      })
    }
    return zones
  }

  #wait(id: number, kind: Urgency): void {
    if (kind === 'repeated' && this.#waiting.fresh.has(id)) return
    this.#waiting.repeated.delete(id)
    this.#waiting[kind].add(id)
  }

  #forget(id: number): void {
    this.#waiting.fresh.delete(id)
    this.#waiting.repeated.delete(id)
  }

  /** The NOTIFY was answered, or was not: then it is repeated, less and less often (RFC 1996 §3.6). */
  told(id: number, isAcknowledged: boolean, now: Instant): void {
    this.#sent.delete(id)
    this.#window = isAcknowledged
      ? Math.min(this.#window + 1, IN_FLIGHT.max)
      : Math.max(Math.floor(this.#window / 2), IN_FLIGHT.min)
    const entry = this.#zones.get(id)
    if (entry === undefined) return
    if (isAcknowledged)
      return void this.#zones.set(id, {
        ...entry,
        isAcknowledged,
        failures: 0,
        dueAt: after(now, FETCH_TIME),
      })
    const failures = entry.failures + 1
    // No repetition if it has fetched the zone in the meantime.
    const isRepeated = failures <= MAX_FAILURES && isBehind(entry)
    const wanted =
      entry.wanted ?? (isRepeated ? { id, apex: entry.apex, serial: entry.told ?? 0 } : undefined)
    if (wanted !== undefined) this.#wait(id, 'repeated')
    const pause = seconds(Math.min(2 ** entry.failures, MAX_PAUSE))
    this.#zones.set(id, { ...entry, isAcknowledged, failures, wanted, dueAt: after(now, pause) })
  }

  /** A secondary that fetches is there: what waits is told now. */
  fetched({ id, apex, serial }: NotifiedZone, now: Instant): void {
    const entry = { ...EMPTY, ...this.#zones.get(id), id }
    const isKnown = entry.wanted !== undefined && !isNewer(entry.wanted.serial, serial)
    if (isKnown) this.#forget(id)
    this.#zones.set(id, {
      ...entry,
      apex,
      fetched: serial,
      fetchedAt: now,
      dueAt: now,
      failures: 0,
      wanted: isKnown ? undefined : entry.wanted,
    })
  }

  /**
   * What a secondary serves of this zone, if anything. It is told the zone where that is older, unless it is being told
   * already: a change may have come while it was asked.
   */
  compared(zone: NotifiedZone, serial: number | undefined, now: Instant): void {
    const entry = this.#zones.get(zone.id)
    const has = (one: number | undefined): boolean => one !== undefined && !isNewer(zone.serial, one)
    if (has(serial)) {
      const served = { served: serial, servedAt: now, fetched: serial, fetchedAt: now }
      if (entry === undefined) this.#zones.set(zone.id, { ...EMPTY, id: zone.id, apex: zone.apex, ...served })
    } else if (serial === undefined && entry?.fetched !== undefined) {
      // It no longer serves the zone.
      this.#zones.set(zone.id, { ...entry, fetched: undefined, served: undefined })
      this.changed(zone, now, 'repeated')
    } else if (![entry?.wanted?.serial, entry?.told, entry?.fetched].some(has))
      this.changed(zone, now, 'repeated')
  }

  /** A secondary that serves the notified serial or a newer one is up to date; a signer uses its own, newer serials. */
  served(id: number, serial: number, now: Instant): void {
    const entry = this.#zones.get(id)
    if (entry === undefined) return
    const { wanted, told } = entry
    const has = (one: number | undefined): boolean => one !== undefined && !isNewer(one, serial)
    const hasWanted = !this.#signs && has(wanted?.serial)
    if (hasWanted) this.#forget(id)
    const fetched = hasWanted
      ? { wanted: undefined, fetched: wanted?.serial, fetchedAt: now }
      : has(told) && isBehind(entry)
        ? { fetched: told, fetchedAt: now }
        : {}
    this.#zones.set(id, { ...entry, ...fetched, served: serial, servedAt: now })
  }

  removed(id: number): void {
    this.#zones.delete(id)
    this.#forget(id)
  }

  /** When something is due; undefined if nothing waits, or an outcome must come first. */
  nextAt(): Instant | undefined {
    const { fresh, repeated } = this.#waiting
    let next: Instant | undefined
    for (const id of [
      ...(this.#sent.size > this.#window ? [] : fresh),
      ...(this.#sent.size >= this.#window ? [] : repeated),
    ]) {
      const dueAt = this.#zones.get(id)?.dueAt
      if (dueAt !== undefined && (next === undefined || dueAt < next)) next = dueAt
    }
    return next
  }

  zone(id: number): ZoneAtSecondary | undefined {
    return this.#zones.get(id)
  }

  zones(): readonly ZoneAtSecondary[] {
    return [...this.#zones.values()]
  }
}

const EMPTY: Omit<Entry, 'id'> = {
  apex: '',
  told: undefined,
  toldAt: undefined,
  isAcknowledged: false,
  fetched: undefined,
  fetchedAt: undefined,
  served: undefined,
  servedAt: undefined,
  wanted: undefined,
  dueAt: 0 as Instant,
  failures: 0,
}

/** Whether the secondary was told a serial and has not fetched it. */
export const isBehind = ({ told, fetched }: Pick<ZoneAtSecondary, 'told' | 'fetched'>): boolean =>
  told !== undefined && (fetched === undefined || isNewer(told, fetched))

/** Whether the secondary does not have the current serial. */
export const isLate = (zone: ZoneAtSecondary): boolean => {
  const { wanted, fetched, fetchedAt, served, servedAt } = zone
  if (wanted !== undefined || isBehind(zone)) return true
  // It fetched the zone and did not load it. The serials of a signer are higher.
  const isRefused = fetched !== undefined && served !== undefined && isNewer(fetched, served)
  return isRefused && Number(servedAt) > Number(fetchedAt)
}

/** Whether the secondary has not fetched a serial for a minute, or has fetched it and serves an older one for a minute. */
export const isStuck = (zone: ZoneAtSecondary, now: Instant): boolean => {
  const { toldAt, fetched, fetchedAt, served } = zone
  const isRefused = fetched !== undefined && served !== undefined && isNewer(fetched, served)
  const since = isBehind(zone) ? toldAt : isRefused ? fetchedAt : undefined
  return since !== undefined && now - since > STUCK_AFTER && !isUnknownCatalog(zone)
}

/** A name server that reads no catalog has never heard of it. */
const isUnknownCatalog = ({ id, fetched, served }: ZoneAtSecondary): boolean =>
  id === CATALOG_ID && fetched === undefined && served === undefined
