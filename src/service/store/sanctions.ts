import { after, days, type Instant, isBefore } from '../../shared/base/time.ts'
import { fqdnOf } from '../model/dns-name.ts'
import type { Bucket, Buckets } from '../model/rows.ts'
import { keyNamesOf } from '../model/tree.ts'
import type { Sanction } from './account/sanctions.ts'
import type { StoreWrites } from './store.ts'

/** The longest window in which events are counted (decision 0062). */
const LONGEST_WINDOW = days(1)

/** The greater count of each span: what was counted twice is not added. */
export function mergedBuckets(one: Buckets, other: Buckets): Buckets {
  if (one.length === 0 || other.length === 0) return one.length === 0 ? other : one
  const counts = new Map<number, number>()
  for (const { start, count } of [...one, ...other])
    counts.set(start, Math.max(counts.get(start) ?? 0, count))
  return Array.from(counts, ([start, count]): Bucket => ({ start, count })).toSorted(
    (a, b) => a.start - b.start,
  )
}

type Passing = Pick<
  StoreWrites,
  | 'keyRestrictions'
  | 'usageOf'
  | 'nochgsOf'
  | 'namesOfKey'
  | 'sanctionsOf'
  | 'putSanction'
  | 'forgetSanctions'
  | 'coverSanctions'
>

const hostnamesOf = async (w: Passing, keyId: number): Promise<readonly string[]> => [
  ...new Set((await w.namesOfKey(keyId)).map(({ fqdn }) => fqdn)),
]

/** Before a DDNS key is removed: what it has counted, and its blocks, pass to its hostnames and to the next keys. */
async function passSanctions(w: Passing, keyId: number, now: Instant): Promise<void> {
  await passCounts(w, { keyId, subjects: ['', ...(await hostnamesOf(w, keyId))] }, now)
}

/**
 * Passes the counts of a key to hostnames or, for an empty subject, to later keys. All deleted keys share one row per
 * hostname, to bound the rows of an account. Blocks and locks by the operator have separate rows, because the operator
 * lifts them by key.
 */
async function passCounts(
  w: Passing,
  { keyId, subjects }: { readonly keyId: number; readonly subjects: readonly string[] },
  now: Instant,
): Promise<void> {
  const key = await w.keyRestrictions(keyId)
  if (key === undefined) return
  const { accountId, username, lastKeyId, isBlocked } = key
  await w.forgetSanctions(accountId, now)
  const principal = { kind: 'key', id: keyId, accountId } as const
  const { requests, refusals, blockedUntil } = await w.usageOf(principal)
  const left = new Map(
    (await w.sanctionsOf(accountId, subjects))
      .filter(({ source }) => source === GONE_KEYS)
      .map((one) => [one.subject, one]),
  )
  const hostnames = subjects.filter((subject) => subject !== '')
  if (blockedUntil !== undefined && !isBlocked)
    await w.coverSanctions(accountId, { source: GONE_KEYS, subjects: hostnames, until: blockedUntil })
  for (const subject of subjects) {
    // A group is counted by the username.
    const nochgs = await w.nochgsOf(principal, subject === '' ? username : subject)
    const counts = { requests, refusals, nochgs, ...(blockedUntil !== undefined && { blockedUntil }) }
    const isLocked = subject === '' && key.isLocked
    const isOperators = isBlocked || isLocked
    const given = { ...counts, subject, source: username, lastKeyId, isBlocked, isLocked }
    if (subject === '' || isOperators) await put(w, { accountId, now }, given)
    else await put(w, { accountId, now }, withLeft({ ...given, source: GONE_KEYS }, left.get(subject)))
  }
}

/** The shared source of all deleted keys; no username is empty. */
const GONE_KEYS = ''

/** Adds the counts, because the keys served the hostname at different times. */
function withLeft(one: Omit<Sanction, 'endsAt'>, left: Sanction | undefined): Omit<Sanction, 'endsAt'> {
  if (left === undefined) return one
  const ends = [one.blockedUntil, left.blockedUntil].flatMap((end) => end ?? [])
  const [end] = ends.toSorted((a, b) => b - a)
  return {
    ...one,
    requests: mergedBuckets(one.requests, left.requests),
    refusals: mergedBuckets(one.refusals, left.refusals),
    nochgs: mergedBuckets(one.nochgs, left.nochgs),
    ...(end !== undefined && { blockedUntil: end }),
  }
}

