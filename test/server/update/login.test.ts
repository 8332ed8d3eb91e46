import { describe, expect, it } from 'vitest'
import { formatBasic } from '../../../src/net/basic.ts'
import { Secret } from '../../../src/net/secret.ts'
import { formatReply } from '../../../src/protocol/reply-codec.ts'
import type { IncomingRequest } from '../../../src/server/http/request.ts'
import type { Login } from '../../../src/server/model/rows.ts'
import type { Store, StoreWrites } from '../../../src/server/store/store.ts'
import { answerUpdate, readUpdate } from '../../../src/server/update/update.ts'
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
    readUpdate(requestOf({ authorization, ...over })),
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
