import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { handlerMaker, type HandlerParts } from '../../../../src/service/program/http/handlers.ts'
import { instant } from '../../../../src/shared/base/time.ts'
import { readServiceConfig } from '../../../../src/service/settings/read-service.ts'
import { keyedHash, pepperOf } from '../../../../src/service/auth/hashes.ts'
import { listen } from '../../../../src/service/http/listen.ts'
import type { AuditEvent } from '../../../../src/service/model/audit.ts'
import type { Store } from '../../../../src/service/store/store.ts'
import { filledStores, storeFolder } from '../../../lab/stores.ts'
import { AT_ONCE } from '../../api/at-once.ts'
import { canonical, isSame, namesOf, storedRecords } from './records.ts'

const NOW = instant(Date.UTC(2026, 0, 1))
const PEPPER = pepperOf(new Uint8Array(32))
const KEY = { username: 'abc1234', password: 'swordfish' } as const
export const API_KEY = 'api-key'
const ZONE = 'example.test'
/** The names of the key; of the last one, the records that are marked. */
const NAMES = ['home', 'office', 'nas', 'part']
const GROUP = 'house'
const ALL = 'all-hostnames'
/** What a repetition may be counted under: names, groups, and the word for all of them. */
const ITEMS = [...NAMES.map((name) => `${name}.${ZONE}`), ALL, GROUP, KEY.username, '']

const PLAN = {
  name: 'basic',
  maxNames: 99,
  maxRdata: 99,
  maxNameMetadata: 9,
  maxRRSetMetadata: 9,
  minTtl: 60,
  hasOffline: true,
  hasWildcards: true,
}

const filled = filledStores(async (w) => {
  const hash = keyedHash(PEPPER, KEY.password)
  const accountId = await w.addAccount({ name: 'acme', hash, planId: await w.addPlan(PLAN) }, NOW)
  await w.addApiKey({ accountId, hash: keyedHash(PEPPER, API_KEY), description: '', scopes: [] }, NOW)
  const zoneId = await w.addZone({ accountId, name: ZONE, isShared: false }, NOW)
  const key = { accountId, username: KEY.username, hash, description: '', groupLabel: GROUP }
  return { accountId, zoneId, keyId: await w.addKey(key, NOW) }
})

export interface Answer {
  /** 0: the connection ended without an answer. */
  readonly status: number
  /** With names in small letters. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

export interface DeviceWorld {
  readonly store: Store
  readonly url: string
  readonly host: string
  readonly username: string
  readonly password: string
  /** Username and password in Base64. */
  readonly token: string
  /** Makes these the only records; counts and log begin here. */
  readonly reset: (records: string) => Promise<void>
  readonly send: (bytes: string) => Promise<Answer>
  readonly records: () => Promise<string>
  /** The items with repetitions that were counted, each with its count above one. */
  readonly counted: () => Promise<string>
  /** What the log and the audit have, as JSON. */
  readonly logged: () => string
  readonly close: () => Promise<void>
}

/** What one row after another repeats is no abuse. */
const UNLIMITED = { value: '1000000', where: '' }

function settingsOf() {
  const settings = readServiceConfig({
    flags: {
      nameservers: { value: 'ns1.operator.test', where: '' },
      logLevel: { value: 'debug', where: '' },
      requestLimit: UNLIMITED,
      nochgLimit: UNLIMITED,
      refusalLimit: UNLIMITED,
      badauthLimit: UNLIMITED,
    },
    environment: {},
  })
  if (!settings.ok) throw new Error(JSON.stringify(settings.error))
  return settings.value
}

/** No request of a device needs it. */
const NOT_PUBLISHED = {
  wake: () => undefined,
  whenServed: async () => undefined,
  notifier: { zoneAt: () => [] },
} as unknown as HandlerParts['publishing']