/** A block also applies to the hostnames of the key: they may get another key before it ends. */
async function passBlock(
  w: Passing,
  keyId: number,
  { blockedUntil, now }: { readonly blockedUntil: Instant | undefined; readonly now: Instant },
): Promise<void> {
  const key = await w.keyRestrictions(keyId)
  if (key === undefined) return
  const { accountId, username: source, lastKeyId, isBlocked } = key
  const subjects = await hostnamesOf(w, keyId)
  await w.forgetSanctions(accountId, now)
  if (blockedUntil !== undefined) await w.coverSanctions(accountId, { source, subjects, until: blockedUntil })
  const none: Buckets = []
  const block = {
    requests: none,
    refusals: none,
    nochgs: none,
    source,
    lastKeyId,
    isBlocked,
    isLocked: false,
    ...(blockedUntil !== undefined && { blockedUntil }),
  }
  for (const subject of subjects) await put(w, { accountId, now }, { ...block, subject })
}

/** The sanctions of a renamed hostname apply to both names. */
export async function copySanctions(
  w: Pick<StoreWrites, 'sanctionsOf' | 'putSanction'>,
  { accountId, from, to }: { readonly accountId: number; readonly from: string; readonly to: string },
): Promise<void> {
  for (const one of await w.sanctionsOf(accountId, [from]))
    await w.putSanction(accountId, { ...one, subject: to })
}

/** With what it has already; nothing for one that says nothing. */
async function put(
  w: Passing,
  { accountId, now }: { readonly accountId: number; readonly now: Instant },
  given: Omit<Sanction, 'endsAt'>,
): Promise<void> {
  const { requests, refusals, nochgs, blockedUntil, isBlocked, isLocked } = given
  const hasCounts = requests.length + refusals.length + nochgs.length > 0
  if (!hasCounts && !isBlocked && !isLocked && blockedUntil === undefined) return
  const counted = hasCounts ? after(now, LONGEST_WINDOW) : now
  const endsAt = blockedUntil !== undefined && isBefore(counted, blockedUntil) ? blockedUntil : counted
  await w.putSanction(accountId, { ...given, ...(!isBlocked && !isLocked && { endsAt }) })
}

/** The writes that make and lift sanctions, over those of a store that do neither. */
export const withSanctions = (
  w: Omit<StoreWrites, 'passBlock' | 'databaseIdentity'>,
): Pick<StoreWrites, 'removeKey' | 'removeName' | 'blockKey' | 'lockKey' | 'unblock' | 'passBlock'> => ({
  async removeKey(keyId, now) {
    await passSanctions(w, keyId, now)
    await w.removeKey(keyId, now)
  },
  async blockKey(keyId, isBlocked, now) {
    await w.blockKey(keyId, isBlocked, now)
    if (isBlocked) await passBlock(w, keyId, { blockedUntil: undefined, now })
    else await liftOfKey(w, keyId)
  },
  async unblock(principal) {
    await w.unblock(principal)
    if (principal.kind === 'key') await liftOfKey(w, principal.id)
  },
  async removeName(name, now) {
    const zone = await w.zoneRules(name.zoneId)
    for (const group of keyNamesOf(name)) {
      const key = zone === undefined ? undefined : await w.login(group)
      if (key?.kind === 'key')
        await passCounts(w, { keyId: key.id, subjects: [fqdnOf(name.name, zone?.name ?? '')] }, now)
    }
    await w.removeName(name, now)
  },
  async lockKey(keyId, isLocked) {
    await w.lockKey(keyId, isLocked)
    const key = isLocked ? undefined : await w.keyRestrictions(keyId)
    if (key !== undefined) await w.unlockSanctions({ accountId: key.accountId, source: key.username, keyId })
  },
  passBlock: async ({ id }, blockedUntil, now) => passBlock(w, id, { blockedUntil, now }),
})

async function liftOfKey(
  w: Omit<StoreWrites, 'passBlock' | 'databaseIdentity'>,
  keyId: number,
): Promise<void> {
  const key = await w.keyRestrictions(keyId)
  if (key !== undefined) await w.liftSanctions({ accountId: key.accountId, source: key.username, keyId })
}
