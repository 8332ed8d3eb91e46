import { rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { after, hours, type Instant, instant, minutes } from '../../../src/shared/base/time.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import type { OperationResult } from '../../../src/service/admin/operation.ts'
import { DEFAULT_PLAN } from '../../../src/service/admin/default-plan.ts'
import { MAX_SHOWN } from '../../../src/service/admin/lists.ts'
import { ADMIN_OPERATIONS } from '../../../src/service/admin/operations.ts'
import { isSlowHashOf, pepperOf } from '../../../src/service/auth/hashes.ts'
import { filledStores, storeFolder } from '../../lab/stores.ts'
import type { Store, StoreWrites } from '../../../src/service/store/store.ts'

const NOW = instant(Date.UTC(2026, 0, 1))
const PEPPER = pepperOf(new Uint8Array(32))

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
    'plan add basic max-names=9',
    'account add acme basic',
    'account add beta basic',
    'zone add acme.test acme',
    'zone add dyn.test acme shared=yes',
  ])
    if ((await resultIn(w, line))?.ok !== true) throw new Error(line)
  const [acme = 0, beta = 0] = [await w.accountNamed('acme'), await w.accountNamed('beta')]
  const [own, shared] = [await w.zoneNamed('acme.test'), await w.zoneNamed('dyn.test')]
  const hash = new Uint8Array(32)
  const key = await w.addKey({ accountId: acme, username: 'abc1234', hash, description: 'router' }, NOW)
  await w.attach(key, await w.addName({ zoneId: own?.id ?? 0, accountId: acme, name: 'home' }, NOW))
  await w.addName({ zoneId: shared?.id ?? 0, accountId: beta, name: 'bob' }, NOW)
  await w.addName({ zoneId: shared?.id ?? 0, accountId: acme, name: 'mine' }, NOW)
  const usage = { requests: [], refusals: [], nondescriptive: 0, blockedUntil: after(NOW, hours(1)) }
  const last = { at: NOW, agent: 'A\u001bb/1-1', peer: '192.0.2.9' as Address, reply: 'abuse' }
  await w.putUsage({ kind: 'key', id: key, accountId: acme }, usage, last)
})

/** The operations that the tests of this file ran. */
const tested = new Set<string>()

/** Runs one line of `holdfast admin` in a transaction. */
async function resultIn(w: StoreWrites, line: string, now: Instant = NOW) {
  const words = line.split(' ')
  const name = Object.keys(ADMIN_OPERATIONS).find((one) => `${line} `.startsWith(`${one} `)) ?? ''
  tested.add(name)
  const context = {
    pepper: PEPPER,
    nameservers: ['ns1.test'],
    catalogZone: 'catalog.test',
    console: 'https://dns.example',
    now,
  }
  return ADMIN_OPERATIONS[name]?.run({ w, ...context }, words.slice(name.split(' ').length))
}

/** Runs one line in a transaction of its own; throws the message of a refusal. */
async function run(line: string, now?: Instant): Promise<OperationResult> {
  const result = await store.write(async (w) => resultIn(w, line, now))
  if (result?.ok !== true) throw new Error(result?.error ?? `no operation ${line}`)
  return result.value
}
const lines = async (line: string): Promise<readonly string[]> => (await run(line)).lines

