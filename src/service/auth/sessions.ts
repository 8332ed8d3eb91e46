import { createHash } from 'node:crypto'
import { after, type Duration, type Instant, isBefore, minutes } from '../../shared/base/time.ts'
import { Secret } from '../../shared/base/secret.ts'
import {
  type Caller,
  doorOf,
  hasFullAccess,
  isScoped,
  overBefore,
  restrictionsOf,
  SESSION_IDLE,
  SESSION_LIFETIME,
} from '../rules/permission.ts'
import type { DoorAnswer } from '../rules/doors.ts'
import type { StoredSession } from '../store/account/sessions.ts'
import type { Store } from '../store/store.ts'
import { randomOctets } from './hashes.ts'

/** In this time after a proof, it may read secrets and delete. */
const PROOF_LIFETIME = minutes(5)
/** Between two writes of when it was seen. */
const TOUCH_INTERVAL = minutes(1)
const SECRET_OCTETS = 32
/** Of an account by its password, and of each of its API keys: the oldest ends with one more. */
const MAX_SESSIONS = 100
/** In characters, of a User-Agent. */
const MAX_PROGRAM = 200

/** A person at the website, who has signed in. */
export interface Session {
  readonly id: number
  readonly caller: Caller
  /** The person has given the password or the API key in the last minutes. */
  readonly isProved: boolean
  /** Of the website to it. */
  readonly answer: DoorAnswer
  readonly needsFactor: boolean
  /** The plan needs a second factor, and there is none yet: only the account may be seen. */
  readonly lacksFactor: boolean
  /** All permissions of the account: no API key narrows them. */
  readonly hasFullAccess: boolean
  /** Its API key is for some zones, names or types. */
  readonly isScoped: boolean
}

/** The browser of a person. */
export interface Browser {
  readonly peer: string
  readonly userAgent: string | undefined
}

interface SessionDependencies {
  readonly store: Store
  readonly now: () => Instant
  /** Resolves after the time that a read may wait for a write. */
  readonly readPause: () => Promise<void>
}

/** 256 bits are not guessed, so a fast hash is enough, and it needs no key: sessions outlast a rotation (decision 0060). */
const hashOf = (secret: Secret): Uint8Array => createHash('sha256').update(secret.reveal()).digest()
const newSecret = (): Secret => new Secret(Buffer.from(randomOctets(SECRET_OCTETS)).toString('base64url'))

/**
 * Opens a session for a person who was identified; resolves with the secret that the browser keeps. Undefined if the
 * password was changed since it was checked, which takes a while.
 */
export async function openSession(
  { store, now }: SessionDependencies,
  { account, apiKeyId, passwordHash }: Caller,
  { peer, userAgent = '' }: Browser,
): Promise<Secret | undefined> {
  const [secret, at] = [newSecret(), now()]
  const isOpen = await store.write(async (w) => {
    const stored = passwordHash && (await w.login(account.name))
    if (passwordHash !== undefined && !isSameHash(stored?.hash, passwordHash)) return false
    await w.addSession(
      {
        hash: hashOf(secret),
        accountId: account.id,
        ...(apiKeyId !== undefined && { apiKeyId }),
        createdAt: at,
        seenAt: at,
        provedAt: at,
        needsFactor: passwordHash !== undefined && (await w.hasFactor(account.id)),
        peer,
        program: userAgent.slice(0, MAX_PROGRAM),
      },
      { ...overBefore(at), max: MAX_SESSIONS, credential: credentialOf(apiKeyId, passwordHash) },
    )
    return true
  })
  return isOpen ? secret : undefined
}

const credentialOf = (apiKeyId: number | undefined, passwordHash: Uint8Array | undefined): string =>
  apiKeyId !== undefined
    ? `API key ${apiKeyId}`
    : passwordHash !== undefined
      ? 'account password'
      : 'passkey or link'

const isSameHash = (one: Uint8Array | undefined, other: Uint8Array): boolean =>
  one !== undefined && Buffer.compare(one, other) === 0

/** The session of a secret; undefined if there is none, or it is over. */
export async function sessionOf(
  { store, now, readPause }: SessionDependencies,
  secret: Secret,
): Promise<Session | undefined> {
  const stored = await store.read((r) => r.sessionByHash(hashOf(secret)))
  if (stored === undefined || isOver(stored, now())) return undefined
  const caller = await callerOf(store, stored, now())
  if (caller === undefined) return undefined
  if (!isWithin(stored.seenAt, TOUCH_INTERVAL, now())) {
    const touched = store.write(async (w) => w.touchSession(stored.id, now())).catch(() => undefined)
    // Pages are read also while the store cannot be written.
    await Promise.race([touched, readPause()])
  }
  const isProved = isWithin(stored.provedAt, PROOF_LIFETIME, now())
  const mustHave = caller.account.plan.needsFactor === true && caller.apiKeyId === undefined
  const lacksFactor = mustHave && !(await store.read(async (r) => r.hasFactor(caller.account.id)))
  return {
    id: stored.id,
    caller,
    isProved,
    answer: doorOf(caller, { isHalf: stored.needsFactor, lacksFactor }),
    needsFactor: stored.needsFactor,
    lacksFactor,
    hasFullAccess: hasFullAccess(caller),
    isScoped: isScoped(caller),
  }
}

const isWithin = (at: Instant, span: Duration, now: Instant): boolean => isBefore(now, after(at, span))
const isOver = ({ createdAt, seenAt }: StoredSession, now: Instant): boolean =>
  !isWithin(createdAt, SESSION_LIFETIME, now) || !isWithin(seenAt, SESSION_IDLE, now)

/** With the permissions that its API key has now. */
async function callerOf(
  store: Store,
  { id: sessionId, accountId, apiKeyId }: StoredSession,
  now: Instant,
): Promise<Caller | undefined> {
  const account = await store.read((r) => r.account(accountId))
  if (account === undefined) return undefined
  if (apiKeyId === undefined) return { account, door: 'website', sessionId, isReadOnly: false }
  const key = await store.read((r) => r.apiKeyOf(accountId, apiKeyId))
  if (key === undefined || (key.expiresAt !== undefined && !isBefore(now, key.expiresAt))) return undefined
  const { scopes, expiresAt } = key
  // What only the website may do, a key may not do there either.
  return {
    account,
    sessionId,
    apiKeyId,
    ...restrictionsOf(scopes),
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

/**
 * After a proof; resolves with the next secret. A secret that was seen before the proof does not work after it. The
 * password alone is no second factor, which another browser may have added meanwhile.
 */
export async function renewSession(
  { store, now }: Pick<SessionDependencies, 'store' | 'now'>,
  id: number,
  { hasFactor }: { readonly hasFactor: boolean },
): Promise<Secret> {
  const secret = newSecret()
  await store.write(async (w) => w.renewSession(id, hashOf(secret), { provedAt: now(), hasFactor }))
  return secret
}

export const endSession = async (
  { store }: Pick<SessionDependencies, 'store'>,
  { id, caller }: Session,
): Promise<boolean> => store.write(async (w) => w.removeSession(id, caller.account.id))
