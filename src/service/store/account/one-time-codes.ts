import type { Instant } from '../../../shared/base/time.ts'

/** What a code that is used once is for. */
export type LinkPurpose = 'invitation' | 'reset' | 'open' | 'confirm'
/** `passkey`: a challenge that was used, which is not taken again. */
export type CodePurpose = LinkPurpose | 'passkey'

export interface StoredCode {
  readonly id: number
  readonly purpose: CodePurpose
  /** The account that it is for; undefined: there is none yet. */
  readonly accountId?: number
  /** What it grants, as JSON. */
  readonly grant: string
  readonly createdAt: Instant
  readonly expiresAt: Instant
}

export interface CodeReads {
  /** Undefined if unknown or expired. */
  codeWith(hash: Uint8Array, purpose: CodePurpose, now: Instant): Promise<StoredCode | undefined>
  /** Those that have not expired, the newest first. */
  codesFor(purpose: CodePurpose, now: Instant): Promise<readonly StoredCode[]>
}

export interface CodeWrites extends CodeReads {
  /** Forgets those that have expired. `hash`: of the code, which is stored nowhere. */
  addCode(code: Omit<StoredCode, 'id'> & { readonly hash: Uint8Array }): Promise<number>
  /** The code, which is used up by this; undefined if there is none, or it has expired. */
  takeCode(hash: Uint8Array, purpose: CodePurpose, now: Instant): Promise<StoredCode | undefined>
  /** Removes all codes of the account for this purpose. */
  removeCodesOf(accountId: number, purpose: CodePurpose): Promise<void>
  /** Resolves with whether it was there. */
  removeCode(id: number, purpose: CodePurpose): Promise<boolean>
}