describe('a list', () => {
  // biome-ignore format: a table
  it.each<[string, readonly RegExp[]]>([
    ['plan list',                  [/^name +max_names/, /^basic +9 .* 2$/]],
    ['account list',               [/^name +plan +names +max_names/, /^acme +basic +4 +9/, /^beta +basic +1 +9/]],
    ['zone list',                  [/^name +account +names/, /^acme\.test +acme +2/, /^dyn\.test +acme +3 .*yes/]],
    ['zone list account=beta',     [/^none$/]],
    ['name list zone=dyn.test',    [/^name +zone +account/, /^dyn\.test +dyn\.test +acme/, /^bob\.dyn\.test +dyn\.test +beta/, /^mine\.dyn\.test/]],
    ['name list account=beta',     [/^name/, /^bob\.dyn\.test/]],
    ['key list',                   [/^username +account/, /^abc1234 +acme +router +2026-01-01T01:00:00\.000Z +1/]],
    ['api-key list account=acme',  [/^none$/]],
    ['block list',                 [/^username +reason +blocked_until/, /^abc1234 +abuse +2026-01-01T01:00:00\.000Z .* A\?b\/1-1 +192\.0\.2\.9$/]],
    ['lockout list',               [/^none$/]],
    ['client list account=acme',   [/^username/, /^abc1234 +acme +A\?b\/1-1 +192\.0\.2\.9 +abuse/]],
    ['plan show basic',            [/^name +basic$/]],
    ['account show acme',          [/^name +acme$/, /^plan +basic$/]],
    ['zone show ACME.test.',       [/^name +acme\.test$/]],
    ['name show home.acme.test',   [/^name +home\.acme\.test$/]],
    ['key show abc1234',           [/^username +abc1234$/]],
  ])('%s', async (line, patterns) => {
    const shown = await lines(line)
    for (const [at, pattern] of patterns.entries()) expect(shown[at]).toMatch(pattern)
    if (line.includes('list')) expect(shown).toHaveLength(patterns.length)
  })

  it('that is cut off says so, as text and as JSON', async () => {
    await store.write(async (w) => {
      for (let n = 0; n < MAX_SHOWN - 1; n++) await w.addPlan({ name: `p${n}`, ...DEFAULT_PLAN })
    })
    const whole = await run('plan list')
    expect([whole.lines.length, whole.data['onlyFirst']]).toEqual([MAX_SHOWN + 1, undefined])
    await run('plan add more')
    const cut = await run('plan list')

    expect(cut.lines).toHaveLength(MAX_SHOWN + 2)
    expect([cut.lines.at(-1), cut.data['onlyFirst']]).toEqual([
      `only the first ${MAX_SHOWN} are shown`,
      MAX_SHOWN,
    ])
    expect(await store.read(async (r) => r.overview('plans', { filter: {}, now: NOW }))).toHaveLength(
      MAX_SHOWN + 1,
    )
  })

  it('names what belongs to an account, and to a zone', async () => {
    expect((await lines('account show acme')).join('\n')).toMatch(
      /\nzones:\n.*\nacme\.test[^]*\nkeys:\n.*\nabc1234/,
    )
    expect((await run('zone show dyn.test')).data).toMatchObject({
      zone: { name: 'dyn.test', is_shared: true },
      names: [{ name: 'dyn.test' }, { name: 'bob.dyn.test' }, { name: 'mine.dyn.test' }],
    })
  })

  it('leaves out blocks that are over', async () =>
    expect((await run('block list', after(NOW, hours(2)))).data).toEqual({ blocks: [] }))
})

