import type { Instant } from '../../../shared/base/time.ts'
import type { ListedPage, Page } from '../../model/query.ts'

/** A TSIG key that an account made, to sign UPDATE messages (RFC 2136, RFC 8945). */
export interface StoredTsigKey {
  /** In lower case; unique in the store. */
  readonly name: string
  readonly accountId: number
  readonly algorithm: string
  /** The secret, encrypted: see `service/auth/sealed.ts`. */
  readonly sealed: Uint8Array
  readonly description: string
  /** In canonical form: see service/rules/permission.ts. */
  readonly scopes: readonly string[]
  readonly createdAt: Instant
  readonly expiresAt?: Instant
  readonly lastUsedAt?: Instant
}

/** An UPDATE that was handled, by its MAC, with the RCODE of its answer. */
interface HandledUpdate {
  readonly mac: Uint8Array
  readonly rcode: number
}

export interface TsigKeyReads {
  tsigKeyNamed(name: string): Promise<StoredTsigKey | undefined>
  /** In the order of their names; `search`: a part of the name or the description. */
  tsigKeysOf(accountId: number, page: Page, search?: string): Promise<ListedPage<StoredTsigKey>>
  /** The RCODE of the UPDATE with this MAC; undefined if none was handled. */
  handledUpdate(mac: Uint8Array): Promise<number | undefined>
}

export interface TsigKeyWrites extends TsigKeyReads {
  /** Of all accounts. */
  allTsigKeys(): Promise<readonly Pick<StoredTsigKey, 'name' | 'sealed'>[]>
  addTsigKey(key: Omit<StoredTsigKey, 'createdAt' | 'lastUsedAt'>, now: Instant): Promise<void>
  /** Resolves with whether the account had it. */
  removeTsigKey(name: string, accountId: number): Promise<boolean>
  touchTsigKey(name: string, now: Instant): Promise<void>
  resealTsigKey(name: string, sealed: Uint8Array): Promise<void>
  /** Forgets those that were noted before `oldest`. */
  noteUpdate(update: HandledUpdate, at: { readonly now: Instant; readonly oldest: Instant }): Promise<void>
}
