import { describe, expect, it, onTestFinished } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import type { Delegation } from '../../../../src/service/model/delegation/delegation.ts'
import { consoleOn, personAt } from '../../console/person.ts'
import { flushed } from '../../publish/flushed.ts'
import { NOTHING_FOUND } from '../nothing-found.ts'
import { apiWorld, PASSWORD } from '../world.ts'

/** With `zone_proof`, what the DNS above a new zone must say before its account has it. */

const NOW = instant(Date.UTC(2026, 0, 2))
const ZONE = 'new.test'
const AT = `/v1/dns/zones/${ZONE}`
const SETTINGS = { zoneProof: 'yes', dnsListen: '127.0.0.1:5300', answerQueries: 'yes' }
const OWN = ['ns1.operator.test', 'ns2.operator.test']

const parentWith = (nameservers: readonly string[] | undefined): Delegation => ({
  ...NOTHING_FOUND,
  parent: { zone: 'test', nameservers, ds: [] },
  servers: (nameservers ?? []).map((name) => ({
    name,
    isOwn: OWN.includes(name),
    isAtParent: true,
    hasAddress: true,
    isAnswering: true,
    isAuthoritative: false,
    serial: undefined,
    dnskeys: undefined,
  })),
})

async function proofWorld(
  found: Delegation | undefined,
  settings: Readonly<Record<string, string>> = SETTINGS,
) {
  const world = await apiWorld({ delegation: async () => found }, settings)
  onTestFinished(async () => world.close())
  expect((await world.ask('POST', '/v1/dns/zones', { zone_name: ZONE })).status).toBe(201)
  const word = async () => ((await world.ask('GET', AT)).body.data as { publication?: unknown }).publication
  return { ...world, word }
}

describe('a new zone, after a look at its delegation', () => {
  // biome-ignore format: a table
  it.each<[what: string, found: Delegation | undefined, isProved: boolean]>([
    ['nothing is known',                           NOTHING_FOUND,                                    false],
    ['nobody has time to look',                    undefined,                                        false],
    ['the parent did not answer',                  parentWith(undefined),                            false],
    ['the parent has no NS',                       parentWith([]),                                   false],
    ['the parent has NS of others',                parentWith(['ns1.other.test']),                   false],
    ['the parent has an NS that ends like ours',   parentWith(['a.ns1.operator.test']),              false],
    ['the parent has all of ours',                 parentWith(OWN),                                  true],
    ['the parent has one of ours',                 parentWith(OWN.slice(0, 1)),                      true],
  ])('%s', async (_, found, isProved) => {
    const { word, ask, store } = await proofWorld(found)
    expect(await word()).toBe('unproved')
    await ask('GET', `${AT}/delegation`)
    await flushed(store, undefined, NOW)
    expect((await word()) === 'unproved').toBe(!isProved)
    // In the copy that every name server is given, transfers and the catalog too.
    const given = await store.read(async (r) => r.publishedZone(ZONE))
    expect(given !== undefined).toBe(isProved)
  })

  it('goes on to be its account’s when the parent is silent later', async () => {
    const looks: (Delegation | undefined)[] = [parentWith(OWN), NOTHING_FOUND]
    const world = await apiWorld({ delegation: async () => looks.shift() }, SETTINGS)
    onTestFinished(async () => world.close())
    await world.ask('POST', '/v1/dns/zones', { zone_name: ZONE })
    await world.ask('GET', `${AT}/delegation`)
    await world.ask('GET', `${AT}/delegation`)
    const { data } = (await world.ask('GET', AT)).body
    expect(data).not.toMatchObject({ publication: 'unproved' })
    expect(data).toHaveProperty('publication')
  })

  it('is no question without zone_proof', async () => {
    const { zoneProof: _, ...settings } = SETTINGS
    const { word } = await proofWorld(parentWith([]), settings)
    expect(await word()).toMatch(/^(pending|published)$/)
  })
})

it.each(['en', 'de'])('the console shows what is awaited (%s)', async (language) => {
  const { store, ask } = await proofWorld(parentWith([]))
  const one = personAt(consoleOn(store, { now: () => NOW, settings: SETTINGS }))
  await one.signIn('a', PASSWORD)
  const { html } = await one.send(`/console/zones/${ZONE}`, { headers: { acceptLanguage: language } })
  const shown = JSON.stringify((await ask('GET', AT)).body.data)
  // The name of the record, its value as `/v1` has it, and the name servers of a delegation.
  for (const text of [`_holdfast-challenge.${ZONE}`, ...OWN]) {
    expect(html).toContain(text)
    expect(shown).toContain(text)
  }
  const values = [...shown.matchAll(/"([\w+/=-]{16,255})"/g)].map(([, value = '']) => value)
  expect(values.some((value) => html.includes(value))).toBe(true)
  expect(html).not.toContain('state ok')
})

it('another account sees nothing of the zone, nor of its proof', async () => {
  const { ask } = await proofWorld(parentWith([]))
  const { status, body } = await ask('GET', AT, undefined, 'key-of-b')
  expect(status).toBeGreaterThanOrEqual(403)
  expect(JSON.stringify(body)).not.toContain('_holdfast-challenge')
})
