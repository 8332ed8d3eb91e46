import type { Instant } from '../../shared/base/time.ts'
import { parseAddress } from '../../shared/base/address.ts'
import { readableShareOf } from '../../shared/base/network.ts'
import { withSanctions } from './sanctions.ts'
import type { StoreWrites } from './store.ts'

type Telling = Pick<
  StoreWrites,
  | 'account'
  | 'addApiKey'
  | 'addEvent'
  | 'addSession'
  | 'addSignIn'
  | 'addTsigKey'
  | 'blockKey'
  | 'changeAccount'
  | 'changePassword'
  | 'factorsOf'
  | 'keyRestrictions'
  | 'passBlock'
  | 'removeFactor'
  | 'removeFactors'
  | 'setAccountPassword'
>

/** The same writes with their consequences: sanctions that outlive keys, and account events (decision 0065). */
export function withConsequences<W extends Parameters<typeof withSanctions>[0] & Omit<Telling, 'passBlock'>>(
  writes: W,
) {
  const passing = { ...writes, ...withSanctions(writes) }
  return { ...passing, ...withEvents(passing) }
}

/** Writes that cause an account event, so that no caller has to. */
const withEvents = (
  w: Telling,
): Omit<Telling, 'account' | 'addEvent' | 'addSignIn' | 'factorsOf' | 'keyRestrictions'> => ({
  ...ofPeople(w),
  async addApiKey(key, now) {
    const id = await w.addApiKey(key, now)
    await w.addEvent(key.accountId, { kind: 'apiKeyAdded', subject: named(id, key.description) }, now)
    return id
  },
  async addTsigKey(key, now) {
    await w.addTsigKey(key, now)
    await w.addEvent(key.accountId, { kind: 'tsigKeyAdded', subject: named(key.name, key.description) }, now)
  },
  async blockKey(id, isBlocked, now) {
    const key = await w.keyRestrictions(id)
    await w.blockKey(id, isBlocked, now)
    if (isBlocked && key?.isBlocked === false) await keyBlocked(w, id, now)
  },
  async passBlock(key, blockedUntil, now) {
    await w.passBlock(key, blockedUntil, now)
    if (blockedUntil !== undefined) await keyBlocked(w, key.id, now)
  },
})

const named = (key: string | number, description: string): string =>
  description === '' ? String(key) : `${key} (${description})`

async function keyBlocked(w: Telling, id: number, now: Instant): Promise<void> {
  const key = await w.keyRestrictions(id)
  if (key !== undefined) await w.addEvent(key.accountId, { kind: 'keyBlocked', subject: key.username }, now)
}

/** Changes of credentials, and sign-ins. */
const ofPeople = (
  w: Telling,
): Pick<
  Telling,
  'addSession' | 'changeAccount' | 'changePassword' | 'removeFactor' | 'removeFactors' | 'setAccountPassword'
> => ({
  async changePassword(id, change, now) {
    const isChanged = await w.changePassword(id, change, now)
    if (isChanged) await w.addEvent(id, { kind: 'passwordChanged', subject: '' }, now)
    return isChanged
  },
  async setAccountPassword(id, hash, now) {
    await w.setAccountPassword(id, hash, now)
    await w.addEvent(id, { kind: 'passwordChanged', subject: '' }, now)
  },
  async changeAccount(id, values, now) {
    const before = await w.account(id)
    await w.changeAccount(id, values, now)
    const { email, isSuspended } = values
    if (isSuspended === true && before?.isSuspended === false)
      await w.addEvent(id, { kind: 'suspended', subject: '' }, now)
    if (email === undefined) return
    const isConfirmed = before?.isEmailConfirmed === true
    if (email === (before?.email ?? '')) {
      // Saving an unconfirmed address again requests a new link.
      if (email !== '' && !isConfirmed)
        await w.addEvent(id, { kind: 'emailGiven', subject: email, to: email }, now)
      return
    }
    // Notifies the old address and asks the new one for confirmation.
    const old = isConfirmed ? (before?.email ?? '') : ''
    await w.addEvent(id, { kind: 'emailChanged', subject: email, to: old }, now)
    if (email !== '') await w.addEvent(id, { kind: 'emailGiven', subject: email, to: email }, now)
  },
  async removeFactor(id, accountId, now) {
    const factor = (await w.factorsOf(accountId)).find((one) => one.id === id)
    const isRemoved = await w.removeFactor(id, accountId, now)
    // Recovery codes are used up, or removed with the last factor.
    if (isRemoved && factor?.isConfirmed === true && factor.kind !== 'recovery')
      await w.addEvent(accountId, { kind: 'factorRemoved', subject: factor.description }, now)
    return isRemoved
  },
  async removeFactors(accountId, now, kind) {
    const factors = await w.factorsOf(accountId)
    await w.removeFactors(accountId, now, kind)
    const gone = factors.filter(
      (one) => one.isConfirmed && one.kind !== 'recovery' && (kind === undefined || one.kind === kind),
    )
    const subject = gone.map(({ description }) => description).join(', ')
    if (gone.length > 0) await w.addEvent(accountId, { kind: 'factorRemoved', subject }, now)
  },
  async addSession(session, over) {
    const id = await w.addSession(session, over)
    const { accountId, createdAt: at, peer, program } = session
    const address = parseAddress(peer)
    const network = address === undefined ? peer : readableShareOf(address)
    const signIn = { at, network, peer, credential: over.credential, program }
    if (await w.addSignIn(accountId, signIn))
      await w.addEvent(accountId, { kind: 'signedIn', subject: network }, at)
    return id
  },
})
