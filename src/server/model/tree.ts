import type { Instant } from '../../base/time.ts'
import type { DnsType } from './rdata-values.ts'

export type Metadata = Readonly<Record<string, string>>

/** What an account may do and have. Policy is data: an operator changes rows, not code. */
export interface Plan {
  readonly name: string
  readonly maxNames: number
  readonly maxRdata: number
  readonly maxNameMetadata: number
  readonly maxRRSetMetadata: number
  /** In seconds, as all TTLs (RFC 2181 §8). */
  readonly minTtl: number
  readonly fixedTtl?: number
  /** Without it, every type. */
  readonly types?: readonly string[]
  readonly hasOffline: boolean
  readonly hasWildcards: boolean
}

export interface Account {
  readonly id: number
  readonly name: string
  readonly plan: Plan
  readonly isWebsiteOnly: boolean
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
  readonly hasWildcards: boolean
  readonly types?: readonly string[]
  readonly ownerOnlyTypes?: readonly string[]
  readonly maxLabels?: number
  readonly minTtl?: number
  readonly fixedTtl?: number
  readonly defaultTtl: number
  readonly serial: number
  readonly metadata: Metadata
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

export interface Rdata {
  /** Unique in its RRSet, without regard to case. One that was made for the user begins with an underscore. */
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

/** One name with everything that is at it. */
export interface Name {
  /** Undefined until it is kept. */
  readonly id?: number
  readonly zoneId: number
  readonly accountId: number
  /** Relative to its zone; "@" is the apex. */
  readonly name: string
  readonly isProhibited: boolean
  readonly isOffline: boolean
  readonly offlineSettings?: OfflineSettings
  readonly updateGroup?: string
  readonly metadata: Metadata
  readonly rrsets: readonly RRSet[]
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly publishedAt?: Instant
}

/** What takes the place of a name's data while it is offline. */
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

/** How much an account has, over all its names. */
export interface AccountUsage {
  readonly names: number
  readonly rdata: number
}

export const rrsetOf = (name: Name, dnsType: string): RRSet | undefined =>
  name.rrsets.find((rrset) => rrset.dnsType === dnsType)

export const rdataLabelled = (rrset: RRSet | undefined, label: string): Rdata | undefined =>
  rrset?.rdata.find((one) => one.label.toLowerCase() === label.toLowerCase())

/** The name with this RRSet in place of the one of its type; an RRSet without Rdata is none. */
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

/** Spec, "Metadata": new keys are added, existing ones updated, an empty value removes. */
export const mergeMetadata = (metadata: Metadata, change: Metadata): Metadata =>
  Object.fromEntries(Object.entries({ ...metadata, ...change }).filter(([, value]) => value !== ''))

/** The next label of those that begin with an underscore. */
export function autoLabel(taken: readonly Pick<Rdata, 'label'>[]): string {
  const labels = new Set(taken.map(({ label }) => label.toLowerCase()))
  for (let n = 1; ; n++) if (!labels.has(`_${n}`)) return `_${n}`
}
