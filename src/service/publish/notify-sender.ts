import { type Instant, seconds } from '../../shared/base/time.ts'
import { MessageBuilder } from '../../shared/dns/message.ts'
import { readRecords, soaSerial } from '../../shared/dns/request.ts'
import { NOTIFY_FLAGS, parseResponse, questionWire } from '../../shared/dns/response.ts'
import { signTsig, verifyTsig } from '../../shared/dns/tsig.ts'
import { CLASSES, HEADER_LENGTH, RR_TYPES } from '../../shared/dns/types.ts'
import type { Address } from '../../shared/base/address.ts'
import { systemClock, systemRandom } from '../../shared/platform/clock/clock.ts'
import { later } from '../../shared/platform/clock/timer.ts'
import { askByDatagram } from '../../shared/platform/sockets/datagram.ts'
import { isLate, isStuck, NotifyQueue, type NotifiedZone, type ZoneAtSecondary } from './notify.ts'
import type { PublishSettings, Secondary } from './settings.ts'
import type { NotifiedSecondary } from './status.ts'
import { soaRecord } from './soa.ts'
import type { SecondaryState } from '../api/request/context.ts'
import { repeat } from '../../shared/platform/clock/repeat.ts'

/** What one secondary has of one zone, as far as this process has seen it. Its address is for the operator alone. */
export function secondaryState(
  { name, signs }: Pick<Secondary, 'name' | 'signs'>,
  { zone, isEachCompared }: { readonly zone: ZoneAtSecondary | undefined; readonly isEachCompared: boolean },
): SecondaryState {
  // The queue has no entry for a zone that was up to date in the comparison and has not changed since.
  const isBehindUnseen = isEachCompared ? false : undefined
  const unknown = { server: name, signs, serial: undefined, isBehind: isBehindUnseen, checkedAt: undefined }
  if (zone === undefined) return unknown
  const { wanted, told, fetched, fetchedAt, served, servedAt } = zone
  const isKnown = wanted !== undefined || told !== undefined || fetched !== undefined
  // A signer serves serials of its own.
  const isFetchedLast = !signs && (servedAt === undefined || (fetchedAt ?? servedAt) > servedAt)
  return {
    ...unknown,
    serial: isFetchedLast ? fetched : served,
    checkedAt: isFetchedLast ? fetchedAt : servedAt,
    isBehind: isKnown ? isLate(zone) : isBehindUnseen,
  }
}

const NOTIFY_TIMEOUT = seconds(2)
const SOA_TIMEOUT = seconds(2)
/** Stuck secondaries are looked for, and served serials asked for. */
const CHECK_INTERVAL = seconds(10)
/** Zones whose served serial one check asks for. */
const MAX_ASKED = 50
/** Zones of which one check finds out whether they still exist. */
const MAX_LOOKED_UP = 1000
/** In octets. */
const MAX_NOTIFY = 512

interface NotifySenderParts {
  readonly secondaries: readonly Secondary[]
  readonly settings: () => PublishSettings
  /** The local address that secondaries allow; undefined for that of the route. */
  readonly from: Address | undefined
  readonly ending: AbortSignal
  /** Whether there is a published zone with this id. */
  readonly exists: (id: number) => Promise<boolean>
  readonly onStuck: (secondary: Secondary, zone: ZoneAtSecondary) => void
  readonly onServed: (secondary: Secondary, zone: NotifiedZone, serial: number) => void
}

export interface NotifySender {
  /** `repeated`: they may know of it. */
  readonly changed: (zones: readonly NotifiedZone[], kind?: 'fresh' | 'repeated') => void
  /** Another node published them: at `dueAt`, secondaries that still do not have them get a NOTIFY. */
  readonly noticed: (zones: readonly NotifiedZone[], dueAt: Instant) => void
  /** What a secondary serves of this zone. */
  readonly compared: (secondary: Secondary, zone: NotifiedZone, serial: number | undefined) => void
  /** From now on, a zone without an entry is up to date there. */
  readonly comparedAll: (secondary: Secondary) => void
  readonly fetched: (secondary: Secondary, zone: NotifiedZone) => void
  readonly status: () => readonly NotifiedSecondary[]
  /** One zone at each secondary. */
  readonly zoneAt: (id: number) => readonly SecondaryState[]
}

