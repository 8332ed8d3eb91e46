import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  after,
  before,
  days,
  type Duration,
  hours,
  type Instant,
  instant,
  milliseconds,
  minutes,
} from '../../../src/shared/base/time.ts'
import { steadyClock } from '../../../src/shared/platform/clock/clock.ts'
import { parsePeer } from '../../../src/shared/base/address.ts'
import { type Credentials, formatBasic, Secret } from '../../../src/shared/base/secret.ts'
import { writeResponse } from '../../../src/shared/protocol/response.ts'
import { limitsOf } from '../../../src/service/auth/limits.ts'
import { keyedHash, pepperOf, slowHash } from '../../../src/service/auth/hashes.ts'
import { passwordChecker } from '../../../src/service/auth/login.ts'
import type { AuditEvent } from '../../../src/service/model/audit.ts'
import type { StoredRdata } from '../../../src/service/model/rows.ts'
import { GroupCommit } from '../../../src/service/store/sqlite/group-commit.ts'
import { filledStores, isShared, storeFolder, testStore } from '../../lab/stores.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { answerUpdate, type UpdatePolicy } from '../../../src/service/update/update.ts'
import { ReadUpdate } from '../../../src/service/update/read-update.ts'
import { flushed, SETTINGS } from '../publish/flushed.ts'

const PEPPER = pepperOf(new Uint8Array(32))
const COUNTS = {
  nochgLimit: 48,
  requestLimit: 30,
  refusalLimit: 10,
  badauthLimit: 20,
  longBlock: hours(24),
  shortBlock: minutes(30),
}
const AGENT = 'Acme test/1-1 me@example.test'
const KEY = { username: 'abc1234', password: new Secret('swordfish') }
const POOR = { username: 'poor999', password: new Secret('swordfish') }
/** Made once, like the checker: slow hashes would take half of the time of these tests. */
const HASH = slowHash('by hand')
const START = instant(Date.UTC(2026, 0, 1))
const ACCOUNT = { username: 'acme', password: new Secret('by hand') }

let store: Store
let now: Instant
let folder: string
let policy: UpdatePolicy
let events: AuditEvent[]
let passwords = passwordChecker(PEPPER)
let ids: Readonly<Record<string, number>> = {}

const filled = filledStores(async (w) => {
  const hash = await HASH
  const made: Record<string, number> = {}
  const rich = {
    name: 'rich',
    maxNames: 99,
    maxRdata: 99,
    maxNameMetadata: 9,
    maxRRSetMetadata: 9,
    minTtl: 60,
    hasOffline: true,
    hasWildcards: true,
  }
  const accountId = await w.addAccount({ name: 'acme', hash, planId: await w.addPlan(rich) }, START)
  const poorId = await w.addAccount(
    { name: 'poor', hash, planId: await w.addPlan({ ...rich, name: 'poor', hasOffline: false }) },
    START,
  )
  const zoneId = await w.addZone({ accountId, name: 'example.test', isShared: true }, START)
  const key = await w.addKey(
    {
      accountId,
      username: KEY.username,
      hash: keyedHash(PEPPER, 'swordfish'),
      description: '',
      groupLabel: 'house',
    },
    START,
  )
  const other = await w.addKey(
    { accountId, username: 'other77', hash: keyedHash(PEPPER, 'swordfish'), description: '' },
    START,
  )
  const poorKey = await w.addKey(
    { accountId: poorId, username: POOR.username, hash: keyedHash(PEPPER, 'swordfish'), description: '' },
    START,
  )
  for (const [name, owner] of [
    ['home', key],
    ['office', key],
    ['web', key],
    ['alias', key],
    ['cabin', other],
    ['hut', poorKey],
  ] as const) {
    const target = await w.addName({ zoneId, accountId: owner === poorKey ? poorId : accountId, name }, START)
    await w.attach(owner, target)
    made[name] = target.nameId
  }
  await w.setSingleValue(
    { nameId: made['web'] ?? 0, fqdn: 'web.example.test' },
    { dnsType: '_URL', value: 'http://192.0.2.1:8080/cam?x=1' },
    START,
  )
  await w.setSingleValue(
    { nameId: made['alias'] ?? 0, fqdn: 'alias.example.test' },
    { dnsType: 'CNAME', value: 'home.example.test.' },
    START,
  )
  return made
})

