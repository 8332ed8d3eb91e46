import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { minutes, seconds } from '../../../src/shared/base/time.ts'
import { type Key, PASSWORD, sanctionWorld, type World, ZONE } from './sanction-world.ts'
import { HOME, OFFICE } from './ways-around.ts'

let w: World
let bad: Key
let early: Key
beforeEach(async () => {
  w = await sanctionWorld()
  for (const name of ['home', 'office']) expect((await w.makeName(name)).status).toBe(201)
  bad = await keyFor([HOME])
  early = await keyFor([OFFICE])
})
afterEach(async () => w.close())

async function keyFor(hostnames: readonly string[], by?: string): Promise<Key> {
  const key = await w.makeKey(hostnames, by)
  if (key === undefined) throw new Error('no key')
  return key
}
/** One more than the limit of the world: a block of thirty minutes. */
const flood = async (): Promise<void> => {
  for (let n = 0; n < 6; n++) await w.update(bad, HOME)
}
const block = async (): Promise<void> => void (await w.admin(`block ${bad.username}`))

/** A sanction, and the deletion of its key; returns the next key, which has it. */
async function inherited(strike: () => Promise<void>): Promise<Key> {
  await strike()
  await w.dropKey(bad)
  const next = await keyFor([HOME])
  expect(await w.update(next, HOME)).toEqual(['abuse'])
  return next
}

describe('a block that passed on after too many requests', () => {
  it('ends when it would have ended, for the next key and for the hostname', async () => {
    await flood()
    w.pass(minutes(20))
    await w.dropKey(bad)
    const next = await keyFor([HOME])
    w.pass(minutes(9))
    expect(await w.update(next, HOME)).toEqual(['abuse'])
    w.pass(seconds(61))
    expect(await w.update(next, HOME)).toEqual(['good'])
    await w.target(next, [])
    await w.target(early, [HOME, OFFICE])
    expect(await w.update(early, HOME)).toEqual(['good'])
  })

  it('is not made longer by what it refuses, and starts no other block', async () => {
    const next = await inherited(flood)
    // More than the limits of requests and of refusals.
    for (let n = 0; n < 20; n++) await w.update(next, HOME)
    w.pass(minutes(30))
    expect(await w.update(next, HOME)).toEqual(['good'])
  })

  it('is shown at the next key, and at a key whose hostnames it all holds', async () => {
    const blockOf = async ({ username }: Key): Promise<unknown> =>
      (await w.v1('GET', `/account/ddns-keys/${username}`)).data['block']
    const next = await inherited(flood)
    const shown = { reason: 'abuse', until: expect.any(String) as string }
    expect(await blockOf(next)).toMatchObject(shown)
    expect(await blockOf(early)).toBeNull()
    await w.target(next, [])
    await w.target(early, [HOME])
    expect(await blockOf(early)).toMatchObject(shown)
    await w.target(early, [HOME, OFFICE])
    expect(await blockOf(early)).toBeNull()
    w.pass(minutes(31))
    expect(await blockOf(next)).toBeNull()
  })

  it('is over for a key that is made after its end', async () => {
    await flood()
    await w.dropKey(bad)
    w.pass(minutes(30))
    expect(await w.update(await keyFor([HOME]), HOME)).toEqual(['good'])
  })

  it('is not made longer by a chain of deletions', async () => {
    await inherited(flood)
    for (let n = 0; n < 3; n++) {
      w.pass(minutes(9))
      await w.dropKey(await keyFor([]))
    }
    w.pass(minutes(3))
    expect(await w.update(await keyFor([]), HOME)).toEqual(['nohost'])
    expect(await w.update(early, OFFICE)).toEqual(['good'])
  })
})

