import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fill } from './fill.ts'
import type { Errand } from './peers.ts'
import { startService } from './service.ts'

/** What clients are measured on: a service, and for each of them names and a key of its own. */
export interface Field {
  /** With the nth address of a client, and a folder of its own. */
  errand(client: number, nth: number): Errand
  /** An address that looks public, and that no name has or had. */
  addressOf(client: number, nth: number): string
  /** The number of names with that address, from the management API. */
  namesAt(address: string): Promise<number>
  /** How many update requests were answered since the start; up to date after `namesAt`. */
  answered(): number
  /** Whether some update request was answered with "good" and that address first. */
  isGood(address: string): boolean
  /** An update request by itself; its status. */
  ask(errand: Errand): Promise<number>
  stop(): Promise<void>
}

export interface Plan {
  readonly folder: string
  readonly clients: number
  readonly namesEach: number
}

const UPDATE_PATH = '/nic/update'

const addressOf = (client: number, nth: number): string =>
  `1.${64 + client}.${(nth + 1) >> 8}.${(nth + 1) & 255}`

interface Facts {
  readonly msg?: string
  readonly path?: string
  readonly reply?: string
}

/** Some versions of Node print a warning about SQLite between the lines. */
const factsIn = (line: string): Facts => (line.startsWith('{') ? (JSON.parse(line) as Facts) : {})

/** The service runs under the Node of the checkout, whichever Node the clients are measured under: it needs a newer one. */
export async function openField({ folder, clients, namesEach }: Plan): Promise<Field> {
  const filled = fill(join(folder, 'store'), { names: clients * namesEach, keys: clients })
  const service = await startService(process.execPath, ['--store', filled.folder, '--log-level', 'debug'])
  let answered = 0
  const good = new Set<string>()
  let onOtherRequest = (): void => undefined
  createInterface({ input: service.child.stderr ?? process.stdin }).on('line', (line) => {
    const { msg, path, reply = '' } = factsIn(line)
    if (msg !== 'answered') return
    if (path !== UPDATE_PATH) return onOtherRequest()
    const [word, address = ''] = reply.split(/\s/)
    answered++
    if (word === 'good') good.add(address)
  })
  return {
    answered: () => answered,
    isGood: (address) => good.has(address),
    addressOf,
    stop: () => service.stop(),
    errand: (client, nth) => ({
      url: service.url,
      username: filled.usernameOf(client + 1),
      password: filled.password,
      hostnames: Array.from(
        { length: namesEach },
        (_, at) => `${filled.nameOf(client * namesEach + at + 1)}.${filled.zone}`,
      ),
      address: addressOf(client, nth),
      folder: mkdtempSync(join(folder, `client${client}-`)),
    }),
    async namesAt(address) {
      // The log line of this request follows those of all earlier requests.
      const isLogged = new Promise<void>((done) => (onOtherRequest = done))
      const answer = await fetch(`${service.url}/v1/dns/records?filter[rdata]=${address}&limit=1`, {
        headers: { authorization: `Bearer ${filled.apiKey}` },
      })
      const { page } = (await answer.json()) as { readonly page: { readonly total: number } }
      await isLogged
      return page.total
    },
    async ask({ username, password, hostnames, address }) {
      const query = `hostname=${hostnames.join(',')}&myip=${address}`
      const answer = await fetch(`${service.url}${UPDATE_PATH}?${query}`, {
        headers: {
          'user-agent': 'Bench question/1-1 bench@example.test',
          authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
        },
      })
      await answer.body?.cancel()
      return answer.status
    },
  }
}
