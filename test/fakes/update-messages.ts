import { byShare, type UpdateDraw } from './update-draw.ts'
import type { ModelZone, ZoneRecord } from './update-model.ts'
import {
  aaaaRdata,
  aRdata,
  caaRdata,
  mxRdata,
  serialOf,
  srvRdata,
  txtRdata,
  withSerial,
  zoneSoaRdata,
} from './update-rdata.ts'
import { CLASS, TYPE, UPDATE_FLAGS, type UpdateMessage, type UpdateRecord } from './update-wire.ts'

/** Random messages of UPDATE for a zone. Names and values are few, so that records meet. */

export const UPDATE_ORIGIN = 'zone.test'
const within = (label: string): string => `${label}.${UPDATE_ORIGIN}`

/** The zone has the first of these when a play begins; `sub` is a delegation, `b` has no records. */
const STORED_LABELS = [
  'ns1',
  'ns2',
  'www',
  'mail',
  'alias',
  'a.b',
  '*.wild',
  'wild',
  'sub',
  'glue.sub',
  '_sip._tcp',
  '7',
]
const OWNERS = [
  UPDATE_ORIGIN,
  ...[...STORED_LABELS, 'b', 'x.wild', 'new', 'newer', 'c.new', '*', 'deep.a.b'].map(within),
]
const TARGETS = ['ns1', 'ns2', 'www', 'mail', 'new'].map(within).concat('ns.elsewhere.test', '')
const HOSTS = TARGETS.filter((name) => name !== '')
const TTLS = [0, 60, 300, 3600, 2 ** 31 - 1, 2 ** 31]
/** For private use (RFC 6895 §3.1): its RDATA is any octets (RFC 3597). */
const PRIVATE_TYPE = 65_280

type Value = (draw: UpdateDraw) => Buffer
const nameValue: Value = ({ from }) => srvRdata(0, 0, from(HOSTS)).subarray(6)
// biome-ignore format: a table
const VALUES: Readonly<Record<number, Value>> = {
  [TYPE.A]:      ({ below }) => aRdata(`192.0.2.${below(4)}`),
  [TYPE.AAAA]:   ({ below }) => aaaaRdata(below(4)),
  [TYPE.TXT]:    ({ from }) => txtRdata(...from([['a'], ['A'], ['a', 'b'], ['ab'], [''], ['x'.repeat(255), '"\\\u0000\u00ff'], ['']])),
  [TYPE.MX]:     ({ from }) => mxRdata(from([0, 10, 20]), from(TARGETS)),
  [TYPE.SRV]:    ({ from }) => srvRdata(from([0, 10]), from([80, 5060]), from(TARGETS)),
  [TYPE.CNAME]:  nameValue,
  [TYPE.NS]:     nameValue,
  [TYPE.PTR]:    nameValue,
  [TYPE.CAA]:    ({ from }) => caaRdata(from(['issue', 'iodef']), from(['', ';', 'ca.test'])),
  [PRIVATE_TYPE]: ({ from }) => Buffer.from(from(['', '00', 'ff00']), 'hex'),
}
const TYPES = byShare([
  [4, TYPE.A],
  [3, TYPE.CNAME],
  [2, TYPE.NS],
  ...[TYPE.AAAA, TYPE.TXT, TYPE.MX, TYPE.SRV, TYPE.PTR, TYPE.CAA, PRIVATE_TYPE].map(
    (type) => [1, type] as const,
  ),
])

const stored = (label: string, type: number, rdata: Buffer): ZoneRecord => ({
  owner: label === '@' ? UPDATE_ORIGIN : within(label),
  type,
  ttl: 300,
  rdata,
})
const named = (label: string): Buffer => srvRdata(0, 0, within(label)).subarray(6)

