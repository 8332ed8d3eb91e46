import { describe, expect, it } from 'vitest'
import { after, type Instant, minutes, seconds } from '../../../src/shared/base/time.ts'
import { readServiceConfig } from '../../../src/service/settings/read-service.ts'
import { parseAddress } from '../../../src/shared/base/address.ts'
import { limitsOf } from '../../../src/service/auth/limits.ts'
import type { CallerDependencies } from '../../../src/service/auth/caller.ts'
import { passwordChecker } from '../../../src/service/auth/login.ts'
import {
  checkPasskey,
  creationOptions,
  newPasskey,
  requestOptions,
} from '../../../src/service/auth/passkeys.ts'
import type { AuditEvent } from '../../../src/service/model/audit.ts'
import { NOW, PEPPER } from '../api/inside.ts'
import { apiWorld, type World } from '../api/world.ts'
import { authenticator, type Changed } from './authenticator.ts'

const ORIGIN = 'https://dns.example'
const SETTINGS = readServiceConfig({ flags: {}, environment: {} })
if (!SETTINGS.ok) throw new Error('the settings have no defaults')
const PASSWORDS = passwordChecker(PEPPER)
const A = { id: 1, name: 'a' }
const PEER = parseAddress('198.51.100.1')
if (PEER === undefined) throw new Error('no address')
const NETWORKS = { peer: PEER, network: '198.51.100.1', share: '198.51.100' }

interface Opened {
  readonly world: World
  readonly audited: readonly AuditEvent[]
  readonly use: (credential: object, at?: Instant) => Promise<string | undefined>
  readonly options: (at?: Instant) => object
}

async function opened(origin = ORIGIN): Promise<Opened> {
  if (!SETTINGS.ok) throw new Error('no settings')
  const world = await apiWorld()
  const audited: AuditEvent[] = []
  let now = NOW
  const gate: CallerDependencies = {
    store: world.store,
    pepper: PEPPER,
    passwords: PASSWORDS,
    now: () => now,
    readPause: async () => undefined,
    limits: limitsOf(SETTINGS.value),
    audit: (event) => void audited.push(event),
  }
  return {
    world,
    audited,
    options: (at = NOW) => requestOptions({ pepper: PEPPER, origin, now: at }),
    use: async (credential, at = NOW) => {
      now = at
      const found = await checkPasskey(gate, { origin, credential: JSON.stringify(credential) }, NETWORKS)
      return found !== undefined && 'account' in found ? found.account.name : undefined
    },
  }
}

const site = (origin = ORIGIN, now: Instant = NOW) => ({ pepper: PEPPER, origin, now })

/** A passkey of account A that the service has stored. */
async function stored({ world }: Pick<Opened, 'world'>, origin = ORIGIN, at = origin) {
  const key = authenticator(at)
  const credential = key.create(creationOptions(site(origin), A, []))
  const made = await newPasskey(site(origin), A.id, credential)
  if (made === undefined) throw new Error('it was not accepted')
  const row = {
    accountId: A.id,
    kind: 'passkey',
    description: '',
    isConfirmed: true,
    createdAt: NOW,
  } as const
  await world.store.write(async (w) => w.addFactor({ ...row, ...made }))
  return key
}

