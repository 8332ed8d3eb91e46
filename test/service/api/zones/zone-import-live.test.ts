import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { APEX } from '../../../../src/service/model/dns-name.ts'
import type { Name } from '../../../../src/service/model/tree.ts'
import type { StoreReads, StoreWrites } from '../../../../src/service/store/store.ts'
import { swept } from '../../../contract/swept.ts'
import { bodyIn, codesOf, inside, NOW } from '../inside.ts'
import { apiWorld, type World } from '../world.ts'
import { type Meanwhile, storeWithOthers, type Transaction } from './others.ts'

let world: World
beforeEach(async () => {
  world = await apiWorld()
})
afterEach(async () => world.close())

const ZONE = 'example.test'
const IMPORT = `/v1/dns/zones/${ZONE}/import`

/** The zone has another id after an import. */
const idOf = async (r: Pick<StoreReads, 'zoneNamed'>): Promise<number> => (await r.zoneNamed(ZONE))?.id ?? 0
const nameAt = async (name: string): Promise<Name | undefined> =>
  world.store.read(async (r) => r.nameAt(await idOf(r), name))
const valuesAt = async (name: string, type = 'A'): Promise<readonly string[] | undefined> =>
  (await nameAt(name))?.rrsets.find(({ dnsType }) => dnsType === type)?.rdata.map(({ value }) => value)
const exported = async (): Promise<string> =>
  (await world.ask('GET', `/v1/dns/zones/${ZONE}/export`)).body as unknown as string

/** A change of another request, whose RRSets are these then. */
async function setValue(w: StoreWrites, name: string, value: string, now = NOW): Promise<void> {
  const zoneId = await idOf(w)
  const stored = await w.nameAt(zoneId, name)
  const nameId = stored?.id ?? (await w.addName({ zoneId, accountId: world.ids['a'] ?? 0, name }, now)).nameId
  const fqdn = name === APEX ? ZONE : `${name}.${ZONE}`
  await w.setSingleValue({ nameId, fqdn }, { dnsType: 'A', value }, now)
  await w.touchZone(zoneId, now)
}

/** The first import of this file, while others change the zone. */
async function imported(file: string, meanwhile: Meanwhile) {
  const transactions: Transaction[] = []
  const store = storeWithOthers(world.store, meanwhile, transactions)
  const answer = await inside(store).send({
    method: 'POST',
    path: IMPORT,
    contentType: 'text/dns',
    body: file,
    authorization: 'Bearer key-of-a',
  })
  return { status: answer.status, codes: codesOf({ body: bodyIn(answer) }), transactions }
}

describe('an import passes at its first request', () => {
  it('while one hostname changes between all of its steps', async () => {
    let nth = 0
    const { status } = await imported(`${await exported()}w 60 IN TXT "x"\n`, {
      beforeEachWrite: async (w) => setValue(w, 'home', `203.0.113.${++nth}`),
    })
    expect(status).toBe(202)
    expect(await valuesAt('w', 'TXT')).toEqual(['"x"'])
    expect(await valuesAt('home')).toEqual([`203.0.113.${nth}`])
  })

  it.each(['home', APEX, 'new'])('when %s changes once, after the import is planned', async (name) => {
    const { status } = await imported(`${await exported()}w 60 IN TXT "x"\n`, {
      afterPlan: async (w) => setValue(w, name, '203.0.113.1'),
    })
    expect([status, await valuesAt('w', 'TXT'), await valuesAt(name)]).toEqual([
      202,
      ['"x"'],
      ['203.0.113.1'],
    ])
  })
})

interface Case {
  readonly what: string
  /** The file, from the export of the zone. */
  readonly file: (exported: string) => string
  readonly meanwhile: (w: StoreWrites) => Promise<unknown>
  readonly at: string
  readonly expected: readonly string[] | undefined
}

const CHANGED = (text: string): string => text.replace('free 60 IN A 192.0.2.7', 'free 60 IN A 192.0.2.70')
const REMOVED = (text: string): string => text.replace(/^alias .*\n/m, '')
const MADE = (text: string): string => `${text}w 60 IN A 192.0.2.99\n`

