import type { Instant } from '../../base/time.ts'
import { parseResponse } from '../../dns/response.ts'
import { TSIG_ERRORS, type TsigKey, verifyTsig } from '../../dns/tsig.ts'
import { RCODES } from '../../dns/types.ts'
import type { LocalWord, ReplyWord } from '../../protocol/reply.ts'
import type { UpdateRequest } from '../../protocol/request.ts'
import type { StepOutcome } from './protocol.ts'
import { changed } from './records.ts'
import { refusalBy } from './refusals.ts'

export const secondsOf = (now: Instant): number => Math.floor(now / 1000)

/** An update that was sent, and what came back. */
export interface SentUpdate {
  readonly mac: Uint8Array
  readonly now: Instant
  readonly answer: Uint8Array | undefined
}

/** RFC 2136 §2.2, §3. */
const UPDATE_WORDS: Readonly<Record<number, ReplyWord | LocalWord>> = {
  [RCODES.SERVFAIL]: '911',
  [RCODES.FORMERR]: '!donator',
  [RCODES.NOTIMP]: '!donator',
  [RCODES.REFUSED]: 'not-allowed',
  [RCODES.NXDOMAIN]: 'no-record',
  [RCODES.YXRRSET]: 'conflicting-record',
  [RCODES.NOTAUTH]: 'no-zone',
  [RCODES.NOTZONE]: 'no-zone',
}

/**
 * Only a signed answer says something, or that the key or the signature is wrong: that one cannot be signed (RFC 8945 §5.2).
 */
export function updateOutcome(
  request: UpdateRequest,
  { mac, now, answer }: SentUpdate,
  key: TsigKey,
): StepOutcome {
  const response = answer && parseResponse(answer)
  if (answer === undefined || response === undefined) return notReadable('an answer that is none')
  const { tsig, rcode } = response
  const error = rcode === RCODES.NOTAUTH ? tsig?.error : 0
  if (error === TSIG_ERRORS.BADKEY || error === TSIG_ERRORS.BADSIG) return refusalBy(request, 'badauth')
  // A server may refuse what it does not know without a signature.
  if (tsig === undefined && rcode === RCODES.REFUSED) return refusalBy(request, 'not-allowed')
  if (tsig === undefined) return notReadable(`an answer without a signature (RCODE ${rcode})`)
  const check = verifyTsig(answer, tsig, { keys: [key], now: secondsOf(now), previous: mac })
  if (error === TSIG_ERRORS.BADTIME) return notReadable(clocksDiffer(tsig.time, tsig.other))
  if (check.kind !== 'valid') return notReadable('an answer whose signature is wrong')
  if (rcode === RCODES.NOERROR) return changed(request)
  const word = UPDATE_WORDS[rcode]
  return word === undefined ? notReadable(`an answer with RCODE ${rcode}`) : refusalBy(request, word)
}

/** RFC 8945 §5.2.3: the answer has the time of the request, and beside it that of the server. */
const clocksDiffer = (time: number, other: Uint8Array): string => {
  const server = other.length === 6 ? Buffer.from(other).readUIntBE(0, 6) : undefined
  const shown = (at: number): string => new Date(at * 1000).toISOString()
  return (
    `the clocks differ, and the name server refuses it: this host says ${shown(time)}` +
    (server === undefined ? '' : `, the server ${shown(server)}`)
  )
}

export const notReadable = (because: string): StepOutcome => ({
  kind: 'notUnderstood',
  because,
  looksLikePortal: false,
})
