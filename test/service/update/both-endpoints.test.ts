import { rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { formatBasic, Secret } from '../../../src/shared/base/secret.ts'
import { writeResponse } from '../../../src/shared/protocol/response.ts'
import { limitsOf } from '../../../src/service/auth/limits.ts'
import { days, hours } from '../../../src/shared/base/time.ts'
import { parseAddress } from '../../../src/shared/base/address.ts'
import { ADMIN_OPERATIONS } from '../../../src/service/admin/operations.ts'
import { keyedHash } from '../../../src/service/auth/hashes.ts'
import { passwordChecker } from '../../../src/service/auth/login.ts'
import { filledStores, storeFolder } from '../../lab/stores.ts'
import type { Store, StoreWrites } from '../../../src/service/store/store.ts'
import { answerUpdate } from '../../../src/service/update/update.ts'
import { ReadUpdate } from '../../../src/service/update/read-update.ts'
import { bodyIn, codesOf, inside, NOW, PEPPER } from '../api/inside.ts'

const PASSWORDS = passwordChecker(PEPPER)
const LIMITS = limitsOf({
  nochgLimit: 1000,
  requestLimit: 1000,
  refusalLimit: 10,
  badauthLimit: 1000,
  longBlock: days(1),
  shortBlock: hours(1),
})

let store: Store
let folder: string
beforeEach(async () => {
  folder = storeFolder()
  ;[store] = await filled(folder)
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const filled = filledStores(async (w) => {
  for (const line of [
    'plan add basic',
    'account add acme basic',
    'account add beta basic',
    'zone add acme.test acme',
    'zone add dyn.test beta shared=yes',
  ])
    if ((await resultIn(w, line))?.ok !== true) throw new Error(line)
  const accountId = (await w.accountNamed('acme')) ?? 0
  await w.addApiKey({ accountId, hash: keyedHash(PEPPER, 'api-key'), description: '', scopes: [] }, NOW)
  const hash = keyedHash(PEPPER, 'swordfish')
  const key = await w.addKey({ accountId, username: 'abc1234', hash, description: '' }, NOW)
  for (const [zone, name] of [
    ['acme.test', 'home'],
    ['dyn.test', 'mine'],
  ] as const) {
    const zoneId = (await w.zoneNamed(zone))?.id ?? 0
    const target = await w.addName({ zoneId, accountId, name }, NOW)
    await w.attach(key, target)
    await w.setSingleValue(target, { dnsType: 'A', value: '192.0.2.9' }, NOW)
  }
})

async function resultIn(w: StoreWrites, line: string) {
  const words = line.split(' ')
  const name = Object.keys(ADMIN_OPERATIONS).find((one) => `${line} `.startsWith(`${one} `)) ?? ''
  const context = { pepper: PEPPER, nameservers: ['ns1.test'], catalogZone: 'catalog.test', now: NOW }
  return ADMIN_OPERATIONS[name]?.run({ w, ...context }, words.slice(name.split(' ').length))
}
async function admin(line: string): Promise<void> {
  const result = await store.write(async (w) => resultIn(w, line))
  if (result?.ok !== true) throw new Error(result?.error ?? line)
}

/** What /nic/update answers; `myip` has the families that are sent. */
async function update(hostname: string, myip: string): Promise<string> {
  const peer = parseAddress('198.51.100.7')
  if (peer === undefined) throw new Error('no peer')
  const replies = await answerUpdate(
    {
      store,
      passwords: PASSWORDS,
      now: () => NOW,
      audit: () => undefined,
      policy: { limits: LIMITS, allHostnames: 'all', strictAgents: false, blockedAgents: [] },
    },
    new ReadUpdate({
      method: 'GET',
      path: '/nic/update',
      query: `hostname=${hostname}&myip=${myip}`,
      userAgent: 'Acme t/1-1 me@example.test',
      authorization: formatBasic({ username: 'abc1234', password: new Secret('swordfish') }).reveal(),
      peer,
      isProxy: false,
    }),
  )
  return writeResponse(replies).body.split(/\s/)[0] ?? ''
}

/** The code with which /v1 refuses the same change; the status where it has none, or where it succeeds. */
async function change(zone: string, name: string, type: 'A' | 'AAAA'): Promise<string> {
  const { send } = inside(store)
  const body = JSON.stringify([{ value: type === 'A' ? '192.0.2.1' : '2001:db8::1' }])
  const path = `/v1/dns/records/${zone}/${name}/rrsets/${type}/rdata`
  const asked = { path, body, contentType: 'application/json', authorization: 'Bearer api-key' }
  const answered = await send({ ...asked, method: type === 'A' ? 'PUT' : 'POST' })
  return codesOf({ body: bodyIn(answered) })[0] ?? String(answered.status)
}

describe('what the operator forbids is forbidden at both endpoints', () => {
  // biome-ignore format: a table
  it.each<[what: string, lines: readonly string[], host: readonly [zone: string, name: string], type: 'A' | 'AAAA', code: string, word: string]>([
    ['nothing',                                    [],                                             ['acme.test', 'home'], 'A',    '202',  'good'],
    ['nothing, and a record is added',             [],                                             ['acme.test', 'home'], 'AAAA', '201',  'good'],
    ['nothing in a shared zone',                   [],                                             ['dyn.test', 'mine'],  'A',    '202',  'good'],
    ['a locked name',                              ['name lock home.acme.test'],                   ['acme.test', 'home'], 'A',    '4821', 'nohost'],
    ['a blocked name',                             ['name block home.acme.test'],                  ['acme.test', 'home'], 'A',    '4821', 'nohost'],
    ['a prohibited zone',                          ['zone set acme.test prohibited=yes'],          ['acme.test', 'home'], 'A',    '3903', 'nohost'],
    ['a zone for the website only',                ['zone set acme.test website-only=yes'],        ['acme.test', 'home'], 'A',    '4786', '!donator'],
    ['an account for the website only',            ['account set acme website-only=yes'],          ['acme.test', 'home'], 'A',    '4786', '!donator'],
    ['a zone that is not shared any more',         ['zone set dyn.test shared=no'],                ['dyn.test', 'mine'],  'A',    '2728', 'nohost'],
    ['a type that the zone does not allow',        ['zone set acme.test types=TXT'],               ['acme.test', 'home'], 'A',    '2051', '!donator'],
    ['a type that the plan does not allow',        ['plan set basic types=A'],                     ['acme.test', 'home'], 'AAAA', '2051', '!donator'],
    ['another type that the plan does not allow',  ['plan set basic types=A'],                     ['acme.test', 'home'], 'A',    '202',  'good'],
    ['a type for the owner of the zone',           ['zone set dyn.test owner-only-types=AAAA'],    ['dyn.test', 'mine'],  'AAAA', '4365', '!donator'],
    ['a zone without new records, one is added',   ['zone set acme.test no-new-rdata=yes'],        ['acme.test', 'home'], 'AAAA', '4635', 'nohost'],
    ['a plan that is full, one is added',          ['plan set basic max-rdata=2'],                 ['acme.test', 'home'], 'AAAA', '4428', '!donator'],
    ['a plan that is full, one is changed',        ['plan set basic max-rdata=1'],                 ['acme.test', 'home'], 'A',    '202',  'good'],
    ['a suspended account',                        ['account suspend acme'],                       ['acme.test', 'home'], 'A',    '403',  'abuse'],
  ])('%s', async (_, lines, [zone, name], type, code, word) => {
    for (const line of lines) await admin(line)
    const before = await store.read((r) => r.namesByFqdn(`${name}.${zone}`))
    const reply = await update(`${name}.${zone}`, type === 'A' ? '192.0.2.1' : '2001:db8::1')
    const isChanged = JSON.stringify(await store.read((r) => r.namesByFqdn(`${name}.${zone}`))) !== JSON.stringify(before)

    expect([reply, isChanged]).toEqual([word, word === 'good'])
    if (word === 'good' && type === 'AAAA') return // the record is there now
    expect(await change(zone, name, type)).toBe(code)
  })

  it('a blocked key gets abuse, and its account may still use /v1', async () => {
    await admin('key block abc1234')

    expect(await update('home.acme.test', '192.0.2.1')).toBe('abuse')
    expect(await change('acme.test', 'home', 'A')).toBe('202')
  })

  it('a block by the operator leaves no block behind, and what it refused is the last use', async () => {
    const lastReply = async () => (await store.read((r) => r.keyNamed('abc1234')))?.lastUse?.reply
    await update('home.acme.test', '192.0.2.2')
    await admin('key block abc1234')
    expect(await lastReply()).toBe('good 192.0.2.2')
    for (let n = 0; n < 14; n++) await update('home.acme.test', '192.0.2.1')
    expect(await lastReply()).toBe('abuse')
    // Stored, since what is not is of a moment before.
    await store.read((r) => r.clientsOf(1, { offset: 0, limit: 1 }))
    await admin('key unblock abc1234')

    expect(await lastReply()).toBe('abuse')
    expect(await update('home.acme.test', '192.0.2.1')).toBe('good')
  })

  it('!donator for one hostname leaves every hostname of the request as it is', async () => {
    await admin('zone set acme.test types=TXT')
    expect(await update('mine.dyn.test,home.acme.test', '192.0.2.1')).toBe('!donator')

    const [mine] = await store.read((r) => r.namesByFqdn('mine.dyn.test'))
    expect(mine?.rdata.map(({ value }) => value)).toEqual(['192.0.2.9'])
  })

  it('nohost for one hostname leaves the others updated', async () => {
    await admin('name lock home.acme.test')
    expect(await update('home.acme.test,mine.dyn.test', '192.0.2.1')).toBe('nohost')

    const [mine] = await store.read((r) => r.namesByFqdn('mine.dyn.test'))
    expect(mine?.rdata.map(({ value }) => value)).toEqual(['192.0.2.1'])
  })
})

describe('a new zone', () => {
  const make = async (zone: string): Promise<string> => {
    const { send } = inside(store)
    const answered = await send({
      method: 'POST',
      path: '/v1/dns/zones',
      body: JSON.stringify({ zone_name: zone }),
      contentType: 'application/json',
      authorization: 'Bearer api-key',
    })
    const { errors } = bodyIn(answered)
    return errors?.[0]?.detail ?? String(answered.status)
  }
  beforeEach(async () => {
    await admin('zone add deep.parent.test beta')
    await store.write(async (w) => {
      const zoneId = (await w.zoneNamed('acme.test'))?.id ?? 0
      await w.addName({ zoneId, accountId: (await w.accountNamed('beta')) ?? 0, name: 'a.guest' }, NOW)
    })
  })

  // biome-ignore format: a table
  it.each([
    ['free.test',             /^201$/],
    ['sub.acme.test',         /^201$/],
    ['acme.test',             /^acme\.test exists$/],
    ['x.dyn.test',            /^x\.dyn\.test is inside a zone of another account$/],
    ['parent.test',           /^there are zones or names of other accounts beneath parent\.test$/],
    ['guest.acme.test',       /^there are zones or names of other accounts beneath guest\.acme\.test$/],
    ['a.guest.acme.test',     /^there are zones or names of other accounts beneath a\.guest\.acme\.test$/],
    ['co.uk',                 /^co\.uk is a public suffix/],
    ['example.co.uk',         /^201$/],
    ['github.io',             /^github\.io is a public suffix/],
  ])('%s', async (zone, answer) => expect(await make(zone)).toMatch(answer))
})

describe('in a shared zone', () => {
  const make = async (name: string, more: object = {}): Promise<string> => {
    const { send } = inside(store)
    const answered = await send({
      method: 'POST',
      path: '/v1/dns/records/dyn.test',
      body: JSON.stringify({ name, rrsets: [{ dns_type: 'TXT', rdata: [{ value: 'x' }] }], ...more }),
      contentType: 'application/json',
      authorization: 'Bearer api-key',
    })
    return codesOf({ body: bodyIn(answered) })[0] ?? String(answered.status)
  }
  beforeEach(async () =>
    store.write(async (w) => {
      const zoneId = (await w.zoneNamed('dyn.test'))?.id ?? 0
      const accountId = (await w.accountNamed('beta')) ?? 0
      for (const name of ['vic', 'nas.family']) await w.addName({ zoneId, accountId, name }, NOW)
    }),
  )

  // biome-ignore format: a table
  it.each([
    ['a name of its own',                                  'free',                 '201'],
    ['a service label beneath its own name',               '_acme-challenge.mine', '201'],
    ['two service labels beneath its own name',            '_443._tcp.mine',       '201'],
    ['a service label of the zone',                        '_acme-challenge',      '3331'],
    ['a service label beneath the name of another',        '_acme-challenge.vic',  '3331'],
    ['a name beneath the name of another',                 'www.vic',              '2324'],
    ['a wildcard beneath the name of another',             '*.vic',                '2324'],
    ['a name above the name of another',                   'family',               '3331'],
    ['a wildcard',                                         '*',                    '4072'],
    ['a second label',                                     'a.mine',               '2324'],
    ['a name of the zone itself',                          'ns1',                  '3607'],
    ['a mail name of the zone',                            '_dmarc',               '3331'],
  ])('%s', async (_, name, code) => expect(await make(name)).toBe(code))

  it('a delegation is for the owner of the zone', async () =>
    expect(await make('deleg', { rrsets: [{ dns_type: 'NS', rdata: [{ value: 'ns.evil.test.' }] }] })).toBe(
      '4365',
    ))

  // biome-ignore format: a table
  it.each([
    ['zone set dyn.test max-labels=3 open-nesting=yes', 'www.vic',         '201'],
    ['zone set dyn.test open-nesting=yes',              '_acme-challenge', '201'],
    ['zone set dyn.test wildcards=yes',                 '*',               '201'],
  ])('the operator may open it: %s', async (line, name, code) => {
    await admin(line)
    expect(await make(name)).toBe(code)
  })
})
