import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Configured, configured, served } from './configured.ts'
import { askedAt } from './dns-asked.ts'
import { KEY, transferred } from './dns-secondary.ts'

/** With `zone_proof`, a zone that an account creates is published after its ownership is proved. */

const ZONE = 'new.test'
const CHALLENGE = `_holdfast-challenge.${ZONE}`
const CATALOG = 'catalog.holdfast'

function publishes(at: Configured, more = ''): void {
  const keys = join(at.folder, 'keys')
  writeFileSync(keys, `${KEY.name} ${KEY.algorithm} ${KEY.secret.reveal()}\n`)
  chmodSync(keys, 0o600)
  at.write(`dns_listen = ["127.0.0.1:0"]
answer_queries = true
secondaries = ["a=127.0.0.1:9 key ${KEY.name}"]
tsig_key_file = "${keys}"
${more}`)
}

/** Creates the zone with an address. */
async function madeBy(running: Awaited<ReturnType<typeof served>>) {
  expect((await running.ask('POST', '/v1/dns/zones', { zone_name: ZONE })).status).toBe(201)
  const rrsets = [{ dns_type: 'A', rdata: [{ value: '192.0.2.1' }] }]
  const made = await running.ask('POST', `/v1/dns/records/${ZONE}`, { name: 'home', rrsets })
  expect(made.status).toBe(201)
  return running.ask('GET', `/v1/dns/zones/${ZONE}`)
}

/** Waits for a later change: changes are published in order. */
let others = 0
async function othersAreOut(running: Awaited<ReturnType<typeof served>>): Promise<void> {
  const rrsets = [{ dns_type: 'A', rdata: [{ value: '192.0.2.9' }] }]
  const name = `last-${others++}`
  expect((await running.ask('POST', '/v1/dns/records/acme.test', { name, rrsets })).status).toBe(201)
  await eventually(async () => askedAt(running.dnsPort, `${name}.acme.test`)).toBe('NOERROR 192.0.2.9')
}

/** The number of records in the catalog (RFC 9432 §4.1). */
const recordsOfCatalog = async (running: { readonly dns: string }): Promise<number> =>
  transferred(running, CATALOG)

it('without zone_proof, a zone of an account is published immediately', async () => {
  const at = await configured('')
  publishes(at)
  const running = await served(at)
  const before = await recordsOfCatalog(running)
  const zone = await madeBy(running)
  expect(zone.data['publication']).not.toBe('unproved')
  await eventually(async () => askedAt(running.dnsPort, `home.${ZONE}`)).toBe('NOERROR 192.0.2.1')
  await eventually(async () => transferred(running, ZONE)).toBeGreaterThan(0)
  await eventually(async () => recordsOfCatalog(running)).toBeGreaterThan(before)
})

it('an unproved zone is not published, and /v1 shows the expected proof', async () => {
  const at = await configured('')
  publishes(at, 'zone_proof = true')
  const running = await served(at)
  await othersAreOut(running)
  const before = await recordsOfCatalog(running)
  const zone = await madeBy(running)
  await othersAreOut(running)
  expect(zone.data['publication']).toBe('unproved')
  expect((await running.ask('GET', `/v1/dns/records/${ZONE}/home`)).data['publication']).toBe('unproved')
  // The TXT record, and the name servers for a delegation.
  expect(zone.text).toContain(CHALLENGE)
  expect(zone.text).toContain('ns1.operator.test')
  // At least 96 bits.
  expect(challengeOf(zone.data)).toMatch(/^[\w+/=-]{16,255}$/)
  for (const name of [ZONE, `home.${ZONE}`, CHALLENGE])
    expect([name, await askedAt(running.dnsPort, name)]).toEqual([name, 'REFUSED'])
  expect(await askedAt(running.dnsPort, ZONE, 'SOA')).toBe('REFUSED')
  expect(await transferred(running, ZONE)).toBe(0)
  expect(await recordsOfCatalog(running)).toBe(before)
  expect((await running.metrics()).split('\n').filter((line) => line.includes('unproved'))).toContainEqual(
    expect.stringMatching(/ 1$/),
  )
})

it('records that the account stores do not prove the zone', async () => {
  const at = await configured('')
  publishes(at, 'zone_proof = true')
  const running = await served(at)
  const value = challengeOf((await madeBy(running)).data)
  const rrsets = [{ dns_type: 'TXT', rdata: [{ value: `"${value}"` }] }]
  const name = '_holdfast-challenge'
  expect((await running.ask('POST', `/v1/dns/records/${ZONE}`, { name, rrsets })).status).toBe(201)
  await running.ask('GET', `/v1/dns/zones/${ZONE}/delegation`)
  await othersAreOut(running)
  expect((await running.ask('GET', `/v1/dns/zones/${ZONE}`)).data['publication']).toBe('unproved')
  expect(await askedAt(running.dnsPort, `home.${ZONE}`)).toBe('REFUSED')
})

it('zones of the operator and existing zones are published with zone_proof', async () => {
  const at = await configured('')
  publishes(at)
  const first = await served(at)
  await madeBy(first)
  await eventually(async () => askedAt(first.dnsPort, `home.${ZONE}`)).toBe('NOERROR 192.0.2.1')
  first.child.kill('SIGTERM')
  await first.ended
  publishes(at, 'zone_proof = true')
  const running = await served(at)
  await at.admin('zone', 'add', 'theirs.test', 'acme')
  for (const zone of [ZONE, 'acme.test', 'theirs.test'])
    await eventually(async () => askedAt(running.dnsPort, zone, 'SOA')).toBe('NOERROR SOA')
  expect((await running.ask('GET', '/v1/dns/zones/theirs.test')).data['publication']).not.toBe('unproved')
})

it('an unproved zone can be deleted and created again', async () => {
  const at = await configured('')
  publishes(at, 'zone_proof = true')
  const running = await served(at)
  const first = challengeOf((await madeBy(running)).data)
  expect((await running.ask('DELETE', `/v1/dns/zones/${ZONE}`)).status).toBeLessThan(300)
  const second = challengeOf((await madeBy(running)).data)
  // A TXT record for the earlier zone does not prove the new one.
  expect(second).not.toBe(first)
})

/** The expected TXT value, from the object that has its name. */
function challengeOf(data: unknown): string {
  if (typeof data !== 'object' || data === null) return ''
  const texts = Object.values(data).filter((one): one is string => typeof one === 'string')
  if (texts.some((one) => one.replace(/\.$/, '') === CHALLENGE)) {
    const value = Object.entries(data).find(([field]) => /value|txt|token/i.test(field))?.[1] as unknown
    return typeof value === 'string' ? value.replaceAll('"', '') : ''
  }
  return (
    Object.values(data)
      .map(challengeOf)
      .find((one) => one !== '') ?? ''
  )
}
