import { addition, type Drawing } from './update-messages.ts'
import {
  CLASS,
  HEADER_OCTETS,
  messageOctets,
  nameOctets,
  TYPE,
  type UpdateMessage,
  type UpdateRecord,
} from './update-wire.ts'

/** What is wrong in a message, by name. */

type MessageFault = (message: UpdateMessage, drawing: Drawing) => UpdateMessage
type RecordFault = (record: UpdateRecord, drawing: Drawing) => Partial<UpdateRecord>

const FAR = ['elsewhere.test', 'test', '', 'azone.test', 'zone.test.elsewhere.test', 'x.ozone.test']
const META = [TYPE.ANY, TYPE.AXFR, TYPE.IXFR, TYPE.MAILA, TYPE.MAILB, TYPE.TKEY]
const CLASSES = [CLASS.CH, 0, 2, 4, 253, 65_535]
const NO_VALUE = Buffer.alloc(0)
const SOME_VALUE = Buffer.from([192, 0, 2, 1])

type RecordSection = 'prerequisites' | 'updates'

/** One more record in a section, at a random place. */
const withRecord =
  (section: RecordSection, change: RecordFault): MessageFault =>
  (message, drawing) => {
    const { draw } = drawing
    const plain = { ...addition(drawing), ttl: 0 }
    const records = message[section]
    const at = draw.below(records.length + 1)
    return { ...message, [section]: records.toSpliced(at, 0, { ...plain, ...change(plain, drawing) }) }
  }

const zoneFault =
  (
    change: (zone: UpdateMessage['zones'][number], drawing: Drawing) => UpdateMessage['zones'],
  ): MessageFault =>
  (message, drawing) => ({ ...message, zones: message.zones.flatMap((zone) => change(zone, drawing)) })

const empty = { class: CLASS.ANY, ttl: 0, rdata: NO_VALUE }

// biome-ignore format: a table
const MESSAGE_FAULTS: Readonly<Record<string, MessageFault>> = {
  'prerequisite with a TTL':            withRecord('prerequisites', (_, { draw }) => ({ ttl: 60, class: draw.from([CLASS.IN, CLASS.ANY, CLASS.NONE]), rdata: NO_VALUE, type: TYPE.TXT })),
  'prerequisite outside':               withRecord('prerequisites', (_, { draw }) => ({ ...empty, owner: draw.from(FAR) })),
  'prerequisite with a value':          withRecord('prerequisites', (_, { draw }) => ({ class: draw.from([CLASS.ANY, CLASS.NONE]), type: TYPE.A, rdata: SOME_VALUE })),
  'prerequisite of another class':      withRecord('prerequisites', (_, { draw }) => ({ class: draw.from(CLASSES), type: TYPE.TXT, rdata: Buffer.from([1, 65]) })),
  'prerequisite without its value':     withRecord('prerequisites', () => ({ type: TYPE.A, rdata: NO_VALUE })),
  'update outside':                     withRecord('updates', (_, { draw }) => ({ owner: draw.from(FAR) })),
  'update of another class':            withRecord('updates', (_, { draw }) => ({ class: draw.from(CLASSES), type: TYPE.TXT, rdata: Buffer.from([1, 65]) })),
  'adds a metatype':                    withRecord('updates', (_, { draw }) => ({ type: draw.from(META), rdata: NO_VALUE })),
  'deletes RRset: metatype':            withRecord('updates', (_, { draw }) => ({ ...empty, type: draw.from(META.slice(1)) })),
  'deletes RRset: TTL':                 withRecord('updates', () => ({ ...empty, ttl: 1 })),
  'deletes RRset: value':               withRecord('updates', () => ({ ...empty, type: TYPE.A, rdata: SOME_VALUE })),
  'deletes record: metatype':           withRecord('updates', (_, { draw }) => ({ class: CLASS.NONE, type: draw.from(META), rdata: NO_VALUE })),
  'deletes record: TTL':                withRecord('updates', () => ({ class: CLASS.NONE, ttl: 300 })),
  'value too short':                    withRecord('updates', ({ rdata }, { draw }) => ({ class: draw.from([CLASS.IN, CLASS.NONE]), type: draw.from([TYPE.A, TYPE.AAAA, TYPE.MX]), rdata: rdata.subarray(0, 1) })),
  'value too long':                     withRecord('updates', (_, { draw }) => ({ type: draw.from([TYPE.A, TYPE.AAAA]), rdata: Buffer.alloc(17) })),
  'name with more octets':              withRecord('updates', (_, { draw }) => ({ type: draw.from([TYPE.CNAME, TYPE.NS, TYPE.PTR]), rdata: Buffer.concat([nameOctets('a.test'), Buffer.from([0])]) })),
  'character string too long':          withRecord('updates', () => ({ type: TYPE.TXT, rdata: Buffer.from([9, 65]) })),
  'TXT without a string':               withRecord('updates', () => ({ type: TYPE.TXT, rdata: NO_VALUE })),
  'tag of CAA':                         withRecord('updates', (_, { draw }) => ({ type: TYPE.CAA, rdata: Buffer.from(draw.from(['000000', '0009', '00012b', '00']), 'hex') })),
  'no zone':                            zoneFault(() => []),
  'two zones':                          zoneFault((zone, { draw }) => [zone, { ...zone, name: draw.from([zone.name, 'other.test']) }]),
  'zone of another type':               zoneFault((zone, { draw }) => [{ ...zone, type: draw.from([TYPE.A, TYPE.NS, TYPE.ANY, TYPE.AXFR, 0]) }]),
  'zone of another class':              zoneFault((zone) => [{ ...zone, class: CLASS.CH }]),
  'zone that is not served':            zoneFault((zone, { draw }) => [{ ...zone, name: draw.from(['other.test', `www.${zone.name}`, `sub.${zone.name}`, 'test', '']) }]),
}

/** Octets before they are signed. */
type OctetFault = (octets: Buffer, drawing: Drawing) => Buffer

function changed(octets: Buffer, at: number, octet: number): Buffer {
  const copy = Buffer.from(octets)
  copy[at] = octet & 255
  return copy
}

// biome-ignore format: a table
const OCTET_FAULTS: Readonly<Record<string, OctetFault>> = {
  'a bit':           (octets, { draw }) => { const at = 4 + draw.below(octets.length - 4); return changed(octets, at, (octets[at] ?? 0) ^ (1 << draw.below(8))) },
  'an octet':        (octets, { draw }) => changed(octets, HEADER_OCTETS + draw.below(octets.length - HEADER_OCTETS), draw.from([0, 1, 63, 64, 192, 255])),
  'truncated':       (octets, { draw }) => octets.subarray(0, HEADER_OCTETS + draw.below(octets.length - HEADER_OCTETS)),
  'octets at the end': (octets, { draw }) => Buffer.concat([octets, Buffer.alloc(1 + draw.below(20), draw.from([0, 192]))]),
  'a count':         (octets, { draw }) => { const at = 5 + 2 * draw.below(4); return changed(octets, at, (octets[at] ?? 0) + draw.from([-1, 1, 2])) },
}

export const UPDATE_FAULTS: readonly string[] = [...Object.keys(MESSAGE_FAULTS), ...Object.keys(OCTET_FAULTS)]

/** The octets of a message, without a signature, with one fault. */
export function withFault(message: UpdateMessage, fault: string, drawing: Drawing): Buffer {
  const change = MESSAGE_FAULTS[fault]
  if (change !== undefined) return messageOctets(change(message, drawing))
  return OCTET_FAULTS[fault]?.(messageOctets(message), drawing) ?? messageOctets(message)
}
