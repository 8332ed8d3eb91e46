import { after, type Instant, isBefore, minutes } from '../../shared/base/time.ts'
import { ednsOption, withOptions } from '../../shared/dns/message.ts'
import { signTsig, type TsigCheck, type TsigKey, tsigKeyFrom, verifyTsig } from '../../shared/dns/tsig.ts'
import { CLASSES, EDNS_OPTIONS, OPCODES, RCODES, RR_TYPES } from '../../shared/dns/types.ts'
import type { TsigRecord } from '../../shared/dns/request.ts'
import { parseUpdate, type UpdateMessage } from '../../shared/dns/update-request.ts'
import type { Address } from '../../shared/base/address.ts'
import { networkOf } from '../../shared/base/network.ts'
import type { Secret } from '../../shared/base/secret.ts'
import {
  type FailedLoginLimits,
  type LoginOrigin,
  loginPeer,
  recordFailedLogin,
} from '../auth/failed-logins.ts'
import type { ApiService, InTurn } from '../api/request/context.ts'
import type { Audit } from '../model/audit.ts'
import { emptyAnswer, malformedAnswer } from '../publish/answer.ts'
import { type DnsPeer, faultAnswer } from '../publish/handle.ts'
import type { ResponseLimit } from '../publish/limit.ts'
import type { PublishSettings } from '../publish/settings.ts'
import { type Caller, doorOf, restrictionsOf } from '../rules/permission.ts'
import { isPassing } from '../store/errors.ts'
import type { Store } from '../store/store.ts'
import type { StoredTsigKey } from '../store/account/tsig-keys.ts'
import { applyUpdate, MAX_FUDGE, UPDATE_OPERATION, type UpdateResult } from './apply.ts'

export interface UpdateMessageContext {
  readonly store: Store
  readonly settings: () => PublishSettings
  readonly service: () => ApiService
  readonly limits: () => FailedLoginLimits
  /** Undefined where the hash key is another one than that of the store. */
  readonly unseal: (key: StoredTsigKey) => Secret | undefined
  readonly inTurn: InTurn
  readonly limit: ResponseLimit
  readonly audit: Audit
  readonly now: () => Instant
  /** Resolves when our own answers have the change of these names, or after the longest time between two flushes. */
  readonly published: (zoneId: number, names: readonly string[]) => Promise<void>
  readonly reportError: (error: unknown) => void
}

interface UpdateCall {
  readonly bytes: Uint8Array
  readonly peer: DnsPeer
}
type Send = (message: Buffer) => Promise<void>

const secondsOf = (now: Instant): number => Math.floor(now / 1000)

/**
 * Answers one UPDATE (RFC 2136 §3). The order of checks: form, signature, zone section, then the message itself, in one
 * transaction. Only a signature gives rights, never an address. The answer comes when our own answers have the change.
 */
export async function handleUpdateMessage(
  context: UpdateMessageContext,
  call: UpdateCall,
  send: Send,
): Promise<void> {
  const { bytes, peer } = call
  const message = parseUpdate(bytes)
  const isAllowed = (kind: string): boolean => mayAnswer(context, peer, { kind, length: bytes.length })
  if (message === undefined)
    return isAllowed('FORMERR')
      ? send(malformedAnswer((bytes[0] ?? 0) * 256 + (bytes[1] ?? 0), OPCODES.UPDATE))
      : undefined
  if (message.tsig === undefined)
    return isAllowed('REFUSED')
      ? send(answerOf(message, { rcode: RCODES.REFUSED, because: 'an UPDATE needs a signature (TSIG)' }))
      : undefined
  const now = context.now()
  const stored = await context.store.read(async (r) => r.tsigKeyNamed(message.tsig?.keyName ?? ''))
  const key = stored && usableKey(context, stored, now)
  const check = checked(bytes, message.tsig, { key, now: secondsOf(now) })
  if (check.kind === 'malformed')
    return isAllowed('FORMERR') ? send(emptyAnswer(message, RCODES.FORMERR)) : undefined
  if (check.kind === 'fault') {
    await noteRefusal(context, peer, { isKnown: key !== undefined })
    return isAllowed('TSIG') ? send(faultAnswer(message, check, secondsOf(now))) : undefined
  }
  const result = await resultFor(context, { message, mac: check.mac, stored, peer })
  const { changed } = result
  if (changed !== undefined) await context.published(changed.zoneId, changed.names)
  const answer = answerOf(message, result)
  return send(signTsig(answer, check.key, { now: secondsOf(context.now()), previous: check.mac }).message)
}

/** A message is not valid for as long as its sender likes: what was applied is known for some minutes only. */
function checked(
  bytes: Uint8Array,
  tsig: TsigRecord,
  { key, now }: { readonly key: TsigKey | undefined; readonly now: number },
): TsigCheck {
  const check = verifyTsig(bytes, tsig, { keys: key === undefined ? [] : [key], now })
  return check.kind === 'valid' && Math.abs(now - tsig.time) > MAX_FUDGE / 1000
    ? { ...check, kind: 'fault', fault: 'BADTIME' }
    : check
}

const mayAnswer = (
  { limit, now }: UpdateMessageContext,
  { address, isDatagram }: DnsPeer,
  { kind, length }: { readonly kind: string; readonly length: number },
): boolean => !isDatagram || limit.check(address, kind, { length, now: now() }) === 'send'

