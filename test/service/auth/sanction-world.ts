import { rmSync } from 'node:fs'
import { apiDependencies, apiHandler } from '../../../src/service/program/http/api.ts'
import { apiServiceOf } from '../../../src/service/program/http/api-service.ts'
import { consolePart } from '../../../src/service/program/http/handlers.ts'
import { after, type Duration, type Instant, instant } from '../../../src/shared/base/time.ts'
import { readServiceConfig } from '../../../src/service/settings/read-service.ts'
import type { ServiceSettings } from '../../../src/service/settings/service-settings.ts'
import { parseResponse } from '../../../src/shared/dns/response.ts'
import { signTsig, type TsigKey } from '../../../src/shared/dns/tsig.ts'
import { encodeUpdate, type UpdateRecord } from '../../../src/shared/dns/update.ts'
import type { Address } from '../../../src/shared/base/address.ts'
import { Secret } from '../../../src/shared/base/secret.ts'
import { limitsOf } from '../../../src/service/auth/limits.ts'
import { ADMIN_OPERATIONS } from '../../../src/service/admin/operations.ts'
import { isApiPath } from '../../../src/service/api/handle.ts'
import { keyedHash, slowHash } from '../../../src/service/auth/hashes.ts'
import { passwordChecker } from '../../../src/service/auth/login.ts'
import { unseal } from '../../../src/service/auth/sealed.ts'
import { dispatch } from '../../../src/service/http/dispatch.ts'
import { listen } from '../../../src/service/http/listen.ts'
import type { IncomingRequest, OutgoingResponse } from '../../../src/service/http/request.ts'
import { handleUpdateMessage } from '../../../src/service/rfc2136/handle.ts'
import type { Store, StoreWrites } from '../../../src/service/store/store.ts'
import { handleUpdate, isUpdatePath } from '../../../src/service/update/handle.ts'
import { filledStores, storeFolder, testStore } from '../../lab/stores.ts'
import { AT_ONCE } from '../api/at-once.ts'
import { NOW, PEPPER } from '../api/inside.ts'
import { NOTHING_FOUND } from '../api/nothing-found.ts'
import { ORIGIN, personAt } from '../console/person.ts'
import { SETTINGS } from '../publish/flushed.ts'
import { newLimit } from '../publish/new-limit.ts'

/** Of both accounts. */
export const PASSWORD = 'a password by hand'
export const ZONE = 'example.test'
/** Few, so that a limit is reached in a moment. */
const LIMITS = {
  requestLimit: 5,
  nochgLimit: 3,
  refusalLimit: 3,
  badauthLimit: 1000,
  keyRequestLimit: 1_000_000,
}
export type Limits = Partial<Record<keyof typeof LIMITS, number>> & { readonly longBlock?: string }

export interface Key {
  readonly username: string
  readonly password: string
}
export interface Answer {
  readonly status: number
  readonly text: string
  readonly data: Readonly<Record<string, unknown>>
}

const settingsFor = (limits: Limits): ServiceSettings => {
  const flag = (value: string) => ({ value, where: '' })
  const settings = readServiceConfig({
    flags: {
      nameservers: flag('ns1.operator.test,ns2.operator.test'),
      console: flag(ORIGIN),
      ...Object.fromEntries(
        Object.entries({ ...LIMITS, ...limits }).map(([name, value]) => [name, flag(String(value))]),
      ),
    },
    environment: {},
  })
  if (!settings.ok) throw new Error(JSON.stringify(settings.error))
  return settings.value
}

async function operate(w: StoreWrites, line: string, now: Instant) {
  const words = line.split(' ')
  const name = Object.keys(ADMIN_OPERATIONS)
    .filter((one) => `${line} `.startsWith(`${one} `))
    .toSorted((a, b) => b.length - a.length)[0]
  const context = { pepper: PEPPER, nameservers: ['ns1.operator.test'], catalogZone: 'catalog.test', now }
  const result = await ADMIN_OPERATIONS[name ?? '']?.run(
    { w, ...context, console: ORIGIN },
    words.slice((name ?? '').split(' ').length),
  )
  if (result?.ok !== true) throw new Error(result?.error ?? `no operation: ${line}`)
  return result.value.data
}

