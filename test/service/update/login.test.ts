import { describe, expect, it } from 'vitest'
import { formatBasic, Secret } from '../../../src/shared/base/secret.ts'
import type { IncomingRequest } from '../../../src/service/http/request.ts'
import type { Login } from '../../../src/service/model/rows.ts'
import type { About, Store, StoreWrites } from '../../../src/service/store/store.ts'
import { answerUpdate } from '../../../src/service/update/update.ts'
import { ReadUpdate } from '../../../src/service/update/read-update.ts'
import { KEY, LIMITS, NOW, requestOf } from './made.ts'
import { formatReply } from '../../../src/shared/protocol/reply-codec.ts'

const LOGIN: Login = { ...KEY, hash: new Uint8Array(1), isSuspended: false }
const RENEWED = new Uint8Array(2)

interface Stored {
  readonly login?: Login | undefined
  readonly isRight?: boolean
  /** The check of the password takes a slow hash. */
  readonly isSlow?: boolean
  readonly isLikelyRefused?: boolean
  readonly renewed?: Uint8Array | undefined
  readonly hasAccounts?: boolean
}

/** The words of the reply to one request; what was written, and what the store was told before. */
async function asked(
  { login, isRight = true, isSlow = false, isLikelyRefused = false, renewed, hasAccounts = true }: Stored,
  over: Partial<IncomingRequest> = {},
) {
  const written: unknown[] = []
  const told: (About | undefined)[] = []
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
  const store = {
    write: async <T>(work: (writes: StoreWrites) => Promise<T>, about?: () => About) => {
      told.push(about?.())
      return work(w)
    },
  } as unknown as Store
  const passwords = {
    checkFast: () => (isSlow ? undefined : isRight),
    isLikelyRefused: () => isLikelyRefused,
    renewedHash: () => renewed,
    // There is no time for it.
    checkSlow: async () => Promise.resolve(undefined),
    hashSlow: async () => Promise.resolve(undefined),
  }
  const policy = { limits: LIMITS, allHostnames: 'all', strictAgents: false, blockedAgents: [] }
  const authorization = formatBasic({ username: 'abc1234', password: new Secret('x') }).reveal()
  const replies = await answerUpdate(
    { store, passwords, policy, now: () => NOW, audit: () => undefined },
    new ReadUpdate(requestOf({ authorization, ...over })),
  )
  return { outcome: [...replies.map(formatReply), ...written], told }
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
  ])('%s', async (_, stored, over, outcome) => expect((await asked(stored, over)).outcome).toEqual(outcome))
})

it('is 911 where the slow check has no time for its password', async () =>
  expect((await asked({ login: LOGIN, isSlow: true })).outcome).toEqual(['911']))

describe('before its transaction, the store is told', () => {
  it('who asks, for which names, and whose failures are counted', async () =>
    expect((await asked({ login: LOGIN }, { query: 'hostname=b.test,a.test' })).told).toEqual([
      {
        username: 'abc1234',
        hostnames: ['b.test', 'a.test'],
        peers: ['update 192.0.2.1'],
        isLikelyRefused: false,
      },
    ]))
  it('no peer behind a silent proxy', async () =>
    expect((await asked({ login: LOGIN }, { isProxy: true })).told[0]?.peers).toEqual([]))
  it('that the password is probably wrong', async () =>
    expect((await asked({ login: LOGIN, isLikelyRefused: true })).told[0]?.isLikelyRefused).toBe(true))
})
