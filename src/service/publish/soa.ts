import { encodeName } from '../../shared/dns/name.ts'
import { type DnsRecord, RR_TYPES } from '../../shared/dns/types.ts'
import type { PublishedZone } from '../store/published.ts'
import type { Instant } from '../../shared/base/time.ts'
import type { PublishSettings } from './settings.ts'

/** In seconds. A lost NOTIFY is made good after `refresh`; `minimum` is the TTL of negative answers (RFC 2308 §4). */
const TIMERS = { refresh: 300, retry: 60, expire: 1_209_600, minimum: 60 } as const
const TTL = 3600
/** In characters (RFC 1035 §2.3.4). */
const MAX_NAME = 253

/** The SOA is not stored: its serial is that of the zone, the rest are settings (RFC 1035 §3.3.13). */
export function soaRecord(
  { apex, serial }: Pick<PublishedZone, 'apex' | 'serial'>,
  { nameservers, contact }: Pick<PublishSettings, 'nameservers' | 'contact'>,
): DnsRecord {
  const timers = Buffer.alloc(20)
  const { refresh, retry, expire, minimum } = TIMERS
  ;[serial, refresh, retry, expire, minimum].forEach((value, n) => timers.writeUInt32BE(value, n * 4))
  const mname = encodeName(nameservers[0] ?? 'invalid')
  return {
    type: RR_TYPES.SOA,
    ttl: TTL,
    rdata: Buffer.concat([mname, encodeName(contact ?? mailboxOf(apex)), timers]),
  }
}

/** The same for negative answers: they are kept for the lower of its TTL and its minimum (RFC 2308 §3). */
export const negativeSoa = (soa: DnsRecord): DnsRecord => ({ ...soa, ttl: Math.min(soa.ttl, TIMERS.minimum) })

/** RFC 2142 §7; the zone itself where that is longer than a name may be. */
const mailboxOf = (apex: string): string => {
  const mailbox = `hostmaster.${apex}`
  return mailbox.length > MAX_NAME ? apex : mailbox
}

/** RFC 1982: the next serial. Zero is skipped: it means "no serial" to some programs. */
export const nextSerial = (serial: number): number => (serial >= 0xffffffff ? 1 : serial + 1)

/** As a serial, so never zero. */
const epochSeconds = (now: Instant): number => Math.max(1, Math.floor(now / 1000) >>> 0)

/**
 * The serial of a change: the seconds since the epoch where these are newer, so that a store that went back in time gives no
 * number again; a zone with more than a change a second runs ahead of the clock.
 */
export const serialAfter = (serial: number, now: Instant): number =>
  isNewer(epochSeconds(now), serial) ? epochSeconds(now) : nextSerial(serial)

/** How far ahead of the clock a serial may be: claims beyond would use up the numbers of a zone, one after another too. */
const MAX_AHEAD = 10_000_000

/** Whether a secondary may have this newer serial: one between ours and the clock, or not far ahead of the clock. */
export const isBelievable = (claimed: number, serial: number, now: Instant): boolean => {
  const clock = epochSeconds(now)
  const isPast = isNewer(clock, serial) && (claimed - serial) >>> 0 <= (clock - serial) >>> 0
  return isPast || (claimed - clock) >>> 0 <= MAX_AHEAD
}

/** RFC 1982 §3.2: whether one serial is newer than another. */
export const isNewer = (one: number, other: number): boolean => {
  const distance = (one - other) >>> 0
  return distance !== 0 && distance < 2 ** 31
}
