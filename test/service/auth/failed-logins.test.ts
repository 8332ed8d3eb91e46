import { rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { after, hours, type Instant, instant, minutes, seconds } from '../../../src/shared/base/time.ts'
import { parsePeer } from '../../../src/shared/base/address.ts'
import { type Credentials, formatBasic, Secret } from '../../../src/shared/base/secret.ts'
import {
  clearFailedLogins,
  lockedOutUntil,
  recordFailedLogin,
} from '../../../src/service/auth/failed-logins.ts'
import { limitsOf } from '../../../src/service/auth/limits.ts'
import { callerIdentifier } from '../../../src/service/auth/caller.ts'
import { pepperOf, slowHash } from '../../../src/service/auth/hashes.ts'
import { type PasswordChecker, passwordChecker } from '../../../src/service/auth/login.ts'
import { DEFAULT_PLAN } from '../../../src/service/admin/default-plan.ts'
import { filledStores, storeFolder, testStore } from '../../lab/stores.ts'
import { eventually } from '../../eventually.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { answerUpdate } from '../../../src/service/update/update.ts'
import { ReadUpdate } from '../../../src/service/update/read-update.ts'

const PEPPER = pepperOf(new Uint8Array(32))
const PEER = '198.51.100.7'
const LIMIT = 5
const LIMITS = limitsOf({
  nochgLimit: 48,
  requestLimit: 30,
  refusalLimit: 10,
  badauthLimit: LIMIT,
  longBlock: hours(24),
  shortBlock: minutes(30),
})
const ACCOUNT = { username: 'acme', password: new Secret('by hand') }
const WRONG = { username: 'acme', password: new Secret('guess') }

let folder: string
let store: Store
let now: Instant
const HASH = slowHash('by hand')
const START = instant(Date.UTC(2026, 0, 1))
const filled = filledStores(async (w) => {
  const hash = await HASH
  const planId = await w.addPlan({ name: 'p', ...DEFAULT_PLAN })
  const accountId = await w.addAccount({ name: 'acme', hash, planId }, START)
  const zoneId = await w.addZone({ accountId, name: 'example.test', isShared: false }, START)
  await w.addName({ zoneId, accountId, name: 'home' }, START)
})
beforeEach(async () => {
  folder = storeFolder()
  ;[store] = await filled(folder)
  now = START
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const originOf = (endpoint: 'update' | 'api') => ({ endpoint, network: PEER })
const lockout = async (endpoint: 'update' | 'api'): Promise<Instant | undefined> =>
  store.read((r) => lockedOutUntil(r, originOf(endpoint), { limits: LIMITS, now }))

type Login = (credentials: Credentials) => Promise<string>

/** The two protocols in which a peer can log in; each returns its answer in short. */
function logins(passwords: PasswordChecker): { readonly update: Login; readonly api: Login } {
  const peer = parsePeer(PEER)
  if (peer === undefined) throw new Error('the peer is not an address')
  const policy = { limits: LIMITS, allHostnames: 'all', strictAgents: false, blockedAgents: [] }
  const identify = callerIdentifier({
    store,
    pepper: PEPPER,
    passwords,
    audit: () => undefined,
    readPause: async () => Promise.resolve(),
    now: () => now,
    limits: LIMITS,
  })
  return {
    update: async (credentials) => {
      const replies = await answerUpdate(
        { store, passwords, policy, now: () => now, audit: () => undefined },
        new ReadUpdate({
          method: 'GET',
          path: '/nic/update',
          query: 'hostname=home.example.test&myip=192.0.2.1',
          userAgent: 'Acme test/1-1 me@example.test',
          authorization: formatBasic(credentials).reveal(),
          peer,
          isProxy: false,
        }),
      )
      return replies.map(({ word }) => word).join()
    },
    api: async (credentials) => {
      const caller = await identify(formatBasic(credentials).reveal(), {
        network: PEER,
        share: PEER,
        peer: PEER,
      })
      if (caller === undefined) return '401'
      return 'retryAfter' in caller ? '429' : '200'
    },
  }
}

/** Holds every password check until `release`, so that all of them are in flight together. */
function heldChecker(): {
  readonly passwords: PasswordChecker
  readonly inFlight: () => number
  readonly release: (count: number) => void
} {
  const real = passwordChecker(PEPPER)
  const waiting: (() => void)[] = []
  return {
    passwords: {
      renewedHash: () => undefined,
      checkFast: (login, credentials) => real.checkFast(login, credentials),
      isLikelyRefused: () => false,
      hashSlow: async () => Promise.resolve(undefined),
      checkSlow: async (login, credentials, network) => {
        const isRight = await real.checkSlow(login, credentials, network)
        await new Promise<void>((resolve) => void waiting.push(resolve))
        return isRight
      },
    },
    inFlight: () => waiting.length,
    release: (count) => {
      for (const resolve of waiting.splice(0, count)) resolve()
    },
  }
}

const CONCURRENT = 12

it.each([
  ['update', 'badauth', '911'],
  ['api', '401', '429'],
] as const)(
  'concurrent failed logins of %s lock the network out, and later ones do not clear the lockout',
  async (endpoint, refused, locked) => {
    const { passwords, inFlight, release } = heldChecker()
    const failing = Array.from({ length: CONCURRENT }, async () => logins(passwords)[endpoint](WRONG))
    await eventually(inFlight).toBe(CONCURRENT)

    release(LIMIT)
    const counted = async () =>
      (await store.read((r) => r.failuresOf(`${endpoint} ${PEER}`))).buckets.map(({ count }) => count)
    await eventually(counted).toEqual([LIMIT])
    expect(await lockout(endpoint)).toBeUndefined()
    release(1)
    await eventually(async () => lockout(endpoint)).toBe(after(now, LIMITS.lockout))
    const until = await lockout(endpoint)
    now = after(now, seconds(30))
    release(CONCURRENT)
    const answers = await Promise.all(failing)

    expect(new Set(answers)).toEqual(new Set([refused]))
    expect(await lockout(endpoint)).toBe(until)
    const open = logins(passwordChecker(PEPPER))[endpoint]
    expect(await open(ACCOUNT)).toBe(locked)
    now = after(now, minutes(10))
    expect(['good', '200']).toContain(await open(ACCOUNT))
  },
  30_000,
)

it.each([
  ['update', ['911', '200']],
  ['api', ['good', '429']],
] as const)('failed logins of %s do not count for the other endpoint', async (endpoint, answers) => {
  const { update, api } = logins(passwordChecker(PEPPER))
  const login = endpoint === 'update' ? update : api
  for (let n = 0; n <= LIMIT; n++) await login(WRONG)

  expect([await update(ACCOUNT), await api(ACCOUNT)]).toEqual(answers)
})

it('a failed login during the lockout does not change it', async () => {
  const failures = { buckets: [], blockedUntil: after(now, minutes(1)) }
  await store.write(async (w) => w.putFailures(`update ${PEER}`, failures))
  const isLockedNow = await store.write(async (w) =>
    recordFailedLogin(w, originOf('update'), { limits: LIMITS, now }),
  )

  expect(isLockedNow).toBe(false)
  expect(await store.read((r) => r.failuresOf(`update ${PEER}`))).toEqual(failures)
})

it('the lockouts of a network can be ended', async () => {
  const { update, api } = logins(passwordChecker(PEPPER))
  for (let n = 0; n <= LIMIT; n++) await Promise.all([update(WRONG), api(WRONG)])
  expect([await update(ACCOUNT), await api(ACCOUNT)]).toEqual(['911', '429'])

  await store.write(async (w) => clearFailedLogins(w, PEER))

  expect([await update(ACCOUNT), await api(ACCOUNT)]).toEqual(['good', '200'])
})

it('a store without an account answers 911, because no credentials can be right', async () => {
  await store.close()
  store = testStore()
  const { update } = logins(passwordChecker(PEPPER))

  expect(await update({ username: 'abc1234', password: new Secret('x') })).toBe('911')
  expect(await update(ACCOUNT)).toBe('911')
})