// biome-ignore format: a table
const CASES: readonly Case[] = [
  // The import does not touch it: the file has it as it was stored when the import was planned.
  { what: 'a value that the file has as it was keeps the newer value', file: MADE,
    meanwhile: async (w) => setValue(w, 'home', '203.0.113.5'), at: 'home', expected: ['203.0.113.5'] },
  { what: 'a name that is made meanwhile and is not in the file stays', file: MADE,
    meanwhile: async (w) => setValue(w, 'fresh', '203.0.113.5'), at: 'fresh', expected: ['203.0.113.5'] },
  { what: 'a name without records that gets one meanwhile keeps it', file: MADE,
    meanwhile: async (w) => setValue(w, 'empty', '203.0.113.5'), at: 'empty', expected: ['203.0.113.5'] },
  // Both touch it: the file comes last.
  { what: 'a value that both change is that of the file', file: CHANGED,
    meanwhile: async (w) => setValue(w, 'free', '203.0.113.5'), at: 'free', expected: ['192.0.2.70'] },
  { what: 'a name that both make is that of the file', file: MADE,
    meanwhile: async (w) => setValue(w, 'w', '203.0.113.5'), at: 'w', expected: ['192.0.2.99'] },
  { what: 'a name that the file removes goes, with what was changed there meanwhile', file: REMOVED,
    meanwhile: async (w) => {
      const alias = await w.nameAt(await idOf(w), 'alias')
      if (alias !== undefined) await w.saveName({ ...alias, metadata: { k: 'v' } }, NOW)
    }, at: 'alias', expected: undefined },
]

describe('what changes between the plan of an import and its storing:', () => {
  it.each(CASES)('$what', async ({ file, meanwhile, at, expected }) => {
    const { status } = await imported(file(await exported()), {
      afterPlan: async (w) => void (await meanwhile(w)),
    })
    expect([status, await valuesAt(at)]).toEqual([202, expected])
  })

  it('a name that a DDNS key is attached to meanwhile stays its target, with the value of the file', async () => {
    const key = world.ids['kkk2222'] ?? 0
    const { status } = await imported(CHANGED(await exported()), {
      afterPlan: async (w) => w.setTargets(key, [(await w.nameAt(await idOf(w), 'free'))?.id ?? 0]),
    })
    expect([status, (await nameAt('free'))?.updateGroup, await valuesAt('free')]).toEqual([
      202,
      'kkk2222',
      ['192.0.2.70'],
    ])
  })

  it('a name that the operator locks meanwhile is not changed: the import is refused by the newest state', async () => {
    const { status, codes } = await imported(CHANGED(await exported()), {
      afterPlan: async (w) => {
        await w.lockName((await w.nameAt(await idOf(w), 'free'))?.id ?? 0, true)
        await w.touchZone(await idOf(w), NOW)
      },
    })
    expect([status, codes]).toEqual([403, ['4821']])
    expect(await valuesAt('free')).toEqual(['192.0.2.7'])
    await swept(world.store, { now: NOW })
    expect(await world.store.read(async (r) => r.hasHidden())).toBe(false)
  })

  it('a zone that is removed meanwhile does not come back', async () => {
    const { status } = await imported(MADE(await exported()), {
      afterPlan: async (w) => w.removeZone(await idOf(w)),
    })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(await world.store.read(async (r) => r.zoneNamed(ZONE))).toBeUndefined()
  })
})

/** Of the import below; ten times as many as its bound. */
const NAMES = 600
const CHANGES = 5
/**
 * A name that changed meanwhile is read and written again, with its records; the zone, its apex and the trail come with the
 * last step.
 */
const ROWS_UNDER_LOCK = 16 * CHANGES + 40

it('the step in which an import replaces its zone reads what changed meanwhile, and not the whole zone', async () => {
  await world.store.write(async (w) =>
    w.changePlan(world.ids['plan-a'] ?? 0, { maxNames: 5000, maxRdata: 5000 }),
  )
  const lines = Array.from({ length: NAMES }, (_, n) => `n${n} 60 IN A 192.0.2.${n % 250}\n`)
  const { status, transactions } = await imported(`${await exported()}${lines.join('')}`, {
    afterPlan: async (w) => {
      for (let n = 0; n < CHANGES; n++) await setValue(w, `m${n}`, '203.0.113.1')
    },
  })
  expect(status).toBe(202)
  const last = transactions.filter(({ methods }) => methods.includes('replaceByDraft'))
  expect(last.length).toBeGreaterThan(0)
  for (const { rows } of last) expect(rows).toBeLessThanOrEqual(ROWS_UNDER_LOCK)
  expect(await valuesAt(`n${NAMES - 1}`)).toEqual([`192.0.2.${(NAMES - 1) % 250}`])
  expect(await valuesAt('m0')).toEqual(['203.0.113.1'])
})