/** A key that has expired is not known any more. */
export function usableKey(
  { unseal }: Pick<UpdateMessageContext, 'unseal'>,
  stored: StoredTsigKey,
  now: Instant,
): TsigKey | undefined {
  const { name, algorithm, expiresAt } = stored
  if (expiresAt !== undefined && !isBefore(now, expiresAt)) return undefined
  const secret = unseal(stored)
  return secret && tsigKeyFrom(name, algorithm, secret)
}

interface VerifiedCall {
  readonly message: UpdateMessage
  readonly mac: Uint8Array
  readonly stored: StoredTsigKey | undefined
  readonly peer: DnsPeer
}

async function resultFor(context: UpdateMessageContext, call: VerifiedCall): Promise<UpdateResult> {
  const { message, mac, stored, peer } = call
  const { type, class: zoneClass } = message.question
  if (message.edns !== undefined && message.edns.version > 0)
    return { rcode: RCODES.BADVERS, because: 'the service has version 0 of EDNS (RFC 6891 §6.1.3)' }
  if (type !== RR_TYPES.SOA) return { rcode: RCODES.FORMERR, because: 'the zone section needs the type SOA' }
  if (zoneClass !== CLASSES.IN)
    return { rcode: RCODES.NOTAUTH, because: 'the service has zones of the class IN' }
  try {
    const caller = stored && (await callerOf(context, stored))
    if (caller === undefined) return { rcode: RCODES.REFUSED, because: 'the account of the key is suspended' }
    const update = {
      message,
      mac,
      caller,
      peer: peer.address,
      now: context.now(),
      service: context.service(),
      settings: context.settings(),
    }
    const taken = await context.inTurn(
      { kind: 'write', key: `account ${caller.account.name}`, isGone: undefined },
      async () => context.store.write(async (w) => applyUpdate(w, update)),
    )
    if ('retryAfter' in taken)
      return { rcode: RCODES.SERVFAIL, because: 'too many changes of this account wait' }
    noteChange(context, caller, { peer: peer.address, result: taken.value })
    return taken.value
  } catch (error) {
    context.reportError(error)
    return {
      rcode: RCODES.SERVFAIL,
      because: isPassing(error) ? 'the database is away or busy' : 'internal error',
    }
  }
}

/** Between two writes of the last use of a key. */
const TOUCH_INTERVAL = minutes(1)

/** Undefined for an account that the operator has suspended. */
async function callerOf(
  { store, now }: UpdateMessageContext,
  stored: StoredTsigKey,
): Promise<Caller | undefined> {
  const { name: tsigKey, accountId, scopes, expiresAt, lastUsedAt } = stored
  const account = await store.read(async (r) => r.account(accountId))
  if (account === undefined) return undefined
  const end = expiresAt !== undefined && { expiresAt }
  const caller: Caller = { account, tsigKey, ...restrictionsOf(scopes), ...end }
  if (doorOf(caller) === 'suspended') return undefined
  if (lastUsedAt === undefined || !isBefore(now(), after(lastUsedAt, TOUCH_INTERVAL)))
    await store.write(async (w) => w.touchTsigKey(tsigKey, now())).catch(() => undefined)
  return caller
}

function noteChange(
  { audit }: UpdateMessageContext,
  { account, tsigKey = '' }: Caller,
  { peer, result }: { readonly peer: Address; readonly result: UpdateResult },
): void {
  if (result.changed === undefined) return
  const { zone, names } = result.changed
  const subject = [zone, ...names].join(' ')
  audit({
    kind: 'changed',
    operation: UPDATE_OPERATION,
    account: account.name,
    apiKey: undefined,
    tsigKey,
    subject,
    peer,
  })
}

/** A datagram may have a forged address: it counts only where it names a key that exists, which few know. */
async function noteRefusal(
  { store, now, limits, audit }: UpdateMessageContext,
  { address, isDatagram }: DnsPeer,
  { isKnown }: { readonly isKnown: boolean },
): Promise<void> {
  if (isDatagram && !isKnown) return
  const origin: LoginOrigin = { endpoint: 'dns', network: networkOf(address) }
  const isLockedNow = await store
    .write(
      async (w) => recordFailedLogin(w, origin, { limits: limits(), now: now() }),
      () => ({ username: '', hostnames: [], peers: [loginPeer(origin)] }),
    )
    .catch(() => false)
  audit({ kind: 'loginRefused', endpoint: 'dns', peer: address, username: undefined })
  if (isLockedNow) audit({ kind: 'lockedOut', endpoint: 'dns', peer: address })
}

/** RFC 8914 §4: what no other code says, and what the rules of the service prohibit. */
const INFO_CODES = { other: 0, prohibited: 18, notAuthoritative: 20 } as const
/** In octets: an answer is as small as a question. */
const MAX_TEXT = 200

/** With what is said for people, where the client knows EDNS (RFC 8914 §3). */
function answerOf(message: UpdateMessage, { rcode, because }: UpdateResult): Buffer {
  const answer = emptyAnswer(message, rcode)
  if (because === undefined || message.edns === undefined) return answer
  const { other, prohibited, notAuthoritative } = INFO_CODES
  const code = { [RCODES.REFUSED]: prohibited, [RCODES.NOTAUTH]: notAuthoritative }[rcode] ?? other
  const text = Buffer.from(because).subarray(0, MAX_TEXT)
  return withOptions(answer, ednsOption(EDNS_OPTIONS.ERROR, Buffer.concat([Buffer.from([0, code]), text])))
}
