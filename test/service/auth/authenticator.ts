import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

/** A passkey in software, from Web Authentication Level 3: ES256, attestation none, the person is verified. */
export interface Authenticator {
  readonly id: string
  create(options: object, at?: Changed): object
  get(options: object, at?: Changed): object
}

/** What a test makes wrong. */
export interface Changed {
  readonly origin?: string
  readonly flags?: number
  readonly counter?: number
  readonly type?: string
  readonly rpId?: string
  readonly userHandle?: string
}

interface Options {
  readonly challenge: string
  readonly rp?: { readonly id: string }
  readonly rpId?: string
  readonly user?: { readonly id: string }
}

const base64url = (octets: Uint8Array): string => Buffer.from(octets).toString('base64url')

/** CBOR (RFC 8949 §3.1): a head of a type with a length. */
const head = (type: number, length: number): Buffer =>
  length < 24
    ? Buffer.from([(type << 5) | length])
    : length < 256
      ? Buffer.from([(type << 5) | 24, length])
      : Buffer.from([(type << 5) | 25, length >> 8, length & 0xff])
const text = (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)])
const bytes = (value: Uint8Array): Buffer => Buffer.concat([head(2, value.length), value])
/** A whole number from -257 to 23. */
const int = (value: number): Buffer => head(value < 0 ? 1 : 0, value < 0 ? -1 - value : value)

/** COSE_Key of ES256 (RFC 9053 §7.1.1). */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const pairs = [
    [int(1), int(2)],
    [int(3), int(-7)],
    [int(-1), int(1)],
    [int(-2), bytes(Buffer.from(x, 'base64url'))],
    [int(-3), bytes(Buffer.from(y, 'base64url'))],
  ]
  return Buffer.concat([head(5, pairs.length), ...pairs.flat()])
}

/** User present, user verified. */
const PRESENT = 0x05
const HAS_CREDENTIAL = 0x40

export function authenticator(origin: string): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const raw = randomBytes(16)
  const id = base64url(raw)
  let userHandle = ''
  const clientData = (type: string, challenge: string, changed: Changed): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: changed.type ?? type,
        challenge,
        origin: changed.origin ?? origin,
        crossOrigin: false,
      }),
    )
  const authData = (
    rpId: string,
    { flags = PRESENT, counter = 0 }: Changed,
    more = Buffer.alloc(0),
  ): Buffer => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    const given = flags | (more.length > 0 ? HAS_CREDENTIAL : 0)
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([given]), count, more])
  }
  return {
    id,
    create(options, changed = {}) {
      const { challenge, rp, user } = options as Options
      userHandle = user?.id ?? ''
      const length = Buffer.from([0, raw.length])
      const credential = Buffer.concat([Buffer.alloc(16), length, raw, coseKey(publicKey)])
      const data = authData(changed.rpId ?? rp?.id ?? '', changed, credential)
      const attestation = Buffer.concat([
        head(5, 3),
        text('fmt'),
        text('none'),
        text('attStmt'),
        head(5, 0),
        text('authData'),
        bytes(data),
      ])
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', challenge, changed)),
          attestationObject: base64url(attestation),
          transports: ['internal'],
        },
      }
    },
    get(options, changed = {}) {
      const { challenge, rpId = '' } = options as Options
      const data = authData(changed.rpId ?? rpId, changed)
      const client = clientData('webauthn.get', challenge, changed)
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
      return {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(data),
          signature: base64url(createSign('sha256').update(signed).sign(privateKey)),
          userHandle: changed.userHandle ?? userHandle,
        },
      }
    },
  }
}
