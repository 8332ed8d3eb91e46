import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../base/secret.ts'
import { encodeName } from './name.ts'
import type { TsigRecord } from './request.ts'
import { CLASSES, RR_TYPES } from './types.ts'

/** RFC 8945 §6. */
export const TSIG_ALGORITHMS = {
  'hmac-sha256': { hash: 'sha256', octets: 32 },
  'hmac-sha384': { hash: 'sha384', octets: 48 },
  'hmac-sha512': { hash: 'sha512', octets: 64 },
} as const
export type TsigAlgorithm = keyof typeof TSIG_ALGORITHMS
const isTsigAlgorithm = (text: unknown): text is TsigAlgorithm =>
  typeof text === 'string' && Object.hasOwn(TSIG_ALGORITHMS, text)

export interface TsigKey {
  /** In lower case. */
  readonly name: string
  readonly algorithm: TsigAlgorithm
  /** In base64. */
  readonly secret: Secret
}

/** Undefined for an algorithm that is none of ours. */
export const tsigKeyFrom = (name: string, algorithm: string, secret: Secret): TsigKey | undefined =>
  isTsigAlgorithm(algorithm) ? { name, algorithm, secret } : undefined

/** The name of a key: a domain name, also of one label (RFC 8945 §4.2). */
export const KEY_NAME = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/

/** RFC 8945 §3. */
export const TSIG_ERRORS = { BADSIG: 16, BADKEY: 17, BADTIME: 18, BADTRUNC: 22 } as const
type TsigFault = keyof typeof TSIG_ERRORS

/** In octets: no MAC is truncated to less (RFC 8945 §5.2.2.1). */
const MIN_MAC = 10
/** In seconds (RFC 8945 §10). */
const FUDGE = 300

/** What a signature covers besides the message. */
interface Chain {
  /** The MAC of the request, or of the message before. */
  readonly previous?: Uint8Array
  /** A message after the first of several has no variables but the time (RFC 8945 §5.3.1). */
  readonly isFollowing?: boolean
}

export type TsigCheck =
  | { readonly kind: 'valid'; readonly key: TsigKey; readonly mac: Uint8Array }
  | { readonly kind: 'fault'; readonly fault: TsigFault; readonly key?: TsigKey; readonly mac?: Uint8Array }
  /** The MAC has a length that none has (RFC 8945 §5.2.2.1). */
  | { readonly kind: 'malformed' }

/** `now` in seconds since the epoch. The signature is checked before the time (RFC 8945 §5.2). */
export function verifyTsig(
  message: Uint8Array,
  tsig: TsigRecord,
  { keys, now, ...chain }: { readonly keys: readonly TsigKey[]; readonly now: number } & Chain,
): TsigCheck {
  const key = keys.find(({ name, algorithm }) => name === tsig.keyName && algorithm === tsig.algorithm)
  if (key === undefined) return { kind: 'fault', fault: 'BADKEY' }
  const { mac } = tsig
  const { octets } = TSIG_ALGORITHMS[key.algorithm]
  if (mac.length > octets || mac.length < Math.max(MIN_MAC, octets / 2)) return { kind: 'malformed' }
  const expected = macOf(key, unsigned(message, tsig), { ...tsig, ...chain })
  if (!timingSafeEqual(mac, expected.subarray(0, mac.length))) return { kind: 'fault', fault: 'BADSIG', key }
  if (mac.length < octets) return { kind: 'fault', fault: 'BADTRUNC', key, mac }
  if (Math.abs(now - tsig.time) > tsig.fudge) return { kind: 'fault', fault: 'BADTIME', key, mac: expected }
  return { kind: 'valid', key, mac: expected }
}

/** The message as it was before it was signed (RFC 8945 §4.3.2). */
function unsigned(message: Uint8Array, { start, originalId }: TsigRecord): Buffer {
  const before = Buffer.from(message.subarray(0, start))
  before.writeUInt16BE(originalId, 0)
  before.writeUInt16BE(before.readUInt16BE(10) - 1, 10)
  return before
}

interface Signed extends Chain {
  readonly time: number
  readonly fudge: number
  readonly error: number
  readonly other: Uint8Array
}

function macOf(key: TsigKey, message: Uint8Array, { previous, isFollowing, ...signed }: Signed): Buffer {
  const { hash } = TSIG_ALGORITHMS[key.algorithm]
  const hmac = createHmac(hash, Buffer.from(key.secret.reveal(), 'base64'))
  if (previous !== undefined) hmac.update(uint16(previous.length)).update(previous)
  hmac.update(message)
  hmac.update(isFollowing === true ? timers(signed) : variables(key, signed))
  return hmac.digest()
}

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255])