describe('a new passkey', () => {
  it.each<[what: string, changed: Changed, at: Instant, accountId: number]>([
    ['another origin', { origin: 'https://evil.example' }, NOW, 1],
    ['http at the same host', { origin: 'http://dns.example' }, NOW, 1],
    ['another relying party', { rpId: 'evil.example' }, NOW, 1],
    ['a person who was not verified', { flags: 0x01 }, NOW, 1],
    ['nobody there', { flags: 0x04 }, NOW, 1],
    ['the answer to another question', { type: 'webauthn.get' }, NOW, 1],
    ['an old challenge', {}, after(NOW, minutes(5)), 1],
    ['the challenge of another account', {}, NOW, 2],
  ])('is not accepted with %s', async (_, changed, at, accountId) => {
    const credential = authenticator(ORIGIN).create(creationOptions(site(), A, []), changed)
    expect(await newPasskey(site(ORIGIN, at), accountId, credential)).toBeUndefined()
    const right = authenticator(ORIGIN).create(creationOptions(site(), A, []))
    expect(await newPasskey(site(), A.id, right)).toMatchObject({ counter: 0 })
  })

  it.each([[{}], [{ response: {} }], [{ id: 1, response: { clientDataJSON: 'e30' } }]])(
    'is not made of %j',
    async (credential) => expect(await newPasskey(site(), A.id, credential)).toBeUndefined(),
  )

  it('is not made with a challenge for signing in', async () => {
    const { challenge } = requestOptions(site()) as { readonly challenge: string }
    const credential = authenticator(ORIGIN).create({ ...creationOptions(site(), A, []), challenge })
    expect(await newPasskey(site(), A.id, credential)).toBeUndefined()
  })
})

describe('a passkey', () => {
  it('signs its person in, once with each challenge', async () => {
    const service = await opened()
    const key = await stored(service)
    const credential = key.get(service.options())
    expect(await service.use(credential)).toBe('a')
    expect(await service.use(credential)).toBeUndefined()
    expect(await service.use(key.get(service.options()))).toBe('a')
    await service.world.close()
  })

  it.each<[what: string, changed: Changed, wait: number]>([
    ['another origin', { origin: 'https://evil.example' }, 0],
    ['another relying party', { rpId: 'evil.example' }, 0],
    ['a person who was not verified', { flags: 0x01 }, 0],
    ['the answer to another question', { type: 'webauthn.create' }, 0],
    ['another account', { userHandle: Buffer.from('2').toString('base64url') }, 0],
    ['no account', { userHandle: '' }, 0],
    ['an old challenge', {}, 300],
  ])('does not with %s, which is a failed login', async (_, changed, wait) => {
    const service = await opened()
    const key = await stored(service)
    const at = after(NOW, seconds(wait))
    expect(await service.use(key.get(service.options(), changed), at)).toBeUndefined()
    expect(service.audited.map(({ kind }) => kind)).toEqual(['loginRefused'])
    await service.world.close()
  })

  it('of another person, or with a signature of another key, is refused', async () => {
    const service = await opened()
    const key = await stored(service)
    const stranger = authenticator(ORIGIN)
    stranger.create(creationOptions(site(), A, []))
    expect(await service.use(stranger.get(service.options()))).toBeUndefined()
    const forged = { ...stranger.get(service.options()), id: key.id, rawId: key.id }
    expect(await service.use(forged)).toBeUndefined()
    await service.world.close()
  })

  it('whose count went back is refused: it may be a copy', async () => {
    const service = await opened()
    const key = await stored(service)
    expect(await service.use(key.get(service.options(), { counter: 5 }))).toBe('a')
    expect(await service.use(key.get(service.options(), { counter: 4 }))).toBeUndefined()
    expect(await service.use(key.get(service.options(), { counter: 6 }))).toBe('a')
    await service.world.close()
  })

  it.each([[''], ['{'], ['null'], ['[]'], ['{"response":{"userHandle":"MQ"}}'], ['"x"']])(
    'is not %j',
    async (text) => {
      const service = await opened()
      expect(await service.use(JSON.parse(JSON.stringify(text)) as object)).toBeUndefined()
      await service.world.close()
    },
  )

  it('on loopback works at any port of the host, and at no other host', async () => {
    const service = await opened('http://localhost')
    const key = await stored(service, 'http://localhost', 'http://localhost:8245')
    expect(await service.use(key.get(service.options()))).toBe('a')
    const elsewhere = { origin: 'http://localhost.evil.example:8245' }
    expect(await service.use(key.get(service.options(), elsewhere))).toBeUndefined()
    await service.world.close()
  })
})
