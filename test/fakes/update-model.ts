import { canonicalRdata, RDATA_PARTS, serialOf, withSerial } from './update-rdata.ts'
import { CLASS, RCODE, TYPE, type UpdateMessage, type UpdateRecord } from './update-wire.ts'

/** RFC 2136 §3 as a pure function: a zone and a message give an RCODE and a zone. */

export interface ZoneRecord {
  /** In lower case. */
  readonly owner: string
  readonly type: number
  /** In seconds. */
  readonly ttl: number
  readonly rdata: Buffer
}

export interface ModelZone {
  readonly origin: string
  readonly records: readonly ZoneRecord[]
}

export interface UpdateOutcome {
  readonly rcode: number
  readonly zone: ModelZone
}

/** What a server does that RFC 2136 says otherwise, or leaves open. */
// biome-ignore format: a table
export const DEVIATIONS = {
  'prescan-first':    'the update section is checked before the prerequisites (RFC 2136 §3: after them), so a message with both faults has the RCODE of the first',
  'empty-first':      'RDATA where there must be none is FORMERR before all else (RFC 2136: by the checks of its section)',
  'view-by-class':    'a zone section without a zone, or of another class than IN, is refused with any RCODE (RFC 2136 §3.1: FORMERR and NOTAUTH)',
  'trailing-octets':  'octets after the last record are ignored (RFC 1035 §4.1 has no place for them)',
  'large-ttl':        'a TTL of 2^31 and more is kept (RFC 2181 §8: it is 0)',
  'one-ttl':          'an added record gives its TTL to the whole RRset (RFC 2181 §5.2; RFC 2136 says nothing)',
  'no-wildcard-ns':   'an added NS at a wildcard is ignored (RFC 4592 §4.2 discourages it; RFC 2136 says nothing)',
  'half-serial':      'a new serial that is 2^31 away is taken (RFC 1982 §3.2: neither later nor earlier)',
  'more-types':       'RDATA of more types than those of the model has to have the right form, else FORMERR (RFC 3597 §3: that of an unknown type is any octets)',
  'repeated-value':   'a value that the prerequisites name twice is two records, and no RRset has two (RFC 2136 §3.2.3 compares sets)',
  'week-ttl':         'a TTL is a week at most (RFC 2136 says nothing)',
  'few-types':        'an added record of a type that the server does not have is refused (RFC 3597 §3: any type is data)',
  'own-soa':          'the server makes the SOA: a later one is refused (RFC 2136 §3.4.2.2: it takes the place of the one that is there)',
  'late-form':        'the form of RDATA counts with the other rules of its record, so the RCODE is that of the first fault (RFC 2136 §3: FORMERR before all else)',
} as const
export type Deviation = keyof typeof DEVIATIONS
export type Deviations = ReadonlySet<Deviation>

const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()
/** RFC 2136 §3.1.2 knows zones by their names: what is beneath a delegation is in the zone. */
const isWithin = (name: string, origin: string): boolean =>
  sameName(name, origin) || name.toLowerCase().endsWith(`.${origin}`)

interface Place {
  readonly owner: string
  readonly type: number
}
const isAt =
  ({ owner, type }: Place) =>
  (record: ZoneRecord): boolean =>
    sameName(record.owner, owner) && (type === TYPE.ANY || record.type === type)

const hasSameValue = (one: ZoneRecord | UpdateRecord, other: ZoneRecord | UpdateRecord): boolean =>
  one.type === other.type && canonicalRdata(one.type, one.rdata) === canonicalRdata(other.type, other.rdata)

/** RFC 2136 §3.1. */
function zoneRcode({ zones }: UpdateMessage, { origin }: ModelZone): number {
  const [zone] = zones
  if (zone === undefined || zones.length > 1 || zone.type !== TYPE.SOA) return RCODE.FORMERR
  return sameName(zone.name, origin) && zone.class === CLASS.IN ? RCODE.NOERROR : RCODE.NOTAUTH
}

