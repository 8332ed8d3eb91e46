import { createHash } from 'node:crypto'
import { after, days, type Duration, hours, type Instant, minutes } from '../../shared/base/time.ts'
import { Secret } from '../../shared/base/secret.ts'
import type { LinkPurpose } from '../store/account/one-time-codes.ts'
import type { StoreReads, StoreWrites } from '../store/store.ts'
import { isUsername, randomOctets } from './hashes.ts'

const CODE_OCTETS = 32

/** How long a link may be used, unless its maker says otherwise. */
export const CODE_LIFETIMES: Readonly<Record<LinkPurpose, Duration>> = {
  invitation: days(7),
  reset: hours(1),
  open: minutes(10),
  confirm: days(1),
}

/** Where the console takes a code: after `#`, which browsers send to no one and no log has. */
const CODE_PATHS: Readonly<Record<LinkPurpose, string>> = {
  invitation: '/console/invitation',
  reset: '/console/reset',
  open: '/console/open',
  confirm: '/console/confirm',
}

export const linkOf = (origin: string, purpose: LinkPurpose, code: Secret): Secret =>
  code.derive((text) => `${origin}${CODE_PATHS[purpose]}#${text}`)

/** 256 bits are not guessed, so a fast hash is enough. */
const hashOfCode = (code: Secret): Uint8Array => createHash('sha256').update(code.reveal()).digest()

interface NewCode {
  readonly purpose: LinkPurpose
  readonly accountId?: number
  readonly grant?: object
  readonly now: Instant
  readonly lifetime?: Duration
}

/** Makes a code for a link that is used once. */
export async function makeCode(
  w: StoreWrites,
  { purpose, accountId, grant = {}, now, lifetime = CODE_LIFETIMES[purpose] }: NewCode,
): Promise<Secret> {
  const code = new Secret(Buffer.from(randomOctets(CODE_OCTETS)).toString('base64url'))
  await w.addCode({
    hash: hashOfCode(code),
    purpose,
    ...(accountId !== undefined && { accountId }),
    grant: JSON.stringify(grant),
    createdAt: now,
    expiresAt: after(now, lifetime),
  })
  return code
}

interface TakenCode {
  readonly accountId: number | undefined
  readonly grant: Readonly<Record<string, unknown>>
  readonly createdAt: Instant
}

interface GivenCode {
  readonly purpose: LinkPurpose
  readonly code: Secret
  readonly now: Instant
}

/** The grant of a code, without using it up; undefined if the code is unknown or expired. */
export async function grantOf(
  r: StoreReads,
  { purpose, code, now }: GivenCode,
): Promise<TakenCode['grant'] | undefined> {
  const stored = await r.codeWith(hashOfCode(code), purpose, now)
  return stored && (JSON.parse(stored.grant) as TakenCode['grant'])
}

/** What a code grants, which is used up by this; undefined if it is none, or too old. */
export async function takenCode(
  w: StoreWrites,
  { purpose, code, now }: GivenCode,
): Promise<TakenCode | undefined> {
  const stored = await w.takeCode(hashOfCode(code), purpose, now)
  if (stored === undefined) return undefined
  const { accountId, createdAt } = stored
  return { accountId, createdAt, grant: JSON.parse(stored.grant) as TakenCode['grant'] }
}

/** Mailboxes (RFC 2142) and users that stand for the operator. */
const RESERVED = (
  'admin administrator root operator oper support postmaster hostmaster webmaster abuse security system ' +
  'holdfast noreply'
).split(' ')

/** Whether the name is that of a key or an account; of accounts also one that differs in capitals alone. */
export const isNameTaken = async (r: StoreReads, name: string): Promise<boolean> =>
  (await r.login(name)) !== undefined || (await r.hasAccountLike(name))

/** Why no new account can have this name; undefined if one can. */
export function accountNameFault(name: string): string | undefined {
  if (!/^\w[\w.-]{0,63}$/.test(name))
    return (
      `${name || 'the name'} does not consist of 1 to 64 letters, digits, _ . and -, ` +
      'with a letter, a digit or _ at its beginning'
    )
  if (RESERVED.includes(name.toLowerCase()))
    return `${name} would be taken for the operator; choose another name`
  // The time of a refused login would tell that it is an account (decision 0031).
  return isUsername(name)
    ? `${name} has the form of the username of a DDNS key: 7 small letters or digits; choose another length`
    : undefined
}
