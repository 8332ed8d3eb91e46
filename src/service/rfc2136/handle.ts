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

/** An UPDATE on its way: each phase adds what the later ones need. */
class UpdateRun {
  readonly context: UpdateMessageContext
  readonly bytes: Uint8Array
  readonly peer: DnsPeer
  readonly message: UpdateMessage | undefined
  stored: StoredTsigKey | undefined
  signature: Extract<TsigCheck, { readonly kind: 'valid' }> | undefined
  caller: Caller | undefined

  constructor(context: UpdateMessageContext, { bytes, peer }: UpdateCall) {
    this.context = context
    this.bytes = bytes
    this.peer = peer
    this.message = parseUpdate(bytes)
  }

  /** An answer to anyone: by UDP none above the limit of such answers, because the address may be forged. */
  unsigned(kind: string, answer: () => Buffer): UpdateEnd {
    const { limit, now } = this.context
    const { address, isDatagram } = this.peer
    const isSent =
      !isDatagram || limit.check(address, kind, { length: this.bytes.length, now: now() }) === 'send'
    return { unsigned: isSent ? answer() : undefined }
  }
}

/** A run behind the phase that reads the form. */
type ParsedRun = UpdateRun & { readonly message: UpdateMessage }

/** What ends an UPDATE: an answer that nobody signs, or none, before its signature is verified; else a result. */
type UpdateEnd = { readonly unsigned: Buffer | undefined } | UpdateResult
type UpdatePhase = (run: ParsedRun) => UpdateEnd | undefined | Promise<UpdateEnd | undefined>

/** Every check of an UPDATE, in their order (RFC 2136 §3): only a signature gives rights, never an address. */
// biome-ignore format: a table
const UPDATE_PHASES: readonly (readonly [name: string, phase: UpdatePhase])[] = [
  ['the form of the message (FORMERR)',                                                       checkForm],
  ['that it is signed (REFUSED)',                                                             checkSigned],
  ['the signature, its key and its time (FORMERR, NOTAUTH)',                                  checkSignature],
  ['the version of EDNS (BADVERS)',                                                           checkEdns],
  ['the type (FORMERR) and the class (NOTAUTH) of the zone section',                          checkZoneSection],
  ['the account of the key (REFUSED)',                                                        checkAccount],
  ['the turn of the account (SERVFAIL); then the phases of apply.ts, in one transaction',     applyInTurn],
]

/** Answers one UPDATE. The answer comes when our own answers have the change. */
export async function handleUpdateMessage(
  context: UpdateMessageContext,
  call: UpdateCall,
  send: Send,
): Promise<void> {
  const run = new UpdateRun(context, call)
  const end = await endOrFailure(run)
  if ('unsigned' in end) return end.unsigned && send(end.unsigned)
  const { message, signature } = run
  if (message === undefined || signature === undefined) throw new Error('only a signature gives a result')
  if (end.changed !== undefined) await context.published(end.changed.zoneId, end.changed.names)
  const options = { now: secondsOf(context.now()), previous: signature.mac }
  return send(signTsig(answerOf(message, end), signature.key, options).message)
}

async function firstEnd(run: UpdateRun): Promise<UpdateEnd> {
  for (const [, phase] of UPDATE_PHASES) {
    const end = await phase(run as ParsedRun)
    if (end !== undefined) return end
  }
  throw new Error('the last phase ends each message')
}

async function endOrFailure(run: UpdateRun): Promise<UpdateEnd> {
  try {
    return await firstEnd(run)
  } catch (error) {
    if (run.signature === undefined) throw error
    run.context.reportError(error)
    const because = isPassing(error) ? 'the database is away or busy' : 'internal error'
    return { rcode: RCODES.SERVFAIL, because }
  }
}

function checkForm(run: UpdateRun): UpdateEnd | undefined {
  const { bytes, message } = run
  if (message !== undefined) return undefined
  return run.unsigned('FORMERR', () =>
    malformedAnswer((bytes[0] ?? 0) * 256 + (bytes[1] ?? 0), OPCODES.UPDATE),
  )
}

function checkSigned(run: ParsedRun): UpdateEnd | undefined {
  const { message } = run
  if (message.tsig !== undefined) return undefined
  const because = 'an UPDATE needs a signature (TSIG)'
  return run.unsigned('REFUSED', () => answerOf(message, { rcode: RCODES.REFUSED, because }))
}

async function checkSignature(run: ParsedRun): Promise<UpdateEnd | undefined> {
  const { context, bytes, message, peer } = run
  const { tsig } = message
  if (tsig === undefined) return undefined
  const now = context.now()
  run.stored = await context.store.read(async (r) => r.tsigKeyNamed(tsig.keyName))
  const key = run.stored && usableKey(context, run.stored, now)
  const check = checked(bytes, tsig, { key, now: secondsOf(now) })
  if (check.kind === 'malformed') return run.unsigned('FORMERR', () => emptyAnswer(message, RCODES.FORMERR))
  if (check.kind === 'fault') {
    await noteRefusal(context, peer, { isKnown: key !== undefined })
    return run.unsigned('TSIG', () => faultAnswer(message, check, secondsOf(now)))
  }
  run.signature = check
  return undefined
}

function checkEdns({ message: { edns } }: ParsedRun): UpdateEnd | undefined {
  return edns === undefined || edns.version === 0
    ? undefined
    : { rcode: RCODES.BADVERS, because: 'the service has version 0 of EDNS (RFC 6891 §6.1.3)' }
}

function checkZoneSection({ message: { question } }: ParsedRun): UpdateEnd | undefined {
  if (question.type !== RR_TYPES.SOA)
    return { rcode: RCODES.FORMERR, because: 'the zone section needs the type SOA' }
  return question.class === CLASSES.IN
    ? undefined
    : { rcode: RCODES.NOTAUTH, because: 'the service has zones of the class IN' }
}

async function checkAccount(run: ParsedRun): Promise<UpdateEnd | undefined> {
  run.caller = run.stored && (await callerOf(run.context, run.stored))
  return run.caller === undefined
    ? { rcode: RCODES.REFUSED, because: 'the account of the key is suspended' }
    : undefined
}

async function applyInTurn({ context, message, signature, caller, peer }: ParsedRun): Promise<UpdateEnd> {
  if (signature === undefined || caller === undefined) throw new Error('the phases before this one have both')
  const update = {
    message,
    mac: signature.mac,
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
