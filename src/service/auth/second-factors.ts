import { createHash, timingSafeEqual } from 'node:crypto'
import { Secret as TotpSecret, TOTP } from 'otpauth'
import type { Instant } from '../../shared/base/time.ts'
import { Secret } from '../../shared/base/secret.ts'
import type { StoredFactor } from '../store/account/second-factors.ts'
import type { StoreWrites } from '../store/store.ts'
import { newPassword, type Pepper } from './hashes.ts'
import { seal, unseal } from './sealed.ts'

/** RFC 6238 §5.2 and §4: what every authenticator app has, whatever else a link says. */
const STEP_SECONDS = 30
const DIGITS = 6
/** Codes before and after: clocks differ. */
const WINDOW = 1
const RECOVERY_CODES = 10
const RECOVERY_LENGTH = 10

const ownerOf = (accountId: number): string => `totp of ${accountId}`
const totpOf = (secret: Secret, label = ''): TOTP =>
  new TOTP({
    issuer: 'Holdfast',
    label,
    digits: DIGITS,
    period: STEP_SECONDS,
    secret: TotpSecret.fromBase32(secret.reveal()),
  })

interface NewTotp {
  /** In Base32 (RFC 4648 §6), as people enter it. */
  readonly secret: Secret
  /** For apps that read it from a picture or a link. */
  readonly uri: Secret
  readonly sealed: Uint8Array
}

/** A secret of 160 bits (RFC 4226 §4). */
export function newTotp(pepper: Pepper, account: { readonly id: number; readonly name: string }): NewTotp {
  const secret = new Secret(new TotpSecret({ size: 20 }).base32)
  return {
    secret,
    uri: new Secret(totpOf(secret, account.name).toString()),
    sealed: seal(pepper, secret, ownerOf(account.id)),
  }
}

/** The time step of a code that is right now and later than the last one; undefined otherwise. */
export function totpStep(
  pepper: Pepper,
  { content, accountId, counter }: Pick<StoredFactor, 'content' | 'accountId' | 'counter'>,
  { code, now }: { readonly code: string; readonly now: Instant },
): number | undefined {
  const secret = unseal(pepper, content, ownerOf(accountId))
  const delta = secret && totpOf(secret).validate({ token: code, timestamp: now, window: WINDOW })
  if (delta === undefined || delta === null) return undefined
  const step = Math.floor(now / 1000 / STEP_SECONDS) + delta
  return step > counter ? step : undefined
}

export const resealTotp = (
  pepper: Pepper,
  { content, accountId }: Pick<StoredFactor, 'content' | 'accountId'>,
): Uint8Array | undefined => {
  const secret = unseal(pepper, content, ownerOf(accountId))
  return secret && seal(pepper, secret, ownerOf(accountId))
}

/** Of 58 bits, which are not guessed within the limit of failed logins; a copy of the store has their hashes only. */
const hashOfCode = (code: string): Uint8Array =>
  createHash('sha256')
    .update(`recovery ${code.replaceAll(/[\s-]/g, '')}`)
    .digest()

interface NewRecoveryCode {
  readonly code: string
  readonly hash: Uint8Array
}

export const newRecoveryCodes = (): readonly NewRecoveryCode[] =>
  Array.from({ length: RECOVERY_CODES }, () => {
    const text = newPassword().slice(0, RECOVERY_LENGTH)
    const code = `${text.slice(0, RECOVERY_LENGTH / 2)}-${text.slice(RECOVERY_LENGTH / 2)}`
    return { code, hash: hashOfCode(code) }
  })

/** Whether a code is right: one of an app, which is not taken again, or one of paper, which is used up by this. */
export async function takeFactorCode(
  w: StoreWrites,
  pepper: Pepper,
  given: { readonly accountId: number; readonly code: string; readonly now: Instant },
): Promise<boolean> {
  const { accountId, now } = given
  const code = given.code.trim()
  const factors = await w.factorsOf(accountId)
  for (const factor of factors.filter(({ kind, isConfirmed }) => kind === 'totp' && isConfirmed)) {
    const counter = totpStep(pepper, factor, { code: code.replaceAll(' ', ''), now })
    if (counter === undefined) continue
    return w.useFactor(factor.id, { counter, now })
  }
  const hash = hashOfCode(code)
  const paper = factors.find(({ kind, content }) => kind === 'recovery' && timingSafeEqual(content, hash))
  return paper !== undefined && w.removeFactor(paper.id, accountId, now)
}
