import { type Address, addressOfBytes, bytesOf, familyOf } from '../../../shared/base/address.ts'

/** RFC 6886 §1.1, RFC 6887 §19: the port of requests to a router, and the port of its announcements. */
export const ROUTER_PORT = 5351
export const ANNOUNCEMENT_PORT = 5350

/** A router's external address, where it has one, and the age of its mapping table in seconds (RFC 6886 §3.6). */
export interface RouterAnswer {
  readonly address?: Address
  readonly epoch: number
  /** 0 is success (RFC 6886 §3.5, RFC 6887 §7.4). */
  readonly code: number
}

/** RFC 6886 §3.2: version 0, opcode 0. */
export const encodeAddressRequest = (): Uint8Array => Uint8Array.from([0, 0])

/** RFC 6886 §3.2; announcements (§3.2.1) have the same format. */
export function decodeAddressAnswer(bytes: Uint8Array): RouterAnswer | undefined {
  const message = Buffer.from(bytes)
  if (message.length < 8 || message[0] !== 0 || message[1] !== 128) return undefined
  const code = message.readUInt16BE(2)
  const epoch = message.readUInt32BE(4)
  if (code !== 0 || message.length < 12) return code === 0 ? undefined : { code, epoch }
  const address = addressOfBytes(message.subarray(8, 12))
  return address === undefined || address === '0.0.0.0' ? { code, epoch } : { code, epoch, address }
}

const VERSION = 2
const [ANNOUNCE, MAP] = [0, 1]
const UDP = 17
/** The discard port (RFC 863) is closed on hosts, so the mapping exposes nothing. */
const DISCARD = 9
export const NONCE_BYTES = 12

/** RFC 6887 §7.1: the request contains the client's address; IPv4 is mapped into IPv6. */
function header(opcode: number, lifetime: number, local: Address): Buffer {
  const message = Buffer.alloc(24)
  message[0] = VERSION
  message[1] = opcode
  message.writeUInt32BE(lifetime, 4)
  message.set(mappedBytes(local), 8)
  return message
}

const mappedBytes = (address: Address): Uint8Array =>
  familyOf(address) === 'v6'
    ? bytesOf(address)
    : Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...bytesOf(address)])

/** §14.1: requests the epoch without a mapping. */
export const encodeAnnounce = (local: Address): Uint8Array => header(ANNOUNCE, 0, local)

/** §11.1: PCP reports the address only with a mapping. `lifetime` in seconds; 0 deletes the mapping. */
export function encodeMap(local: Address, nonce: Uint8Array, lifetime: number): Uint8Array {
  const body = Buffer.alloc(36)
  body.set(nonce, 0)
  body[12] = UDP
  body.writeUInt16BE(DISCARD, 16)
  body.set(familyOf(local) === 'v6' ? new Uint8Array(16) : mappedBytes('0.0.0.0' as Address), 20)
  return Buffer.concat([header(MAP, lifetime, local), body])
}

/** §7.2 and §11.1. With a nonce, only the answer to the mapping request with that nonce. */
export function decodePcp(bytes: Uint8Array, nonce?: Uint8Array): RouterAnswer | undefined {
  const message = Buffer.from(bytes)
  const opcode = nonce === undefined ? ANNOUNCE : MAP
  if (message.length < 24 || message[0] !== VERSION || message[1] !== (0x80 | opcode)) return undefined
  const answer = { code: message[3] ?? 0, epoch: message.readUInt32BE(8) }
  if (nonce === undefined || answer.code !== 0) return answer
  if (message.length < 60 || !message.subarray(24, 36).equals(nonce)) return undefined
  const address = addressOfBytes(message.subarray(44, 60))
  return address === undefined || address === '0.0.0.0' || address === '::' ? answer : { ...answer, address }
}

/** RFC 6887 §8.5, with tolerance for coarse clocks: the router lost its mapping table, by a restart or by a new address. */
export function isReset(before: RouterAnswer, after: RouterAnswer, seconds: number): boolean {
  return after.epoch + 2 < before.epoch + (seconds * 7) / 8
}
