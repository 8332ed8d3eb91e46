import { describe, expect, it } from 'vitest'
import { applyUpdate, type ModelZone, zoneText, type ZoneRecord } from './update-model.ts'
import { aRdata, mxRdata, serialOf, txtRdata, withSerial, zoneSoaRdata } from './update-rdata.ts'
import {
  CLASS,
  nameOctets,
  RCODE,
  TYPE,
  UPDATE_FLAGS,
  type UpdateMessage,
  type UpdateRecord,
} from './update-wire.ts'

/** Cases of RFC 2136 by hand, one for each sentence: the model is not judged by BIND alone. */
const ORIGIN = 'example.test'
const SOA = zoneSoaRdata('ns1.example.test', 7)
const record = (owner: string, type: number, rdata: Buffer): ZoneRecord => ({ owner, type, ttl: 300, rdata })
const [ONE, TWO, THREE] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(aRdata) as [Buffer, Buffer, Buffer]
const [NS1, NS2] = ['ns1.example.test', 'ns2.example.test'].map(nameOctets) as [Buffer, Buffer]
const ZONE: ModelZone = {
  origin: ORIGIN,
  records: [
    record(ORIGIN, TYPE.SOA, SOA),
    record(ORIGIN, TYPE.NS, NS1),
    record(ORIGIN, TYPE.NS, NS2),
    record(ORIGIN, TYPE.TXT, txtRdata('a')),
    record('www.example.test', TYPE.A, ONE),
    record('www.example.test', TYPE.A, TWO),
    record('alias.example.test', TYPE.CNAME, NS1),
    record('x.empty.example.test', TYPE.TXT, txtRdata('a')),
  ],
}
const NONE = Buffer.alloc(0)
type Fields = readonly [owner: string, type: number, of: number, rdata?: Buffer, ttl?: number]
const update = ([owner, type, of, rdata = NONE, ttl = 0]: Fields): UpdateRecord => ({
  owner,
  type,
  class: of,
  ttl,
  rdata,
})

const MESSAGE: UpdateMessage = {
  id: 1,
  flags: UPDATE_FLAGS,
  zones: [{ name: 'Example.TEST', type: TYPE.SOA, class: CLASS.IN }],
  prerequisites: [],
  updates: [],
  additional: [],
}
const { IN, ANY, NONE: NOT } = CLASS
const rcodeOf = (more: Partial<UpdateMessage>): number =>
  applyUpdate(ZONE, { ...MESSAGE, ...more }, new Set()).rcode

// biome-ignore format: a table
describe.each<readonly [string, readonly Fields[], keyof typeof RCODE]>([
  ['§2.4.1 RRset exists',                       [['www.example.test', TYPE.A, ANY]],                                   'NOERROR'],
  ['§2.4.1 names have no case',                 [['WWW.Example.test', TYPE.A, ANY]],                                   'NOERROR'],
  ['§2.4.1 RRset is missing',                   [['www.example.test', TYPE.MX, ANY]],                                  'NXRRSET'],
  ['§2.4.2 all values, in another order',       [['www.example.test', TYPE.A, IN, TWO], ['www.example.test', TYPE.A, IN, ONE]], 'NOERROR'],
  ['§2.4.2 a value is missing',                 [['www.example.test', TYPE.A, IN, ONE]],                               'NXRRSET'],
  ['§2.4.2 a value more',                       [['www.example.test', TYPE.A, IN, ONE], ['www.example.test', TYPE.A, IN, TWO], ['www.example.test', TYPE.A, IN, THREE]], 'NXRRSET'],
  ['§2.4.3 RRset does not exist',               [['www.example.test', TYPE.MX, NOT]],                                  'NOERROR'],
  ['§2.4.3 RRset is there',                     [['www.example.test', TYPE.A, NOT]],                                   'YXRRSET'],
  ['§2.4.4 name is in use',                     [['www.example.test', TYPE.ANY, ANY]],                                 'NOERROR'],
  ['§2.4.4 an empty non-terminal is not',       [['empty.example.test', TYPE.ANY, ANY]],                               'NXDOMAIN'],
  ['§2.4.5 name is not in use',                 [['empty.example.test', TYPE.ANY, NOT]],                               'NOERROR'],
  ['§2.4.5 name is in use',                     [['www.example.test', TYPE.ANY, NOT]],                                 'YXDOMAIN'],
  ['§3.2 a TTL, before the name',               [['www.elsewhere.test', TYPE.A, ANY, NONE, 1]],                        'FORMERR'],
  ['§3.2 a name outside',                       [['www.elsewhere.test', TYPE.A, ANY]],                                 'NOTZONE'],
  ['§3.2 a name that only ends alike',          [['wwwexample.test', TYPE.A, ANY]],                                    'NOTZONE'],
  ['§3.2 a value with ANY',                     [['www.example.test', TYPE.A, ANY, ONE]],                              'FORMERR'],
  ['§3.2 a value with NONE',                    [['www.example.test', TYPE.A, NOT, ONE]],                              'FORMERR'],
  ['§3.2 another class',                        [['www.example.test', TYPE.A, CLASS.CH]],                              'FORMERR'],
  ['§3.2.5 the first that fails counts',        [['none.example.test', TYPE.ANY, ANY], ['www.example.test', TYPE.A, NOT]], 'NXDOMAIN'],
  ['§3.2.5 values are compared at the end',     [['www.example.test', TYPE.A, IN, ONE], ['www.example.test', TYPE.A, NOT]], 'YXRRSET'],
])('prerequisite: %s', (_, prerequisites, word) => {
  it(word, () => expect(rcodeOf({ prerequisites: prerequisites.map(update) })).toBe(RCODE[word]))
})