/** The service behind a real socket: all that stands between a device and the store. */
export async function deviceWorld(): Promise<DeviceWorld> {
  const folder = storeFolder()
  const [store, { accountId, zoneId, keyId }] = await filled(folder)
  const settings = settingsOf()
  const lines: unknown[] = []
  const faults: unknown[] = []
  const ending = new AbortController()
  const handle = handlerMaker(
    { store, pepper: PEPPER },
    {
      health: {
        matches: () => false,
        handle: async () => Promise.reject(new Error()),
        logFields: () => ({}),
      },
      audit: (event: AuditEvent) => void lines.push(event),
      reportFailure: (what, error) => void faults.push([what, String(error)]),
      publishing: NOT_PUBLISHED,
      inTurn: AT_ONCE,
      log: (...line) => void lines.push(line),
      ending: ending.signal,
      faults: [],
    },
  )(settings)
  const listening = await listen({ host: '127.0.0.1', port: 0 }, () => settings, handle)
  const { host, port } = new URL(listening.url)
  const principal = { kind: 'key', id: keyId, accountId } as const
  const owner = { zoneId, accountId, username: KEY.username, now: NOW }
  /** Of all items, in their order. Counts are never taken back: several nodes share them. */
  const counts = async (): Promise<readonly number[]> =>
    store.read(async (r) => {
      const found: number[] = []
      for (const item of ITEMS)
        found.push((await r.nochgsOf(principal, item)).reduce((sum, { count }) => sum + count, 0))
      return found
    })
  let earlier: readonly number[] = []
  return {
    store,
    url: listening.url,
    host,
    ...KEY,
    token: Buffer.from(`${KEY.username}:${KEY.password}`).toString('base64'),
    reset: async (records) => {
      lines.length = 0
      await store.write(async (w) => {
        for (const name of namesOf(records, NAMES, owner)) {
          const present = await w.nameAt(zoneId, name.name)
          if (present !== undefined && isSame(present, name)) continue
          if (present !== undefined) await w.removeName(present, NOW)
          await w.saveName(name, NOW)
        }
      })
      earlier = await counts()
    },
    send: async (bytes) => {
      const answer = await exchange(Number(port), bytes)
      if (faults.length > 0) throw new Error(JSON.stringify(faults.splice(0)))
      return answer
    },
    records: async () =>
      store.read(async (r) => {
        const found = []
        for (const name of NAMES) found.push(...(await r.namesByFqdn(`${name}.${ZONE}`)))
        return canonical(found.map(storedRecords))
      }),
    counted: async () => {
      const before = earlier
      const all = await counts()
      const found = ITEMS.flatMap((item, at) => {
        const count = (all[at] ?? 0) - (before[at] ?? 0)
        const [name = ''] = item.split('.')
        return count === 0 ? [] : [count === 1 ? name : `${name} ${count} times`]
      })
      return found.join(',') || '-'
    },
    logged: () => JSON.stringify(lines),
    close: async () => {
      ending.abort()
      await listening.close(0)
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Sends these bytes, and reads the answer to its end: by its length, or by that of the connection. */
const exchange = async (port: number, bytes: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(bytes))
    socket.setEncoding('utf8')
    socket.on('error', reject)
    const end = (): void => {
      resolve(answerOf(text))
      socket.destroy()
    }
    socket.on('end', end)
    socket.on('data', (chunk: string) => {
      text += chunk
      const { headers, body } = answerOf(text)
      const length = headers.get('content-length')
      if (length !== undefined && Buffer.byteLength(body) >= Number(length)) end()
    })
  })

function answerOf(text: string): Answer {
  const at = text.indexOf('\r\n\r\n')
  if (at < 0) return { status: 0, headers: new Map(), body: '' }
  const [first = '', ...fields] = text.slice(0, at).split('\r\n')
  const headers = fields.map((field) => {
    const colon = field.indexOf(':')
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const
  })
  return { status: Number(first.split(' ')[1]), headers: new Map(headers), body: text.slice(at + 4) }
}