const now = (): Instant => systemClock.now()

/** Tells secondaries of changes (RFC 1996), and watches that they fetch them. */
export function startNotifySender(parts: NotifySenderParts): NotifySender {
  const lines = parts.secondaries.map((secondary) => lineTo(secondary, parts))
  const lineOf = (secondary: Secondary) => lines.find((line) => line.secondary === secondary)
  return {
    changed: (zones, kind = 'fresh') => {
      for (const line of lines) line.changed(zones, kind)
    },
    noticed: (zones, dueAt) => {
      for (const line of lines) line.noticed(zones, dueAt)
    },
    compared: (secondary, zone, serial) => lineOf(secondary)?.compared(zone, serial),
    fetched: (secondary, zone) => lineOf(secondary)?.fetched(zone),
    comparedAll: (secondary) => lineOf(secondary)?.comparedAll(),
    zoneAt: (id) =>
      lines.map(({ secondary, zone, isEachCompared }) =>
        secondaryState(secondary, { zone: zone(id), isEachCompared: isEachCompared() }),
      ),
    status: () =>
      lines.map(({ secondary, zones, isEachCompared }) => ({
        secondary,
        zones: zones(),
        isEachCompared: isEachCompared(),
      })),
  }
}

function lineTo(secondary: Secondary, parts: NotifySenderParts) {
  const queue = new NotifyQueue(secondary)
  let isEachCompared = false
  let cancel = (): void => undefined
  const pump = (): void => {
    cancel()
    if (parts.ending.aborted) return
    for (const zone of queue.due(now())) void tell(zone)
    const next = queue.nextAt()
    if (next !== undefined) cancel = later(Math.max(1, next - now()), pump)
  }
  const tell = async (zone: NotifiedZone): Promise<void> => {
    const isAcknowledged = await sendNotify(secondary, zone, parts)
    queue.told(zone.id, isAcknowledged, now())
    pump()
  }
  void repeat(CHECK_INTERVAL, parts.ending, checkOf(secondary, queue, parts))
  parts.ending.addEventListener('abort', () => cancel())
  return {
    secondary,
    isEachCompared: () => isEachCompared,
    comparedAll: () => {
      isEachCompared = true
    },
    zones: () => queue.zones(),
    zone: (id: number) => queue.zone(id),
    changed: (zones: readonly NotifiedZone[], kind: 'fresh' | 'repeated') => {
      for (const zone of zones) queue.changed(zone, now(), kind)
      pump()
    },
    noticed: (zones: readonly NotifiedZone[], dueAt: Instant) => {
      for (const zone of zones) queue.noticed(zone, dueAt)
      pump()
    },
    compared: (zone: NotifiedZone, serial: number | undefined) => {
      queue.compared(zone, serial, now())
      pump()
    },
    fetched: (zone: NotifiedZone) => {
      queue.fetched(zone, now())
      pump()
    },
  }
}

/**
 * The regular check: forgets deleted zones, asks which serials the secondary
 * serves, and reports zones that it does not fetch.
 */
