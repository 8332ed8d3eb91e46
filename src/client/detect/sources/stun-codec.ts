import { type Address, addressOfBytes } from '../../../shared/base/address.ts'

/** RFC 8489 §5: a Binding request is a header without attributes. */
const [REQUEST, SUCCESS] = [0x0001, 0x0101]
const MAGIC_COOKIE = 0x2112a442
const HEADER = 20
/** §14.1 and §14.2. Servers of RFC 3489 send the plain attribute, and some middleboxes rewrite it. */
const [MAPPED_ADDRESS, XOR_MAPPED_ADDRESS] = [0x0001, 0x0020]

export const TRANSACTION_BYTES = 12

/** `transaction` is 12 random bytes (§5), so that an off-path attacker cannot forge an answer. */
export function encodeBinding(transaction: Uint8Array): Uint8Array {
  const message = Buffer.alloc(HEADER)
  message.writeUInt16BE(REQUEST, 0)
  message.writeUInt32BE(MAGIC_COOKIE, 4)
  message.set(transaction, 8)
  return message
}

/** Whether this is a success response to the transaction (§6.3.1, §6.3.3). */
export function isBindingAnswer(bytes: Uint8Array, transaction: Uint8Array): boolean {
  const message = Buffer.from(bytes)
  return (
    message.length >= HEADER &&
    message.readUInt16BE(0) === SUCCESS &&
    message.readUInt16BE(2) === message.length - HEADER &&
    message.readUInt32BE(4) === MAGIC_COOKIE &&
    message.subarray(8, HEADER).equals(transaction)
  )
}

/** The address that the server saw, from XOR-MAPPED-ADDRESS, else from MAPPED-ADDRESS; undefined without either. */
export function decodeBinding(bytes: Uint8Array): Address | undefined {
  const message = Buffer.from(bytes)
  let plain: Address | undefined
  for (let at = HEADER; at + 4 <= message.length; ) {
    const [type, length] = [message.readUInt16BE(at), message.readUInt16BE(at + 2)]
    const value = message.subarray(at + 4, at + 4 + length)
    if (value.length < length) break
    if (type === XOR_MAPPED_ADDRESS) return addressIn(value, message.subarray(4, HEADER))
    if (type === MAPPED_ADDRESS) plain ??= addressIn(value, Buffer.alloc(16))
    at += 4 + length + ((4 - (length % 4)) % 4) // §14: padded to four bytes
  }
  return plain
}

/** §14.2: an unused byte, family 1 or 2, port, address; the key is the magic cookie and the transaction. */
function addressIn(value: Uint8Array, key: Uint8Array): Address | undefined {
  const length = value[1] === 1 ? 4 : value[1] === 2 ? 16 : 0
  const address = value.slice(4)
  return length === 0 || address.length !== length
    ? undefined
    : addressOfBytes(address.map((byte, at) => byte ^ (key[at] ?? 0)))
}