const hash = slowHash(PASSWORD)
const filled = filledStores(async (w) => {
  await operate(w, 'plan add basic', NOW)
  const planId = (await w.planNamed('basic')) ?? 0
  for (const name of ['acme', 'beta']) {
    const accountId = await w.addAccount({ name, hash: await hash, planId }, NOW)
    await w.addApiKey({ accountId, hash: keyedHash(PEPPER, `api-${name}`), description: '', scopes: [] }, NOW)
  }
  await operate(w, `zone add ${ZONE} acme`, NOW)
  await operate(w, 'zone add dyn.test beta shared=yes', NOW)
})

/** One node: every door of the service over a store, by a clock of the test. */
async function nodeOn(store: Store, settings: ServiceSettings, now: () => Instant) {
  const faults: unknown[] = []
  const [reportFailure, audit] = [(_: string, fault: unknown) => void faults.push(fault), () => undefined]
  const passwords = passwordChecker(PEPPER)
  const api = apiDependencies(settings, {
    store,
    pepper: PEPPER,
    passwords,
    inTurn: AT_ONCE,
    audit,
    reportFailure,
    now,
    requestFlush: () => undefined,
    delegation: async () => NOTHING_FOUND,
  })
  const { allHostnames, strictAgents, blockedAgents, realm } = settings
  const policy = { limits: limitsOf(settings), allHostnames, strictAgents, blockedAgents }
  const update = {
    updater: { store, passwords, policy, now, audit },
    realm,
    inTurn: async <T>(_: string, inside: () => Promise<T>) => ({ value: await inside() }),
    faults: [],
    pause: async () => undefined,
    reportError: (fault: unknown) => void faults.push(fault),
  }
  const page = consolePart({ origin: ORIGIN, hasMail: false }, api, reportFailure)
  const logFields = () => ({})
  const handle: (request: IncomingRequest) => Promise<OutgoingResponse> = dispatch(
    [
      { matches: isUpdatePath, handle: async (request) => handleUpdate(update, request), logFields },
      { matches: isApiPath, handle: apiHandler(settings, api), logFields },
      page,
    ],
    { log: () => undefined, isLogged: false },
  )
  const listening = await listen({ host: '127.0.0.1', port: 0 }, () => settings, handle)
  const message = async (bytes: Uint8Array): Promise<Buffer | undefined> => {
    const answers: Buffer[] = []
    const context = {
      store,
      audit,
      now,
      inTurn: AT_ONCE,
      limit: newLimit(),
      settings: () => SETTINGS,
      service: () => apiServiceOf(settings, { pepper: PEPPER, requestFlush: () => undefined }),
      limits: () => policy.limits,
      unseal: (key: { name: string; sealed: Uint8Array }) => unseal(PEPPER, key.sealed, key.name),
      published: async () => undefined,
      reportError: (fault: unknown) => void faults.push(fault),
    }
    const peer = { address: '127.0.0.1' as Address, isDatagram: false }
    await handleUpdateMessage(context, { bytes, peer }, async (answer) => void answers.push(answer))
    return answers[0]
  }
  return {
    url: listening.url,
    message,
    person: () => personAt(page.handle),
    close: async () => {
      await listening.close(0)
      await store.close()
      if (faults.length > 0) throw faults[0]
    },
  }
}

export type World = Awaited<ReturnType<typeof sanctionWorld>>

/**
 * The accounts acme (the zone example.test) and beta (the shared zone dyn.test), and all doors of a service. Where nothing
 * `mayRefuse`, a step that `/v1` refuses is a fault of the test.
 */
