import { apiOf } from '../../../src/service/program/http/api.ts'
import { type Instant, instant } from '../../../src/shared/base/time.ts'
import { readServiceConfig } from '../../../src/service/settings/read-service.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import { limitsOf } from '../../../src/service/auth/limits.ts'
import { keyedHash, pepperOf } from '../../../src/service/auth/hashes.ts'
import { passwordChecker } from '../../../src/service/auth/login.ts'
import { apexOf } from '../../../src/service/model/apex.ts'
import { flush, MAX_FLUSHED } from '../../../src/service/publish/flush.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { handleUpdate } from '../../../src/service/update/handle.ts'
import { AT_ONCE } from '../../service/api/at-once.ts'
import { type Ask, DYNAMIC, ZONES } from './draw.ts'

const PEPPER = pepperOf(new Uint8Array(32))
/** One for all: making one computes a slow hash. */
const PASSWORDS = passwordChecker(PEPPER)
const NAMESERVERS = ['ns1.operator.test']
const PUBLISHING = {
  nameservers: NAMESERVERS,
  contact: undefined,
  redirectAddresses: [],
  catalog: 'catalog.test',
}
const FLAGS = {
  nameservers: NAMESERVERS.join(','),
  ...Object.fromEntries(
    ['nochgLimit', 'requestLimit', 'refusalLimit', 'badauthLimit', 'keyRequestLimit'].map((limit) => [
      limit,
      '1000000',
    ]),
  ),
}

/** What became of a request: what an answer says, or that none came, or one that says nothing of the store. */
export type Answered =
  | { readonly kind: 'accepted'; readonly winner?: string }
  | { readonly kind: 'refused' | 'unknown' }

export interface Node {
  ask(ask: Ask): Promise<Answered>
  /** Everything that is stored but not published. */
  publish(): Promise<void>
}

/** Fills an empty store with an account, its zones and a key for some names. */
export async function fillService(store: Store, now: Instant): Promise<void> {
  await store.write(async (w) => {
    const plan = {
      name: 'plan',
      maxNames: 500,
      maxRdata: 5000,
      maxNameMetadata: 9,
      maxRRSetMetadata: 9,
      minTtl: 60,
      hasOffline: true,
      hasWildcards: true,
    }
    const accountId = await w.addAccount(
      { name: 'acme', hash: new Uint8Array(48), planId: await w.addPlan(plan) },
      now,
    )
    await w.addApiKey({ accountId, hash: keyedHash(PEPPER, 'api-key'), description: '', scopes: [] }, now)
    await w.addKey(
      { accountId, username: 'kkk1111', hash: keyedHash(PEPPER, 'secret'), description: '' },
      now,
    )
    for (const zone of ZONES) {
      const zoneId = await w.addZone({ accountId, name: zone, isShared: false }, now)
      await w.saveName(apexOf({ zoneId, accountId }, NAMESERVERS, now), now)
      for (const name of DYNAMIC)
        await w.saveName(
          {
            zoneId,
            accountId,
            name,
            isProhibited: false,
            isBlocked: false,
            isOffline: false,
            metadata: {},
            rrsets: [],
            createdAt: now,
            updatedAt: now,
            updateGroup: 'kkk1111',
          },
          now,
        )
    }
  })
}