describe('an operation', () => {
  it.each([
    ['a new account its password', 'account add gamma basic', 'gamma'],
    ['an account another password', 'account password acme', 'acme'],
  ])('gives %s', async (_, line, name) => {
    const { password } = (await run(line)).data
    const login = await store.read((r) => r.login(name))

    expect(await isSlowHashOf(String(password), login?.hash ?? new Uint8Array())).toBe(true)
  })

  it('suspends an account with its keys, and resumes it', async () => {
    await run('account suspend acme')
    expect(await store.read((r) => r.login('acme'))).toMatchObject({ isSuspended: true })
    expect(await store.read((r) => r.login('abc1234'))).toMatchObject({ isSuspended: true })

    await run('account resume acme')
    expect(await store.read((r) => r.login('abc1234'))).toMatchObject({ isSuspended: false })
  })

  it('removes an API key by its number', async () => {
    const { id } = (await run('api-key add acme read')).data
    expect(await lines('api-key list')).toHaveLength(2)

    await run(`api-key remove ${String(id)}`)
    expect(await lines('api-key list')).toEqual(['none'])
    await expect(run(`api-key remove ${String(id)}`)).rejects.toThrow(/there is no API key with the number/)
  })

  // biome-ignore format: a table
  it.each([
    ['key block abc1234',      'key unblock abc1234'],
    ['block abc1234',          'unblock abc1234'],
    ['block acme',             'unblock acme'],
  ])('%s refuses the key, %s ends that', async (on, off) => {
    await run(on)
    expect(await store.read((r) => r.login('abc1234'))).toMatchObject({ isSuspended: true })
    await run(off)
    expect(await store.read((r) => r.login('abc1234'))).toMatchObject({ isSuspended: false })
  })

  it.each([
    ['unblock abc1234', 'unblock acme'],
    ['key unblock abc1234', 'account resume acme'],
  ])('%s and %s end a block after abuse too', async (ofKey, ofAccount) => {
    await store.write(async (w) => {
      const id = (await w.accountNamed('acme')) ?? 0
      const usage = { requests: [], refusals: [], nondescriptive: 0, blockedUntil: after(NOW, hours(1)) }
      const last = { at: NOW, agent: 'A', peer: '192.0.2.9' as Address, reply: 'abuse' }
      await w.putUsage({ kind: 'account', id, accountId: id }, usage, last)
    })
    await run(ofKey)
    await run(ofAccount)
    expect((await run('block list')).data).toEqual({ blocks: [] })
  })

  it.each(['name block home.acme.test', 'block home.acme.test'])('%s blocks a name', async (line) => {
    await run(line)
    expect(await store.read((r) => r.namesByFqdn('home.acme.test'))).toMatchObject([{ isBlocked: true }])
    await run('name unblock home.acme.test')
    expect(await store.read((r) => r.namesByFqdn('home.acme.test'))).toMatchObject([{ isBlocked: false }])
  })

  it('block of what several things are called names the operations for each, and changes nothing', async () => {
    await run('account add home.acme.test basic')
    await expect(run('block home.acme.test')).rejects.toThrow(
      'home.acme.test is the name of 2 things; say which one: account suspend home.acme.test, or name block home.acme.test',
    )
    await expect(run('unblock home.acme.test')).rejects.toThrow(/account resume .*, or name unblock home/)
    expect((await lines('account show home.acme.test')).join('\n')).toMatch(/is_suspended +no/)
  })

  it('unblock of an address ends the lockouts of its network', async () => {
    for (const endpoint of ['update', 'api'])
      await store.write(async (w) =>
        w.putFailures(`${endpoint} 192.0.2.1`, { buckets: [], blockedUntil: after(NOW, minutes(9)) }),
      )
    await run('unblock 192.0.2.1')

    for (const endpoint of ['update', 'api'])
      expect((await store.read((r) => r.failuresOf(`${endpoint} 192.0.2.1`))).blockedUntil).toBeUndefined()
  })

  it.each([
    ['lockout end 2001:db8:0:1::1', '2001:db8:0:1::/64', ['update', 'api', 'dns']],
    ['lockout end 2001:db8:0:1::/64', '2001:db8:0:1::/64', ['update', 'api', 'dns']],
    ['lockout end acme', 'acme', ['factor']],
  ])('%s ends it, and no block', async (command, locked, endpoints) => {
    await run('account suspend acme')
    const until = { buckets: [], blockedUntil: after(NOW, minutes(9)) }
    for (const one of endpoints) await store.write(async (w) => w.putFailures(`${one} ${locked}`, until))
    await run(command)
    for (const one of endpoints)
      expect(await store.read((r) => r.failuresOf(`${one} ${locked}`))).toEqual({ buckets: [] })
    expect((await lines('account show acme')).join('\n')).toMatch(/is_suspended +yes/)
    await expect(run('lockout end nothing')).rejects.toThrow('there is no account nothing')
  })

  it('transfers a zone with the names of its owner, and the numbers of both accounts stay right', async () => {
    await run('zone transfer dyn.test beta')

    expect(await lines('name list zone=dyn.test')).toEqual([
      expect.stringMatching(/^name/),
      expect.stringMatching(/^dyn\.test +dyn\.test +beta/),
      expect.stringMatching(/^bob\.dyn\.test +dyn\.test +beta/),
      expect.stringMatching(/^mine\.dyn\.test +dyn\.test +beta/),
    ])
    expect((await run('account list')).data).toMatchObject({
      accounts: [
        { name: 'acme', names: 2, zones: 1 },
        { name: 'beta', names: 3, zones: 1 },
      ],
    })
    await run('zone transfer acme.test beta')
    expect(await store.read((r) => r.namesByFqdn('home.acme.test'))).toMatchObject([{ keyId: null }])
    await run('zone transfer acme.test beta')
    expect((await run('account list')).data).toMatchObject({ accounts: [{ names: 0 }, { names: 5 }] })
  })

  it('shows who changed what', async () => {
    const entry = {
      at: NOW,
      isUpdate: true,
      actor: 'key abc1234',
      peer: '192.0.2.9',
      operation: 'update',
      dnsType: 'A',
    }
    const { accountId = 0 } = (await store.read((r) => r.login('acme'))) ?? {}
    await store.write(async (w) =>
      w.addTrail([
        { ...entry, accountId, subject: 'home.acme.test', before: '192.0.2.1', after: '192.0.2.2' },
      ]),
    )
    expect(await lines('trail list name=home.acme.test')).toEqual([
      expect.stringMatching(/^at +account +by +from +operation +name +type +before +after/),
      expect.stringMatching(
        /acme +key abc1234 +192\.0\.2\.9 +update +home\.acme\.test +A +192\.0\.2\.1 +192\.0\.2\.2/,
      ),
    ])
    expect(await lines('trail list account=beta')).toEqual(['none'])
  })

  it('removes a zone only with the number of its names', async () => {
    await expect(run('zone remove acme.test')).rejects.toThrow(/has 2 names, which are lost; .* confirm=2$/)
    await expect(run('zone remove acme.test confirm=1')).rejects.toThrow(/confirm=2$/)
    await run('zone remove acme.test confirm=2')
    expect(await store.read((r) => r.zoneNamed('acme.test'))).toBeUndefined()
  })

  it('removes a DDNS key, and its names stay', async () => {
    await run('key remove abc1234')
    expect(await store.read((r) => r.namesByFqdn('home.acme.test'))).toMatchObject([{ keyId: null }])
  })
})

