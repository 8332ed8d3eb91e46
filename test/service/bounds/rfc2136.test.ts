import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RCODES, RR_TYPES } from '../../../src/shared/dns/types.ts'
import {
  nameIsInUse,
  recordAddition,
  rrsetDeletion,
  rrsetIsAbsent,
  type UpdateRecord,
} from '../../../src/shared/dns/update.ts'
import { rdataOf, type WireType } from '../../../src/service/model/rdata/types.ts'
import { NOW, updateWorld } from '../rfc2136/world.ts'
import { expectBounded } from './bound.ts'
import { type Counted, countedStore, statementsDuring } from './counted.ts'
import { CHAIN, fillCrowd, many, MANY } from './world.ts'

const ZONE = 'example.test'
/** A message of TCP has room for some thousands. */
const REPEATED = 300
/** Objects of a name with 100 TXT and 100 A, as it is stored and as it is rendered. */
const FAT = 2 * 203

let world: Awaited<ReturnType<typeof updateWorld>>
let counted: Counted
beforeAll(async () => {
  world = await updateWorld()
  await fillCrowd(world)
  counted = countedStore(world.store)
})
afterAll(async () => world.close())

const fqdn = (name: string): string => `${name}.${ZONE}`
const add = (name: string, type: WireType, value: string): UpdateRecord =>
  recordAddition({ name: fqdn(name), type: RR_TYPES[type], ttl: 300, rdata: rdataOf(type, value) })

interface Row {
  readonly what: string
  readonly prerequisites?: readonly UpdateRecord[]
  readonly updates?: readonly UpdateRecord[]
  /** Objects that are stored at the names of the message, each once. */
  readonly targets: number
}

// biome-ignore format: a table
const ROWS: readonly Row[] = [
  { what: 'prerequisites of one name x its records', targets: FAT,
    prerequisites: many(REPEATED, () => nameIsInUse(fqdn('fat0'))) },
  { what: 'prerequisites of one name in two spellings x its records', targets: FAT,
    prerequisites: many(REPEATED, (nth) => nameIsInUse(nth % 2 === 0 ? fqdn('fat1') : fqdn('fat1').toUpperCase())) },
  { what: 'prerequisites of types that are not there x records of the name', targets: FAT,
    prerequisites: many(REPEATED, (nth) => rrsetIsAbsent(fqdn('fat2'), 1000 + nth)) },
  { what: 'changes of one name x its records', targets: FAT,
    updates: many(REPEATED, (nth) => add('fat3', 'AAAA', `2001:db8::${(nth % 90) + 1}`)) },
  { what: 'deletions at one name x its records', targets: FAT,
    updates: many(REPEATED, () => rrsetDeletion(fqdn('fat4'), RR_TYPES.AAAA)) },
  { what: 'prerequisites and changes of one name x its records', targets: FAT,
    prerequisites: many(REPEATED, () => nameIsInUse(fqdn('fat5'))), updates: many(REPEATED, () => add('fat5',
      'AAAA', '2001:db8::1')) },
  { what: 'names with CNAME x links of the chain that they begin', targets: CHAIN * 24,
    updates: many(MANY, (nth) => add(`c${nth}`, 'CNAME', fqdn('chain0'))) },
  { what: 'links of a chain that leads out of the zone x names that point to its first', targets: 2 * MANY,
    updates: many(CHAIN, (nth) => add(`x${nth}`, 'CNAME', nth === CHAIN - 1 ? 'www.other.test' : fqdn(`x${nth + 1}`))) },
  { what: 'names with MX x records of one target', targets: FAT,
    updates: many(MANY, (nth) => add(`m${nth}`, 'MX', `10 ${fqdn('fat6')}`)) },
  { what: 'names that are targets of a DDNS key x its targets', targets: 8 * MANY,
    updates: many(MANY, (nth) => add(`k${nth}`, 'TXT', '"x"')) },
]

describe('work for one UPDATE is bounded, whatever two numbers its sender chooses:', () => {
  it.each(ROWS)('$what', async ({ prerequisites = [], updates = [], targets }) => {
    const { message } = world.signed(ZONE, prerequisites, updates)
    world.setNow(NOW)
    counted.take()
    const sent: { answers: readonly Buffer[] } = { answers: [] }
    const statements = await statementsDuring(async () => {
      sent.answers = await world.send(message, { context: { store: counted.store } })
    })
    const work = counted.take()
    const [answer] = sent.answers
    // No fault of form: the message has come to the zone.
    expect([RCODES.NOERROR, RCODES.REFUSED, RCODES.NXRRSET, RCODES.NXDOMAIN]).toContain(
      (answer?.[3] ?? 0) & 15,
    )
    const asked = { octets: message.length + (answer?.length ?? 0), targets }
    expectBounded(work, asked)
    expectBounded({ reads: statements, most: 'statements' }, asked)
  })
})