// biome-ignore format: a table
it.each<readonly [string, Partial<UpdateMessage>, keyof typeof RCODE]>([
  ['§3.1.1 no zone',             { zones: [] },                                                       'FORMERR'],
  ['§3.1.1 two zones',           { zones: [...MESSAGE.zones, ...MESSAGE.zones] },                     'FORMERR'],
  ['§3.1.1 not SOA',             { zones: [{ name: ORIGIN, type: TYPE.A, class: IN }] },              'FORMERR'],
  ['§3.1.2 another zone',        { zones: [{ name: 'www.example.test', type: TYPE.SOA, class: IN }] }, 'NOTAUTH'],
  ['§3.1.2 another class',       { zones: [{ name: ORIGIN, type: TYPE.SOA, class: CLASS.CH }] },      'NOTAUTH'],
  ['§3.4.1.1 outside',           { updates: [update(['x.test', TYPE.A, IN, ONE])] },                  'NOTZONE'],
  ['§3.4.1.2 adds ANY',          { updates: [update(['www.example.test', TYPE.ANY, IN])] },           'FORMERR'],
  ['§3.4.1.2 deletes AXFR',      { updates: [update(['www.example.test', TYPE.AXFR, ANY])] },         'FORMERR'],
  ['§3.4.1.2 deletes, TTL',      { updates: [update(['www.example.test', TYPE.A, ANY, NONE, 1])] },   'FORMERR'],
  ['§3.4.1.2 deletes, value',    { updates: [update(['www.example.test', TYPE.A, ANY, ONE])] },       'FORMERR'],
  ['§3.4.1.2 one record, ANY',   { updates: [update(['www.example.test', TYPE.ANY, NOT])] },          'FORMERR'],
  ['§3.4.1.2 one record, TTL',   { updates: [update(['www.example.test', TYPE.A, NOT, ONE, 1])] },    'FORMERR'],
  ['§3.4.1.2 another class',     { updates: [update(['www.example.test', TYPE.A, CLASS.CH, ONE])] },  'FORMERR'],
  ['prerequisites are first',    { prerequisites: [update(['no.example.test', TYPE.ANY, ANY])], updates: [update(['x.test', TYPE.A, IN, ONE])] }, 'NXDOMAIN'],
])('refuses %s', (_, more, word) => {
  const outcome = applyUpdate(ZONE, { ...MESSAGE, ...more }, new Set())

  expect(outcome).toEqual({ rcode: RCODE[word], zone: ZONE })
})

