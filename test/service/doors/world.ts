import type { Instant } from '../../../src/shared/base/time.ts'
import { rmSync } from 'node:fs'
import { observedStore, serviceMetrics } from '../../../src/service/program/service-metrics.ts'
import { auditLog } from '../../../src/service/program/audit-log.ts'
import { handlerMaker } from '../../../src/service/program/http/handlers.ts'
import { startPublishing } from '../../../src/service/program/publishing/publishing.ts'
import { readServiceConfig } from '../../../src/service/settings/read-service.ts'
import { Secret } from '../../../src/shared/base/secret.ts'
import { systemClock } from '../../../src/shared/platform/clock/clock.ts'
import { ADMIN_OPERATIONS } from '../../../src/service/admin/operations.ts'
import { keyedHash, slowHash } from '../../../src/service/auth/hashes.ts'
import { listen } from '../../../src/service/http/listen.ts'
import type { AuditEvent } from '../../../src/service/model/audit.ts'
import type { Store, StoreWrites } from '../../../src/service/store/store.ts'
import { filledStores, storeFolder } from '../../lab/stores.ts'
import { AT_ONCE } from '../api/at-once.ts'
import { PEPPER } from '../api/inside.ts'

export const ACCOUNT = 'acme'
export const PASSWORD = 'password of acme'
export const DDNS_KEY = { username: 'key0001', password: 'swordfish' } as const
export const ZONE = 'doors.test'
/** Every name that a request of the table can change, or make. */
export const NAMES = ['@', 'home', 'fresh', '_acme-challenge.home', '_acme-challenge.old'] as const
/** As a browser at this machine has it; any port (docs/console.md). */
export const ORIGIN = 'http://localhost'
/** Of one key in five minutes: small, so that a cell reaches the automatic block with few requests. */
export const REQUEST_LIMIT = 3

export interface DoorsWorld {
  readonly store: Store
  readonly url: string
  /** Of a name server for UPDATE messages, which is started when a request needs it. */
  readonly dnsPort: () => Promise<number>
  readonly audited: readonly AuditEvent[]
  /** The transactions of the service, in their order. */
  readonly transactions: readonly string[]
  /** The lines of the log. */
  readonly logged: readonly string[]
  readonly accountId: number
  /** An operation of `holdfast admin`. */
  readonly admin: (line: string) => Promise<void>
  /** What is stored at the names of the zone: records, targets, and whether they are offline. */
  readonly stored: () => Promise<string>
  readonly close: () => Promise<void>
}

/** Of the settings and of the store: a start adds none then. */
const NAMESERVERS = ['ns1.operator.test', 'ns2.operator.test']

async function operated(w: StoreWrites, line: string): Promise<void> {
  const words = line.split(' ')
  const name =
    Object.keys(ADMIN_OPERATIONS)
      .toSorted((a, b) => b.length - a.length)
      .find((one) => `${line} `.startsWith(`${one} `)) ?? ''
  const context = {
    pepper: PEPPER,
    nameservers: NAMESERVERS,
    catalogZone: 'catalog.test',
    now: systemClock.now(),
  }
  const result = await ADMIN_OPERATIONS[name]?.run({ w, ...context }, words.slice(name.split(' ').length))
  if (result?.ok !== true) throw new Error(`${line}: ${result?.error ?? 'no operation'}`)
}

const HASH = slowHash(PASSWORD)

const filled = filledStores(async (w) => {
  const hash = await HASH
  const now = systemClock.now()
  for (const line of ['plan add basic', `account add ${ACCOUNT} basic`, `zone add ${ZONE} ${ACCOUNT}`])
    await operated(w, line)
  const accountId = (await w.accountNamed(ACCOUNT)) ?? 0
  await w.setAccountPassword(accountId, hash, Date.UTC(2026, 0, 1) as Instant)
  const zoneId = (await w.zoneNamed(ZONE))?.id ?? 0
  const { username, password } = DDNS_KEY
  const key = await w.addKey({ accountId, username, hash: keyedHash(PEPPER, password), description: '' }, now)
  const home = await w.addName({ zoneId, accountId, name: 'home' }, now)
  await w.attach(key, home)
  await w.setSingleValue(home, { dnsType: 'A', value: '192.0.2.1' }, now)
  const old = await w.addName({ zoneId, accountId, name: '_acme-challenge.old' }, now)
  await w.setSingleValue(old, { dnsType: 'TXT', value: '"v"' }, now)
  return accountId
})

