import { describe, expect, it } from 'vitest'
import {
  after,
  type Instant,
  instant,
  milliseconds,
  minutes,
  seconds,
} from '../../../src/shared/base/time.ts'
import { formatBasic, Secret } from '../../../src/shared/base/secret.ts'
import { callerIdentifier, type IdentifiedCaller } from '../../../src/service/auth/caller.ts'
import { keyedHash, type Pepper, pepperOf } from '../../../src/service/auth/hashes.ts'
import type { AuditEvent } from '../../../src/service/model/audit.ts'
import type { FailedLogins, Login } from '../../../src/service/model/rows.ts'
import type { ApiKey, Store, StoreReads, StoreWrites } from '../../../src/service/store/store.ts'
import { OWNER } from '../rules/made.ts'

const PEPPER = pepperOf(new Uint8Array(32))
const START = instant(Date.UTC(2026, 0, 1))
const KEYS: Readonly<Record<string, ApiKey>> = {
  whole: { id: 1, accountId: OWNER.id, scopes: [] },
  reads: { id: 1, accountId: OWNER.id, scopes: ['read'] },
  zones: { id: 1, accountId: OWNER.id, scopes: ['zone:a.test', 'zone:b.test'] },
  ends: { id: 1, accountId: OWNER.id, scopes: [], expiresAt: after(START, minutes(1)) },
  orphan: { id: 1, accountId: 99, scopes: [] },
  used: { id: 5, accountId: OWNER.id, scopes: [], lastUsedAt: START },
}
const made = { hash: new Uint8Array(), isSuspended: false }
const LOGINS: Readonly<Record<string, Login>> = {
  owner: { kind: 'account', id: OWNER.id, accountId: OWNER.id, ...made },
  ddns: { kind: 'key', id: 7, accountId: OWNER.id, ...made },
  gone: { kind: 'account', id: 99, accountId: 99, ...made },
}

const NEVER = new Promise<void>(() => undefined)

/** An identifier over a store in memory; `limit` is two failures. */
function gate(pepper: Pepper = PEPPER, isLocked = false) {
  const rehashed: unknown[] = []
  const touched: unknown[] = []
  const writes: unknown[] = []
  const failures = new Map<string, FailedLogins>()
  const world = { now: START }
  const events: AuditEvent[] = []
  const found = new Map(
    Object.entries(KEYS).map(([key, row]) => [Buffer.from(keyedHash(PEPPER, key)).toString('hex'), row]),
  )
  const rows = {
    failuresOf: async (network: string) => Promise.resolve(failures.get(network) ?? { buckets: [] }),
    putFailures: async (network: string, counted: FailedLogins) =>
      Promise.resolve(void failures.set(network, counted)),
    login: async (username: string) => Promise.resolve(LOGINS[username]),
    hasFactor: async () => Promise.resolve(false),
    account: async (id: number) => Promise.resolve(id === OWNER.id ? OWNER : undefined),
    touchApiKey: async (id: number, at: Instant) => Promise.resolve(void touched.push([id, at])),
    rehashApiKey: async (id: number, hash: Uint8Array) => Promise.resolve(void rehashed.push([id, hash])),
    apiKeyByHash: async (hash: Uint8Array) => Promise.resolve(found.get(Buffer.from(hash).toString('hex'))),
  } as unknown as StoreReads & StoreWrites
  const store = {
    read: async <T>(use: (r: StoreReads) => Promise<T>) => use(rows),
    write: async <T>(use: (w: StoreWrites) => Promise<T>) => {
      writes.push(use)
      if (isLocked) await NEVER
      return use(rows)
    },
  } as unknown as Store
  const identify = callerIdentifier({
    store,
    pepper,
    passwords: {
      renewedHash: () => undefined,
      checkFast: (login) => (login?.kind === 'key' ? true : undefined),
      isLikelyRefused: () => false,
      hashSlow: async () => Promise.resolve(undefined),
      checkSlow: async (login, { password }) =>
        Promise.resolve(
          password.reveal() === 'crowd' ? undefined : login !== undefined && password.reveal() === 'right',
        ),
    },
    now: () => world.now,
    readPause: async () => (isLocked ? Promise.resolve() : NEVER),
    audit: (event) => void events.push(event),
    limits: { badauth: { max: 2, window: minutes(10) }, lockout: minutes(10) },
  })
  const ask = async (
    authorization: string | undefined,
    at: Instant = START,
    network = 'n',
  ): Promise<IdentifiedCaller> => {
    world.now = at
    return identify(authorization, {
      network: network === '' ? undefined : network,
      share: network,
      peer: network,
    })
  }
  return { ask, events, failures, rehashed, touched, writes }
}

