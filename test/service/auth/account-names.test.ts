import { describe, expect, it } from 'vitest'
import { ADMIN_OPERATIONS } from '../../../src/service/admin/operations.ts'
import { keyedHash, slowHash } from '../../../src/service/auth/hashes.ts'
import { makeCode } from '../../../src/service/auth/one-time-codes.ts'
import { PEPPER } from '../api/inside.ts'
import { consoleTests } from '../console/person.ts'

const { at, person } = consoleTests()
const LONG = 'a long password'

/** Names that stand for the operator, a machine or everybody, by a mailbox (RFC 2142) or by habit. */
const RESERVED = [
  'admin',
  'administrator',
  'root',
  'operator',
  'oper',
  'support',
  'postmaster',
  'hostmaster',
  'webmaster',
  'abuse',
  'security',
  'system',
  'holdfast',
  'noreply',
]

/** Of new accounts: the account `alice` is there. */
const REFUSED: readonly (readonly [why: string, name: string])[] = [
  ['differs in capitals alone', 'Alice'],
  ['differs in capitals alone', 'ALICE'],
  ['differs in capitals alone', 'alicE'],
  ...RESERVED.map((name) => ['is reserved', name] as const),
  ['is reserved, in capitals', 'Admin'],
  ['is reserved, in capitals', 'ROOT'],
  ['looks like an option', '-x'],
  ['looks like an option', '--confirm'],
  ['begins with a dot', '.hidden'],
  ['begins with an at sign', '@'],
  ['begins with an at sign', '@alice'],
  ['is an address, perhaps of another person', 'bob@example.org'],
  ['is an address, perhaps of another person', 'Bob.Smith@mail.example.org'],
]

const TAKEN: readonly string[] = [
  'alice2',
  'bob',
  'Bob-Smith',
  'b.smith',
  'administration',
  'roots',
  'x-',
  '_x',
]

/** How a new account comes; whether it came. */
const WAYS: readonly (readonly [way: string, make: (name: string) => Promise<boolean>])[] = [
  [
    'an invitation',
    async (name) => {
      const code = await at.world.store.write(async (w) =>
        makeCode(w, { purpose: 'invitation', grant: { plan: 'plan of a' }, now: at.now }),
      )
      const form = { code: code.reveal(), account: name, password: LONG, again: LONG }
      const { status } = await person().post('/console/invitation', form)
      expect([303, 422]).toContain(status)
      return status === 303
    },
  ],
  [
    'holdfast admin account add',
    async (name) => {
      const context = { pepper: PEPPER, nameservers: [], catalogZone: '', now: at.now }
      const result = await at.world.store.write(async (w) =>
        ADMIN_OPERATIONS['account add']?.run({ w, ...context }, [name, 'plan of a']),
      )
      return result?.ok === true
    },
  ],
]

const addAlice = async (name = 'alice', password = LONG): Promise<number> => {
  const hash = await slowHash(password)
  const planId = at.world.ids['plan-a'] ?? 0
  return at.world.store.write(async (w) => w.addAccount({ name, hash, planId }, at.now))
}
const isAccount = async (name: string): Promise<boolean> =>
  at.world.store.read(async (r) => (await r.login(name)) !== undefined)

describe.each(WAYS)('by %s', (_way, make) => {
  it('no account comes whose name misleads', async () => {
    await addAlice()
    // The world has this account, which is older than the rule.
    const there = new Set(['operator'])
    const made: string[] = []
    for (const [why, name] of REFUSED) {
      const isMade = await make(name)
      if (isMade || (!there.has(name) && (await isAccount(name)))) made.push(`${name}: ${why}`)
    }
    expect(made).toEqual([])
  })

  it.each(TAKEN)('%s is a name like any other', async (name) => {
    await addAlice()
    expect(await make(name)).toBe(true)
    expect(await isAccount(name)).toBe(true)
  })
})

describe('accounts that are older than the rule', () => {
  it('stay, with names that differ in capitals alone, each with its own password', async () => {
    await addAlice()
    await addAlice('Alice', 'a longer password')
    const statusOf = async (name: string, password: string) => (await person().signIn(name, password)).status
    expect([
      await statusOf('alice', LONG),
      await statusOf('Alice', 'a longer password'),
      await statusOf('alice', 'a longer password'),
      await statusOf('ALICE', LONG),
    ]).toEqual([303, 303, 403, 403])
  })

  it.each(['root', 'bob@example.org', '-x'])('stay: %s signs in and has its keys', async (name) => {
    const accountId = await addAlice(name)
    const hash = keyedHash(PEPPER, 'key-of-it')
    await at.world.store.write(async (w) =>
      w.addApiKey({ accountId, hash, description: '', scopes: [] }, at.now),
    )
    expect((await person().signIn(name, LONG)).status).toBe(303)
    expect((await at.world.ask('GET', '/v1/account', undefined, 'key-of-it')).body.data).toMatchObject({
      name,
    })
  })
})