function checkOf(secondary: Secondary, queue: NotifyQueue, parts: NotifySenderParts): () => Promise<void> {
  const alarmed = new Map<number, Instant | undefined>()
  /** The serial that it serves: a secondary that has the present serial already does not fetch the zone. */
  const askServed = async (zone: NotifiedZone): Promise<void> => {
    const serial = (await served(secondary, zone.apex, parts))?.serial
    if (serial === undefined) return
    queue.served(zone.id, serial, now())
    parts.onServed(secondary, zone, serial)
  }
  const [nextKnown, nextOpen] = [rotation(MAX_LOOKED_UP), rotation(MAX_ASKED)]
  /** Forgets the zone if it was deleted. */
  const isGone = async (id: number): Promise<boolean> => {
    if (await parts.exists(id)) return false
    queue.removed(id)
    alarmed.delete(id)
    return true
  }
  return async () => {
    for (const { id } of nextKnown(queue.zones())) await isGone(id)
    const open = queue.zones().filter((zone) => isLate(zone) || zone.fetched !== zone.served)
    for (const { id, apex, wanted, told } of nextOpen(open))
      if (!(await isGone(id))) await askServed({ id, apex, serial: wanted?.serial ?? told ?? 0 })
    for (const zone of queue.zones())
      if (isStuck(zone, now()) && alarmed.get(zone.id) !== zone.toldAt && !(await isGone(zone.id))) {
        alarmed.set(zone.id, zone.toldAt)
        parts.onStuck(secondary, zone)
      }
  }
}

/** Each call returns the next items of a list, which may have changed, and starts again after its end. */
function rotation(count: number): <T>(list: readonly T[]) => readonly T[] {
  let at = 0
  return (list) => {
    if (at >= list.length) at = 0
    const items = list.slice(at, at + count)
    at += count
    return items
  }
}

const newId = (): number => Math.floor(systemRandom() * 65_536)
const secondsNow = (): number => Math.floor(now() / 1000)

/**
 * With the SOA, so that a secondary that has this serial need not ask (RFC
 * 1996 §3.7). Resolves with whether it was acknowledged.
 */
async function sendNotify(
  { address, port, key }: Secondary,
  zone: NotifiedZone,
  { settings, from, ending }: NotifySenderParts,
): Promise<boolean> {
  const id = newId()
  const question = {
    name: zone.apex,
    type: RR_TYPES.SOA,
    class: CLASSES.IN,
    wire: questionWire(zone.apex, RR_TYPES.SOA),
  }
  const builder = new MessageBuilder({ id, flags: NOTIFY_FLAGS, question, limit: MAX_NOTIFY })
  builder.add('answer', zone.apex, soaRecord(zone, settings()))
  const signed = signTsig(builder.done(), key, { now: secondsNow() })
  const isAnswer = (bytes: Uint8Array): boolean => {
    const response = parseResponse(bytes)
    if (response?.id !== id || response.tsig === undefined) return false
    const check = { keys: [key], now: secondsNow(), previous: signed.mac }
    return verifyTsig(bytes, response.tsig, check).kind === 'valid'
  }
  const outcome = await askByDatagram(
    {
      to: address,
      port,
      ...(from !== undefined && { from }),
      bytes: signed.message,
      again: [],
      timeout: NOTIFY_TIMEOUT,
      isAnswer,
    },
    ending,
  )
  return outcome.kind === 'answered' && parseResponse(outcome.bytes)?.rcode === 0
}

/** What a secondary serves, by its own answer; undefined without an answer. */
export type Served = { readonly serial: number | undefined } | undefined

/** The serial that a secondary answers with, if it has the zone. */
export async function served(
  { address, port }: Secondary,
  apex: string,
  { ending }: Pick<NotifySenderParts, 'ending'>,
): Promise<Served> {
  const id = newId()
  const wire = questionWire(apex, RR_TYPES.SOA)
  const question = { name: apex, type: RR_TYPES.SOA, class: CLASSES.IN, wire }
  const bytes = new MessageBuilder({ id, flags: 0, question, limit: MAX_NOTIFY }).done()
  const outcome = await askByDatagram(
    {
      to: address,
      port,
      bytes,
      again: [],
      timeout: SOA_TIMEOUT,
      isAnswer: (answer) => parseResponse(answer)?.id === id,
    },
    ending,
  )
  if (outcome.kind !== 'answered') return undefined
  const message = Buffer.from(outcome.bytes)
  const [soa] = readRecords(message, HEADER_LENGTH + wire.length, message.readUInt16BE(6) > 0 ? 1 : 0) ?? []
  return { serial: soa?.type === RR_TYPES.SOA ? soaSerial(message, soa) : undefined }
}
