import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import type { Address } from '../../../../src/shared/base/address.ts'
import { apiWorld, TOTP_SECRET, type World } from '../world.ts'

let world: World
beforeEach(async () => void (world = await apiWorld()))
afterEach(async () => world.close())

const read = async (path: string): Promise<unknown> => (await world.ask('GET', path)).body.data
type Exported = Readonly<Record<string, unknown>>
const exported = async (): Promise<Exported> => (await read('/v1/account/export')) as Exported

/** Personal data that the export must contain. */
const EMAIL = 'person@mail.test'
const ADDRESS = '203.0.113.77'
const AGENT = 'Acme router/1-1 me@mail.test'
const USED = instant(Date.UTC(2026, 5, 1))

async function givePerson(): Promise<void> {
  const { store, ids } = world
  await store.write(async (w) => {
    await w.changeAccount(ids['a'] ?? 0, { email: EMAIL }, USED)
    await w.changeAccount(ids['b'] ?? 0, { email: 'other@mail.test' }, USED)
    const principal = { kind: 'key', id: ids['kkk1111'] ?? 0, accountId: ids['a'] ?? 0 } as const
    const last = { at: USED, agent: AGENT, peer: ADDRESS as Address, reply: `good ${ADDRESS}` }
    await w.putUsage(principal, { requests: [], refusals: [], nondescriptive: 0 }, last)
  })
}

describe('the export of an account', () => {
  beforeEach(givePerson)

  it('has the e-mail address', async () =>
    expect((await exported())['account']).toMatchObject({ email: EMAIL }))

  it('has the second factors: kind, description and times', async () => {
    const { factors } = (await read('/v1/account/second-factors')) as {
      readonly factors: readonly Exported[]
    }
    expect((await exported())['second_factors']).toEqual(
      factors.map(({ kind, description, created_at, last_used_at }): unknown =>
        expect.objectContaining({ kind, description, created_at, last_used_at }),
      ),
    )
    expect(factors).toHaveLength(1)
  })

  it('has the sessions: address, program and times', async () => {
    const { store, ids } = world
    const session = { hash: new Uint8Array(32).fill(7), accountId: ids['a'] ?? 0, needsFactor: false }
    // A current session; the sessions of the world have expired.
    const now = instant(Date.now())
    const seen = { createdAt: now, seenAt: now, provedAt: now, peer: ADDRESS, program: 'my browser' }
    await store.write(async (w) =>
      w.addSession(
        { ...session, ...seen },
        { created: now, seen: now, max: 100, credential: 'account password' },
      ),
    )
    const sessions = (await exported())['sessions'] as readonly Exported[]
    expect(sessions).toContainEqual(expect.objectContaining({ peer: ADDRESS, user_agent: 'my browser' }))
  })

  it('has the last update of each DDNS key: address and program', async () => {
    // This request flushes the cached counters.
    await read('/v1/dns/clients')
    const keys = (await exported())['ddns_keys'] as readonly Exported[]
    const one = keys.find(({ username }) => username === 'kkk1111')
    expect(one?.['last_update']).toMatchObject({ user_agent: AGENT, address: ADDRESS })
    expect(keys.find(({ username }) => username === 'kkk2222')?.['last_update']).toBeNull()
  })

  it('has the sign-ins, as a list', async () => expect((await exported())['sign_ins']).toBeInstanceOf(Array))

  it('has no secret, and nothing of another account', async () => {
    const all = await exported()
    const text = JSON.stringify(all)
    const { store, ids } = world
    const factors = await store.read(async (r) => r.factorsOf(ids['a'] ?? 0))
    const secrets = [
      TOTP_SECRET,
      'key-of-a',
      'other@mail.test',
      'kkk9999',
      ...factors.flatMap(({ content }) => [
        Buffer.from(content).toString('base64'),
        Buffer.from(content).toString('base64url'),
        Buffer.from(content).toString('hex'),
        JSON.stringify([...content]),
      ]),
    ]
    expect(secrets.filter((one) => text.includes(one))).toEqual([])
    expect(text).not.toMatch(/"(hash|content|sealed|secret|password|public_?key)"/i)
    // Guards against an empty answer.
    expect(Object.keys(all)).toEqual(expect.arrayContaining(['second_factors', 'sessions', 'sign_ins']))
  })
})

describe('data kept after a deletion', () => {
  /** Sections about the deletion of an account. */
  const sections = (file: string): readonly string[] =>
    readFileSync(new URL(`../../../../docs/${file}`, import.meta.url), 'utf8')
      .split(/\n(?=\n|\| |- |#)/)
      .filter((one) => /delet|remov/i.test(one) && /account/i.test(one))

  it.each(['console.md', 'api.md'])('is documented in %s', (file) => {
    const said = sections(file).filter((one) => one.includes('400 days'))
    expect(said).not.toEqual([])
    expect(said[0]).toMatch(/number/)
    expect(said[0]).toMatch(/peer|address/)
  })
})
