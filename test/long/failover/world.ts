import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished } from 'vitest'
import { freePort } from '../../free-port.ts'
import { holdfast, LAUNCHER, scratch, serveWith } from '../../e2e/processes.ts'
import { bind, knot, type NameServer, SECRET } from '../../system/name-server-programs.ts'
import { addNames, addZones } from './zones.ts'

export const ZONE = 'acme.test'
export type Node = Awaited<ReturnType<typeof serveWith>>
/** In seconds ahead of the clock: as a zone with more than a change a second, which counts up by one. */
const AHEAD = 100_000

export interface World {
  /** Of the service, for DNS: where name servers fetch. */
  readonly dns: number
  /** Knot and BIND, which are not started yet. */
  readonly servers: readonly [NameServer, NameServer]
  readonly apiKey: string
  /** Starts a node with these secondaries; the first one answers at `dns`. */
  readonly node: (secondaries: readonly SecondaryAt[]) => Promise<Node>
}

export interface SecondaryAt {
  readonly name: string
  readonly port: number
}

interface WorldOptions {
  /** A folder, or a database. */
  readonly store: string
  /** Names of `acme.test`, n0 and so on. */
  readonly names?: number
  /** More zones, with one name each. */
  readonly zones?: number
}

/** A store that was never served, with an account and its zone, whose serials run ahead of the clock. */
export async function failoverWorld({ store, names = 0, zones = 0 }: WorldOptions): Promise<World> {
  const folder = scratch()
  const servers = join(folder, 'servers')
  mkdirSync(servers)
  const isShared = store.startsWith('postgres:')
  const first = isShared ? join(folder, 'first') : store
  const admin = async (words: string, flags = ['--store', first]): Promise<string> => {
    const { code, stdout, stderr } = await holdfast(['admin', ...words.split(' '), ...flags], {
      node: process.execPath,
    })
    expect([words, code, stderr]).toEqual([words, 0, ''])
    return stdout.trim()
  }
  const made = ['init', 'plan add basic max-names=100000 max-rdata=100000', 'account add acme basic']
  for (const words of [...made, `zone add ${ZONE} acme`]) await admin(words)
  const apiKey = (await admin('api-key add acme')).split(' ').at(-1) ?? ''
  await addNames(first, ZONE, names)
  await addZones(first, { from: 0, to: zones })
  setAhead(first)
  const at = ['--store', store, ...(isShared ? ['--hash-key-file', join(folder, 'hash.key')] : [])]
  if (isShared) await admin(`store copy from=${first}`, at)
  const dns = await freePort()
  let free: number | undefined = dns
  return {
    dns,
    servers: [
      knot({ folder: servers, port: await freePort(), dns }),
      bind({ folder: servers, port: await freePort(), dns }),
    ],
    apiKey,
    node: async (secondaries) => {
      const listen = ['--dns-listen', `127.0.0.1:${free ?? (await freePort())}`]
      free = undefined
      const node = await serveWith(LAUNCHER, [...at, ...listen, ...publishFlags(folder, secondaries)])
      if (node.url === undefined) {
        await node.ended
        throw new Error(`the node did not start: ${node.child.exitCode} ${node.log()}`)
      }
      node.child.once('close', () => (listen[1] === `127.0.0.1:${dns}` ? (free = dns) : undefined))
      return node
    },
  }
}

function publishFlags(folder: string, secondaries: readonly SecondaryAt[]): readonly string[] {
  // Of this node alone: another one may read its own at this moment.
  const keys = join(mkdtempSync(join(folder, 'keys-')), 'tsig.keys')
  writeFileSync(keys, secondaries.map(({ name }) => `${name}-key hmac-sha256 ${SECRET}\n`).join(''))
  chmodSync(keys, 0o600)
  return [
    '--nameservers',
    'ns1.operator.test',
    '--answer-queries',
    '--tsig-key-file',
    keys,
    ...['request', 'nochg', 'refusal', 'key-request'].flatMap((one) => [`--${one}-limit`, '1000000']),
    ...secondaries.flatMap(({ name, port }) => [
      '--secondaries',
      `${name}=127.0.0.1:${port} key ${name}-key`,
    ]),
  ]
}

function setAhead(folder: string): void {
  const database = new DatabaseSync(join(folder, 'holdfast.db'))
  database
    .prepare('UPDATE dns_zone SET serial = ? WHERE apex = ?')
    .run(Math.floor(Date.now() / 1000) + AHEAD, ZONE)
  database.close()
}

/** Starts Knot and BIND; they end with the test. */
export async function startServers({ servers }: World): Promise<void> {
  onTestFinished(async () => void (await Promise.all(servers.map(async (one) => one.stop('SIGKILL')))))
  for (const server of servers) await server.start()
}