const timers = ({ time, fudge }: Pick<Signed, 'time' | 'fudge'>): Buffer => {
  const octets = Buffer.alloc(8)
  octets.writeUIntBE(time, 0, 6)
  octets.writeUInt16BE(fudge, 6)
  return octets
}

/** RFC 8945 §4.3.3. */
const variables = (key: TsigKey, signed: Omit<Signed, 'previous'>): Buffer =>
  Buffer.concat([
    encodeName(key.name),
    uint16(CLASSES.ANY),
    Buffer.alloc(4),
    encodeName(key.algorithm),
    timers(signed),
    uint16(signed.error),
    uint16(signed.other.length),
    signed.other,
  ])

/** In octets: what `signTsig` adds. */
export const tsigLength = ({ name, algorithm }: TsigKey): number =>
  encodeName(name).length + 10 + encodeName(algorithm).length + 16 + TSIG_ALGORITHMS[algorithm].octets + 6

/** What is wrong with a request whose signature is right: the answer is signed (RFC 8945 §5.3.2). */
interface SignedFault {
  readonly kind: 'BADTIME' | 'BADTRUNC'
  readonly request: TsigRecord
}

/** The message with a TSIG record, and its MAC for the next message. `now` in seconds since the epoch. */
export function signTsig(
  message: Uint8Array,
  key: TsigKey,
  { now, fault, ...chain }: { readonly now: number; readonly fault?: SignedFault } & Chain,
): { readonly message: Buffer; readonly mac: Buffer } {
  // RFC 8945 §5.2.3: the time of the request, and our own in the other data.
  const signed = {
    time: fault?.kind === 'BADTIME' ? fault.request.time : now,
    fudge: FUDGE,
    error: fault === undefined ? 0 : TSIG_ERRORS[fault.kind],
    other: fault?.kind === 'BADTIME' ? timers({ time: now, fudge: 0 }).subarray(0, 6) : Buffer.alloc(0),
  }
  const mac = macOf(key, message, { ...signed, ...chain })
  return { message: withTsig(message, key, { ...signed, mac }), mac }
}

/** RFC 8945 §5.2.1, §5.2.2: the answer to a request with an unknown key or a wrong MAC is not signed. */
export const withTsigFault = (message: Uint8Array, tsig: TsigRecord, fault: TsigFault): Buffer =>
  withTsig(
    message,
    { name: tsig.keyName, algorithm: tsig.algorithm },
    {
      time: tsig.time,
      fudge: FUDGE,
      error: TSIG_ERRORS[fault],
      other: Buffer.alloc(0),
      mac: Buffer.alloc(0),
    },
  )

function withTsig(
  message: Uint8Array,
  { name, algorithm }: { readonly name: string; readonly algorithm: string },
  { mac, error, other, ...timing }: Omit<Signed, keyof Chain> & { readonly mac: Uint8Array },
): Buffer {
  const rdata = Buffer.concat([
    encodeName(algorithm),
    timers(timing),
    uint16(mac.length),
    mac,
    message.subarray(0, 2),
    uint16(error),
    uint16(other.length),
    other,
  ])
  const signed = Buffer.concat([
    message,
    encodeName(name),
    uint16(RR_TYPES.TSIG),
    uint16(CLASSES.ANY),
    Buffer.alloc(4),
    uint16(rdata.length),
    rdata,
  ])
  signed.writeUInt16BE(signed.readUInt16BE(10) + 1, 10)
  return signed
}

/** A key as a file has it, unchecked. */
interface WrittenTsigKey {
  readonly name: string
  readonly secret: string | undefined
  readonly algorithm: string | undefined
}

/** The keys of a file of BIND (tsig-keygen) or Knot (keymgr); none in a text that is a secret. Comments are skipped. */
export function tsigKeysIn(text: string): readonly WrittenTsigKey[] {
  const bare = text.replaceAll(/\/\*[^]*?\*\/|(^|\s)(?:#|\/\/).*$/gm, '$1')
  const starts = [...bare.matchAll(/\bkey\s+"?([^"\s{]+)"?\s*\{|\bid:\s*["']?([^"'\s,}]+)/g)]
  return starts.map(({ index, 1: bind, 2: knot }, at) => {
    const part = bare.slice(index, starts[at + 1]?.index)
    return {
      name: bind ?? knot ?? '',
      secret: /\bsecret:?\s+["']?([A-Za-z0-9+/=]+)/.exec(part)?.[1],
      algorithm: /\balgorithm:?\s+["']?([\w.-]+)/.exec(part)?.[1],
    }
  })
}
