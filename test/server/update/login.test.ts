import { describe, expect, it } from 'vitest'
import { formatBasic } from '../../../src/net/basic.ts'
import { Secret } from '../../../src/net/secret.ts'
import { formatReply } from '../../../src/protocol/reply-codec.ts'
import type { IncomingRequest } from '../../../src/server/http/request.ts'
import type { Login } from '../../../src/server/model/rows.ts'
import type { About, Store, StoreWrites } from '../../../src/server/store/store.ts'
import { answerUpdate, ReadUpdate } from '../../../src/server/update/update.ts'
import { KEY, LIMITS, NOW, requestOf } from './made.ts'

const LOGIN: Login = { ...KEY, hash: new Uint8Array(1), isSuspended: false }
const RENEWED = new Uint8Array(2)

interface Stored {
  readonly login?: Login | undefined
  readonly isRight?: boolean
  readonly renewed?: Uint8Array | undefined
  readonly hasAccounts?: boolean
}

/** The reply to one request without a query, and what was written. */
async function asked(
  { login, isRight = true, renewed, hasAccounts = true }: Stored,
  over: Partial<IncomingRequest> = {},
): Promise<readonly unknown[]> {
  const written: unknown[] = []
  const note =
    (what: string) =>
    async (...values: readonly unknown[]) =>
      Promise.resolve(void written.push([what, ...values]))
  const w = {
    login: async () => Promise.resolve(login),
    hasAccounts: async () => Promise.resolve(hasAccounts),
    usageOf: async () => Promise.resolve({ requests: [], refusals: [], nondescriptive: 0 }),
    putUsage: async () => Promise.resolve(),
    account: async () => Promise.resolve(undefined),
    failuresOf: async () => Promise.resolve({ buckets: [] }),
    putFailures: async (counter: string) => note('failed')(counter),
    changeKey: note('hash'),
  } as unknown as StoreWrites
  const store = { write: async <T>(work: (writes: StoreWrites) => Promise<T>) => work(w) } as unknown as Store
  const passwords = {
    checkFast: () => isRight,
    isLikelyRefused: () => false,
    renewedHash: () => renewed,
    checkSlow: async () => Promise.resolve(isRight),
  }
  const policy = { limits: LIMITS, allHostnames: 'all', strictAgents: false, blockedAgents: [] }
  const authorization = formatBasic({ username: 'abc1234', password: new Secret('x') }).reveal()
  const replies = await answerUpdate(
    { store, passwords, policy, now: () => NOW, audit: () => {} },
    new ReadUpdate(requestOf({ authorization, ...over })),
  )
  return [...replies.map(formatReply), ...written]
}

describe('a login of an update', () => {
  // biome-ignore format: a table
  it.each<[string, Stored, Partial<IncomingRequest>, readonly unknown[]]>([
    ['that is right',                           { login: LOGIN },                                    {},                ['nohost']],
    ['that is right, with an old hash',         { login: LOGIN, renewed: RENEWED },                  {},                ['nohost', ['hash', KEY.id, { hash: RENEWED }]]],
    ['that is wrong, with an old hash',         { login: LOGIN, isRight: false, renewed: RENEWED },  {},                ['badauth', ['failed', 'update 192.0.2.1']]],
    ['of nobody',                               { isRight: false },                                  {},                ['badauth', ['failed', 'update 192.0.2.1']]],
    ['of nobody, from a silent proxy',          { isRight: false },                                  { isProxy: true }, ['badauth']],
    ['of nobody, at a service without accounts', { isRight: false, hasAccounts: false },             {},                ['911']],
  ])('%s', async (_, stored, over, outcome) => expect(await asked(stored, over)).toEqual(outcome))
})

interface Told {
  readonly request?: Partial<IncomingRequest>
  readonly isLikelyRefused?: boolean
}

/** The words of the reply where the slow check of the password says nothing, and what the store was told before. */
async function untested({ request = {}, isLikelyRefused = false }: Told) {
  const told: (About | undefined)[] = []
  const store = {
    write: async <T>(work: (writes: StoreWrites) => Promise<T>, about?: () => About) => {
      told.push(about?.())
      return work({
        login: async () => Promise.resolve(LOGIN),
        failuresOf: async () => Promise.resolve({ buckets: [] }),
      } as unknown as StoreWrites)
    },
  } as unknown as Store
  const passwords = {
    checkFast: () => undefined,
    isLikelyRefused: () => isLikelyRefused,
    renewedHash: () => undefined,
    checkSlow: async () => Promise.resolve(undefined),
  }
  const policy = { limits: LIMITS, allHostnames: 'all', strictAgents: false, blockedAgents: [] }
  const authorization = formatBasic({ username: 'abc1234', password: new Secret('x') }).reveal()
  const replies = await answerUpdate(
    { store, passwords, policy, now: () => NOW, audit: () => undefined },
    new ReadUpdate(requestOf({ authorization, query: 'hostname=b.test,a.test', ...request })),
  )
  return { replies: replies.map(formatReply), told }
}

it('is 911 where the slow check has no time for its password', async () =>
  expect((await untested({})).replies).toEqual(['911']))

describe('before its transaction, the store is told', () => {
  it('who asks, for which names, and whose failures are counted', async () =>
    expect((await untested({})).told).toEqual([
      {
        username: 'abc1234',
        hostnames: ['b.test', 'a.test'],
        peers: ['update 192.0.2.1'],
        isLikelyRefused: false,
      },
    ]))
  it('no peer behind a silent proxy', async () =>
    expect((await untested({ request: { isProxy: true } })).told[0]?.peers).toEqual([]))
  it('that the password is probably wrong', async () =>
    expect((await untested({ isLikelyRefused: true })).told[0]?.isLikelyRefused).toBe(true))
})
