import { after, type Duration, type Instant, isBefore, longest } from '../../shared/base/time.ts'
import { fqdnOf } from '../model/dns-name.ts'
import type { Buckets, Principal, Usage } from '../model/rows.ts'
import type { Sanction } from '../store/account/sanctions.ts'
import type { DdnsKey } from '../store/records.ts'
import { mergedBuckets } from '../store/sanctions.ts'
import type { StoreWrites } from '../store/store.ts'
import type { AbuseLimits } from './limits.ts'
import { busiest, exceeds, withEvent } from './sliding-window.ts'

/**
 * The end of the block that is in force at `now`; undefined if there is none. An end further ahead than `longest`, the
 * longest block that is imposed, was stored while the clock was ahead: the block would last until the clock is there again.
 */
export function blockEnd(
  { blockedUntil }: { readonly blockedUntil?: Instant },
  now: Instant,
  longest: Duration,
): Instant | undefined {
  if (blockedUntil === undefined || !isBefore(now, blockedUntil)) return undefined
  return isBefore(after(now, longest), blockedUntil) ? undefined : blockedUntil
}

interface Moment {
  readonly limits: AbuseLimits
  readonly now: Instant
}

/** What deleted keys have left for this one. */
const ofKey = ({ kind, id }: Principal, sanctions: readonly Sanction[]): readonly Sanction[] =>
  sanctions.filter(({ subject, lastKeyId }) => subject === '' && kind === 'key' && lastKeyId < id)

/**
 * The usage of a key, including deleted keys: the highest count of a single key, and the latest end of a block. Counts of
 * different keys are not added, because each may belong to a well-behaved device.
 */
export function inheritedUsage(
  principal: Principal,
  usage: Usage,
  { sanctions, limits, now }: Moment & { readonly sanctions: readonly Sanction[] },
): Usage {
  const left = ofKey(principal, sanctions)
  const most = (of: 'requests' | 'refusals'): Buckets =>
    busiest([usage[of], ...left.map((one) => one[of])], now, limits[of])
  const merged = { ...usage, requests: most('requests'), refusals: most('refusals') }
  return left.reduce<Usage>(
    (all, { blockedUntil }) => ({ ...all, ...laterBlock(all.blockedUntil, blockedUntil) }),
    merged,
  )
}

/** A key with the block that deleted keys have left for it, or for all of its hostnames. */
export function withInheritedBlock(
  key: Pick<DdnsKey, 'id' | 'accountId' | 'blockedUntil' | 'targets'>,
  sanctions: readonly Sanction[],
): { readonly blockedUntil?: Instant } {
  const endOf = (some: readonly Sanction[]): Instant | undefined =>
    some.flatMap((one) => one.blockedUntil ?? []).toSorted((a, b) => b - a)[0]
  const ofHosts = [...new Set(key.targets.map(({ name, zoneName }) => fqdnOf(name, zoneName)))].map((fqdn) =>
    endOf(sanctions.filter(({ subject }) => subject === fqdn)),
  )
  const [firstFree] = ofHosts.flatMap((end) => end ?? []).toSorted((a, b) => a - b)
  const left = laterBlock(
    endOf(ofKey({ kind: 'key', id: key.id, accountId: key.accountId }, sanctions)),
    ofHosts.includes(undefined) ? undefined : firstFree,
  )
  return laterBlock(key.blockedUntil, left === false ? undefined : left.blockedUntil) || {}
}

const laterBlock = (one: Instant | undefined, other: Instant | undefined) => {
  const end = one === undefined || (other !== undefined && isBefore(one, other)) ? other : one
  return end !== undefined && { blockedUntil: end }
}

/** The `nochg` that were counted of a hostname, or of the group of a deleted key. */
export const inheritedNochgs = (
  principal: Principal,
  { name, isGroup }: { readonly name: string; readonly isGroup: boolean },
  sanctions: readonly Sanction[],
): Buckets =>
  (isGroup
    ? ofKey(principal, sanctions)
    : sanctions.filter(({ subject }) => subject === name)
  ).reduce<Buckets>((all, { nochgs }) => mergedBuckets(all, nochgs), [])

/**
 * A block ends the counts that led to it, also those that deleted keys have left. `subject`: a hostname; or empty for what
 * they have left for this key.
 */
export async function endInherited(
  w: Pick<StoreWrites, 'putSanction' | 'sanctionsOf'>,
  principal: Principal,
  { subject, counts }: { readonly subject: string; readonly counts: 'requests' | 'refusals' | 'nochgs' },
): Promise<void> {
  const left = await w.sanctionsOf(principal.accountId, [subject])
  for (const one of subject === '' ? ofKey(principal, left) : left)
    if (one[counts].length > 0) await w.putSanction(principal.accountId, { ...one, [counts]: [] })
}

/**
 * The hostnames that are blocked. Each that a deleted key has left is counted on by itself, so that another key of the
 * account, which may serve other devices, is not blocked for it.
 */
export async function blockedHostnames(
  w: Pick<StoreWrites, 'putSanction' | 'login'>,
  { principal, hostnames }: { readonly principal: Principal; readonly hostnames: ReadonlySet<string> },
  { sanctions, limits, now }: Moment & { readonly sanctions: readonly Sanction[] },
): Promise<ReadonlySet<string>> {
  const { accountId, kind } = principal
  const blocked = new Set<string>()
  for (const one of sanctions.filter(({ subject }) => hostnames.has(subject))) {
    // The block of a key that is there is not one of its account.
    if (kind === 'account' && (await w.login(one.source)) !== undefined) continue
    const isBlocked =
      one.isBlocked || blockEnd(one, now, longest(limits.longBlock, limits.shortBlock)) !== undefined
    if (isBlocked) blocked.add(one.subject)
    if (isBlocked || one.requests.length === 0) continue
    const requests = withEvent(one.requests, now, limits.requests)
    const until = exceeds(requests, limits.requests) ? after(now, limits.shortBlock) : undefined
    if (until !== undefined) blocked.add(one.subject)
    const counted = until === undefined ? { requests } : { requests: [], blockedUntil: until }
    await w.putSanction(accountId, { ...one, ...counted, ...(until && { endsAt: until }) })
  }
  return blocked
}