const basic = (username: string, password: string): string =>
  formatBasic({ username, password: new Secret(password) }).reveal()
const WHOLE = { account: OWNER, isReadOnly: false }
const BY_PASSWORD = { ...WHOLE, passwordHash: new Uint8Array() }
const BY_KEY = { ...WHOLE, apiKeyId: 1 }
const at = (minute: number, more = 0): Instant => after(after(START, minutes(minute)), milliseconds(more))

describe('a caller of the management API', () => {
  it.each([
    ['nothing', undefined, undefined],
    ['an account and its password', basic('owner', 'right'), BY_PASSWORD],
    ['a wrong password', basic('owner', 'wrong'), undefined],
    ['an account that is gone', basic('gone', 'right'), undefined],
    ['a DDNS key', basic('ddns', 'right'), undefined],
    ['an API key as a bearer token', 'Bearer whole', BY_KEY],
    ['an API key, in any case and with blanks', 'BEARER   whole', BY_KEY],
    ['something before the token', 'x Bearer whole', undefined],
    ['something after the token', 'Bearer whole x', undefined],
    ['a token that is no key', 'Bearer other', undefined],
    ['an API key as the password of an empty user', basic('', 'whole'), BY_KEY],
    ['an API key as the password of a user', basic('owner', 'whole'), undefined],
    ['a key that reads only', 'Bearer reads', { ...BY_KEY, isReadOnly: true, apiKeyId: expect.any(Number) }],
    [
      'a key of two zones',
      'Bearer zones',
      { ...BY_KEY, apiKeyId: expect.any(Number), zones: ['a.test', 'b.test'] },
    ],
    ['a key of an account that is gone', 'Bearer orphan', undefined],
    ['another scheme', 'Digest whole', undefined],
  ])('%s', async (_, authorization, caller) => expect(await gate().ask(authorization)).toStrictEqual(caller))

  it('has an API key until the moment when it expires', async () => {
    const { ask } = gate()
    expect(await ask('Bearer ends', at(1, -1))).toEqual({
      ...BY_KEY,
      apiKeyId: expect.any(Number),
      expiresAt: at(1),
    })
    expect(await ask('Bearer ends', at(1))).toBeUndefined()
  })
})

it('the last use of an API key is stored once at a time, and no request waits long for it', async () => {
  const { ask, writes } = gate(PEPPER, true)
  expect(await ask('Bearer whole')).toStrictEqual(BY_KEY)
  expect(await ask('Bearer whole')).toStrictEqual(BY_KEY)
  expect(writes).toHaveLength(1)
})

describe('an API key after a rotation of the hash key', () => {
  const rotated = { ...pepperOf(new Uint8Array(32).fill(1)), previous: PEPPER }

  it('is accepted, and gets a hash of the current hash key', async () => {
    const { ask, rehashed } = gate(rotated)

    expect(await ask('Bearer whole')).toEqual(BY_KEY)
    expect(rehashed).toEqual([[1, keyedHash(rotated, 'whole')]])
  })

  it('that is unknown changes nothing', async () => {
    const { ask, rehashed } = gate(rotated)

    expect(await ask('Bearer other')).toBeUndefined()
    expect(rehashed).toEqual([])
  })
})