/** By class: the RCODE if the name, or the RRset, is not there, and if it is. */
// biome-ignore format: a table
const EXISTENCE: Readonly<Record<number, Readonly<Record<'name' | 'rrset', readonly [missing: number, there: number]>>>> = {
  [CLASS.ANY]:  { name: [RCODE.NXDOMAIN, RCODE.NOERROR], rrset: [RCODE.NXRRSET, RCODE.NOERROR] },
  [CLASS.NONE]: { name: [RCODE.NOERROR, RCODE.YXDOMAIN], rrset: [RCODE.NOERROR, RCODE.YXRRSET] },
}

/** RFC 2136 §3.2.1, §3.2.2, §3.2.4: of one prerequisite by itself. */
function prerequisiteRcode(wanted: UpdateRecord, { origin, records }: ModelZone): number {
  if (wanted.ttl !== 0) return RCODE.FORMERR
  if (!isWithin(wanted.owner, origin)) return RCODE.NOTZONE
  if (wanted.class === CLASS.IN) return RCODE.NOERROR
  const row = EXISTENCE[wanted.class]
  if (row === undefined || wanted.rdata.length > 0) return RCODE.FORMERR
  const [missing, there] = wanted.type === TYPE.ANY ? row.name : row.rrset
  return records.some(isAt(wanted)) ? there : missing
}

/** RFC 2136 §3.2.3: the RRset has these values, and no others. The TTL does not matter. */
function isSameRRset(
  wanted: readonly UpdateRecord[],
  stored: readonly ZoneRecord[],
  deviations: Deviations,
): boolean {
  if (deviations.has('repeated-value') && wanted.length !== stored.length) return false
  return (
    wanted.every((one) => stored.some((other) => hasSameValue(one, other))) &&
    stored.every((one) => wanted.some((other) => hasSameValue(one, other)))
  )
}

function prerequisitesRcode(
  { prerequisites }: UpdateMessage,
  zone: ModelZone,
  deviations: Deviations,
): number {
  for (const one of prerequisites) {
    const rcode = prerequisiteRcode(one, zone)
    if (rcode !== RCODE.NOERROR) return rcode
  }
  const values = prerequisites.filter((one) => one.class === CLASS.IN)
  const holds = values.every((one) =>
    isSameRRset(
      values.filter((other) => sameName(one.owner, other.owner) && one.type === other.type),
      zone.records.filter(isAt(one)),
      deviations,
    ),
  )
  return holds ? RCODE.NOERROR : RCODE.NXRRSET
}

/** RFC 2136 §3.4.1.2: "any other QUERY metatype" too. OPT and the types of RFC 6895 §3.1: 128 to 255 ask or describe messages. */
const isMeta = (type: number): boolean => type === TYPE.OPT || (type >= 128 && type <= 255)

/** Types for private use begin here (RFC 6895 §3.1). */
const PRIVATE_TYPES = 65_280

/** RFC 2136 §3.4.1: of one record of the update section. */
function prescanRcode({ owner, type, class: of, ttl, rdata }: UpdateRecord, { origin }: ModelZone): number {
  if (!isWithin(owner, origin)) return RCODE.NOTZONE
  const isMalformed =
    of === CLASS.IN
      ? isMeta(type)
      : of === CLASS.ANY
        ? ttl !== 0 || rdata.length > 0 || (isMeta(type) && type !== TYPE.ANY)
        : of !== CLASS.NONE || ttl !== 0 || isMeta(type)
  return isMalformed ? RCODE.FORMERR : RCODE.NOERROR
}

const updatesRcode = ({ updates }: UpdateMessage, zone: ModelZone): number =>
  updates.map((one) => prescanRcode(one, zone)).find((rcode) => rcode !== RCODE.NOERROR) ?? RCODE.NOERROR

