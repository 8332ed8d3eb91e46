import { instant, type Instant } from '../../../src/shared/base/time.ts'
import { parseResponse } from '../../../src/shared/dns/response.ts'
import { signTsig, type TsigAlgorithm, type TsigKey, verifyTsig } from '../../../src/shared/dns/tsig.ts'
import { encodeUpdate, type UpdateRecord } from '../../../src/shared/dns/update.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import { Secret } from '../../../src/shared/base/secret.ts'
import { pepperOf } from '../../../src/service/auth/hashes.ts'
import { seal, unseal } from '../../../src/service/auth/sealed.ts'
import type { AuditEvent } from '../../../src/service/model/audit.ts'
import { handleUpdateMessage, type UpdateMessageContext } from '../../../src/service/rfc2136/handle.ts'
import { limitsOf } from '../../../src/service/auth/limits.ts'
import { readServiceConfig } from '../../../src/service/settings/read-service.ts'
import { AT_ONCE } from '../api/at-once.ts'
import { apiWorld } from '../api/world.ts'
import { SETTINGS } from '../publish/flushed.ts'
import { newLimit } from '../publish/new-limit.ts'

export const NOW = instant(Date.UTC(2026, 0, 2))
const SECONDS = NOW / 1000
const PEPPER = pepperOf(new Uint8Array(32))

export const keyOf = (name: string, algorithm: TsigAlgorithm = 'hmac-sha256'): TsigKey => ({
  name,
  algorithm,
  secret: new Secret(Buffer.from(`${name} has this secret`).toString('base64')),
})

interface Sent {
  readonly key?: TsigKey | undefined
  /** In seconds: how far the clock of the client is ahead. */
  readonly skew?: number
  readonly isDatagram?: boolean
  readonly edns?: true | 'version 1'
  /** Of the message. */
  readonly id?: number
  readonly peer?: string
  /** Octets of the signed message. */
  readonly spoil?: (bytes: Buffer) => void
  readonly now?: Instant
  /** Of the service. */
  readonly context?: Partial<UpdateMessageContext>
}

