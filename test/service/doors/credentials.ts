import { before, days } from '../../../src/shared/base/time.ts'
import type { TsigKey } from '../../../src/shared/dns/tsig.ts'
import { keyedHash } from '../../../src/service/auth/hashes.ts'
import { creationOptions, newPasskey } from '../../../src/service/auth/passkeys.ts'
import { seal } from '../../../src/service/auth/sealed.ts'
import { systemClock } from '../../../src/shared/platform/clock/clock.ts'
import { PEPPER } from '../api/inside.ts'
import { type Authenticator, authenticator } from '../auth/authenticator.ts'
import { ACCOUNT, DDNS_KEY, type DoorsWorld, ORIGIN, PASSWORD, secretFor, tsigSecret } from './world.ts'

/** One credential. `expire` ends it if it is a key that can end. */
export type Credential = {
  readonly expire: () => Promise<void>
} & (
  | { readonly kind: 'login'; readonly username: string; readonly password: string }
  | { readonly kind: 'api-key'; readonly key: string }
  | { readonly kind: 'tsig-key'; readonly key: TsigKey }
  | {
      readonly kind: 'session'
      readonly by:
        | { readonly password: string }
        | { readonly key: string }
        | { readonly passkey: Authenticator }
    }
)

const NEVER = async (): Promise<void> => undefined

async function apiKey({ store, accountId }: DoorsWorld, scopes: readonly string[]) {
  const key = secretFor(`api key ${scopes.join()}`)
  const row = { description: '', scopes }
  const id = await store.write(async (w) =>
    w.addApiKey({ accountId, hash: keyedHash(PEPPER, key), ...row }, systemClock.now()),
  )
  const expiresAt = before(systemClock.now(), days(1))
  return { key, expire: async () => store.write(async (w) => w.changeApiKey({ id, ...row, expiresAt })) }
}

async function tsigKey({ store, accountId }: DoorsWorld, scopes: readonly string[]) {
  const name = 'key-doors00000'
  const key: TsigKey = { name, algorithm: 'hmac-sha256', secret: tsigSecret(name) }
  const row = { name, accountId, algorithm: key.algorithm, description: '', scopes }
  const add = async (more: object) =>
    store.write(async (w) =>
      w.addTsigKey({ ...row, sealed: seal(PEPPER, key.secret, name), ...more }, systemClock.now()),
    )
  await add({})
  const expire = async () => {
    await store.write(async (w) => w.removeTsigKey(name, accountId))
    await add({ expiresAt: before(systemClock.now(), days(1)) })
  }
  return { key, expire }
}

async function passkey({ store, accountId }: DoorsWorld): Promise<Authenticator> {
  const made = authenticator(ORIGIN)
  const site = { pepper: PEPPER, origin: ORIGIN, now: systemClock.now() }
  const credential = made.create(creationOptions(site, { id: accountId, name: ACCOUNT }, []))
  const stored = await newPasskey(site, accountId, credential)
  if (stored === undefined) throw new Error('the passkey was not accepted')
  const row = { accountId, kind: 'passkey', description: '', isConfirmed: true, createdAt: site.now } as const
  await store.write(async (w) => w.addFactor({ ...row, ...stored }))
  return made
}

/** Makes the credential of a row: a kind, and after blanks the scopes of its key. */
export async function credentialOf(world: DoorsWorld, text: string): Promise<Credential> {
  const [kind = '', ...scopes] = text.split(' ')
  switch (kind) {
    case 'password':
      return { kind: 'login', username: ACCOUNT, password: PASSWORD, expire: NEVER }
    case 'ddns-key':
      return { kind: 'login', ...DDNS_KEY, expire: NEVER }
    case 'api-key':
      return { kind, ...(await apiKey(world, scopes)) }
    case 'tsig-key':
      return { kind, ...(await tsigKey(world, scopes)) }
    case 'session-password':
      return { kind: 'session', by: { password: PASSWORD }, expire: NEVER }
    case 'session-key': {
      const { key, expire } = await apiKey(world, scopes)
      return { kind: 'session', by: { key }, expire }
    }
    case 'session-passkey':
      return { kind: 'session', by: { passkey: await passkey(world) }, expire: NEVER }
    default:
      throw new Error(`no credential: ${text}`)
  }
}