export async function sanctionWorld(limits: Limits = {}, { mayRefuse = true } = {}) {
  const folder = storeFolder()
  const settings = settingsFor(limits)
  let [now, messages, addresses]: [Instant, number, number] = [instant(Date.UTC(2026, 0, 2)), 0, 0]
  let [store] = await filled(folder)
  let node = await nodeOn(store, settings, () => now)
  const others: { close: () => Promise<void> }[] = []
  const basic = (username: string, password: string): string =>
    `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

  const v1 = async (method: string, path: string, body?: unknown, by = 'api-acme'): Promise<Answer> => {
    const isFile = typeof body === 'string'
    const response = await fetch(`${node.url}/v1${path}`, {
      method,
      headers: {
        authorization: by.includes(':') ? basic(by.slice(0, by.indexOf(':')), PASSWORD) : `Bearer ${by}`,
        ...(body !== undefined && { 'content-type': isFile ? 'text/dns' : 'application/json' }),
      },
      ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status >= 400 && !mayRefuse) throw new Error(`${method} ${path}: ${text}`)
    const isJson = response.headers.get('content-type') === 'application/json' && text !== ''
    const data = isJson ? (JSON.parse(text) as { data?: Answer['data'] }).data : undefined
    return { status: response.status, text, data: data ?? {} }
  }
  /** A new address each time, which no record has yet. */
  const nextAddress = (): string => `198.18.${addresses >> 8}.${addresses++ & 255}`
  /** The words of the answer; `refused` for a key that could not be made. */
  const update = async (
    key: Key | undefined,
    hostname: string,
    { myip = nextAddress(), more = '' } = {},
  ): Promise<readonly string[]> => {
    if (key === undefined) return ['refused']
    const response = await fetch(`${node.url}/nic/update?hostname=${hostname}&myip=${myip}${more}`, {
      headers: {
        'user-agent': 'Acme test/1-1 me@example.test',
        authorization: basic(key.username, key.password),
      },
    })
    return (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0] ?? '')
  }
  const makeKey = async (hostnames: readonly string[], by?: string): Promise<Key | undefined> => {
    const { status, data } = await v1('POST', '/account/ddns-keys', { hostnames }, by)
    return status === 201 ? (data as unknown as Key) : undefined
  }
  const makeName = async (name: string, { zone = ZONE, by = 'api-acme' } = {}): Promise<Answer> =>
    v1(
      'POST',
      `/dns/records/${zone}`,
      {
        name,
        rrsets: [{ dns_type: 'A', rdata: [{ label: 'one', value: nextAddress() }] }],
      },
      by,
    )
  const sendUpdate = async (key: TsigKey, updates: readonly UpdateRecord[]): Promise<number | undefined> => {
    const plain = encodeUpdate(++messages, ZONE, { prerequisites: [], updates })
    const answer = await node.message(signTsig(plain, key, { now: Math.floor(now / 1000) }).message)
    return answer && parseResponse(answer)?.rcode
  }
  return {
    v1,
    update,
    nextAddress,
    makeKey,
    makeName,
    sendUpdate,
    dropKey: async (key: Key | undefined, by?: string) =>
      v1('DELETE', `/account/ddns-keys/${key?.username ?? ''}`, undefined, by),
    target: async (key: Key | undefined, hostnames: readonly string[], by?: string) =>
      v1('PUT', `/account/ddns-keys/${key?.username ?? ''}`, { hostnames }, by),
    makeTsigKey: async (): Promise<TsigKey> => {
      const { data } = await v1('POST', '/account/tsig-keys', {})
      return {
        name: String(data['name']),
        algorithm: 'hmac-sha256',
        secret: new Secret(String(data['secret'])),
      }
    },
    admin: async (line: string) => store.write(async (w) => operate(w, line, now)),
    person: () => node.person(),
    /** The requests that deleted keys of "acme" have left for its next keys. */
    passedOn: async (): Promise<number> =>
      store.read(async (r) => {
        const account = await r.login('acme')
        const rows = account === undefined ? [] : await r.sanctionsOf(account.id, [''])
        return Math.max(0, ...rows.map(({ requests }) => requests.reduce((sum, { count }) => sum + count, 0)))
      }),
    pass: (span: Duration) => void (now = after(now, span)),
    restart: async (): Promise<void> => {
      await node.close()
      store = testStore(folder)
      node = await nodeOn(store, settings, () => now)
    },
    /** The same service at another node, over the same database: only where the store is shared. */
    moveToOtherNode: async (): Promise<void> => {
      others.push(node)
      store = testStore(folder)
      node = await nodeOn(store, settings, () => now)
    },
    close: async (): Promise<void> => {
      for (const one of [node, ...others]) await one.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