beforeEach(async () => {
  folder = storeFolder()
  ;[store, ids] = await filled(folder)
  now = START
  events = []
  policy = {
    limits: limitsOf(COUNTS),
    allHostnames: 'all-hostnames',
    strictAgents: false,
    blockedAgents: ['badbot'],
  }
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Ask {
  readonly query?: string
  readonly as?: Credentials | undefined
  /** Instead of `as`. */
  readonly authorization?: string
  readonly agent?: string | undefined
  readonly peer?: string
  /** The peer is a proxy that does not say for whom it asks. */
  readonly isProxy?: boolean
}

const ask = async ({
  query = 'hostname=home.example.test&myip=192.0.2.1',
  peer = '198.51.100.7',
  isProxy = false,
  ...rest
}: Ask = {}): Promise<string> => {
  const as = 'as' in rest ? rest.as : KEY
  const address = parsePeer(peer)
  if (address === undefined) throw new Error('no peer')
  const updater = {
    store,
    passwords,
    policy,
    now: () => now,
    audit: (event: AuditEvent) => void events.push(event),
  }
  const request = {
    method: 'GET',
    path: '/nic/update',
    query,
    userAgent: 'agent' in rest ? rest.agent : AGENT,
    authorization: rest.authorization ?? (as && formatBasic(as).reveal()),
    peer: address,
    isProxy,
  }
  return writeResponse(await answerUpdate(updater, new ReadUpdate(request))).body.trim()
}
const pass = (span: Duration): void => void (now = after(now, span))
const rdataOf = async (name: string): Promise<readonly StoredRdata[]> =>
  (await store.read((r) => r.namesByFqdn(`${name}.example.test`)))[0]?.rdata ?? []
const held = async (name: string): Promise<readonly string[]> =>
  (await rdataOf(name)).map(({ dnsType, value }) => `${dnsType} ${value}`).toSorted()

describe('the reply to', () => {
  // biome-ignore format: a table
  it.each<[string, Ask, string]>([
    ['one family',                    { query: 'hostname=home.example.test&myip=192.0.2.1' },                        'good 192.0.2.1'],
    ['both families',                 { query: 'hostname=home.example.test&myip=192.0.2.1,2001:db8::1' },            'good 192.0.2.1,2001:db8::1'],
    ['IPv6 alone',                    { query: 'hostname=home.example.test&myip=2001:db8::1' },                      'good 2001:db8::1'],
    ['myipv6 over myip',              { query: 'hostname=home.example.test&myip=192.0.2.1,2001:db8::1&myipv6=2001:db8::2' }, 'good 192.0.2.1,2001:db8::2'],
    ['no myip behind a silent proxy', { query: 'hostname=home.example.test', isProxy: true },                        '911'],
    ['myip behind a silent proxy',    { isProxy: true },                                                             'good 192.0.2.1'],
    ['a peer that no host has',       { query: 'hostname=home.example.test', peer: '224.0.0.1' },                    '911'],
    ['a link-local peer',             { query: 'hostname=home.example.test', peer: 'fe80::1' },                      '911'],
    ['no myip: the peer',             { query: 'hostname=home.example.test' },                                       'good 198.51.100.7'],
    ['no myip: an IPv6 peer',         { query: 'hostname=home.example.test', peer: '2001:db8::9' },                  'good 2001:db8::9'],
    ['nonsense in myip: the peer',    { query: 'hostname=home.example.test&myip=nonsense,224.0.0.1' },               'good 198.51.100.7'],
    ['two hostnames, in order',       { query: 'hostname=office.example.test,nope.test,home.example.test&myip=192.0.2.1' }, 'good 192.0.2.1\nnohost\ngood 192.0.2.1'],
    ['a hostname in capitals',        { query: 'hostname=HOME.Example.test.&myip=192.0.2.1' },                       'good 192.0.2.1'],
    ['all hostnames, in capitals',    { query: 'hostname=ALL-HOSTNAMES&myip=192.0.2.1' },                            'good 192.0.2.1'],
    ['all hostnames, one line',       { query: 'hostname=all-hostnames&myip=192.0.2.1' },                            'good 192.0.2.1'],
    ['its own group, by username',    { query: 'hostname=abc1234&myip=192.0.2.1' },                                  'good 192.0.2.1'],
    ['its own group, by label',       { query: 'hostname=house&myip=192.0.2.1' },                                    'good 192.0.2.1'],
    ['another group',                 { query: 'hostname=other77&myip=192.0.2.1' },                                  'nohost'],
    ['a name of another key',         { query: 'hostname=cabin.example.test&myip=192.0.2.1' },                       'nohost'],
    ['a name of another account',     { query: 'hostname=hut.example.test&myip=192.0.2.1' },                         'nohost'],
    ['a name that is an alias',       { query: 'hostname=alias.example.test&myip=192.0.2.1' },                       'nohost'],
    ['an invalid name',                { query: 'hostname=%00%ff..&myip=192.0.2.1' },                                 'nohost'],
    ['no hostname',                   { query: 'myip=192.0.2.1' },                                                   'nohost'],
    ['an empty query',                { query: '' },                                                                 'nohost'],
    ['the account itself',            { query: 'hostname=cabin.example.test&myip=192.0.2.1', as: ACCOUNT },          'good 192.0.2.1'],
    ['a group of the account',        { query: 'hostname=other77&myip=192.0.2.1', as: ACCOUNT },                     'good 192.0.2.1'],
    ['a name of another account, as an account', { query: 'hostname=hut.example.test&myip=192.0.2.1', as: ACCOUNT }, 'nohost'],
    ['all hostnames without a key',   { query: 'hostname=all-hostnames&myip=192.0.2.1', as: ACCOUNT },               'nohost'],
    ['a wrong password',              { as: { ...KEY, password: new Secret('x') } },                                 'badauth'],
    ['a wrong account password',      { as: { ...ACCOUNT, password: new Secret('x') } },                             'badauth'],
    ['an unknown user',               { as: { ...KEY, username: 'nobody1' } },                                       'badauth'],
    ['no credentials',                { as: undefined },                                                             'badauth'],
    ['no User-Agent',                 { agent: undefined },                                                          'badagent'],
    ['a blank User-Agent',            { agent: '  ' },                                                               'badagent'],
    ['a blocked User-Agent',          { agent: 'The BadBot/1-1 x@y.test' },                                          'badagent'],
    ['no User-Agent before no credentials', { agent: undefined, as: undefined },                                     'badagent'],
    ['a User-Agent of no shape',      { agent: 'curl/7.88' },                                                        'good 192.0.2.1'],
    ['offline without the feature',   { query: 'hostname=hut.example.test&offline=YES', as: POOR },                  '!donator'],
    ['offline=NO without the feature', { query: 'hostname=hut.example.test&myip=192.0.2.1&offline=NO', as: POOR },   'good 192.0.2.1'],
  ])('%s', async (_, given, answer) => expect(await ask(given)).toBe(answer))

  it('all hostnames, where the operator spells them in capitals', async () => {
    policy = { ...policy, allHostnames: 'EVERY' }

    expect(await ask({ query: 'hostname=every&myip=192.0.2.1' })).toBe('good 192.0.2.1')
  })

  it('a User-Agent of no shape with badagent in strict mode', async () => {
    policy = { ...policy, strictAgents: true }

    expect(await ask({ agent: 'curl/7.88' })).toBe('badagent')
    expect(await ask()).toBe('good 192.0.2.1')
  })
})

describe('a key after a rotation of the hash key', () => {
  const rotated = { ...pepperOf(new Uint8Array(32).fill(1)), previous: PEPPER }
  const storedHash = async () => (await store.read((r) => r.login(KEY.username)))?.hash
  beforeAll(() => void (passwords = passwordChecker(rotated)))
  afterAll(() => void (passwords = passwordChecker(PEPPER)))

  it('is accepted, and gets a hash of the current hash key', async () => {
    expect(await ask()).toBe('good 192.0.2.1')
    expect(Buffer.from((await storedHash()) ?? '')).toEqual(Buffer.from(keyedHash(rotated, 'swordfish')))
    expect(await ask({ query: 'hostname=home.example.test&myip=192.0.2.2' })).toBe('good 192.0.2.2')
  })

  it.each([
    ['a wrong password', { ...KEY, password: new Secret('x') }],
    ['an unknown username', { ...KEY, username: 'nobody1' }],
  ])('keeps its hash: %s', async (_, as) => {
    expect(await ask({ as })).toBe('badauth')
    expect(Buffer.from((await storedHash()) ?? '')).toEqual(Buffer.from(keyedHash(PEPPER, 'swordfish')))
  })
})

describe('an update', () => {
  it('sets the given family and does not change the other', async () => {
    await ask({ query: 'hostname=home.example.test&myip=192.0.2.1,2001:db8::1' })
    await ask({ query: 'hostname=home.example.test&myip=192.0.2.2' })

    expect(await held('home')).toEqual(['A 192.0.2.2', 'AAAA 2001:db8::1'])
  })

  it('without a change is nochg, with the addresses of the request', async () => {
    await ask({ query: 'hostname=home.example.test&myip=192.0.2.1,2001:db8::1' })

    expect(await ask({ query: 'hostname=home.example.test&myip=192.0.2.1,2001:DB8:0::1' })).toBe(
      'nochg 192.0.2.1,2001:db8::1',
    )
    expect(await ask({ query: 'hostname=home.example.test&myip=192.0.2.1' })).toBe('nochg 192.0.2.1')
    expect(await ask({ query: 'hostname=home.example.test&myip=2001:db8::1' })).toBe('nochg 2001:db8::1')
  })

  it('with a DDNS key is one transaction, so that it waits for the disk once', async () => {
    const write = vi.spyOn(store, 'write')

    expect(await ask()).toBe('good 192.0.2.1')
    expect(write).toHaveBeenCalledTimes(1)
  })

  it('of a redirect replaces its host and keeps the rest', async () => {
    expect(await ask({ query: 'hostname=web.example.test&myip=192.0.2.9' })).toBe('good 192.0.2.9')
    expect(await held('web')).toEqual(['_URL http://192.0.2.9:8080/cam?x=1'])
    expect(await ask({ query: 'hostname=web.example.test&myip=192.0.2.9' })).toBe('nochg 192.0.2.9')
    await ask({ query: 'hostname=web.example.test&myip=2001:db8::9' })
    expect(await held('web')).toEqual(['_URL http://[2001:db8::9]:8080/cam?x=1'])
  })

  it('of an account changes the name in the longest zone, which is authoritative', async () => {
    const [inner, outer] = await store.write(async (w) => {
      const zoneId = await w.addZone({ accountId: 1, name: 'cabin.example.test', isShared: false }, now)
      return [
        await w.addName({ zoneId, accountId: 1, name: '@' }, now),
        { nameId: ids['cabin'] ?? 0, fqdn: 'cabin.example.test' },
      ]
    })
    await ask({ query: 'hostname=cabin.example.test&myip=192.0.2.1', as: ACCOUNT })

    const found = await store.read((r) => r.namesByFqdn('cabin.example.test'))
    const valuesOf = ({ nameId }: { readonly nameId: number }) =>
      found.find((one) => one.nameId === nameId)?.rdata.map(({ value }) => value)
    expect([inner, outer].map(valuesOf)).toEqual([['192.0.2.1'], []])
  })

  it('of one Rdata changes only this Rdata', async () => {
    await ask({ query: 'hostname=cabin.example.test&myip=192.0.2.1', as: ACCOUNT })
    const [one] = await rdataOf('cabin')
    const key = await store.write((w) =>
      w.addKey(
        { accountId: 1, username: 'single1', hash: keyedHash(PEPPER, 'swordfish'), description: '' },
        now,
      ),
    )
    await store.write((w) =>
      w.attach(key, { nameId: ids['cabin'] ?? 0, zoneId: 1, fqdn: '', rdataId: one?.id ?? 0 }),
    )

    expect(
      await ask({
        query: 'hostname=cabin.example.test&myip=192.0.2.5,2001:db8::5',
        as: { username: 'single1', password: new Secret('swordfish') },
      }),
    ).toBe('good 192.0.2.5')
    expect(await held('cabin')).toEqual(['A 192.0.2.5'])

    const other = { username: 'single1', password: new Secret('swordfish') }
    expect(await ask({ query: 'hostname=cabin.example.test&myip=2001:db8::5', as: other })).toBe('nochg')
  })

  it('sets a name offline, and the next one sets it online', async () => {
    await ask()

    expect(await ask({ query: 'hostname=home.example.test&myip=192.0.2.1&offline=YES' })).toBe(
      'good 192.0.2.1',
    )
    expect(await ask({ query: 'hostname=home.example.test&myip=192.0.2.1&offline=YES' })).toBe(
      'nochg 192.0.2.1',
    )
    expect(await ask()).toBe('good 192.0.2.1')
    expect(await ask()).toBe('nochg 192.0.2.1')
  })
})

describe('the trail', () => {
  const trail = async () =>
    (await store.read(async (r) => r.overview('trail', { filter: {}, now }))).map(
      ({ name, type, before, after: is, by, operation }) => [name, type, before, is, by, operation],
    )

  it('has each value that an update changed, and nothing of one that changed nothing', async () => {
    const by = ['key abc1234', 'update']
    await ask()
    await ask()
    await ask({ query: 'hostname=home.example.test&myip=192.0.2.7,2001:db8::1' })
    await ask({ query: 'hostname=home.example.test&offline=YES' })
    const home = 'home.example.test'
    expect((await trail()).toSorted()).toEqual(
      [
        [home, 'A', null, '192.0.2.1', ...by],
        [home, 'A', '192.0.2.1', '192.0.2.7', ...by],
        [home, 'AAAA', null, '2001:db8::1', ...by],
        [home, null, 'online', 'offline', ...by],
      ].toSorted(),
    )
  })
})

describe('abuse', () => {
  /** Once every ten minutes: within the limit of requests. */
  const repeat = async (count: number, given: Ask): Promise<readonly string[]> => {
    const answers: string[] = []
    for (let n = 0; n < count; n++) {
      answers.push((await ask(given)).split(' ')[0] ?? '')
      pass(minutes(10))
    }
    return answers
  }

  it('is more than 48 nochg for one key and hostname in a day, and blocks for a day', async () => {
    expect(await repeat(50, {})).toEqual(['good', ...Array<string>(48).fill('nochg'), 'abuse'])
    pass((hours(24) - minutes(11)) as Duration)
    expect(await ask({ query: 'hostname=office.example.test&myip=192.0.2.1' })).toBe('abuse')
    pass(minutes(2))
    expect(await ask({ query: 'hostname=office.example.test&myip=192.0.2.1' })).toBe('good 192.0.2.1')
  })

  it('is counted from zero after a block that is shorter than a day', async () => {
    policy = { ...policy, limits: limitsOf({ ...COUNTS, nochgLimit: 2, longBlock: hours(1) }) }
    expect(await repeat(4, {})).toEqual(['good', 'nochg', 'nochg', 'abuse'])
    pass(hours(1))
    expect(await repeat(3, {})).toEqual(['nochg', 'nochg', 'abuse'])
  })

  it('ends with its block, to the millisecond', async () => {
    policy = { ...policy, limits: limitsOf({ ...COUNTS, requestLimit: 1 }) }
    await ask()
    expect(await ask()).toBe('abuse')
    pass(milliseconds(minutes(30) - 1))
    expect(await ask()).toBe('abuse')
    pass(milliseconds(1))
    expect(await ask()).toBe('nochg 192.0.2.1')
  })

  it('is not 48 nochg in more than a day', async () => {
    const answers: string[] = []
    for (let n = 0; n < 120; n++) {
      answers.push((await ask()).split(' ')[0] ?? '')
      pass(minutes(31))
    }

    expect(new Set(answers)).toEqual(new Set(['good', 'nochg']))
  })

  it('is more than 30 requests of one key in five minutes, and blocks for half an hour', async () => {
    const answers: string[] = []
    for (let n = 0; n < 31; n++)
      answers.push(
        (await ask({ query: `hostname=home.example.test&myip=192.0.2.${n + 1}` })).split(' ')[0] ?? '',
      )

    expect(answers).toEqual([...Array<string>(30).fill('good'), 'abuse'])
    pass(minutes(29))
    expect(await ask()).toBe('abuse')
    pass(minutes(2))
    expect(await ask()).toBe('good 192.0.2.1')
  })

  it.each<[string, Ask]>([
    ['nohost', { query: 'hostname=nope.test&myip=192.0.2.1' }],
    ['!donator', { query: 'hostname=hut.example.test&offline=YES', as: POOR }],
  ])('is more than 10 repeats after %s in a day, and blocks for a day', async (word, given) => {
    expect(await repeat(13, given)).toEqual([...Array<string>(11).fill(word), 'abuse', 'abuse'])
    pass((hours(24) - minutes(30)) as Duration)
    expect(await ask(given)).toBe('abuse')
    pass(minutes(40))
    expect(await ask(given)).toBe(word)
  })

  it('is more than 10 repeats after badagent, reported when the agent is accepted', async () => {
    expect(await repeat(12, { agent: 'badbot' })).toEqual(Array<string>(12).fill('badagent'))
    expect(await ask()).toBe('abuse')
  })

  it('does not count a bad agent with a wrong password', async () => {
    await repeat(20, { agent: 'badbot', as: { ...KEY, password: new Secret('guess') } })

    expect(await ask()).toBe('good 192.0.2.1')
  })

  it('is in the log once when it begins and once when it is over', async () => {
    for (let n = 0; n < 33; n++) await ask()
    const until = after(now, minutes(30))
    pass(minutes(31))
    await ask()

    const who = { username: KEY.username, peer: '198.51.100.7' }
    expect(events).toEqual([
      { kind: 'blocked', ...who, until },
      { kind: 'blockEnded', ...who },
    ])
  })

  it('blocks one key, and not its account', async () => {
    await repeat(12, { query: 'hostname=nope.test' })

    expect(await ask()).toBe('abuse')
    expect(await ask({ as: ACCOUNT })).toBe('good 192.0.2.1')
  })

  it('remains blocked after a restart of the service', async () => {
    await repeat(12, { query: 'hostname=nope.test' })
    await store.close()
    store = testStore(folder)
    passwords = passwordChecker(PEPPER)

    expect(await ask()).toBe('abuse')
  })
})

describe('failed logins', () => {
  const fail = async (peer: string, count: number): Promise<void> => {
    for (let n = 0; n < count; n++) await ask({ peer, as: { ...KEY, password: new Secret(`guess ${n}`) } })
  }
  const asAccount = { as: ACCOUNT } as const

  it('above 20 of one peer in ten minutes lock the peer out for ten minutes', async () => {
    await fail('198.51.100.7', 20)
    expect(await ask(asAccount)).toBe('good 192.0.2.1')
    await fail('198.51.100.7', 1)
    expect(await ask(asAccount)).toBe('911')
    expect(await ask({ ...asAccount, peer: '198.51.100.8' })).toBe('nochg 192.0.2.1')
    pass(minutes(10))
    expect(await ask(asAccount)).toBe('nochg 192.0.2.1')
  })

  it.each([
    ['a control character in the name', `Basic ${Buffer.from('a\u0001b:x').toString('base64')}`],
    ['no colon', `Basic ${Buffer.from('abc').toString('base64')}`],
    ['no base64', 'Basic ***'],
    ['another scheme', 'Digest username="x"'],
  ])('that are malformed are counted and told of: %s', async (_, authorization) => {
    for (let n = 0; n < 21; n++) expect(await ask({ authorization })).toBe('badauth')
    expect(events.filter(({ kind }) => kind === 'loginRefused')).toHaveLength(21)
    expect(events.at(-1)).toMatchObject({ kind: 'lockedOut', endpoint: 'update', peer: '198.51.100.7' })
    expect(await ask(asAccount)).toBe('911')
  })

  it('of one IPv6 /64 are counted together', async () => {
    for (let n = 0; n < 21; n++) await fail(`2001:db8:1:2::${n + 1}`, 1)

    expect(await ask({ ...asAccount, peer: '2001:db8:1:2::ffff' })).toBe('911')
    expect(await ask({ ...asAccount, peer: '2001:db8:1:3::1' })).toBe('good 192.0.2.1')
  })

  it('behind a proxy that does not say who the client is are not counted', async () => {
    const guess = { isProxy: true, as: { ...KEY, password: new Secret('x') } }
    for (let n = 0; n < 30; n++) expect(await ask(guess)).toBe('badauth')

    expect(await ask(asAccount)).toBe('good 192.0.2.1')
  })

  // biome-ignore format: a table
  it.each([
    ['the right DDNS key',                     { as: KEY },                                                'good 192.0.2.1'],
    ['a wrong password of a DDNS key',         { as: { ...KEY, password: new Secret('x') } },              'badauth'],
    ['an unknown username like that of a key', { as: { username: 'nobody1', password: new Secret('x') } }, 'badauth'],
    ['another unknown username',               { as: { username: 'nobody', password: new Secret('x') } },  '911'],
    ['a wrong account password',               { as: { ...ACCOUNT, password: new Secret('x') } },          '911'],
    ['no credentials',                         { as: undefined },                                          'badauth'],
    ['a refused User-Agent',                   { ...asAccount, agent: '' },                                'badagent'],
  ])('during a lockout %s is answered', async (_, given, reply) => {
    await fail('198.51.100.7', 21)

    expect(await ask(given)).toBe(reply)
  })

  it('are in the log, and so is the lockout', async () => {
    await fail('198.51.100.7', 22)
    const refused = { kind: 'loginRefused', endpoint: 'update', peer: '198.51.100.7', username: KEY.username }

    expect(events).toHaveLength(23)
    expect(events[0]).toEqual(refused)
    expect(events.filter(({ kind }) => kind === 'lockedOut')).toEqual([
      { kind: 'lockedOut', endpoint: 'update', peer: '198.51.100.7' },
    ])
  })

  it('outside the window are not counted', async () => {
    for (let n = 0; n < 30; n++) {
      await fail('198.51.100.7', 1)
      pass(minutes(1))
    }

    expect(await ask(asAccount)).toBe('good 192.0.2.1')
  })
})

it('too many concurrent account logins are answered 911, never badauth', async () => {
  policy = { ...policy, limits: limitsOf({ ...COUNTS, requestLimit: 1000, nochgLimit: 1000 }) }
  const all = await Promise.all(Array.from({ length: 100 }, async () => ask({ as: ACCOUNT })))
  expect(new Set(all)).toEqual(new Set(['good 192.0.2.1', 'nochg 192.0.2.1', '911']))
  expect(await ask({ as: ACCOUNT })).toBe('nochg 192.0.2.1')
})

describe('limits:', () => {
  const few = (over: Partial<typeof COUNTS>) =>
    void (policy = { ...policy, limits: limitsOf({ ...COUNTS, ...over }) })
  const q = (h: string): Ask => ({ query: `hostname=${h}&myip=192.0.2.1` })
  const bad: Ask = { as: { ...KEY, password: new Secret('x') } }
  it.each([
    ['hostname in other case', 'home.example.test', 'HOME.example.test'],
    ['hostname with a trailing dot', 'home.example.test', 'home.example.test.'],
    ['token for all hostnames in other case', 'all-hostnames', 'All-Hostnames'],
  ])('a %s counts as the same', async (_, one, other) => {
    few({ nochgLimit: 2 })
    const got: (string | undefined)[] = []
    for (const h of [one, other, one, other]) got.push((await ask(q(h))).split(' ')[0])
    expect(got).toEqual(['good', 'nochg', 'nochg', 'abuse'])
  })
  it('one hostname above the limit makes the reply abuse', async () => {
    few({ nochgLimit: 2 })
    await ask(q('office.example.test'))
    for (let n = 0; n < 3; n++) await ask(q('home.example.test'))
    expect(await ask(q('home.example.test,office.example.test'))).toBe('abuse')
  })
  it('an ALIAS has no address record', async () => {
    await store.write((w) =>
      w.setSingleValue(
        { nameId: ids['alias'] ?? 0, fqdn: 'alias.example.test' },
        { dnsType: 'CNAME', value: 'x.' },
        now,
      ),
    )
    await store.write((w) =>
      w.setSingleValue(
        { nameId: ids['office'] ?? 0, fqdn: 'office.example.test' },
        { dnsType: 'ALIAS', value: 'x.test.' },
        now,
      ),
    )
    expect(await ask(q('office.example.test'))).toBe('nohost')
  })
  it.skipIf(isShared())(
    'a change raises the serial of its zone when it is published, and nothing else does',
    async () => {
      const db = new DatabaseSync(join(folder, 'holdfast.db'))
      const serial = () => Number(db.prepare('SELECT serial FROM dns_zone WHERE id > 0').get()?.['serial'])
      await flushed(store)
      const s = serial()
      await ask()
      await flushed(store)
      await ask()
      await flushed(store)
      expect(serial()).toBe(s + 1)
      db.prepare('UPDATE dns_zone SET serial = 4294967295').run()
      await ask({ query: 'hostname=home.example.test&myip=192.0.2.2' })
      await flushed(store, SETTINGS, instant(0))
      expect(serial()).toBe(1)
      db.close()
    },
  )
  it.skipIf(isShared())('an address is current only when it is the only one', async () => {
    await ask()
    const db = new DatabaseSync(join(folder, 'holdfast.db'))
    db.exec(
      `INSERT INTO rdata (rrset_id, label, value, created_at, updated_at) SELECT rrset_id, '_2', '192.0.2.77', 0, 0 FROM rdata WHERE value = '192.0.2.1'`,
    )
    db.close()
    expect(await ask()).toBe('good 192.0.2.1')
    expect(await held('home')).toEqual(['A 192.0.2.1'])
  })
  it('a lockout lasts ten minutes', async () => {
    few({ badauthLimit: 1 })
    await ask(bad)
    await ask(bad)
    pass(minutes(9))
    expect(await ask({ as: ACCOUNT })).toBe('911')
  })
  it('failed logins are counted over ten minutes', async () => {
    few({ badauthLimit: 1 })
    await ask(bad)
    pass(minutes(10))
    await ask(bad)
    expect(await ask({ as: ACCOUNT })).toBe('good 192.0.2.1')
  })
  it('requests are counted over five minutes', async () => {
    few({ requestLimit: 1 })
    await ask()
    pass(minutes(5))
    expect(await ask()).toBe('nochg 192.0.2.1')
  })
  it('a block and a lockout of a clock two days ahead end when the clock is set right', async () => {
    few({ requestLimit: 1, badauthLimit: 1 })
    pass(days(2))
    for (let n = 0; n < 2; n++) await ask()
    for (let n = 0; n < 2; n++) await ask({ ...bad, peer: '198.51.100.9' })
    const ahead = [await ask(), await ask({ as: ACCOUNT, peer: '198.51.100.9' })]
    now = before(now, days(2))

    expect(ahead).toEqual(['abuse', '911'])
    expect(await ask()).toBe('nochg 192.0.2.1')
    expect(await ask({ as: ACCOUNT, peer: '198.51.100.9' })).toBe('nochg 192.0.2.1')
  })
  it('refusals are counted over a day', async () => {
    few({ refusalLimit: 1 })
    for (let n = 0; n < 2; n++) {
      await ask(q('nope.test'))
      pass(hours(11))
    }
    expect(await ask(q('nope.test'))).toBe('abuse')
  })
  it('a group of another account is nohost', async () =>
    expect(await ask({ ...q('house'), as: { username: 'poor', password: new Secret('by hand') } })).toBe(
      'nohost',
    ))
  it('requests during a block do not make it longer', async () => {
    few({ requestLimit: 1, refusalLimit: 1 })
    await ask()
    await ask()
    for (let n = 0; n < 5; n++) expect(await ask()).toBe('abuse')
    pass(minutes(31))
    expect(await ask()).toBe('nochg 192.0.2.1')
  })
  it('one refused name among good ones is a repeat', async () => {
    few({ refusalLimit: 1 })
    for (let n = 0; n < 2; n++) await ask(q('home.example.test,nope.test'))
    expect(await ask(q('home.example.test,nope.test'))).toBe('abuse')
  })
  it('a write rejects when the commit fails', async () => {
    const prepare = (text: string) => ({
      run: () => {
        if (text === 'COMMIT') throw new Error('disk full')
      },
    })
    await expect(
      new GroupCommit({ prepare, isTransaction: false } as never, steadyClock).commit(async () => 1),
    ).rejects.toThrow('disk full')
  })
})