describe.each<readonly [string, () => Promise<void>]>([
  ['after too many requests', flood],
  ['by the operator', block],
])('what a block %s passed on', (_, strike) => {
  it.each<readonly [string, (next: Key) => string]>([
    ['of the next key', (next) => next.username],
    ['of the account', () => 'acme'],
  ])('is lifted by the unblock %s', async (__, subject) => {
    const next = await inherited(strike)
    await w.admin(`unblock ${subject(next)}`)
    expect(await w.update(next, HOME)).toEqual(['good'])
    // For the keys after it, and for the hostname at a key that was made before.
    await w.dropKey(next)
    expect(await w.update(await keyFor([]), HOME)).toEqual(['nohost'])
    await w.target(early, [HOME, OFFICE])
    expect(await w.update(early, HOME)).toEqual(['good'])
  })

  it('is lifted at a hostname by its unblock, and stays for the next key', async () => {
    await strike()
    await w.dropKey(bad)
    await w.admin(`unblock ${HOME}`)
    await w.target(early, [HOME, OFFICE])
    expect(await w.update(early, HOME)).toEqual(['good'])
    await w.target(early, [OFFICE])
    expect(await w.update(await keyFor([HOME]), HOME)).toEqual(['abuse'])
  })

  it('is shown to the operator while no key has it', async () => {
    await strike()
    await w.dropKey(bad)
    expect(JSON.stringify(await w.admin('block list'))).toMatch(/acme|home\.example\.test/)
  })

  it('leaves the keys that were made before, and their hostnames', async () => {
    await inherited(strike)
    expect(await w.update(early, OFFICE)).toEqual(['good'])
    await w.makeName('fresh')
    await w.target(early, [OFFICE, `fresh.${ZONE}`])
    expect(await w.update(early, `fresh.${ZONE}`)).toEqual(['good'])
  })

  it('leaves the management API, UPDATE and challenges', async () => {
    await inherited(strike)
    const path = `/dns/records/${ZONE}/home/rrsets/A/rdata/one`
    expect((await w.v1('PUT', path, { value: w.nextAddress() })).status).toBe(202)
    const challenge = { fqdn: `_acme-challenge.${HOME}.`, value: 'x' }
    expect((await w.v1('POST', '/acme/httpreq/present', challenge)).status).toBeLessThan(300)
    expect(await w.sendUpdate(await w.makeTsigKey(), [])).toBe(0)
  })

  it('stays when the account is suspended and resumed', async () => {
    const next = await inherited(strike)
    await w.admin('account suspend acme')
    await w.admin('account resume acme')
    expect(await w.update(next, HOME)).toEqual(['abuse'])
    expect(await w.update(early, OFFICE)).toEqual(['good'])
  })

  it('leaves a hostname that goes to another account with its zone', async () => {
    await inherited(strike)
    await w.admin(`zone transfer ${ZONE} beta`)
    expect(await w.update(await keyFor([HOME], 'api-beta'), HOME)).toEqual(['good'])
  })

  it('leaves a hostname of a shared zone that another account makes', async () => {
    const shared = 'mine.dyn.test'
    await w.makeName('mine', { zone: 'dyn.test' })
    await w.target(bad, [HOME, shared])
    await inherited(strike)
    expect((await w.v1('DELETE', '/dns/records/dyn.test/mine')).status).toBe(200)
    expect((await w.makeName('mine', { zone: 'dyn.test', by: 'api-beta' })).status).toBe(201)
    expect(await w.update(await keyFor([shared], 'api-beta'), shared)).toEqual(['good'])
  })
})

describe('a block by the operator that passed on', () => {
  it('stays where time passes', async () => {
    const next = await inherited(block)
    // Longer than each block after abuse.
    for (let n = 0; n < 3; n++) w.pass(minutes(24 * 60))
    expect(await w.update(next, HOME)).toEqual(['abuse'])
    await w.target(next, [])
    await w.target(early, [HOME, OFFICE])
    expect(await w.update(early, HOME)).toEqual(['abuse'])
  })

  it('stays for a longer time than a block after abuse of the same key', async () => {
    await flood()
    const next = await inherited(block)
    w.pass(minutes(60))
    expect(await w.update(next, HOME)).toEqual(['abuse'])
  })

  it('stays where the account is deleted, and made again by an invitation', async () => {
    await block()
    await w.dropKey(bad)
    const { link } = await w.admin('invitation add basic')
    const { status } = await w.v1('DELETE', '/account?confirm=acme', undefined, 'acme:')
    // The deletion may be refused, as where the operator has blocked a name.
    if (status >= 400) return expect(status).toBe(403)
    const code = String(link).split('#')[1] ?? ''
    const one = w.person()
    await one.send('/console/invitation')
    await one.post('/console/invitation', { code, account: 'acme', password: PASSWORD, again: PASSWORD })
    expect((await w.v1('POST', '/dns/zones', { zone_name: ZONE }, 'acme:')).status).toBe(201)
    expect((await w.makeName('home', { by: 'acme:' })).status).toBe(201)
    expect(await w.update(await keyFor([HOME], 'acme:'), HOME)).toEqual(['abuse'])
  })
})

describe('a lock of a key', () => {
  const group = async (key: Key | undefined): Promise<number> => {
    const { status } = await w.v1('PUT', `/dns/records/${ZONE}/office/rrsets/A/rdata/one`, {
      value: w.nextAddress(),
      update_group: key?.username,
    })
    return status
  }
  beforeEach(async () => {
    await w.dropKey(early)
    await w.admin(`key lock ${bad.username}`)
  })

  it('keeps its targets, and forbids others', async () => {
    expect(await w.update(bad, HOME)).toEqual(['good'])
    expect(await group(bad)).toBe(403)
  })

  it('forbids others by PUT of the key too', async () => {
    expect((await w.target(bad, [HOME, OFFICE])).status).toBe(403)
    expect(await w.update(bad, OFFICE)).toEqual(['nohost'])
  })

  // biome-ignore format: a table
  it.each<readonly [string, () => Promise<Key | undefined>]>([
    ['the next key',                  async () => w.makeKey([])],
    ['the next key with a target',    async () => w.makeKey([OFFICE])],
    ['the key after the next',        async () => (await w.dropKey(await w.makeKey([])), w.makeKey([]))],
    ['the next key after a restart',  async () => (await w.restart(), w.makeKey([]))],
  ])('passes on to %s', async (_, make) => {
    await w.dropKey(bad)
    const next = await make()
    if (next === undefined) return expect(await w.makeKey([OFFICE])).toBeUndefined()
    expect([await group(next), (await w.target(next, [OFFICE])).status]).toEqual([403, 403])
    expect(await w.update(next, OFFICE)).toEqual(['nohost'])
    expect(JSON.stringify(await w.admin(`key show ${next.username}`))).toContain('"is_locked":true')
    await w.admin(`key unlock ${next.username}`)
    expect(await group(next)).toBe(202)
    await w.dropKey(next)
    expect(await group(await w.makeKey([]))).toBe(202)
  })
})
