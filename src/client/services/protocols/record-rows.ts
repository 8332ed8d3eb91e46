import type { Duration } from '../../../shared/base/time.ts'
import type { Address } from '../../../shared/base/address.ts'
import type { Secret, SecretText } from '../../../shared/base/secret.ts'
import type { ServiceAccount, ServiceAnswer } from './protocol.ts'
import type { FoundRecord } from './records.ts'
import type { Refusals } from './refusals.ts'
import type { RestCall, RestService } from './rest.ts'

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
  /** As the service has it, where a write repeats more than the TTL. */
  readonly whole?: unknown
}

export type RowCall = Pick<RestCall, 'method' | 'path' | 'body' | 'isSilent'>

/** A change, and whether the answer to it says that it was made. */
interface RowWrite extends RowCall {
  /** Not asked of an answer without a document, where that is success. */
  readonly isDone?: (document: unknown) => boolean
}

/** What a record is to be. */
interface WantedRecord {
  readonly address: Address
  /** That of what is there, for a write that resets it. */
  readonly ttl: number
  /** What is there; without it, a record is made. */
  readonly before: RowRecord | undefined
}

/** A service whose records are read and written one family at a time. */
export interface RecordRow extends Pick<RestService, 'isForm' | 'codesIn'> {
  readonly headers: (account: ServiceAccount) => Readonly<Record<string, string | SecretText>>
  /** Of each body. */
  readonly secrets?: (account: ServiceAccount) => Readonly<Record<string, string | Secret>>
  /** Without it: a document with a status from 200 to 299. */
  readonly isSuccess?: (document: unknown) => boolean
  /** Without it, the zone is the domain that can be registered. */
  readonly zones?: {
    readonly path: (hostname: string) => string
    readonly zonesIn: (document: unknown) => readonly ListedZone[] | undefined
    /** How many there are, of which the answer may list only some. */
    readonly total?: (document: unknown) => string | undefined
    /** Requests name a zone by its name, so one that is set need not be looked up. */
    readonly areNamed?: true
  }
  readonly find: (place: RecordPlace) => string | RowCall
  /** All records at the hostname that the answer names, of any type; undefined for another document. */
  readonly recordsIn: (document: unknown, place: RecordPlace) => readonly RowRecord[] | undefined
  /** The answer has records of all types, so that an alias is among them. */
  readonly hasAllTypes?: true
  /** Whether an answer says that there is no such record. */
  readonly isMissing: (answer: ServiceAnswer, document: unknown) => boolean
  readonly write: (place: RecordPlace, wanted: WantedRecord) => RowWrite
  readonly refusals: Refusals
  /** In seconds: the least, and that of records that are made. */
  readonly ttl: number
  readonly gap?: Duration
}
