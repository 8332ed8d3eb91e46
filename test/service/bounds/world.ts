import { afterAll, beforeAll } from 'vitest'
import { keyedHash } from '../../../src/service/auth/hashes.ts'
import type { DnsType } from '../../../src/service/model/rdata/types.ts'
import type { Name } from '../../../src/service/model/tree.ts'
import { inside, NOW, PEPPER } from '../api/inside.ts'
import { apiWorld, type World } from '../api/world.ts'
import { type Counted, countedStore } from './counted.ts'

/** One of the two numbers that a caller chooses: names of a key, links of a chain, records of a name. */
export const MANY = 150
/** The longest chain of CNAME and ALIAS that the rules follow is 100. */
export const CHAIN = 90
/** What an RRset may have. */
const FULL = 100
export const KEY_PASSWORD = 'swordfish'

export const many = <T>(count: number, make: (nth: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, nth) => make(nth))

type Sets = readonly (readonly [type: DnsType, values: readonly string[]])[]

const named = (
  place: Pick<Name, 'zoneId' | 'accountId'>,
  name: string,
  sets: Sets,
  group?: string,
): Name => ({
  ...place,
  name,
  isProhibited: false,
  isBlocked: false,
  isOffline: false,
  metadata: {},
  createdAt: NOW,
  updatedAt: NOW,
  rrsets: sets.map(([dnsType, values]) => ({
    dnsType,
    ttl: 60,
    isSystem: false,
    metadata: {},
    createdAt: NOW,
    updatedAt: NOW,
    rdata: values.map((value, nth) => ({ label: `l${nth}`, value, isSystem: false })),
  })),
  ...(group !== undefined && { updateGroup: group }),
})

const ADDRESS: Sets = [['A', ['192.0.2.1']]]
const texts = (count: number): Sets[number] => ['TXT', many(count, (nth) => `"${nth}"`)]

/** The names whose numbers a request multiplies, in example.test. */
function crowd(place: Pick<Name, 'zoneId' | 'accountId'>): readonly Name[] {
  const last = CHAIN - 1
  return [
    // Targets of one DDNS key.
    ...many(MANY, (nth) => named(place, `k${nth}`, ADDRESS, 'kkk1111')),
    named(place, 'xn--mnchen-3ya', ADDRESS, 'kkk1111'),
    // A chain whose links are large.
    ...many(CHAIN, (nth) =>
      named(place, `chain${nth}`, [
        nth === last ? ['A', ['192.0.2.1']] : ['ALIAS', [`chain${nth + 1}.example.test.`]],
        texts(20),
      ]),
    ),
    // Names with as many records as they may have of a type.
    ...many(20, (nth) => named(place, `fat${nth}`, [texts(FULL), ['A', many(FULL, (n) => `192.0.2.${n}`)]])),
    // Names that all point to one.
    ...many(MANY, (nth) => named(place, `p${nth}`, [['CNAME', ['x0.example.test.']]])),
    ...many(MANY, (nth) => named(place, `d${nth}.b.c.d.e`, ADDRESS)),
  ]
}

export async function fillCrowd({ store, ids }: Pick<World, 'store' | 'ids'>): Promise<void> {
  await store.write(async (w) => {
    await w.changePlan(ids['plan-a'] ?? 0, { maxNames: 100_000, maxRdata: 1_000_000 })
    await w.changeKey(ids['kkk1111'] ?? 0, { hash: keyedHash(PEPPER, KEY_PASSWORD) })
    for (const one of crowd({ zoneId: ids['example.test'] ?? 0, accountId: ids['a'] ?? 0 }))
      await w.saveName(one, NOW)
  })
}

/** One world for the tests of a file, with its crowd and a store that counts. */
export function crowdedWorld() {
  const at = {} as { world: World; counted: Counted; api: ReturnType<typeof inside> }
  beforeAll(async () => {
    at.world = await apiWorld()
    await fillCrowd(at.world)
    at.counted = countedStore(at.world.store)
    at.api = inside(at.counted.store)
  })
  afterAll(async () => at.world.close())
  return at
}
