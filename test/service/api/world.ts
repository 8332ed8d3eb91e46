import { rmSync } from 'node:fs'
import { after, days, instant } from '../../../src/shared/base/time.ts'
import { readServiceConfig } from '../../../src/service/settings/read-service.ts'
import { apiDependencies, apiHandler } from '../../../src/service/program/http/api.ts'
import type { ApiServiceParts } from '../../../src/service/program/http/api-service.ts'
import type { InTurn } from '../../../src/service/api/request/context.ts'
import { keyedHash, pepperOf, slowHash } from '../../../src/service/auth/hashes.ts'
import { passwordChecker } from '../../../src/service/auth/login.ts'
import { apexOf } from '../../../src/service/model/apex.ts'
import type { DnsType } from '../../../src/service/model/rdata/types.ts'
import type { AccountUsage, Name } from '../../../src/service/model/tree.ts'
import { misfit, requestMisfit } from './document.ts'
import { listen } from '../../../src/service/http/listen.ts'
import { filledStores, storeFolder } from '../../lab/stores.ts'
import { Secret } from '../../../src/shared/base/secret.ts'
import { seal } from '../../../src/service/auth/sealed.ts'
import type { Store, StoreReads, StoreWrites } from '../../../src/service/store/store.ts'
import { AT_ONCE } from './at-once.ts'
import { withOperator } from './at-the-website.ts'
import { NOTHING_FOUND } from './nothing-found.ts'

const NOW = instant(Date.UTC(2026, 0, 1))
const PEPPER = pepperOf(new Uint8Array(32))
/** One for all worlds: making one computes a slow hash. */
const PASSWORDS = passwordChecker(PEPPER)
const NAMESERVERS = ['ns1.operator.test', 'ns2.operator.test']
const HASH = new Uint8Array(48)
/** Of account A. */
export const PASSWORD = 'password of a'
const HASH_OF_A = await slowHash(PASSWORD)

/** Of the authenticator app of account A, which is not confirmed; in Base32. */
export const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly data?: unknown
    readonly page?: {
      readonly offset: number
      readonly limit: number
      readonly total: number
      readonly next: string | null
    }
    readonly errors?: readonly {
      readonly code: string
      readonly pointer?: string
      readonly detail?: string
    }[]
    readonly warnings: readonly { readonly code: string; readonly detail?: string }[]
  }
}

export interface World {
  readonly store: Store
  readonly url: string
  readonly ids: Readonly<Record<string, number>>
  /** Sends a request as account A, or with another API key, or as `ACCOUNT:PASSWORD`; `null` is without credentials. */
  readonly ask: (method: string, path: string, body?: unknown, key?: string | null) => Promise<Reply>
  readonly close: () => Promise<void>
}

interface Draft {
  readonly name: string
  readonly rrsets?: readonly (readonly [
    type: DnsType,
    ...rdata: readonly (readonly [label: string, value: string, group?: string])[],
  ])[]
  readonly group?: string
}

const authorizationOf = (key: string): string =>
  key.includes(':') ? `Basic ${Buffer.from(key).toString('base64')}` : `Bearer ${key}`