interface Limits {
  /** Default: that of the service. */
  readonly badauthLimit?: number
  /** The contact of the operator. Default: none. */
  readonly contact?: string
}

function settingsOf({ badauthLimit, contact }: Limits) {
  const flag = (value: string) => ({ value, where: '' })
  const read = readServiceConfig({
    flags: {
      nameservers: flag(NAMESERVERS.join()),
      console: flag(ORIGIN),
      dnsListen: flag('127.0.0.1:0'),
      requestLimit: flag(String(REQUEST_LIMIT)),
      ...(badauthLimit !== undefined && { badauthLimit: flag(String(badauthLimit)) }),
      ...(contact !== undefined && { contact: flag(contact) }),
    },
    environment: {},
  })
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  return read.value
}

/** Notes each transaction. */
const countedStore = (store: Store, transactions: string[]): Store => ({
  ...store,
  read: async (work) => {
    transactions.push('read')
    return store.read(work)
  },
  write: async (work, about) => {
    transactions.push('write')
    return store.write(work, about)
  },
})

/** The service as it is composed for `holdfast serve`, in this process, behind sockets of loopback. */
export async function doorsWorld(limits: Limits = {}): Promise<DoorsWorld> {
  const folder = storeFolder()
  const [opened, accountId] = await filled(folder)
  let wake = (): void => undefined
  const store = observedStore(opened, { metrics: serviceMetrics(), onWrite: () => wake() })
  const transactions: string[] = []
  const counted = countedStore(store, transactions)
  const settings = settingsOf(limits)
  const [failures, logged, audited]: [string[], string[], AuditEvent[]] = [[], [], []]
  const ending = new AbortController()
  const line = auditLog(
    (level, msg, details) =>
      void logged.push(`${level === 'info' ? '' : `${level}: `}${details?.line ?? msg}`),
    () => 0,
  )
  const parts = {
    audit: (event: AuditEvent) => {
      audited.push(event)
      line(event)
    },
    reportFailure: (what: string, error: unknown) => void failures.push(`${what}: ${String(error)}`),
    inTurn: AT_ONCE,
    log: () => undefined,
    ending: ending.signal,
  }
  const handle = handlerMaker(
    { store: counted, pepper: PEPPER },
    {
      ...parts,
      faults: [],
      health: {
        matches: () => false,
        handle: async () => ({ status: 404, headers: {}, body: '' }),
        logFields: () => ({}),
      },
      publishing: {
        wake: () => wake(),
        whenServed: async () => undefined,
        notifier: { zoneAt: () => [] } as never,
      },
    },
  )(settings)
  const listening = await listen({ host: '127.0.0.1', port: 0 }, () => settings, handle)
  let publishing: ReturnType<typeof startPublishing> | undefined
  const nothing = () => undefined
  const metrics = { flushed: nothing, answeredDns: nothing, limitedDns: nothing, raised: nothing }
  return {
    store,
    url: listening.url,
    audited,
    transactions,
    logged,
    accountId,
    dnsPort: async () => {
      publishing ??= startPublishing({
        ...parts,
        store,
        pepper: PEPPER,
        current: () => settings,
        tls: undefined,
        metrics,
      })
      const started = await publishing
      if (!started.ok) throw new Error(started.error.messages.join())
      wake = started.value.wake
      return started.value.listeners[0]?.port ?? 0
    },
    admin: async (text) => store.write(async (w) => operated(w, text)),
    stored: async () =>
      store.read(async (r) => {
        const zoneId = (await r.zoneNamed(ZONE))?.id ?? 0
        const names = []
        for (const name of NAMES) {
          const found = await r.nameAt(zoneId, name)
          // When it was published is no change.
          names.push([name, found?.rrsets, found?.isOffline, found?.updateGroup, found?.offlineSettings])
        }
        return JSON.stringify(names)
      }),
    close: async () => {
      ending.abort()
      const started = await publishing
      if (started?.ok === true) await started.value.close()
      await listening.close(0)
      await store.close()
      rmSync(folder, { recursive: true, force: true })
      if (failures.length > 0) throw new Error(failures.join('\n'))
    },
  }
}

/** The secret of a key of the service, with the form that they have; for the same text the same. */
export const secretFor = (text: string): string =>
  Buffer.from(keyedHash(PEPPER, `secret ${text}`))
    .toString('hex')
    .replaceAll(/[01]/g, 'x')
    .slice(0, 21)

export const tsigSecret = (name: string): Secret =>
  new Secret(Buffer.from(`${name} has this secret`).toString('base64'))
