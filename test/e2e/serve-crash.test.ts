import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { holdfast, scratch, serveStore } from './processes.ts'

/** `npm run test:long` kills a hundred times. */
const KILLS = Number(process.env['HOLDFAST_TEST_KILLS'] ?? 6)
const WORKERS = Array.from({ length: 16 }, (_, n) => n)

const NODE = { node: process.execPath }
const admin = async (folder: string, ...words: readonly string[]) =>
  holdfast(['admin', ...words, '--store', folder], NODE)

const LIMITS = ['--request-limit', '1000000', '--key-request-limit', '1000000']
const serving = async (store: string) => serveStore(store, ...LIMITS)

/** A store with one zone. */
async function made() {
  const store = join(scratch(), 'store')
  await admin(store, 'init')
  await admin(store, 'plan', 'add', 'basic', 'max-names=100000', 'max-rdata=100000')
  await admin(store, 'account', 'add', 'acme', 'basic')
  await admin(store, 'zone', 'add', 'acme.test', 'acme')
  const { stdout } = await admin(store, 'api-key', 'add', 'acme', '--json')
  const { key } = JSON.parse(stdout) as { key: string }
  return { store, apiKey: key }
}

const R = '/v1/dns/records/acme.test'

/** A new name with an address. */
const named = (name: string) => ({ name, rrsets: [{ dns_type: 'A', rdata: [{ value: '192.0.2.1' }] }] })

/** A request of the management API; undefined if the service ended before its answer. */
async function ask(
  url: string,
  path: string,
  { key, body }: { readonly key: string; readonly body?: unknown },
) {
  const response = await fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  }).catch(() => undefined)
  const json: unknown = await response?.json().catch(() => undefined)
  return response === undefined || json === undefined ? undefined : { status: response.status, json }
}

interface Ledger {
  /** Names whose creation was acknowledged. */
  readonly names: string[]
  /** By worker: the last acknowledged address, and those that were sent after it. Any of these may be stored. */
  readonly addresses: Map<number, readonly (string | undefined)[]>
}

const hostOf = (worker: number): string => `h${worker}`
const addressOf = (n: number): string => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`

/** Creates names and updates its hostname until the service ends; writes down what was acknowledged. */
async function work(url: string, worker: number, { names, addresses }: Ledger, keys: Keys): Promise<void> {
  for (;;) {
    const name = `n${worker}-${counter()}`
    const created = await ask(url, R, { key: keys.apiKey, body: named(name) })
    if (created === undefined) return
    if (created.status === 201) names.push(name)
    else throw new Error(`${created.status} ${JSON.stringify(created.json)}`)

    const sent = addressOf(counter())
    addresses.set(worker, [...(addresses.get(worker) ?? [undefined]), sent])
    const reply = await update(url, worker, { sent, login: keys.login })
    if (reply === undefined) return
    expect(reply).toBe(`good ${sent}`)
    addresses.set(worker, [sent])
  }
}

let count = 0
const counter = (): number => ++count

interface Keys {
  readonly apiKey: string
  /** Of the DDNS key, as Basic has it. */
  readonly login: string
}

async function update(
  url: string,
  worker: number,
  { sent, login }: { readonly sent: string; readonly login: string },
): Promise<string | undefined> {
  const query = `hostname=${hostOf(worker)}.acme.test&myip=${sent}`
  const headers = {
    'user-agent': 'Acme test/1-1 me@example.test',
    authorization: `Basic ${Buffer.from(login).toString('base64')}`,
  }
  const response = await fetch(`${url}/nic/update?${query}`, { headers }).catch(() => undefined)
  return (await response?.text().catch(() => undefined))?.trim()
}

/** The address of each name with one in the zone. */
async function storedIn(store: string): Promise<Map<string, string>> {
  const { stdout } = await admin(store, 'zone', 'export', 'acme.test')
  return new Map(
    [...stdout.matchAll(/^(\S+) \d+ IN A (\S+)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
}

interface NewKey {
  readonly data: { readonly username: string; readonly password: string }
}

async function prepared(url: string, apiKey: string): Promise<Keys> {
  for (const worker of WORKERS) await ask(url, R, { key: apiKey, body: { name: hostOf(worker), rrsets: [] } })
  const hostnames = WORKERS.map((worker) => `${hostOf(worker)}.acme.test`)
  const made = await ask(url, '/v1/account/ddns-keys', { key: apiKey, body: { description: 'w', hostnames } })
  const { data } = (made?.json ?? {}) as NewKey
  return { apiKey, login: `${data.username}:${data.password}` }
}

it(
  `a service that is killed ${KILLS} times in the middle of writes has all that it acknowledged`,
  async () => {
    const { store, apiKey } = await made()
    const ledger: Ledger = { names: [], addresses: new Map() }
    let keys: Keys | undefined
    for (let kill = 0; kill < KILLS; kill++) {
      const { url, child, ended } = await serving(store)
      keys ??= await prepared(url, apiKey)
      const own = keys
      const working = Promise.all(WORKERS.map(async (worker) => work(url, worker, ledger, own)))
      await eventually(() => ledger.names.length).toBeGreaterThan(3 * kill)
      await sleep(randomInt(20, 250))
      child.kill('SIGKILL')
      await Promise.all([working, ended])
    }

    expect((await admin(store, 'check')).stdout).toMatch(/is whole\n$/)
    const stored = await storedIn(store)
    expect(ledger.names.length).toBeGreaterThan(KILLS)
    expect(ledger.names.filter((name) => stored.get(name) !== '192.0.2.1')).toEqual([])
    for (const [worker, possible] of ledger.addresses) expect(possible).toContain(stored.get(hostOf(worker)))
  },
  KILLS * 5000 + 30_000,
)

describe('two services on one store', () => {
  const WRITERS = Array.from({ length: 64 }, (_, n) => n)

  it('give one name of 64 equal requests once, and 64 different ones all', async () => {
    const { store, apiKey } = await made()
    const urls = [(await serving(store)).url, (await serving(store)).url]
    const create = async (n: number, name: string) =>
      (await ask(urls[n % 2] ?? '', R, { key: apiKey, body: named(name) }))?.status

    const same = await Promise.all(WRITERS.map(async (n) => create(n, 'one')))
    expect(same.filter((status) => status === 201)).toHaveLength(1)
    expect(new Set(same)).toEqual(new Set([201, 409]))
    const different = await Promise.all(WRITERS.map(async (n) => create(n, `w${n}`)))
    expect(new Set(different)).toEqual(new Set([201]))
    expect((await storedIn(store)).size).toBe(65)
  })
})
