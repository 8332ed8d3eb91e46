import type { Instant } from '../../shared/base/time.ts'
import { fqdnOf } from './dns-name.ts'
import { type Name, type RRSet, rrsetOf } from './tree.ts'

/** One RRSet that a request changed, or another change as a whole: who did what, from where. Never a secret. */
export interface TrailEntry {
  readonly at: Instant
  /** Of the one who made the change; `OPERATOR` for `holdfast admin`. */
  readonly accountId: number
  /** By `/nic/update`: these are counted apart, because they are frequent. */
  readonly isUpdate: boolean
  /** Such as `key abc1234`, `account acme`, `API key 7`, `operator root`. */
  readonly actor: string
  /** The address of the client; empty for the operator. */
  readonly peer: string
  /** The operation of `/v1` or of `holdfast admin`, or `update`. */
  readonly operation: string
  /** The whole name, or what else was changed. */
  readonly subject: string
  /** Of an RRSet. */
  readonly dnsType?: string
  /** Values; undefined where there was nothing. */
  readonly before?: string
  readonly after?: string
}

/** No account has this id. */
export const OPERATOR = 0

/** What one account may keep; older entries go. */
export const MAX_TRAIL = { updates: 10_000, others: 100_000 } as const

export type TrailChange = Pick<TrailEntry, 'subject' | 'dnsType' | 'before' | 'after'>

/** In characters: a TXT record may be much longer. */
const MAX_TEXT = 1000

/** As in a list of records: the TTL, and the values. */
export const trailText = (rrset: Pick<RRSet, 'ttl' | 'rdata'>): string => {
  const text = wholeText(rrset)
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}

const wholeText = ({ ttl, rdata }: Pick<RRSet, 'ttl' | 'rdata'>): string =>
  `${ttl} ${rdata.map(({ value }) => value).join(', ')}`

/** The RRSets that differ. */
export function trailOf(
  zone: string,
  before: Name | undefined,
  after: Name | undefined,
): readonly TrailChange[] {
  const name = (after ?? before)?.name ?? ''
  const types = new Set([...(before?.rrsets ?? []), ...(after?.rrsets ?? [])].map(({ dnsType }) => dnsType))
  return [...types].flatMap((dnsType) => {
    const [was, is] = [before, after].map((one) => one && rrsetOf(one, dnsType))
    // Two long texts may begin alike.
    if ((was && wholeText(was)) === (is && wholeText(is))) return []
    return [
      {
        subject: fqdnOf(name, zone),
        dnsType,
        ...(was !== undefined && { before: trailText(was) }),
        ...(is !== undefined && { after: trailText(is) }),
      },
    ]
  })
}
