import { describe, expect, it } from 'vitest'
import { days, hours } from '../../../src/shared/base/time.ts'
import { formatBasic, Secret } from '../../../src/shared/base/secret.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import { writeResponse } from '../../../src/shared/protocol/response.ts'
import { limitsOf } from '../../../src/service/auth/limits.ts'
import { passwordChecker } from '../../../src/service/auth/login.ts'
import { answerUpdate } from '../../../src/service/update/update.ts'
import { ReadUpdate } from '../../../src/service/update/read-update.ts'
import { NOW, PEPPER } from '../api/inside.ts'
import { PASSWORD } from '../api/world.ts'
import { expectBounded, READS_PER_UPDATE_UNIT } from './bound.ts'
import { statementsDuring } from './counted.ts'
import { crowdedWorld, KEY_PASSWORD, many, MANY } from './world.ts'

const PASSWORDS = passwordChecker(PEPPER)
const LIMITS = limitsOf({
  nochgLimit: 1_000_000,
  requestLimit: 1_000_000,
  refusalLimit: 1_000_000,
  badauthLimit: 1_000_000,
  longBlock: days(1),
  shortBlock: hours(1),
})
/** Of an item that stands for all names of the key; the URL has room for 20 times as many. */
const REPEATED = 300
/** Of an item that stands for one name or none, which costs less. */
const REPEATED_NAME = 1000

const at = crowdedWorld()
const [KEY, ACCOUNT] = [
  { username: 'kkk1111', password: new Secret(KEY_PASSWORD) },
  { username: 'a', password: new Secret(PASSWORD) },
]

async function updated(query: string, login = KEY) {
  const update = new ReadUpdate({
    method: 'GET',
    path: '/nic/update',
    query,
    userAgent: 'Acme t/1-1 me@example.test',
    authorization: formatBasic(login).reveal(),
    peer: '198.51.100.7' as Address,
    isProxy: false,
  })
  const updater = {
    store: at.counted.store,
    passwords: PASSWORDS,
    now: () => NOW,
    audit: () => undefined,
    policy: { limits: LIMITS, allHostnames: 'all.ddnskey.com', strictAgents: false, blockedAgents: [] },
  }
  at.counted.take()
  let body = ''
  const statements = await statementsDuring(async () => {
    body = writeResponse(await answerUpdate(updater, update)).body
  })
  const work = at.counted.take()
  return { lines: body.trimEnd().split('\n'), octets: query.length + body.length, work, statements }
}

interface Row {
  readonly what: string
  /** The items, in turn. */
  readonly items: readonly string[]
  /** Names that they stand for, together. */
  readonly targets: number
}

/** What stands for many names, or for one, as a caller may repeat and spell it. */
// biome-ignore format: a table
const ROWS: readonly Row[] = [
  { what: 'the username of the key',      items: ['kkk1111'],                                 targets: MANY },
  { what: 'the all-hostnames token',      items: ['all.ddnskey.com'],                         targets: MANY },
  { what: 'the token in two spellings',   items: ['all.ddnskey.com', 'ALL.ddnskey.com'],      targets: MANY },
  { what: 'the token and the username',   items: ['all.ddnskey.com', 'kkk1111'],              targets: MANY },
  { what: 'the key and one name',     items: ['kkk1111', 'k1.example.test'],              targets: MANY },
  { what: 'one name',                     items: ['k0.example.test'],                         targets: 1 },
  { what: 'one name in capitals',         items: ['k0.example.test', 'K0.Example.TEST'],      targets: 1 },
  { what: 'one name with a final dot',    items: ['k0.example.test', 'k0.example.test.'],     targets: 1 },
  { what: 'one name in two scripts',      items: ['m%C3%BCnchen.example.test', 'xn--mnchen-3ya.example.test'], targets: 1 },
  { what: 'a name that is not there',     items: ['none.example.test'],                       targets: 0 },
  { what: 'what is no name',              items: ['-'],                                       targets: 0 },
  { what: 'a name and an empty item',     items: ['k0.example.test', ''],                     targets: 1 },
]
const LINE = /^(good|nochg|nohost)/

describe(`of a key with ${MANY} names`, () => {
  it.each(ROWS)(
    'a list that repeats $what costs as much as one that does not',
    async ({ items, targets }) => {
      const repeated = targets === MANY ? REPEATED : REPEATED_NAME
      const list = many(repeated, (nth) => items[nth % items.length] ?? '').join(',')
      // What changes, what changes again, and what is the same.
      for (const myip of ['203.0.113.1', '203.0.113.2', '203.0.113.2']) {
        const { lines, work, statements } = await updated(`hostname=${list}&myip=${myip}`)
        expect(lines).toHaveLength(repeated)
        expect(lines.filter((line) => !LINE.test(line))).toEqual([])
        // An item that was there already costs nothing.
        const asked = { octets: items.join(',').length, targets }
        expectBounded(work, asked, READS_PER_UPDATE_UNIT)
        expectBounded({ reads: statements, most: 'statements' }, asked, READS_PER_UPDATE_UNIT)
      }
    },
  )

  it('a repeated item repeats its line, in its place and by whatever spelling', async () => {
    const items = ['k1.example.test', 'none.example.test', 'K1.example.test.', 'kkk1111', 'k1.example.test']
    const { lines } = await updated(`hostname=${items.join(',')}&myip=203.0.113.77`)
    expect(lines).toEqual([
      'good 203.0.113.77',
      'nohost',
      'good 203.0.113.77',
      'good 203.0.113.77',
      'good 203.0.113.77',
    ])
  })

  it('a name in Unicode is the same item as in Punycode', async () => {
    const { lines } = await updated(
      'hostname=xn--mnchen-3ya.example.test,m%C3%BCnchen.example.test&myip=203.0.113.78',
    )
    expect(lines).toEqual(['good 203.0.113.78', 'good 203.0.113.78'])
  })

  it('counts a repeated item once as a repetition without a change', async () => {
    await updated('hostname=k2.example.test&myip=203.0.113.5')
    at.counted.take()
    const { work } = await updated(`hostname=${many(60, () => 'k2.example.test').join(',')}&myip=203.0.113.5`)
    expect(Number(/putNochgs (\d+)/.exec(work.most)?.[1] ?? 0)).toBeLessThanOrEqual(1)
  })

  it('of an account reads the store once for the username of a key', async () => {
    const query = `hostname=${many(REPEATED, () => 'kkk1111').join(',')}&myip=203.0.113.9`
    const { lines, work, octets } = await updated(query, ACCOUNT)
    expect(lines).toHaveLength(REPEATED)
    expectBounded(work, { octets, targets: MANY }, READS_PER_UPDATE_UNIT)
  })

  it('the answer to a list in two spellings does not grow with the targets', async () => {
    const { octets } = await updated(
      `hostname=${many(REPEATED, (nth) => (nth % 2 === 0 ? 'kkk1111' : 'KKK1111')).join(',')}&myip=203.0.113.8`,
    )
    // A line has one address for each family that was sent.
    expect(octets).toBeLessThan(REPEATED * 40)
  })
})