/** What is gone and what is new, without the SOA; and the serial. */
const changeBy = (updates: readonly Fields[]) => {
  const { zone } = applyUpdate(ZONE, { ...MESSAGE, updates: updates.map(update) }, new Set())
  const [before, after] = [zoneText(ZONE), zoneText(zone)]
  const soa = zone.records.find(({ type }) => type === TYPE.SOA)
  const isOther = (list: readonly string[]) => (text: string) => !list.includes(text) && !text.includes(' 6 ')
  return {
    gone: before.filter(isOther(after)).length,
    added: after.filter(isOther(before)).length,
    serial: soa === undefined ? 'no SOA' : serialOf(soa.rdata),
  }
}
const later = (serial: number): Buffer => withSerial(SOA, serial)

// biome-ignore format: a table
it.each<readonly [string, readonly Fields[], readonly [gone: number, added: number, serial: number]]>([
  ['adds a record',                              [['new.example.test', TYPE.A, IN, ONE]],            [0, 1, 8]],
  ['adds one that is there: nothing',            [['www.example.test', TYPE.A, IN, ONE, 300]],       [0, 0, 7]],
  ['gives one that is there another TTL',        [['www.example.test', TYPE.A, IN, ONE, 60]],        [1, 1, 8]],
  ['adds and deletes: nothing',                  [['n.example.test', TYPE.A, IN, ONE], ['n.example.test', TYPE.A, NOT, ONE]], [0, 0, 7]],
  ['replaces a CNAME',                           [['alias.example.test', TYPE.CNAME, IN, NS2]],      [1, 1, 8]],
  ['no CNAME beside others',                     [['www.example.test', TYPE.CNAME, IN, NS2]],        [0, 0, 7]],
  ['nothing beside a CNAME',                     [['alias.example.test', TYPE.A, IN, ONE]],          [0, 0, 7]],
  ['a CNAME after its name is empty',            [['www.example.test', TYPE.ANY, ANY], ['www.example.test', TYPE.CNAME, IN, NS2]], [2, 1, 8]],
  ['deletes an RRset',                           [['www.example.test', TYPE.A, ANY]],                [2, 0, 8]],
  ['deletes a name',                             [['www.example.test', TYPE.ANY, ANY]],              [2, 0, 8]],
  ['deletes no name beneath',                    [['empty.example.test', TYPE.ANY, ANY]],            [0, 0, 7]],
  ['deletes a record',                           [['WWW.example.test', TYPE.A, NOT, ONE]],           [1, 0, 8]],
  ['deletes the apex but SOA and NS',            [[ORIGIN, TYPE.ANY, ANY]],                          [1, 0, 8]],
  ['keeps all NS of the apex',                   [[ORIGIN, TYPE.NS, ANY]],                           [0, 0, 7]],
  ['keeps the SOA',                              [[ORIGIN, TYPE.SOA, ANY], [ORIGIN, TYPE.SOA, NOT, SOA]], [0, 0, 7]],
  ['keeps the last NS of the apex',              [[ORIGIN, TYPE.NS, NOT, NS1], [ORIGIN, TYPE.NS, NOT, NS2]], [1, 0, 8]],
  ['takes a later serial',                       [[ORIGIN, TYPE.SOA, IN, later(100)]],               [0, 0, 100]],
  ['takes no earlier serial, nor the same',      [[ORIGIN, TYPE.SOA, IN, later(6)], [ORIGIN, TYPE.SOA, IN, later(7)]], [0, 0, 7]],
  ['takes no serial that is 2^31 away',          [[ORIGIN, TYPE.SOA, IN, later(7 + 2 ** 31)]],       [0, 0, 7]],
  ['no SOA where none is',                       [['www.example.test', TYPE.SOA, IN, later(9)]],     [0, 0, 7]],
  ['names in values have no case',               [['www.example.test', TYPE.MX, IN, mxRdata(1, 'a.test')], ['www.example.test', TYPE.MX, NOT, mxRdata(1, 'A.test')]], [0, 0, 7]],
  ['but characters have',                        [[ORIGIN, TYPE.TXT, NOT, txtRdata('A')]],           [0, 0, 7]],
])('§3.4.2: %s', (_, updates, [gone, added, serial]) => expect(changeBy(updates)).toEqual({ gone, added, serial }))

it('§3.4.2.2: takes no SOA with the same serial', () => {
  const soa = update([ORIGIN, TYPE.SOA, IN, zoneSoaRdata('ns2.example.test', 7)])

  expect(applyUpdate(ZONE, { ...MESSAGE, updates: [soa] }, new Set()).zone).toEqual(ZONE)
})