describe('a peer that may be wrong twice in ten minutes', () => {
  const WRONG = 'Bearer wrong'
  const PASSWORD = basic('owner', 'right')

  it('is locked out for ten minutes by the third failure, and gets the number of seconds', async () => {
    const { ask } = gate()
    await ask(WRONG, at(0))
    await ask(WRONG, at(1))
    expect(await ask(PASSWORD, at(2))).toEqual(BY_PASSWORD)
    await ask(WRONG, at(2))

    expect(await ask(PASSWORD, at(2))).toEqual({ retryAfter: 600 })
    expect(await ask(PASSWORD, at(3, 39_500))).toEqual({ retryAfter: 501 })
    expect(await ask(PASSWORD, at(11, 58_500))).toEqual({ retryAfter: 2 })
    expect(await ask(PASSWORD, at(12, -1))).toEqual({ retryAfter: 1 })
    expect(await ask(PASSWORD, at(12))).toEqual(BY_PASSWORD)
  })

  it.each([
    ['an API key, which is checked all the same', 'Bearer whole', BY_KEY],
    ['a wrong API key', 'Bearer wrong', undefined],
    ['no credentials', undefined, undefined],
  ])('gets an answer without a wait during a lockout for %s', async (_, authorization, caller) => {
    const { ask } = gate()
    for (let times = 0; times < 3; times++) await ask(WRONG)

    expect(await ask(PASSWORD)).toMatchObject({ retryAfter: 600 })
    expect(await ask(authorization)).toEqual(caller)
  })

  it('gets a short wait, and no failed login, while too many passwords wait for their check', async () => {
    const { ask } = gate()
    for (let times = 0; times < 5; times++)
      expect(await ask(basic('owner', 'crowd'))).toEqual({ retryAfter: 5 })

    // The time and the answer do not tell which names are accounts.
    for (const name of ['abc1234', 'ddns', 'gone', 'nobody'])
      expect(await ask(basic(name, 'crowd')), name).toEqual({ retryAfter: 5 })
    expect(await ask(PASSWORD)).toEqual(BY_PASSWORD)
  })

  it('is named in the log with each failed login, and once when it is locked out', async () => {
    const { ask, events } = gate()
    for (let times = 0; times < 4; times++) await ask(basic('owner', 'wrong'))
    await ask(undefined)

    const refused = { kind: 'loginRefused', endpoint: 'api', peer: 'n', username: 'owner' }
    expect(events).toEqual([refused, refused, refused, { kind: 'lockedOut', endpoint: 'api', peer: 'n' }])
  })

  it('is not locked out by what was ten minutes ago', async () => {
    const { ask } = gate()
    await ask(WRONG, at(0))
    await ask(WRONG, at(1))
    await ask(WRONG, at(10))
    expect(await ask(PASSWORD, at(10))).toEqual(BY_PASSWORD)
    await ask(WRONG, after(START, seconds(659)))
    expect(await ask(PASSWORD, at(11))).toMatchObject({ retryAfter: expect.any(Number) })
  })

  it('is not locked out by another peer, nor by requests without credentials', async () => {
    const { ask } = gate()
    for (let times = 0; times < 3; times++) await ask(undefined)
    expect(await ask(PASSWORD)).toEqual(BY_PASSWORD)
    for (let times = 0; times < 3; times++) await ask(WRONG, START, 'other')
    expect(await ask(PASSWORD)).toEqual(BY_PASSWORD)
  })

  it.each([
    ['an API key as a bearer token', 'Bearer wrong'],
    ['an API key as the password of an empty user', basic('', 'wrong')],
  ])('is named in the log without a username: %s', async (_, authorization) => {
    const { ask, events } = gate()
    await ask(authorization)

    expect(events).toEqual([{ kind: 'loginRefused', endpoint: 'api', peer: 'n', username: undefined }])
  })
})

describe('the last use of an API key is stored', () => {
  // biome-ignore format: a table
  it.each([
    ['at the first use',             'whole', START,                                        [[1, START]]],
    ['not within a minute',          'used',  after(START, milliseconds(59_999)),           []],
    ['after a minute',               'used',  after(START, minutes(1)),                     [[5, after(START, minutes(1))]]],
    ['not if it has expired',        'ends',  after(START, minutes(1)),                     []],
  ])('%s', async (_, key, at, uses) => {
    const { ask, touched } = gate()
    await ask(`Bearer ${key}`, at)
    expect(touched).toEqual(uses)
  })
})

it('failed logins are counted by network, and not behind a proxy that does not say who asks', async () => {
  const { ask, failures } = gate()
  await ask('Bearer nothing', START, '')
  expect([...failures.keys()]).toEqual([])
  await ask('Bearer nothing')
  expect([...failures.keys()]).toEqual(['api n'])
})