/** RFC 2136 §2.4, §2.5: a record with RDATA where there must be none. */
export const hasNeedlessValue = ({ prerequisites, updates }: UpdateMessage): boolean =>
  prerequisites.some(
    (one) => one.class !== CLASS.IN && EXISTENCE[one.class] !== undefined && one.rdata.length > 0,
  ) || updates.some((one) => one.class === CLASS.ANY && one.rdata.length > 0)

/** Whether a record has a type whose RDATA the model does not know. */
export const hasUnknownType = ({ prerequisites, updates, additional }: UpdateMessage): boolean =>
  [...prerequisites, ...updates, ...additional].some(
    ({ type }) => RDATA_PARTS[type] === undefined && type < PRIVATE_TYPES && !isMeta(type),
  )

/** Those of a server that does not have every type. */
// biome-ignore format: a table
const FEW_TYPES: ReadonlySet<number> = new Set<number>([
  TYPE.A, TYPE.AAAA, TYPE.NS, TYPE.CNAME, TYPE.PTR, TYPE.MX, TYPE.TXT, TYPE.SRV, TYPE.CAA, TYPE.SOA,
  29 /* LOC */, 35 /* NAPTR */, 43 /* DS */, 44 /* SSHFP */, 52 /* TLSA */, 64 /* SVCB */, 65 /* HTTPS */, 256 /* URI */,
])

/** What a server with these deviations refuses as a whole. */
function isRefused({ updates }: UpdateMessage, zone: ModelZone, deviations: Deviations): boolean {
  const soa = soaOf(zone)
  const isLater = ({ owner, type, rdata }: UpdateRecord): boolean =>
    type === TYPE.SOA &&
    sameName(owner, zone.origin) &&
    soa !== undefined &&
    isLaterSerial(serialOf(rdata), serialOf(soa.rdata))
  return updates
    .filter((one) => one.class === CLASS.IN)
    .some(
      (one) =>
        (deviations.has('few-types') && !FEW_TYPES.has(one.type)) ||
        (deviations.has('own-soa') && isLater(one)),
    )
}

type Records = readonly ZoneRecord[]

/** Whether a serial is later than another one (RFC 1982 §3.2). */
export const isLaterSerial = (one: number, other: number): boolean =>
  one !== other && (one - other) >>> 0 < 2 ** 31
const isHalfAway = (one: number, other: number): boolean => (one - other) >>> 0 === 2 ** 31

/** RFC 2136 §3.4.2.2: whether a new SOA takes the place of the one that is there. */
const isTakenSerial = (one: number, other: number, deviations: Deviations): boolean =>
  isLaterSerial(one, other) || (deviations.has('half-serial') && isHalfAway(one, other))

const WEEK = 604_800

/** RFC 2181 §8. */
function storedTtl({ ttl }: UpdateRecord, deviations: Deviations): number {
  const counted = deviations.has('large-ttl') || ttl < 2 ** 31 ? ttl : 0
  return deviations.has('week-ttl') ? Math.min(WEEK, counted) : counted
}

/** RFC 2136 §3.4.2.2. */
function added(records: Records, update: UpdateRecord, deviations: Deviations): Records {
  const { owner, type, rdata } = update
  const ttl = storedTtl(update, deviations)
  const atOwner = records.filter(isAt({ owner, type: TYPE.ANY }))
  const isBesideCname = atOwner.some(
    (one) =>
      (one.type === TYPE.CNAME) !== (type === TYPE.CNAME) && (type === TYPE.CNAME || one.type === TYPE.CNAME),
  )
  if (isBesideCname) return records
  if (deviations.has('no-wildcard-ns') && type === TYPE.NS && owner.startsWith('*')) return records
  const soa = atOwner.find((one) => one.type === TYPE.SOA)
  if (
    type === TYPE.SOA &&
    (soa === undefined || !isTakenSerial(serialOf(rdata), serialOf(soa.rdata), deviations))
  )
    return records
  const isSingle = type === TYPE.CNAME || type === TYPE.SOA
  const others = records.filter((one) => !(isAt(update)(one) && (isSingle || hasSameValue(one, update))))
  const timed = deviations.has('one-ttl')
    ? others.map((one) => (isAt(update)(one) ? { ...one, ttl } : one))
    : others
  return [...timed, { owner: owner.toLowerCase(), type, ttl, rdata }]
}

