import { afterEach, describe, expect, it } from 'vitest'
import { minutes } from '../../../src/shared/base/time.ts'
import { sized } from '../../large.ts'
import { type Key, type Limits, sanctionWorld, type World, ZONE } from './sanction-world.ts'
import { HOME, OFFICE } from './ways-around.ts'

let w: World
afterEach(async () => w.close())

async function begin(limits: Limits = {}, names: readonly string[] = ['home', 'office']): Promise<void> {
  w = await sanctionWorld(limits)
  for (const name of names) expect((await w.makeName(name)).status).toBe(201)
}
async function keyFor(...hostnames: readonly string[]): Promise<Key> {
  const key = await w.makeKey(hostnames)
  if (key === undefined) throw new Error('no key')
  return key
}
const flood = async (key: Key, hostname: string): Promise<void> => {
  for (let n = 0; n < 6; n++) await w.update(key, hostname)
  expect(await w.update(key, hostname)).toEqual(['abuse'])
}

describe('no sanction for a client that', () => {
  it('has a new password after wrong ones', async () => {
    await begin()
    const key = await keyFor(HOME)
    // More than the limits of requests and of refusals of a key.
    for (let n = 0; n < 10; n++)
      expect(await w.update({ ...key, password: 'wrong' }, HOME)).toEqual(['badauth'])
    const path = `/account/ddns-keys/${key.username}`
    const { data } = await w.v1('PUT', path, { regenerate_password: true })
    expect(await w.update({ ...key, password: String(data['password']) }, HOME)).toEqual(['good'])
  })

  it('makes another key after wrong passwords of one that is deleted', async () => {
    await begin()
    const key = await keyFor(HOME)
    for (let n = 0; n < 10; n++) await w.update({ ...key, password: 'wrong' }, HOME)
    await w.dropKey(key)
    expect(await w.update(await keyFor(HOME), HOME)).toEqual(['good'])
  })

  it('deletes keys that were used as they should be', async () => {
    await begin({ requestLimit: 30 })
    for (let n = 0; n < 10; n++) {
      const key = await keyFor(HOME)
      expect(await w.update(key, HOME)).toEqual(['good'])
      await w.dropKey(key)
    }
    expect(await w.update(await keyFor(HOME), HOME)).toEqual(['good'])
  })

  it('gives a hostname to another key while no key is blocked', async () => {
    await begin()
    const [one, other] = [await keyFor(HOME), await keyFor(OFFICE)]
    await w.update(one, HOME)
    await w.target(one, [])
    await w.target(other, [HOME, OFFICE])
    expect(await w.update(other, `${HOME},${OFFICE}`)).toEqual(['good', 'good'])
  })

  it('was suspended, asked on meanwhile, and was resumed', async () => {
    await begin()
    const [one, other] = [await keyFor(HOME), await keyFor(OFFICE)]
    await w.admin('account suspend acme')
    for (let n = 0; n < 10; n++) expect(await w.update(one, HOME)).toEqual(['abuse'])
    await w.admin('account resume acme')
    expect(await w.update(one, HOME)).toEqual(['good'])
    expect(await w.update(other, OFFICE)).toEqual(['good'])
    await w.dropKey(one)
    expect(await w.update(await keyFor(HOME), HOME)).toEqual(['good'])
  })

  it('has another account, whatever becomes of the keys of the first', async () => {
    await begin()
    await w.makeName('other', { zone: 'dyn.test', by: 'api-beta' })
    const other = await w.makeKey(['other.dyn.test'], 'api-beta')
    const bad = await keyFor(HOME)
    await flood(bad, HOME)
    await w.dropKey(bad)
    expect(await w.update(other, 'other.dyn.test')).toEqual(['good'])
    expect(await w.update(await w.makeKey([], 'api-beta'), 'other.dyn.test')).toEqual(['nohost'])
  })

  it('has a group of which one hostname is blocked: the others are updated, and that one is not', async () => {
    await begin()
    const [bad, early] = [await keyFor(HOME), await keyFor(OFFICE)]
    await w.admin(`block ${bad.username}`)
    await w.dropKey(bad)
    await w.target(early, [HOME, OFFICE])
    const myip = w.nextAddress()
    expect(await w.update(early, early.username, { myip })).toEqual(['good'])
    const stored = async (name: string) =>
      (await w.v1('GET', `/dns/records/${ZONE}/${name}`)).text.includes(`"value":"${myip}"`)
    expect([await stored('home'), await stored('office')]).toEqual([false, true])
  })
})

describe('of the keys of one account, one of which is blocked', () => {
  const COUNT = sized(40, 200)

  it('the others go on, also after its deletion', async () => {
    const names = Array.from({ length: COUNT }, (_, n) => `device-${n}`)
    const hosts = names.map((name) => `${name}.${ZONE}`)
    await begin({}, names)
    const keys: Key[] = []
    for (const host of hosts) keys.push(await keyFor(host))
    const [bad, ...others] = keys
    const [badHost = '', ...otherHosts] = hosts
    if (bad === undefined) throw new Error('no key')
    const answers = async (): Promise<readonly string[]> => {
      const words = new Set<string>()
      for (const [n, key] of others.entries())
        for (const word of await w.update(key, otherHosts[n] ?? '')) words.add(word)
      return [...words]
    }
    await flood(bad, badHost)
    expect(await answers()).toEqual(['good'])
    await w.dropKey(bad)
    expect(await answers()).toEqual(['good'])
    w.pass(minutes(30))
    expect(await w.update(await keyFor(badHost), badHost)).toEqual(['good'])
    expect(await answers()).toEqual(['good'])
  })
})
