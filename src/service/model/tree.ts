import type { Instant } from '../../shared/base/time.ts'
import type { DnsType } from './rdata/types.ts'

export type Metadata = Readonly<Record<string, string>>

/** A billing plan: limits and features of its accounts. Operators change it as data. */
export interface Plan {
  readonly name: string
  readonly maxNames: number
  readonly maxRdata: number
  /** DDNS keys. */
  readonly maxKeys: number
  readonly maxNameMetadata: number
  readonly maxRRSetMetadata: number
  /** In seconds, like all TTLs. */
  readonly minTtl: number
  readonly fixedTtl?: number
  /** The allowed types; all without it. */
  readonly types?: readonly string[]
  readonly hasOffline: boolean
  readonly hasWildcards: boolean
  /** Its accounts need a second factor at the website. */
  readonly needsFactor?: true
}

export interface Account {
  readonly id: number
  readonly name: string
  readonly plan: Plan
  readonly isWebsiteOnly: boolean
  /** By the operator: nothing is changed for it, and nothing is read. */
  readonly isSuspended: boolean
  /** Its person may do at the website what `holdfast admin` does. */
  readonly isOperator?: true
  readonly email?: string
  /** A link that was sent to the address was followed: links for a new password go there. */
  readonly isEmailConfirmed?: true
  /** Keys that are gone, or blocked ones, have left counts or blocks: see `Sanction`. */
  readonly hasSanctions?: true
}

export interface Zone {
  readonly id: number
  readonly name: string
  readonly accountId: number
  readonly isShared: boolean
  /** Locked by the operator. */
  readonly isProhibited: boolean
  readonly isWebsiteOnly: boolean
  readonly isClosedToNewNames: boolean
  readonly isMembersOnly: boolean
  readonly hasNoNewRdata: boolean
  /** Undefined: in a zone that is not shared. */
  readonly hasWildcards?: boolean
  /** In a shared zone: names may be made beneath and above names of other accounts. */
  readonly hasOpenNesting: boolean
  readonly types?: readonly string[]
  readonly ownerOnlyTypes?: readonly string[]
  readonly maxLabels?: number
  readonly minTtl?: number
  readonly fixedTtl?: number
  readonly defaultTtl: number
  /** A text of the owner. */
  readonly description: string
  /** The zone is not published before its ownership is proved. */
  readonly awaitsProof?: boolean
  readonly serial: number
  readonly metadata: Metadata
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** What the rules ask about a zone. */
export type ZoneRules = Omit<Zone, 'serial' | 'updatedAt' | 'metadata' | 'description' | 'awaitsProof'>

export interface Rdata {
  /** Unique in its RRSet without regard to case. Generated labels begin with an underscore. */
  readonly label: string
  /** In canonical form. */
  readonly value: string
  /** Username of the DDNS key whose target this is. */
  readonly updateGroup?: string
  readonly isSystem: boolean
}

export interface RRSet {
  readonly dnsType: DnsType
  readonly ttl: number
  readonly isSystem: boolean
  readonly metadata: Metadata
  readonly rdata: readonly Rdata[]
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** One name with everything at it. */
export interface Name {
  /** Undefined until it is saved. */
  readonly id?: number
  readonly zoneId: number
  readonly accountId: number
  /** Relative to its zone; "@" is the apex. */
  readonly name: string
  /** Locked by the operator: it cannot be changed. */
  readonly isProhibited: boolean
  /** Blocked by the operator: it cannot be changed, and it is not published. */
  readonly isBlocked: boolean
  /** Made by adding Rdata to a missing name: it goes when nothing is left at it. */
  readonly isImplicit?: boolean
  readonly isOffline: boolean
  readonly offlineSettings?: OfflineSettings
  readonly updateGroup?: string
  readonly metadata: Metadata
  readonly rrsets: readonly RRSet[]
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly publishedAt?: Instant
}

/** What is served instead of the records while a name is offline. */
export type OfflineSettings =
  | { readonly action: 'none' }
  | { readonly action: 'record'; readonly dns_type: 'A' | 'AAAA'; readonly rdata: string }
  | { readonly action: 'redirect'; readonly url: string }
  | {
      readonly action: 'page'
      readonly title: string
      readonly message?: string
      readonly logo_url?: string
      readonly email?: string
    }

/** An implicit name without records, metadata, offline settings, lock or DDNS key. */
export const isLeftover = (name: Name): boolean =>
  name.isImplicit === true &&
  name.rrsets.length === 0 &&
  Object.keys(name.metadata).length === 0 &&
  name.updateGroup === undefined &&
  name.offlineSettings === undefined &&
  !(name.isOffline || name.isProhibited || name.isBlocked)

/** Totals of an account, for its quotas. */
export interface AccountUsage {
  readonly names: number
  readonly rdata: number
}

export const rrsetOf = (name: Name, dnsType: string): RRSet | undefined =>
  name.rrsets.find((rrset) => rrset.dnsType === dnsType)

export const rdataLabelled = (rrset: RRSet | undefined, label: string): Rdata | undefined =>
  rrset?.rdata.find((one) => one.label.toLowerCase() === label.toLowerCase())

/** The name with this RRSet instead of the one of its type; an RRSet without Rdata is removed. */
export function withRRSet(name: Name, rrset: RRSet): Name {
  const others = name.rrsets.filter(({ dnsType }) => dnsType !== rrset.dnsType)
  return { ...name, rrsets: rrset.rdata.length === 0 ? others : [...others, rrset] }
}

export const withoutRRSet = (name: Name, dnsType: string): Name => ({
  ...name,
  rrsets: name.rrsets.filter((rrset) => rrset.dnsType !== dnsType),
})

export const countRdata = ({ rrsets }: Pick<Name, 'rrsets'>): number =>
  rrsets.reduce((sum, { rdata }) => sum + rdata.length, 0)

/** The usernames of the DDNS keys of a name. */
export const keyNamesOf = ({ updateGroup, rrsets }: Pick<Name, 'updateGroup' | 'rrsets'>) =>
  new Set(
    [updateGroup, ...rrsets.flatMap(({ rdata }) => rdata.map((one) => one.updateGroup))].filter(
      (group) => group !== undefined,
    ),
  )

/** Spec, "Metadata": new keys are added, existing ones updated, an empty value removes. */
export const mergeMetadata = (metadata: Metadata, change: Metadata): Metadata =>
  Object.fromEntries(Object.entries({ ...metadata, ...change }).filter(([, value]) => value !== ''))

/** Gives the unused generated labels, one after the other. */
export function autoLabels(rdata: readonly Pick<Rdata, 'label'>[]): () => string {
  const labels = new Set(rdata.map(({ label }) => label.toLowerCase()))
  let n = 0
  return () => {
    do n++
    while (labels.has(`_${n}`))
    return `_${n}`
  }
}
