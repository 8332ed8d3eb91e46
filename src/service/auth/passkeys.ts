import { createHash, timingSafeEqual } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { after, type Instant, instant, isBefore, minutes } from '../../shared/base/time.ts'
import type { Caller } from '../rules/permission.ts'
import type { StoredFactor } from '../store/account/second-factors.ts'
import type { StoreWrites } from '../store/store.ts'
import {
  type CallerDependencies,
  type ClientNetworks,
  lockoutOf,
  type NotChecked,
  refuseLogin,
} from './caller.ts'
import { keyedHash, type Pepper, randomOctets } from './hashes.ts'

/** Web Authentication Level 3: passkeys are discoverable, and verify their person, so one is both factors. */
const LIFETIME = minutes(5)
const NONCE_OCTETS = 16
const TIME_OCTETS = 8
const MAC_OCTETS = 32
/** EdDSA, ES256 and RS256 (RFC 9053, RFC 8812). */
const ALGORITHMS = [-8, -7, -257]

/** It takes longer to load than all of the rest, and most people have no passkey. */
const library = async () => import('@simplewebauthn/server')

const rpIdOf = (origin: string): string => new URL(origin).hostname

/** The person of a challenge signs in; or has an account, for which a passkey is made. */
type Use = 'get' | `create ${number}`

/** Its MAC says that it is ours and how old it is, so nothing is stored for those who only open a page. */
function challengeFor(pepper: Pepper, use: Use, now: Instant): string {
  const head = Buffer.concat([randomOctets(NONCE_OCTETS), timeOctets(now)])
  return Buffer.concat([head, macOf(pepper, use, head)]).toString('base64url')
}

const timeOctets = (now: Instant): Buffer => {
  const octets = Buffer.alloc(TIME_OCTETS)
  octets.writeBigUInt64BE(BigInt(now))
  return octets
}

const macOf = (pepper: Pepper, use: Use, head: Uint8Array): Uint8Array =>
  keyedHash(pepper, `passkey ${use} ${Buffer.from(head).toString('hex')}`)

function isChallengeFor(pepper: Pepper, use: Use, { text, now }: { text: string; now: Instant }): boolean {
  const octets = Buffer.from(text, 'base64url')
  if (octets.length !== NONCE_OCTETS + TIME_OCTETS + MAC_OCTETS) return false
  const [head, mac] = [octets.subarray(0, -MAC_OCTETS), octets.subarray(-MAC_OCTETS)]
  const made = instant(Number(head.readBigUInt64BE(NONCE_OCTETS)))
  return timingSafeEqual(mac, macOf(pepper, use, head)) && isBefore(now, after(made, LIFETIME))
}

/** What is stored of a passkey: nothing of it is secret. */
interface Passkey {
  readonly id: string
  readonly publicKey: string
}

const passkeyIn = ({ content }: Pick<StoredFactor, 'content'>): Passkey =>
  JSON.parse(Buffer.from(content).toString()) as Passkey

const passkeysOf = (factors: readonly StoredFactor[]): readonly StoredFactor[] =>
  factors.filter(({ kind }) => kind === 'passkey')

const descriptors = (factors: readonly StoredFactor[]) =>
  passkeysOf(factors).map((factor) => ({ type: 'public-key', id: passkeyIn(factor).id }))

interface Site {
  readonly pepper: Pepper
  /** Of the website. */
  readonly origin: string
  readonly now: Instant
}

/** PublicKeyCredentialCreationOptionsJSON. */
export const creationOptions = (
  { pepper, origin, now }: Site,
  { id, name }: Pick<Caller['account'], 'id' | 'name'>,
  present: readonly StoredFactor[],
): object => ({
  rp: { id: rpIdOf(origin), name: 'Holdfast' },
  user: { id: Buffer.from(String(id)).toString('base64url'), name, displayName: name },
  challenge: challengeFor(pepper, `create ${id}`, now),
  pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
  timeout: LIFETIME,
  excludeCredentials: descriptors(present),
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  attestation: 'none',
})

/** PublicKeyCredentialRequestOptionsJSON. `known`: of the person, if that is known. */
export const requestOptions = (
  { pepper, origin, now }: Site,
  known: readonly StoredFactor[] = [],
): object => ({
  challenge: challengeFor(pepper, 'get', now),
  rpId: rpIdOf(origin),
  timeout: LIFETIME,
  allowCredentials: descriptors(known),
  userVerification: 'required',
})

/** The origin that a browser must have been at. On loopback any port: it is not known before the service listens. */
function expectedOrigin(origin: string, clientDataJSON: string): string {
  if (!origin.startsWith('http:')) return origin
  const { origin: said } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as {
    readonly origin: string
  }
  return new URL(said).protocol === 'http:' && rpIdOf(said) === rpIdOf(origin) ? said : origin
}

