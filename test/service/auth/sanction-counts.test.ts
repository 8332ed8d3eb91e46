import { afterEach, describe, expect, it } from 'vitest'
import { minutes, seconds } from '../../../src/shared/base/time.ts'
import { Secret } from '../../../src/shared/base/secret.ts'
import { eventually } from '../../eventually.ts'
import { isShared } from '../../lab/stores.ts'
import { type Key, type Limits, PASSWORD, sanctionWorld, type World, ZONE } from './sanction-world.ts'
import { HOME, OFFICE } from './ways-around.ts'

let w: World
afterEach(async () => w.close())

async function begin(limits: Limits = {}, names: readonly string[] = ['home', 'office']): Promise<void> {
  w = await sanctionWorld(limits)
  for (const name of names) expect((await w.makeName(name)).status).toBe(201)
}
const keyFor = async (...hostnames: readonly string[]): Promise<Key> => {
  const key = await w.makeKey(hostnames)
  if (key === undefined) throw new Error('no key')
  return key
}
const repeated = async (times: number, ask: () => Promise<readonly string[]>): Promise<readonly string[]> => {
  const words: string[] = []
  for (let n = 0; n < times; n++) words.push(...(await ask()))
  return words
}
const goodIn = (words: readonly string[]): number => words.filter((word) => word === 'good').length

describe('the requests of one account', () => {
  /** The default of the setting, and one less than reaches it for each of four keys. */
  const [LIMIT, EACH] = [30, 29]

  it.each<[string, (hostname: number) => string]>([
    ['for one hostname', () => 'home'],
    ['for a hostname each', (n) => `fresh-${n}`],
  ])('by four keys, each deleted before the limit, count as if by one key, %s', async (_, nameOf) => {
    await begin({ requestLimit: LIMIT }, [...new Set([0, 1, 2, 3].map(nameOf))])
    const words: string[] = []
    for (const n of [0, 1, 2, 3]) {
      const hostname = `${nameOf(n)}.${ZONE}`
      const key = await w.makeKey([hostname])
      words.push(...(await repeated(EACH, async () => w.update(key, hostname))))
      await w.dropKey(key)
    }
    expect(words).toHaveLength(4 * EACH)
    expect(goodIn(words)).toBe(LIMIT)
  })

  it('for one hostname are counted on at a key that was made before', async () => {
    await begin()
    const [bad, early] = [await keyFor(HOME), await keyFor()]
    await repeated(4, async () => w.update(bad, HOME))
    await w.dropKey(bad)
    await w.target(early, [HOME])
    expect(await repeated(3, async () => w.update(early, HOME))).toEqual(['good', 'abuse', 'abuse'])
  })

  it('for one hostname are counted on where it is made again', async () => {
    await begin()
    const [bad, early] = [await keyFor(HOME), await keyFor()]
    await repeated(4, async () => w.update(bad, HOME))
    await w.v1('DELETE', `/dns/records/${ZONE}/home`)
    await w.dropKey(bad)
    await w.makeName('home')
    await w.target(early, [HOME])
    expect(await repeated(3, async () => w.update(early, HOME))).toEqual(['good', 'abuse', 'abuse'])
  })

  it('are counted on after a restart', async () => {
    await begin()
    const bad = await keyFor(HOME)
    await repeated(4, async () => w.update(bad, HOME))
    await w.dropKey(bad)
    await w.restart()
    const key = await keyFor(HOME)
    expect(await repeated(3, async () => w.update(key, HOME))).toEqual(['good', 'abuse', 'abuse'])
  })

  // A node of PostgreSQL adds the counts of others within five seconds (docs/scale.md); a block is known at once.
  it.runIf(isShared())('are blocked at another node too, where the key is made again', async () => {
    await begin()
    const bad = await keyFor(HOME)
    await repeated(6, async () => w.update(bad, HOME))
    await w.moveToOtherNode()
    await w.dropKey(bad)
    await w.moveToOtherNode()
    expect(await w.update(await keyFor(HOME), HOME)).toEqual(['abuse'])
  })

  it.runIf(isShared())(
    'of a node pass on, where the key is deleted at another one before they are stored',
    async () => {
      await begin()
      const bad = await keyFor(HOME)
      expect(await w.update(bad, HOME)).toEqual(['good'])
      await w.moveToOtherNode()
      expect(await repeated(4, async () => w.update(bad, HOME))).toEqual(['good', 'good', 'good', 'good'])
      await w.moveToOtherNode()
      await w.dropKey(bad)
      const key = await keyFor(HOME)
      await eventually(w.passedOn).toBe(5)
      expect(await w.update(key, HOME)).toEqual(['abuse'])
    },
  )

  it('end five minutes after they were made, and not after the deletion', async () => {
    await begin()
    const bad = await keyFor(HOME)
    await repeated(4, async () => w.update(bad, HOME))
    w.pass(minutes(4))
    await w.dropKey(bad)
    const key = await keyFor(HOME)
    // A bucket is the sixtieth part of a window.
    w.pass(seconds(65))
    expect(goodIn(await repeated(6, async () => w.update(key, HOME)))).toBe(5)
  })
})