/** What a play begins with. */
export const FIRST_ZONE: ModelZone = {
  origin: UPDATE_ORIGIN,
  records: [
    stored('@', TYPE.SOA, zoneSoaRdata(within('ns1'), 1)),
    stored('@', TYPE.NS, named('ns1')),
    stored('@', TYPE.NS, named('ns2')),
    stored('@', TYPE.MX, mxRdata(10, within('mail'))),
    stored('ns1', TYPE.A, aRdata('192.0.2.1')),
    stored('ns2', TYPE.AAAA, aaaaRdata(1)),
    stored('www', TYPE.A, aRdata('192.0.2.2')),
    stored('www', TYPE.A, aRdata('192.0.2.3')),
    stored('www', TYPE.AAAA, aaaaRdata(2)),
    stored('mail', TYPE.A, aRdata('192.0.2.1')),
    stored('mail', TYPE.TXT, txtRdata('a', 'b')),
    stored('alias', TYPE.CNAME, named('www')),
    stored('a.b', TYPE.TXT, txtRdata('a')),
    stored('*.wild', TYPE.A, aRdata('192.0.2.3')),
    stored('wild', TYPE.CAA, caaRdata('issue', 'ca.test')),
    stored('sub', TYPE.NS, named('glue.sub')),
    stored('glue.sub', TYPE.A, aRdata('192.0.2.3')),
    stored('_sip._tcp', TYPE.SRV, srvRdata(10, 5060, within('www'))),
    stored('7', TYPE.PTR, named('www')),
  ],
}

/** What makes a message: the choices, and the zone that it is for. */
export interface Drawing {
  readonly draw: UpdateDraw
  readonly zone: ModelZone
  /** Whether some names are in upper case. */
  readonly isCased: boolean
}

/** Letters of names have no case (RFC 1035 §2.3.3). */
const cased = ({ draw, isCased }: Drawing, name: string): string =>
  isCased && draw.isOnceIn(8) ? name.toUpperCase() : name

/** More often an owner that the zone has. */
const ownerFor = (drawing: Drawing): string => {
  const { draw, zone } = drawing
  return cased(drawing, draw.isOnceIn(2) ? draw.from(OWNERS) : draw.from(zone.records).owner)
}

type Head = Pick<UpdateRecord, 'owner' | 'type' | 'class'>
const bare = (head: Head): UpdateRecord => ({ ...head, ttl: 0, rdata: Buffer.alloc(0) })

/** A new value. */
export const addition = (drawing: Drawing, type = drawing.draw.from(TYPES)): UpdateRecord => ({
  owner: ownerFor(drawing),
  type,
  class: CLASS.IN,
  ttl: drawing.draw.from(TTLS),
  rdata: VALUES[type]?.(drawing.draw) ?? Buffer.alloc(0),
})

/** An RRset that the zone has, as its records or with a value more or less, or with one twice. */
function valuesOfRRset(drawing: Drawing): readonly UpdateRecord[] {
  const { draw, zone } = drawing
  const { owner, type } = draw.from(zone.records)
  const values = zone.records
    .filter((one) => one.owner === owner && one.type === type)
    .map((one) => ({ ...one, owner: cased(drawing, owner), class: CLASS.IN, ttl: 0 }))
  const [first] = values
  if (draw.isOnceIn(4) && first !== undefined && VALUES[type] !== undefined)
    return [...values, { ...first, rdata: VALUES[type](draw) }]
  if (draw.isOnceIn(5)) return values.slice(1)
  return draw.isOnceIn(6) ? [...values, ...values.slice(0, 1)] : values.toReversed()
}

type Make = (drawing: Drawing) => readonly UpdateRecord[]
const existing = ({ draw, zone }: Drawing): ZoneRecord => draw.from(zone.records)
const absent = (drawing: Drawing): Head => ({
  owner: cased(drawing, drawing.draw.from(OWNERS)),
  type: drawing.draw.from(TYPES),
  class: CLASS.NONE,
})