/** What is stored of a passkey, with its challenge, and how the content of each with its id begins. */
interface MadePasskey extends Pick<StoredFactor, 'content' | 'counter'> {
  readonly challenge: string
  readonly start: Uint8Array
}

const startOf = (id: string): Uint8Array => Buffer.from(`{"id":${JSON.stringify(id)}`)

/** What is stored of a new passkey; undefined if the credential is none, or of another challenge. */
export async function newPasskey(
  { pepper, origin, now }: Site,
  accountId: number,
  credential: unknown,
): Promise<MadePasskey | undefined> {
  const response = credential as RegistrationResponseJSON
  const { verifyRegistrationResponse } = await library()
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: (text) => isChallengeFor(pepper, `create ${accountId}`, { text, now }),
      expectedOrigin: expectedOrigin(origin, response.response.clientDataJSON),
      expectedRPID: rpIdOf(origin),
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (registrationInfo === undefined) return undefined
    const { id, publicKey, counter } = registrationInfo.credential
    const passkey: Passkey = { id, publicKey: Buffer.from(publicKey).toString('base64url') }
    const { challenge } = JSON.parse(
      Buffer.from(response.response.clientDataJSON, 'base64url').toString(),
    ) as { readonly challenge: string }
    return { content: Buffer.from(JSON.stringify(passkey)), counter, challenge, start: startOf(id) }
  } catch {
    // The library throws for everything that is wrong in what a browser sent.
    return undefined
  }
}

/** The account of a passkey that a browser has used; a wrong one is a failed login. */
export async function checkPasskey(
  gate: CallerDependencies,
  { origin, credential }: { readonly origin: string; readonly credential: string },
  networks: ClientNetworks,
): Promise<Caller | NotChecked | undefined> {
  const locked = await lockoutOf(gate, networks)
  if (locked !== undefined) return locked
  const account = await accountOf(gate, origin, credential)
  if (account === undefined) await refuseLogin(gate, { username: undefined }, networks)
  return account && { account, isReadOnly: false }
}

async function accountOf(
  { store, pepper, now }: CallerDependencies,
  origin: string,
  credential: string,
): Promise<Caller['account'] | undefined> {
  const response = responseIn(credential)
  const accountId = accountIn(response)
  if (response === undefined || accountId === undefined) return undefined
  const factors = await store.read(async (r) => r.factorsOf(accountId))
  const factor = passkeysOf(factors).find((one) => passkeyIn(one).id === response.id)
  const site = { pepper, origin, now: now() }
  const used = factor && (await usedPasskey(site, factor, response))
  if (factor === undefined || used === undefined) return undefined
  const { counter, challenge } = used
  const isFirstUse = await store.write(async (w) => {
    if (!(await isNewChallenge(w, challenge, site.now))) return false
    await w.useFactor(factor.id, { counter, now: site.now })
    return true
  })
  return isFirstUse ? store.read((r) => r.account(accountId)) : undefined
}

function responseIn(credential: string): AuthenticationResponseJSON | undefined {
  try {
    return JSON.parse(credential) as AuthenticationResponseJSON
  } catch {
    return undefined
  }
}

const accountIn = (credential: AuthenticationResponseJSON | undefined): number | undefined => {
  const handle: unknown = credential?.response?.userHandle
  const text = typeof handle === 'string' ? Buffer.from(handle, 'base64url').toString() : ''
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

async function usedPasskey(
  { pepper, origin, now }: Site,
  factor: StoredFactor,
  response: AuthenticationResponseJSON,
): Promise<{ readonly counter: number; readonly challenge: string } | undefined> {
  const { id, publicKey } = passkeyIn(factor)
  const { verifyAuthenticationResponse } = await library()
  let challenge = ''
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (text) => {
        challenge = text
        return isChallengeFor(pepper, 'get', { text, now })
      },
      expectedOrigin: expectedOrigin(origin, response.response.clientDataJSON),
      expectedRPID: rpIdOf(origin),
      credential: {
        id,
        publicKey: Buffer.from(publicKey, 'base64url'),
        counter: factor.counter,
      },
    })
    return verified ? { counter: authenticationInfo.newCounter, challenge } : undefined
  } catch {
    return undefined
  }
}

/** A challenge is taken once: an answer that was seen on the way cannot be used again. */
export async function isNewChallenge(w: StoreWrites, challenge: string, now: Instant): Promise<boolean> {
  const hash = createHash('sha256').update(challenge).digest()
  if ((await w.codeWith(hash, 'passkey', now)) !== undefined) return false
  await w.addCode({
    hash,
    purpose: 'passkey',
    grant: '{}',
    createdAt: now,
    expiresAt: after(now, LIFETIME),
  })
  return true
}