/** A store as for `/v1`, with keys of its accounts: key-a, and others by the scopes that they have. */
export async function updateWorld() {
  const world = await apiWorld()
  const settings = readServiceConfig({ flags: {}, environment: {} })
  if (!settings.ok) throw new Error(JSON.stringify(settings.error))
  const add = async (
    name: string,
    account: string,
    more: { scopes?: readonly string[]; expiresAt?: Instant; algorithm?: TsigAlgorithm } = {},
  ) => {
    const { secret, algorithm } = keyOf(name, more.algorithm)
    const key = {
      name,
      accountId: world.ids[account] ?? 0,
      algorithm,
      description: '',
      scopes: more.scopes ?? [],
    }
    const expiry = more.expiresAt === undefined ? {} : { expiresAt: more.expiresAt }
    await world.store.write(async (w) =>
      w.addTsigKey({ ...key, ...expiry, sealed: seal(PEPPER, secret, name) }, NOW),
    )
  }
  await add('key-a', 'a')
  await add('key-b', 'b')
  await add('key-o', 'o')
  const [audited, errors, published]: [AuditEvent[], unknown[], (readonly string[])[]] = [[], [], []]
  let at = NOW
  const context: UpdateMessageContext = {
    store: world.store,
    settings: () => SETTINGS,
    service: () => ({
      name: '',
      version: '',
      nameservers: [],
      reservedNames: ['www'],
      zoneNames: { ownDomains: [], isPublicSuffix: () => false },
      answerer: 'service',
      lateZones: () => ({ zones: [], areBehind: true }),
      zoneProof: { isNeeded: false, value: () => '', proved: async () => undefined },
      contact: undefined,
      secondaries: () => [],
      delegation: async () => undefined,
      whenServed: async () => undefined,
      blockEnd: () => undefined,
      requestFlush: () => undefined,
      pause: async () => undefined,
      newKey: () => ({ username: '', password: '', hash: new Uint8Array() }),
      newPassword: () => ({ password: '', hash: new Uint8Array() }),
      newTsigKey: () => ({ name: '', secret: '', sealed: new Uint8Array() }),
      secondFactors: {
        newTotp: () => ({ secret: '', uri: '', sealed: new Uint8Array() }),
        totpStep: () => undefined,
        newRecoveryCodes: () => [],
        passkeyOptions: () => undefined,
        newPasskey: async () => undefined,
        isNewChallenge: async () => true,
      },
      operate: async () => ({ fault: '', isMissing: false }),
      sendMail: async () => undefined,
    }),
    limits: () => limitsOf(settings.value),
    unseal: ({ name, sealed }) => unseal(PEPPER, sealed, name),
    inTurn: AT_ONCE,
    limit: newLimit(),
    audit: (event) => void audited.push(event),
    now: () => at,
    published: async (_, names) => void published.push(names),
    reportError: (error) => void errors.push(error),
  }
  const send = async (
    bytes: Uint8Array,
    { isDatagram = false, peer = '198.51.100.1', context: other }: Sent = {},
  ) => {
    const answers: Buffer[] = []
    const from = { address: peer as Address, isDatagram }
    await handleUpdateMessage(
      { ...context, ...other },
      { bytes, peer: from },
      async (answer) => void answers.push(answer),
    )
    if (errors.length > 0) throw errors[0]
    return answers
  }
  let nextId = 1
  const signed = (
    zone: string,
    prerequisites: readonly UpdateRecord[],
    updates: readonly UpdateRecord[],
    sent: Sent = {},
  ) => {
    const { key = keyOf('key-a'), skew = 0, id = nextId++, edns } = sent
    const plain = encodeUpdate(id, zone, { prerequisites, updates })
    const message = edns === undefined ? plain : withOpt(plain, edns === true ? 0 : 1)
    const made = signTsig(message, key, { now: SECONDS + skew })
    sent.spoil?.(made.message)
    return { ...made, key }
  }
  /** The RCODE of a message that `key-a` signed, and what is said for people. */
  const update = async (
    zone: string,
    prerequisites: readonly UpdateRecord[],
    updates: readonly UpdateRecord[],
    sent: Sent = {},
  ) => {
    at = sent.now ?? NOW
    const { message, mac, key } = signed(zone, prerequisites, updates, sent)
    const [answer] = await send(message, sent)
    if (answer === undefined) return { rcode: undefined }
    const response = parseResponse(answer)
    const check =
      response?.tsig && verifyTsig(answer, response.tsig, { keys: [key], now: SECONDS, previous: mac })
    return {
      rcode: response?.rcode,
      tsig: response?.tsig?.error,
      // A signature is checked before its time.
      isSigned: check?.kind === 'valid' || (check?.kind === 'fault' && check.fault === 'BADTIME'),
      because: saidIn(answer),
    }
  }
  return {
    ...world,
    add,
    update,
    send,
    signed,
    context,
    audited,
    published,
    setNow: (now: Instant) => void (at = now),
  }
}

/** RFC 6891 §6.1.2. */
function withOpt(message: Buffer, version: number): Buffer {
  const opt = Buffer.from([0, 0, 41, 4, 208, 0, version, 0, 0, 0, 0])
  const all = Buffer.concat([message, opt])
  all.writeUInt16BE(all.readUInt16BE(10) + 1, 10)
  return all
}

/** The text of an Extended DNS Error (RFC 8914). */
function saidIn(answer: Buffer): string | undefined {
  const at = answer.indexOf(Buffer.from([0, 0, 41]))
  if (at < 0) return undefined
  const options = answer.subarray(at + 11, at + 11 + answer.readUInt16BE(at + 9))
  return options.length === 0 || options.readUInt16BE(0) !== 15
    ? undefined
    : options.subarray(6, 4 + options.readUInt16BE(2)).toString()
}