/** The service without its sockets and timers. */
export function serviceNode(store: Store, now: () => Instant): Node {
  const settings = readServiceConfig({
    flags: Object.fromEntries(Object.entries(FLAGS).map(([name, value]) => [name, { value, where: '' }])),
    environment: {},
  })
  if (!settings.ok) throw new Error(JSON.stringify(settings.error))
  const passing = () => undefined
  const api = apiOf(settings.value, {
    store,
    pepper: PEPPER,
    passwords: PASSWORDS,
    requestFlush: passing,
    inTurn: AT_ONCE,
    audit: passing,
    reportFailure: passing,
    now,
  })
  const { allHostnames, strictAgents, blockedAgents, realm } = settings.value
  const policy = { limits: limitsOf(settings.value), allHostnames, strictAgents, blockedAgents }
  const updates = {
    updater: { store, passwords: PASSWORDS, policy, now, audit: passing },
    realm,
    faults: [],
    inTurn: async <T>(_: string, work: () => Promise<T>) => ({ value: await work() }),
    pause: async () => Promise.resolve(),
    reportError: passing,
  }
  const common = { userAgent: 'Acme sim/1 me@example.test', peer: '198.51.100.1' as Address, isProxy: false }
  const send = async (method: string, path: string, body?: unknown, ifMatch?: string) =>
    api({
      ...common,
      method,
      path: `/v1/dns/${path}`,
      query: '',
      authorization: 'Bearer api-key',
      contentType: 'application/json',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(ifMatch !== undefined && { ifMatch }),
    })
  const update = async (zone: string, name: string, address: string): Promise<Answered> => {
    const { body } = await handleUpdate(updates, {
      ...common,
      method: 'GET',
      path: '/nic/update',
      query: `hostname=${name}.${zone}&myip=${address}`,
      authorization: `Basic ${Buffer.from('kkk1111:secret').toString('base64')}`,
    })
    if (/^(good|nochg)/.test(body)) return { kind: 'accepted' }
    return { kind: body.startsWith('911') ? 'unknown' : 'refused' }
  }
  const race = async ({ zone, name, values }: Extract<Ask, { kind: 'race' }>): Promise<Answered> => {
    const { headers, status: found } = await send('GET', `records/${zone}/${name}`)
    const tag = headers['etag']
    if (found !== 200 || tag === undefined) return { kind: 'refused' }
    const answers = await Promise.all(
      values.map(async (value) =>
        send('PUT', `records/${zone}/${name}/rrsets/A`, { ttl: 300, rdata: [{ value }] }, tag),
      ),
    )
    if (answers.some(({ status }) => status >= 500)) return { kind: 'unknown' }
    const written = values.filter((_, at) => [201, 202].includes(answers[at]?.status ?? 0))
    if (written.length > 1)
      throw new Error(`V7: two writers of ${name}.${zone} with one tag: ${written.join(', ')}`)
    // One that writes what is there changes no tag.
    const [winner] = [...written, ...values.filter((_, at) => answers[at]?.status === 200)]
    return winner === undefined ? { kind: 'refused' } : { kind: 'accepted', winner }
  }
  return {
    async ask(ask) {
      if (ask.kind === 'update') return update(ask.zone, ask.name, ask.address)
      if (ask.kind === 'race') return race(ask)
      const { status } = await sendOf(ask, send)
      if (status < 300) return { kind: 'accepted' }
      return { kind: status < 500 ? 'refused' : 'unknown' }
    },
    async publish() {
      const context = { settings: PUBLISHING, now: now(), maxNames: MAX_FLUSHED, onNameFault: throwFault }
      for (let count = 1; count > 0; )
        count = (await store.write(async (w) => flush(w, { ...context, now: now() }))).count
    },
  }
}

function throwFault({ fqdn, error }: { readonly fqdn: string; readonly error: unknown }): never {
  throw new Error(`${fqdn} cannot be published: ${String(error)}`)
}

type Send = (method: string, path: string, body?: unknown) => Promise<{ readonly status: number }>

async function sendOf(ask: Exclude<Ask, { kind: 'update' | 'race' }>, send: Send) {
  if (ask.kind === 'addZone') return send('POST', 'zones', { name: ask.zone })
  if (ask.kind === 'removeZone') return send('DELETE', `zones/${ask.zone}`)
  if (ask.kind === 'remove') return send('DELETE', `records/${ask.zone}/${ask.name}`)
  const items = ask.items.map(({ name, type, values }) => ({
    name,
    dns_type: type,
    ttl: 300,
    rdata: values.map((value) => ({ value })),
  }))
  return send('PATCH', `records/${ask.zone}`, items)
}

export const START: Instant = instant(Date.UTC(2026, 0, 1))