describe('a wrong operation says what is wrong', () => {
  // biome-ignore format: a table
  it.each([
    ['plan add basic',             /plan basic already exists; change it with holdfast admin plan set/],
    ['account add acme basic',     /acme is taken by an account or a DDNS key; for a new password use account password/],
    ['account add a/b basic',      /a\/b does not consist of/],
    ['account add abc1234 basic',  /abc1234 has the form of the username of a DDNS key/],
    ['account show nobody',        /there is no account nobody; see holdfast admin account list/],
    ['account password',           /the name of the account is missing/],
    ['name list zones=x',          /zones=x is not zone=NAME or account=NAME/],
    ['zone list account=nobody',   /there is no account nobody/],
    ['name list zone=no.test',     /there is no zone no\.test/],
    ['plan list x',                /x is not understood; this list takes no arguments/],
    ['zone add x.catalog.test acme', /x\.catalog\.test is for the service itself/],
    ['zone add dyn.test beta',     /zone dyn\.test already exists/],
    ['zone add bob.dyn.test acme', /other accounts have zones or names at or beneath bob\.dyn\.test/],
    ['zone add test beta',         /other accounts have zones or names at or beneath test/],
    ['zone set dyn.test wildcards=maybe', /wildcards=maybe is not yes, no or default/],
    ['block 192.0.2.1',            /an address is not blocked here; block it in your firewall/],
    ['block nothing',              /there is no DDNS key, no account and no name nothing/],
    ['api-key remove x',           /there is no API key with the number x/],
  ])('%s', async (line, message) => expect(run(line)).rejects.toThrow(message))
})