/** RFC 2136 §2.4.1 to §2.4.5; each is true more often than not. */
const PREREQUISITES: readonly Make[] = byShare<Make>([
  [3, (drawing) => [bare({ ...existing(drawing), class: CLASS.ANY })]],
  [1, (drawing) => [bare({ ...absent(drawing), class: CLASS.ANY })]],
  [5, valuesOfRRset],
  [1, (drawing) => [{ ...addition(drawing), ttl: 0 }]],
  [3, (drawing) => [bare(absent(drawing))]],
  [1, (drawing) => [bare({ ...existing(drawing), class: CLASS.NONE })]],
  [2, (drawing) => [bare({ ...existing(drawing), type: TYPE.ANY, class: CLASS.ANY })]],
  [2, (drawing) => [bare({ ...absent(drawing), type: TYPE.ANY })]],
])

const withClass = (record: ZoneRecord, of: number): UpdateRecord => ({ ...record, class: of, ttl: 0 })
const ofApex = (drawing: Drawing, type: number): readonly ZoneRecord[] =>
  drawing.zone.records.filter((one) => one.owner === drawing.zone.origin && one.type === type)

/** Serials that are earlier, the same, later, and at the end of what counts as later (RFC 1982). */
const STEPS = [-5, -1, 0, 1, 2, 100, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1]
const soaChange: Make = (drawing) =>
  ofApex(drawing, TYPE.SOA).map((soa) => ({
    ...withClass(soa, CLASS.IN),
    owner: drawing.draw.isOnceIn(6) ? ownerFor(drawing) : soa.owner,
    ttl: drawing.draw.from(TTLS),
    rdata: withSerial(
      zoneSoaRdata(within(drawing.draw.from(['ns1', 'ns2'])), 0, drawing.draw.from([60, 120])),
      (serialOf(soa.rdata) + drawing.draw.from(STEPS)) >>> 0,
    ),
  }))

/** RFC 2136 §2.5.1 to §2.5.4. */
const UPDATES: readonly Make[] = byShare<Make>([
  [12, (drawing) => [addition(drawing)]],
  // The same value again, often with another TTL.
  [3, (drawing) => [{ ...existing(drawing), class: CLASS.IN, ttl: drawing.draw.from(TTLS) }]],
  [3, (drawing) => [bare({ ...existing(drawing), class: CLASS.ANY })]],
  [2, (drawing) => [bare({ ...absent(drawing), class: CLASS.ANY })]],
  [2, (drawing) => [bare({ owner: ownerFor(drawing), type: TYPE.ANY, class: CLASS.ANY })]],
  [5, (drawing) => [withClass(existing(drawing), CLASS.NONE)]],
  [3, (drawing) => [{ ...addition(drawing), class: CLASS.NONE, ttl: 0 }]],
  [1, soaChange],
  [1, (drawing) => ofApex(drawing, TYPE.SOA).map((soa) => withClass(soa, CLASS.NONE))],
  [
    1,
    ({ draw, zone }) => [
      bare({ owner: zone.origin, type: draw.from([TYPE.SOA, TYPE.NS, TYPE.ANY]), class: CLASS.ANY }),
    ],
  ],
  [1, (drawing) => ofApex(drawing, TYPE.NS).map((one) => withClass(one, CLASS.NONE))],
  [1, (drawing) => [{ ...addition(drawing, TYPE.NS), owner: drawing.zone.origin }]],
])

const MAX_PREREQUISITES = 3
const MAX_UPDATES = 6

/** A message of the right form, which may be refused for its prerequisites. */
export function randomUpdate(drawing: Drawing): UpdateMessage {
  const { draw, zone } = drawing
  const some = (makes: readonly Make[], max: number): readonly UpdateRecord[] =>
    draw.several(max, () => draw.from(makes)(drawing)).flat()
  return {
    id: draw.below(65_536),
    flags: UPDATE_FLAGS,
    zones: [{ name: cased(drawing, zone.origin), type: TYPE.SOA, class: CLASS.IN }],
    prerequisites: some(PREREQUISITES, draw.from([0, 0, 1, MAX_PREREQUISITES])),
    updates: some(UPDATES, draw.from([1, 2, MAX_UPDATES])),
    additional: [],
  }
}
