import { setTimeout as sleep } from 'node:timers/promises'
import { steadyClock } from '../../../src/shared/platform/clock/clock.ts'
import { ZONE } from './world.ts'

const AGENT = 'Acme test/1-1 you@example.test'

export interface Client {
  /** The status. */
  readonly api: (method: string, path: string, body?: unknown) => Promise<number>
  /** The first word of the answer, and how long it took, in milliseconds. */
  readonly update: (
    name: string,
    address: string,
  ) => Promise<{ readonly word: string; readonly took: number }>
  /** Changes the address of a name by PATCH; the status. */
  readonly patch: (name: string, address: string) => Promise<number>
}

/** Requests of one account to one node. */
export function clientOf(url: string, apiKey: string, credentials: string): Client {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const api: Client['api'] = async (method, path, body) => {
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    await response.text()
    return response.status
  }
  const basic = `Basic ${Buffer.from(credentials).toString('base64')}`
  return {
    api,
    patch: async (name, address) =>
      api('PATCH', `/dns/records/${ZONE}`, [{ name, dns_type: 'A', rdata: [{ value: address }] }]).catch(
        () => 0,
      ),
    update: async (name, address) => {
      const began = performance.now()
      const word = await fetch(`${url}/nic/update?hostname=${name}.${ZONE}&myip=${address}`, {
        headers: { authorization: basic, 'user-agent': AGENT },
      })
        .then(async (response) => (await response.text()).split(/\s/)[0] ?? '')
        .catch(() => 'none')
      return { word, took: performance.now() - began }
    },
  }
}

/** A key for the first names of the zone; resolves with its credentials. */
export async function addKey(url: string, apiKey: string, count: number): Promise<string> {
  const response = await fetch(`${url}/v1/account/ddns-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ hostnames: Array.from({ length: count }, (_, n) => `n${n}.${ZONE}`) }),
  })
  const { data } = (await response.json()) as { data: { username: string; password: string } }
  return `${data.username}:${data.password}`
}

/** Until an update is answered with `good`; in milliseconds. */
export async function timeToGood(client: Client, name: string, address: string): Promise<number> {
  const began = steadyClock.now()
  while ((await client.update(name, address)).word !== 'good') await sleep(10)
  return steadyClock.now() - began
}

/** Loops of PATCH without a pause, each for other names, until they are stopped. */
export function startPatches(client: Client, loops: readonly (readonly string[])[], block: number) {
  const over = new AbortController()
  /** The last address of each name that was stored, and those that were sent after it. */
  const last = new Map<string, string[]>()
  let [stored, refused] = [0, 0]
  const running = loops.map(async (names, at) => {
    for (let n = 0; !over.signal.aborted; n++) {
      const name = names[n % names.length] ?? ''
      const address = `${20 + block}.${at}.${Math.floor(n / 250) % 250}.${1 + (n % 250)}`
      const before = last.get(name) ?? []
      last.set(name, [...before, address])
      const status = await client.patch(name, address)
      if (status >= 200 && status < 300) {
        last.set(name, [address])
        stored++
      } else refused++
    }
  })
  return {
    stored: () => stored,
    refused: () => refused,
    last: (): ReadonlyMap<string, readonly string[]> => last,
    stop: async () => {
      over.abort()
      await Promise.all(running)
    },
  }
}
