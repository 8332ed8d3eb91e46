import type { Instant } from '../../../shared/base/time.ts'
import { type DnsResponse, parseResponse } from '../../../shared/dns/response.ts'
import { TSIG_ERRORS, type TsigKey, verifyTsig } from '../../../shared/dns/tsig.ts'
import { FLAGS, RCODES } from '../../../shared/dns/types.ts'
import type { LocalWord, ReplyWord } from '../../../shared/protocol/reply.ts'
import type { StepOutcome } from './protocol.ts'

export const secondsOf = (now: Instant): number => Math.floor(now / 1000)

/** A message that was sent with a signature, and what came back. */
interface SentMessage {
  readonly mac: Uint8Array
  readonly now: Instant
  readonly answer: Uint8Array | undefined
}

/** An answer that is signed; or the word that it stands for, or why it says nothing. */
export type SignedAnswer =
  | { readonly kind: 'signed'; readonly response: DnsResponse }
  | { readonly kind: 'refused'; readonly word: ReplyWord | LocalWord }
  | { readonly kind: 'useless'; readonly because: string }

/**
 * Only a signed answer says something, or that the key or the signature is wrong: that one cannot be signed (RFC 8945
 * §5.2). A server may refuse what it does not know without a signature.
 */
export function readSigned({ mac, now, answer }: SentMessage, key: TsigKey): SignedAnswer {
  const response = answer && parseResponse(answer)
  if (answer === undefined || response === undefined) return useless('a malformed answer')
  const { tsig, rcode } = response
  const error = rcode === RCODES.NOTAUTH ? (tsig?.error ?? TSIG_ERRORS.BADKEY) : 0
  if (error === TSIG_ERRORS.BADKEY || error === TSIG_ERRORS.BADSIG)
    return { kind: 'refused', word: 'badauth' }
  if (tsig === undefined && rcode === RCODES.REFUSED) return { kind: 'refused', word: 'not-allowed' }
  if (tsig === undefined) return useless(`an answer without a signature (RCODE ${rcode})`)
  const check = verifyTsig(answer, tsig, { keys: [key], now: secondsOf(now), previous: mac })
  if (check.kind !== 'valid') return useless('an answer whose signature is wrong')
  if (error === TSIG_ERRORS.BADTIME) return useless(clocksDiffer(tsig.time, tsig.other))
  return error === TSIG_ERRORS.BADTRUNC ? { kind: 'refused', word: '!donator' } : { kind: 'signed', response }
}

const useless = (because: string): SignedAnswer => ({ kind: 'useless', because })

/** RFC 8945 §5.2.3: the answer has the time of the request, and that of the server in its other data. */
function clocksDiffer(time: number, other: Uint8Array): string {
  const server = other.length === 6 ? Buffer.from(other).readUIntBE(0, 6) : time
  return `the clocks differ, and the name server refuses it: this host says ${dateOf(time)}, the server ${dateOf(server)}`
}

/** ECMA-262: a date ends 8.64e12 seconds after the epoch. */
const dateOf = (seconds: number): string =>
  seconds > 8.64e12 ? `${seconds} s` : new Date(seconds * 1000).toISOString()

/**
 * Why an answer does not say what is at a name: only that of the server of the zone does (RFC 1035 §4.1.1, AA), and that a
 * name or a type does not exist is such an answer (RFC 2308 §2). Undefined where it does.
 */
export function unreadWord({ rcode, flags }: DnsResponse): ReplyWord | LocalWord | undefined {
  const isAnswer = rcode === RCODES.NOERROR || rcode === RCODES.NXDOMAIN
  return isAnswer && (flags & FLAGS.AA) !== 0 ? undefined : (READ_WORDS[rcode] ?? 'no-zone')
}

const READ_WORDS: Readonly<Record<number, ReplyWord | LocalWord>> = {
  [RCODES.SERVFAIL]: '911',
  [RCODES.FORMERR]: '!donator',
  [RCODES.NOTIMP]: '!donator',
}

/** RFC 2136 §2.2, §3. A prerequisite that fails has no word: what that means depends on what was asked. */
export const UPDATE_WORDS: Readonly<Record<number, ReplyWord | LocalWord>> = {
  [RCODES.SERVFAIL]: '911',
  [RCODES.FORMERR]: '!donator',
  [RCODES.NOTIMP]: '!donator',
  [RCODES.REFUSED]: 'not-allowed',
  [RCODES.NXDOMAIN]: 'no-record',
  [RCODES.NOTAUTH]: 'no-zone',
  [RCODES.NOTZONE]: 'no-zone',
}

export const notReadable = (because: string): StepOutcome => ({
  kind: 'notUnderstood',
  because,
  looksLikePortal: false,
})