// biome-ignore format: a table
it.each<[string, string, string, RegExp]>([
  ['plan set basic max-names=7',        'plan basic changed',                    'plan show basic',           /^max_names +7$/m],
  ['account set acme website-only=yes', 'account acme changed',                  'account show acme',         /^is_website_only +yes$/m],
  ['name lock home.acme.test',          'home.acme.test is locked',              'name show home.acme.test',  /^is_locked +yes$/m],
  ['key lock abc1234',                  'abc1234 is locked',                     'key show abc1234',          /^is_locked +yes$/m],
  ['api-key add acme read',             'API key ',                              'api-key show 1',            /^scopes +read$/m],
])('%s is shown', async (line, said, show, shown) => {
  const undo = line.replace(/ lock /, ' unlock ')
  expect((await lines(line)).join('\n')).toContain(said)
  expect((await lines(show)).join('\n')).toMatch(shown)
  if (undo === line) return
  await run(undo)
  expect((await lines(show)).join('\n')).not.toMatch(shown)
})

it('makes an account a member of a zone, and ends that', async () => {
  const isMember = async () =>
    store.write(async (r) =>
      r.isMember((await r.zoneNamed('dyn.test'))?.id ?? 0, (await r.accountNamed('beta')) ?? 0),
    )
  await run('member add dyn.test beta')
  expect(await isMember()).toBe(true)
  await run('member remove dyn.test beta')
  expect(await isMember()).toBe(false)
})

it('the names of zones are listed for completion, and no secondary is told of', async () => {
  expect(await lines('zone names')).toEqual(['acme.test', 'dyn.test'])
  expect(await lines('publishing')).toEqual([
    'no name server answers for the zones: set dns_listen with answer_queries or secondaries, and start the service',
  ])
})

it('the heaviest accounts are shown as the running service stored them last', async () => {
  expect(await lines('load')).toEqual([
    'no load is stored yet; the service stores it a minute after it starts',
  ])
  const heaviest = [{ key: 'account acme', ms: 1234, waiting: 0 }]
  await store.write(async (w) => w.setFact('load', JSON.stringify({ at: '2026-01-01T00:00:00Z', heaviest })))
  expect(await lines('load')).toEqual([
    'as of 2026-01-01T00:00:00Z',
    'key           ms    waiting',
    'account acme  1234  0',
  ])
})

it('links are printed once, and need the address of the website', async () => {
  for (const line of ['invitation add basic zone=dyn.test expires=1d', 'account reset-link acme'])
    expect((await lines(line))[0]).toMatch(
      /^https:\/\/dns\.example\/console\/(?:invitation|reset)#[\w-]{43}$/,
    )
  expect(await lines('invitation list')).toEqual([
    expect.stringMatching(/^id +plan +zone +created_at +expires_at$/),
    expect.stringMatching(/^1 +basic +dyn.test +2026/),
  ])
  await run('invitation remove 1')
  expect(await lines('invitation list')).toEqual(['none'])
})

it('second factors are forgotten', async () => {
  const id = (await store.read((r) => r.login('acme')))?.accountId ?? 0
  const factor = {
    accountId: id,
    kind: 'totp',
    description: '',
    content: new Uint8Array(1),
    counter: 0,
  } as const
  await store.write(async (w) => w.addFactor({ ...factor, isConfirmed: true, createdAt: NOW }))
  expect(await store.read(async (r) => r.hasFactor(id))).toBe(true)
  await run('account forget-second-factor acme')
  expect(await store.read(async (r) => r.factorsOf(id))).toEqual([])
})

it('no operation is without a test', () =>
  expect(Object.keys(ADMIN_OPERATIONS).filter((name) => !tested.has(name))).toEqual([]))
