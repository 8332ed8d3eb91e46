import type { Instant } from '../../../shared/base/time.ts'

/** totp: an authenticator app (RFC 6238). passkey: see `auth/passkeys.ts`. recovery: a code on paper, which is used once. */
export type FactorKind = 'totp' | 'passkey' | 'recovery'

/** What an account needs besides its password, at the website. */
export interface StoredFactor {
  readonly id: number
  readonly accountId: number
  readonly kind: FactorKind
  readonly description: string
  /** The sealed secret of totp; the public key of a passkey; the hash of a recovery code. */
  readonly content: Uint8Array
  /** Of totp: the time step of the last code, which is not taken again. Of a passkey: its own count of its uses. */
  readonly counter: number
  /** It has worked once; until then it is not asked for. */
  readonly isConfirmed: boolean
  readonly createdAt: Instant
  readonly usedAt?: Instant
}

export interface FactorReads {
  /** Whether the password alone is not enough. */
  hasFactor(accountId: number): Promise<boolean>
  /** Whether the content of a passkey of any account begins so. */
  hasPasskey(start: Uint8Array): Promise<boolean>
  /** In the order of their making. */
  factorsOf(accountId: number): Promise<readonly StoredFactor[]>
}

export interface FactorWrites extends FactorReads {
  addFactor(factor: Omit<StoredFactor, 'id' | 'usedAt'>): Promise<number>
  /** It has worked: it is confirmed. Resolves with false for a time step of totp that was used meanwhile. */
  useFactor(id: number, use: { readonly counter: number; readonly now: Instant }): Promise<boolean>
  /** Resolves with whether the account had it. */
  removeFactor(id: number, accountId: number, now: Instant): Promise<boolean>
  /** All of one kind, or all. */
  removeFactors(accountId: number, now: Instant, kind?: FactorKind): Promise<void>
  /** Of all accounts: the secrets that are sealed. */
  sealedFactors(): Promise<readonly Pick<StoredFactor, 'id' | 'accountId' | 'content'>[]>
  resealFactor(id: number, content: Uint8Array): Promise<void>
}
