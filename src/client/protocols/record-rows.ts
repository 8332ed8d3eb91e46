import type { SecretText } from '../../net/secret-text.ts'
import type { ServiceAccount, ServiceAnswer } from './protocol.ts'
import type { FoundRecord } from './records.ts'
import type { Refusals } from './refusals.ts'
import type { RestCall } from './rest.ts'

/** Where a record is. */
export interface RecordPlace {
  /** The identifier of the zone, or its name where the service has no other. */
  readonly zoneId: string
  readonly zone: string
  readonly hostname: string
  /** The hostname without the zone; @ for the zone itself. */
  readonly label: string
  readonly type: 'A' | 'AAAA' | 'CNAME'
}

/** A zone of the account. */
export interface ListedZone {
  readonly id: string
  readonly name: string
  /** In seconds: the least that it allows. */
  readonly minTtl?: number | undefined
}

/** A record, or all values of a name and type as one each. */
export interface RowRecord extends FoundRecord {
  readonly ttl: number | undefined
}

export type RowCall = Pick<RestCall, 'method' | 'path' | 'body' | 'isSilent'>

/** A service whose records are read and written one family at a time. */
export interface RecordRow {
  readonly headers: (account: ServiceAccount) => Readonly<Record<string, string | SecretText>>
  /** Without it, the zone is the domain that can be registered. */
  readonly zones?: {
    readonly path: (hostname: string) => string
    readonly zonesIn: (document: unknown) => readonly ListedZone[] | undefined
  }
  readonly find: (place: RecordPlace) => string
  /** All records at the hostname that the answer names, of any type; undefined for another document. */
  readonly recordsIn: (document: unknown, place: RecordPlace) => readonly RowRecord[] | undefined
  /** The answer has records of all types, so that an alias is among them. */
  readonly hasAllTypes?: true
  /** Whether an answer says that there is no such record. */
  readonly isMissing: (answer: ServiceAnswer, document: unknown) => boolean
  /** `before`: what is there; without it, a record is made. The TTL is that of what is there, where a write resets it. */
  readonly write: (
    place: RecordPlace,
    wanted: { readonly address: string; readonly ttl: number; readonly before: RowRecord | undefined },
  ) => RowCall
  readonly codesIn: (document: unknown) => readonly string[]
  readonly refusals: Refusals
  /** In seconds: the least, and that of records that are made. */
  readonly ttl: number
}