/** RFC 2136 §3.4.2.3: SOA and NS of the apex stay. */
const withoutRRsets = (records: Records, { owner, type }: UpdateRecord, origin: string): Records =>
  records.filter(
    (one) =>
      !isAt({ owner, type })(one) ||
      (sameName(owner, origin) && (one.type === TYPE.SOA || one.type === TYPE.NS)),
  )

/** RFC 2136 §3.4.2.4: the SOA and the last NS of the apex stay. */
function withoutRecord(records: Records, update: UpdateRecord, origin: string): Records {
  const isApex = sameName(update.owner, origin)
  if (isApex && update.type === TYPE.SOA) return records
  if (isApex && update.type === TYPE.NS && records.filter(isAt(update)).length === 1) return records
  return records.filter((one) => !(isAt(update)(one) && hasSameValue(one, update)))
}

interface Applying {
  readonly origin: string
  readonly deviations: Deviations
}

function applied(records: Records, update: UpdateRecord, applying: Applying): Records {
  if (update.class === CLASS.IN) return added(records, update, applying.deviations)
  if (update.class === CLASS.ANY) return withoutRRsets(records, update, applying.origin)
  return withoutRecord(records, update, applying.origin)
}

const recordKey = ({ owner, type, ttl, rdata }: ZoneRecord): string =>
  `${owner} ${ttl} ${type} ${canonicalRdata(type, rdata)}`

/** The records in a fixed order, as text: two zones are the same if their texts are. */
export const zoneText = ({ records }: ModelZone): readonly string[] => records.map(recordKey).toSorted()

/** The same without the serial, which a server may choose. */
export const zoneTextWithoutSerial = (zone: ModelZone): readonly string[] =>
  zoneText({
    ...zone,
    records: zone.records.map((one) =>
      one.type === TYPE.SOA ? { ...one, rdata: withSerial(one.rdata, 0) } : one,
    ),
  })

/** RFC 1982 §3.1; 0 is left out, which some servers take for none. */
const nextSerial = (serial: number): number => (serial + 1) >>> 0 || 1

/** The SOA of the zone. */
export const soaOf = ({ records, origin }: ModelZone): ZoneRecord | undefined =>
  records.find(isAt({ owner: origin, type: TYPE.SOA }))

/** RFC 2136 §3.6: a change gets a later serial, unless the message has one. */
function withLaterSerial(before: ModelZone, after: ModelZone): ModelZone {
  if (zoneText(before).join() === zoneText(after).join()) return before
  if (soaOf(before) !== soaOf(after)) return after
  const records = after.records.map((one) =>
    one.type === TYPE.SOA ? { ...one, rdata: withSerial(one.rdata, nextSerial(serialOf(one.rdata))) } : one,
  )
  return { ...after, records }
}

/** RFC 2136 §3.1, §3.2, §3.4, §3.6: of a message that may change the zone. A refused one changes nothing. */
export function applyUpdate(zone: ModelZone, message: UpdateMessage, deviations: Deviations): UpdateOutcome {
  const prerequisites = (): number => prerequisitesRcode(message, zone, deviations)
  const prescan = (): number => updatesRcode(message, zone)
  const checks = deviations.has('prescan-first') ? [prescan, prerequisites] : [prerequisites, prescan]
  for (const check of [() => zoneRcode(message, zone), ...checks]) {
    const rcode = check()
    if (rcode !== RCODE.NOERROR) return { rcode, zone }
  }
  if (isRefused(message, zone, deviations)) return { rcode: RCODE.REFUSED, zone }
  const applying = { origin: zone.origin, deviations }
  const records = message.updates.reduce((before, one) => applied(before, one, applying), zone.records)
  return { rcode: RCODE.NOERROR, zone: withLaterSerial(zone, { ...zone, records }) }
}