describe('repetitions without effect', () => {
  it('of a hostname are counted on at the next key', async () => {
    await begin({ requestLimit: 1000 })
    const bad = await keyFor(HOME)
    const same = { myip: '203.0.113.7' }
    await w.update(bad, HOME, same)
    expect(await repeated(2, async () => w.update(bad, HOME, same))).toEqual(['nochg', 'nochg'])
    await w.dropKey(bad)
    const key = await keyFor(HOME)
    expect(await repeated(2, async () => w.update(key, HOME, same))).toEqual(['nochg', 'abuse'])
  })

  it('of a hostname are not counted twice: after a block they begin anew', async () => {
    await begin({ requestLimit: 1000, longBlock: '1m' })
    const bad = await keyFor(HOME)
    const same = { myip: '203.0.113.7' }
    await w.update(bad, HOME, same)
    expect(await repeated(2, async () => w.update(bad, HOME, same))).toEqual(['nochg', 'nochg'])
    await w.dropKey(bad)
    const key = await keyFor(HOME)
    expect(await repeated(2, async () => w.update(key, HOME, same))).toEqual(['nochg', 'abuse'])
    w.pass(minutes(2))
    expect(await repeated(4, async () => w.update(key, HOME, same))).toEqual([
      'nochg',
      'nochg',
      'nochg',
      'abuse',
    ])
  })

  it('of a hostname are counted on at a key that was made before, and not at another hostname', async () => {
    await begin({ requestLimit: 1000 })
    const [bad, early] = [await keyFor(HOME), await keyFor(OFFICE)]
    const same = { myip: '203.0.113.7' }
    await w.update(bad, HOME, same)
    await repeated(2, async () => w.update(bad, HOME, same))
    await w.dropKey(bad)
    await w.target(early, [HOME, OFFICE])
    await w.update(early, OFFICE, same)
    expect(await repeated(3, async () => w.update(early, OFFICE, same))).toEqual(['nochg', 'nochg', 'nochg'])
    expect(await repeated(2, async () => w.update(early, HOME, same))).toEqual(['nochg', 'abuse'])
  })

  it('of a refused request are counted on at the next key', async () => {
    await begin({ requestLimit: 1000 })
    const words: string[] = []
    for (let n = 0; n < 3; n++) {
      const key = await keyFor(HOME)
      words.push(...(await repeated(2, async () => w.update(key, `nothing.${ZONE}`))))
      await w.dropKey(key)
    }
    expect(words).toEqual(['nohost', 'nohost', 'nohost', 'nohost', 'abuse', 'abuse'])
  })
})

describe('the requests to /v1 of an account', () => {
  /** Requests that are counted, which make the limit with those that follow. */
  const LIMIT = 6
  const LIST = '/account/ddns-keys'

  it.each<readonly [string, (secret: string) => Promise<string>]>([
    ['another API key', async (secret) => secret],
    ['the API key that was made before', async () => 'api-acme'],
    ['the password of the account', async () => 'acme:'],
    ['an API key that the operator makes', async () => String((await w.admin('api-key add acme'))['key'])],
    // SQLite counts these in its process, which no account restarts.
    ...(isShared() ? [['another node', async () => (await w.moveToOtherNode(), 'api-acme')] as const] : []),
  ])('do not start at zero with %s', async (_, credentials) => {
    await begin({ keyRequestLimit: LIMIT }, [])
    const first = await w.v1('POST', '/account/api-keys', { description: '' })
    const second = await w.v1('POST', '/account/api-keys', { description: '' })
    await w.v1('DELETE', `/account/api-keys/${String(first.data['id'])}`)
    for (let n = 3; n < LIMIT; n++) expect((await w.v1('GET', LIST)).status).toBe(200)
    const by = await credentials(String(second.data['key']))
    expect((await w.v1('GET', LIST, undefined, by)).status).toBe(429)
    w.pass(minutes(1))
    expect((await w.v1('GET', LIST, undefined, by)).status).toBe(200)
  })
})

describe('a lockout after failed logins', () => {
  /** One more than the limit. */
  const FAILED = 4

  it('does not end where the key that was guessed is deleted and made again', async () => {
    await begin({ badauthLimit: FAILED - 1 })
    const key = await keyFor(HOME)
    await repeated(FAILED, async () => w.update({ ...key, password: 'a guess' }, HOME))
    const account = { username: 'acme', password: PASSWORD }
    expect(await w.update(account, HOME)).toEqual(['911'])
    await w.dropKey(key)
    const next = await keyFor(HOME)
    expect(await w.update(account, HOME)).toEqual(['911'])
    // A key is checked all the same.
    expect(await w.update(next, HOME)).toEqual(['good'])
  })

  it('of UPDATE does not end where the TSIG key is deleted and made again', async () => {
    await begin({ badauthLimit: FAILED - 1 })
    const key = await w.makeTsigKey()
    const forged = { ...key, secret: new Secret(Buffer.from('a guess').toString('base64')) }
    for (let n = 0; n < FAILED; n++) await w.sendUpdate(forged, [])
    const networks = async () => JSON.stringify(await w.admin('lockout list'))
    expect(await networks()).toContain('"endpoint":"dns"')
    expect((await w.v1('DELETE', `/account/tsig-keys/${key.name}`)).status).toBe(200)
    expect(await w.sendUpdate(await w.makeTsigKey(), [])).toBe(0)
    expect(await networks()).toContain('"endpoint":"dns"')
  })
})