/** The fixture of every refusal case, behind a real socket. */
/** `over`: parts of the service that are others. `more`: settings as on its command line, by their names in the table. */
export async function apiWorld(
  over: Partial<ApiServiceParts & { readonly inTurn: InTurn }> = {},
  more: Readonly<Record<string, string>> = {},
): Promise<World> {
  const folder = storeFolder()
  const [store, ids] = await filled(folder)
  const settings = readServiceConfig({
    flags: {
      nameservers: { value: NAMESERVERS.join(','), where: '' },
      console: { value: 'https://dns.example', where: '' },
      keyRequestLimit: { value: '1000000', where: '' },
      badauthLimit: { value: '1000000', where: '' },
      ...Object.fromEntries(Object.entries(more).map(([key, value]) => [key, { value, where: '' }])),
    },
    environment: {},
  })
  if (!settings.ok) throw new Error(JSON.stringify(settings.error))
  const faults: unknown[] = []
  const dependencies = apiDependencies(settings.value, {
    store,
    pepper: PEPPER,
    passwords: PASSWORDS,
    requestFlush: () => undefined,
    delegation: async () => NOTHING_FOUND,
    inTurn: AT_ONCE,
    audit: () => undefined,
    reportFailure: (what, error) => void faults.push([what, String(error)]),
    ...over,
  })
  const api = apiHandler(settings.value, withOperator(dependencies))
  const listening = await listen({ host: '127.0.0.1', port: 0 }, () => settings.value, api)
  return {
    store,
    ids,
    url: listening.url,
    ask: async (method, path, body, key = 'key-of-a') => {
      const isFile = method === 'POST' && /\/import(\?|$)/.test(path)
      const response = await fetch(`${listening.url}${path}`, {
        method,
        headers: {
          ...(key !== null && { authorization: authorizationOf(key) }),
          ...(body !== undefined && { 'content-type': isFile ? 'text/dns' : 'application/json' }),
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const { status, headers } = response
      const text = await response.text()
      const isJson = headers.get('content-type') === 'application/json'
      const answer = (isJson ? JSON.parse(text) : text) as Reply['body']
      const fault = misfit({ method, path: path.replace(/\?.*/s, ''), status, headers, body: answer })
      if (fault !== undefined) throw new Error(fault)
      const sent: unknown = typeof body === 'string' && !isFile ? JSON.parse(body) : body
      const wrong =
        status < 300 && body !== undefined
          ? requestMisfit({ method, path: path.replace(/\?.*/s, '') }, sent)
          : undefined
      if (wrong !== undefined) throw new Error(wrong)
      if (status >= 500) throw new Error(JSON.stringify(faults))
      return { status, headers, body: answer }
    },
    close: async () => {
      await listening.close(0)
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const SESSION = {
  createdAt: NOW,
  seenAt: NOW,
  provedAt: NOW,
  needsFactor: false,
  peer: '198.51.100.9',
  program: 'browser',
}
const TSIG_KEY = {
  name: 'key-aaaaaaaaaa',
  algorithm: 'hmac-sha256',
  sealed: HASH,
  description: '',
  scopes: [],
}

const PLAN = {
  maxNames: 50,
  maxRdata: 50,
  maxNameMetadata: 10,
  maxRRSetMetadata: 10,
  minTtl: 60,
  hasOffline: true,
  hasWildcards: true,
}

const totpOf = (accountId: number, isConfirmed: boolean) =>
  ({
    accountId,
    kind: 'totp',
    description: '',
    content: seal(PEPPER, new Secret(TOTP_SECRET), `totp of ${accountId}`),
    counter: 0,
    isConfirmed,
    createdAt: NOW,
  }) as const

async function fill(w: StoreWrites): Promise<Readonly<Record<string, number>>> {
  const ids: Record<string, number> = {}
  for (const account of ['a', 'b', 'o']) {
    const plan = (ids[`plan-${account}`] = await w.addPlan({ name: `plan of ${account}`, ...PLAN }))
    const id = (ids[account] = await w.addAccount(
      { name: account, hash: account === 'a' ? HASH_OF_A : HASH, planId: plan },
      NOW,
    ))
    const key = (name: string, ...scopes: readonly string[]) =>
      w.addApiKey({ accountId: id, hash: keyedHash(PEPPER, name), description: '', scopes }, NOW)
    await key(`key-of-${account}`)
    await key(`reader-of-${account}`, 'read')
    if (account !== 'a') continue
    await w.addTsigKey({ ...TSIG_KEY, accountId: id }, NOW)
    await w.addFactor(totpOf(id, false))
    await w.addSession(
      { ...SESSION, hash: HASH, accountId: id },
      { created: NOW, seen: NOW, max: 100, credential: 'account password' },
    )
  }
  const operator = await w.addAccount({ name: 'operator', hash: HASH, planId: ids['plan-o'] ?? 0 }, NOW)
  await w.changeAccount(operator, { isOperator: true }, NOW)
  await w.addFactor(totpOf(operator, true))
  await w.addCode({
    hash: HASH,
    purpose: 'invitation',
    grant: JSON.stringify({ plan: 'plan of a' }),
    createdAt: NOW,
    expiresAt: after(NOW, days(36_500)),
  })
  // Which has nothing but a password.
  await w.addAccount({ name: 'leaver', hash: HASH_OF_A, planId: ids['plan-o'] ?? 0 }, NOW)
  const { a = 0, b = 0, o = 0 } = ids
  const zone = async (
    name: string,
    accountId: number,
    policy: Parameters<StoreWrites['changeZone']>[1] = {},
  ) => {
    const id = (ids[name] = await w.addZone({ accountId, name, isShared: false }, NOW))
    await w.changeZone(id, policy)
    await w.saveName(apexOf({ zoneId: id, accountId }, NAMESERVERS, NOW), NOW)
    return id
  }
  for (const [username, accountId] of [
    ['kkk1111', a],
    ['kkk2222', a],
    ['kkk9999', b],
  ] as const)
    ids[username] = await w.addKey({ accountId, username, hash: HASH, description: '' }, NOW)
  const named = async (zoneId: number, accountId: number, draft: Draft): Promise<void> => {
    await w.saveName(nameOf(zoneId, accountId, draft), NOW)
    ids[`${draft.name} of ${zoneId}`] = (await w.nameAt(zoneId, draft.name))?.id ?? 0
  }
  const example = await zone('example.test', a)
  await named(example, a, { name: 'home', rrsets: [['A', ['one', '192.0.2.1']]], group: 'kkk1111' })
  await named(example, a, {
    name: 'free',
    rrsets: [
      ['A', ['one', '192.0.2.7']],
      ['AAAA', ['six', '2001:db8::7']],
      ['TXT', ['t', '"hello"']],
    ],
  })
  await named(example, a, { name: 'empty' })
  await named(example, a, { name: 'locked', rrsets: [['A', ['one', '192.0.2.8']]] })
  await named(example, a, { name: 'alias', rrsets: [['CNAME', ['c', 'free.example.test.']]] })
  await named(example, a, {
    name: 'parts',
    rrsets: [['A', ['p', '192.0.2.5', 'kkk1111'], ['q', '192.0.2.6']]],
  })
  await w.lockName(ids[`locked of ${example}`] ?? 0, true)
  const x: Draft = { name: 'x', rrsets: [['A', ['one', '192.0.2.9']]] }
  await named(await zone('frozen.test', a, { isProhibited: true }), a, x)
  await named(await zone('web.test', a, { isWebsiteOnly: true }), a, x)
  await named(await zone('noadd.test', a, { hasNoNewRdata: true }), a, x)
  await zone('b.test', b)
  const dyn = await zone('dyn.test', o, {
    isShared: true,
    types: ['A', 'AAAA', '_URL', 'CNAME', 'TXT'],
    ownerOnlyTypes: ['NS'],
    maxLabels: 1,
    hasWildcards: false,
    fixedTtl: 60,
  })
  await named(dyn, b, { name: 'bob', rrsets: [['A', ['one', '192.0.2.10']]] })
  await named(dyn, a, { name: 'mine', rrsets: [['A', ['one', '192.0.2.11']]] })
  await zone('closed.test', o, { isShared: true, isClosedToNewNames: true })
  await zone('vip.test', o, { isShared: true, isMembersOnly: true })
  return ids
}

const filled = filledStores(fill)

const nameOf = (zoneId: number, accountId: number, { name, rrsets = [], group }: Draft): Name => ({
  zoneId,
  accountId,
  name,
  isProhibited: false,
  isBlocked: false,
  isOffline: false,
  metadata: {},
  rrsets: rrsets.map(([dnsType, ...rdata]) => ({
    dnsType,
    ttl: 60,
    isSystem: false,
    metadata: {},
    createdAt: NOW,
    updatedAt: NOW,
    rdata: rdata.map(([label, value, updateGroup]) => ({
      label,
      value,
      isSystem: false,
      ...(updateGroup !== undefined && { updateGroup }),
    })),
  })),
  createdAt: NOW,
  updatedAt: NOW,
  ...(group !== undefined && { updateGroup: group }),
})

const DELEGATION: Draft = {
  name: 'free',
  rrsets: [
    ['NS', ['n', 'ns.other.test.']],
    ['DS', ['d', `1 8 2 ${'00'.repeat(32)}`]],
  ],
}

/** From before its type was for the owner of the zone. */
const GUEST_CUT: Draft = { name: 'cut', rrsets: [['NS', ['n', 'ns.other.test.']]] }

const SERVED_BY_FREE: Draft = { name: 'sub', rrsets: [['NS', ['n', 'free.example.test.']]] }

/** Names whose records are wrong at some other name. */
const POINTING: readonly Draft[] = [
  {
    name: 'glued',
    rrsets: [
      ['NS', ['n', 'glued.example.test.']],
      ['A', ['a', '192.0.2.40']],
    ],
  },
  { name: 'apple', rrsets: [['ALIAS', ['a', 'pear.example.test.']]] },
  { name: 'reverse', rrsets: [['PTR', ['p', 'plum.example.test.']]] },
  { name: 'away', rrsets: [['CNAME', ['c', 'www.other.test.']]] },
]

const KEYS = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`k${n}`, 'v']))

/** What the plan of an account counts. */
export async function countedOf(w: StoreReads, accountId: number): Promise<AccountUsage> {
  const [all, apexes] = [await w.holdingsOf(accountId), await w.apexHoldingsOf(accountId)]
  return { names: all.names - apexes.names, rdata: all.rdata - apexes.rdata }
}

/** Applies the `setup` column: earlier changes by the operator or the account. */
export async function prepare({ store, ids }: World, setup: string): Promise<void> {
  const plan = ids['plan-a'] ?? 0
  const [word = '', value = ''] = setup.split(':')
  await store.write(async (w) => {
    const { names, rdata } = await countedOf(w, ids['a'] ?? 0)
    const free = await w.nameAt(ids['example.test'] ?? 0, 'free')
    if (free === undefined) throw new Error('the fixture is broken')
    const shrunk = {
      names: { maxNames: names - 1 },
      rdata: { maxRdata: rdata - 1 },
      'name-metadata': { maxNameMetadata: 9 },
      'rrset-metadata': { maxRRSetMetadata: 9 },
    }[value]
    const steps: Readonly<Record<string, () => Promise<unknown>>> = {
      'zones-full': async () =>
        w.changePlan(plan, { maxNames: (await w.apexHoldingsOf(ids['a'] ?? 0)).names }),
      'names-full': async () => w.changePlan(plan, { maxNames: names }),
      'rdata-full': async () => w.changePlan(plan, { maxRdata: rdata }),
      'name-metadata-full': async () => w.saveName({ ...free, metadata: KEYS }, NOW),
      'rrset-metadata-full': async () =>
        w.saveName(
          {
            ...free,
            rrsets: free.rrsets.map((one) => (one.dnsType === 'A' ? { ...one, metadata: KEYS } : one)),
          },
          NOW,
        ),
      'plan-shrunk': async () => w.changePlan(plan, shrunk ?? {}),
      'no-offline': async () => w.changePlan(plan, { hasOffline: false }),
      'no-wildcards': async () => w.changePlan(plan, { hasWildcards: false }),
      'signed-delegation': async () => w.saveName({ ...free, rrsets: nameOf(0, 0, DELEGATION).rrsets }, NOW),
      pointing: async () => {
        for (const one of POINTING)
          await w.saveName(nameOf(ids['example.test'] ?? 0, ids['a'] ?? 0, one), NOW)
      },
      'own-in-closed': async () =>
        w.saveName(nameOf(ids['closed.test'] ?? 0, ids['a'] ?? 0, { name: 'own' }), NOW),
      'guest-cut': async () => w.saveName(nameOf(ids['dyn.test'] ?? 0, ids['a'] ?? 0, GUEST_CUT), NOW),
      'name-server': async () =>
        w.saveName(nameOf(ids['example.test'] ?? 0, ids['a'] ?? 0, SERVED_BY_FREE), NOW),
      types: async () => w.changePlan(plan, { types: value.split(',') }),
      'ttl-fixed': async () => w.changePlan(plan, { fixedTtl: Number(value) }),
      'min-ttl': async () => w.changePlan(plan, { minTtl: Number(value) }),
      'website-account': async () => w.changeAccount(ids['a'] ?? 0, { isWebsiteOnly: true }, NOW),
      'zones-free': async () => w.changeZone(ids['frozen.test'] ?? 0, { isProhibited: false }),
      'no-nameservers': async () => {
        const apex = await w.nameAt(ids['example.test'] ?? 0, '@')
        if (apex !== undefined) await w.saveName({ ...apex, rrsets: [] }, NOW)
      },
      'inner-zone': async () =>
        w.addZone({ accountId: ids['b'] ?? 0, name: 'sub.example.test', isShared: false }, NOW),
      'key-locked': async () => w.lockKey(ids[value] ?? 0, true),
    }
    await steps[word]?.()
  })
}
