import { expect } from 'vitest'
import type { Postgres } from '../lab/postgres.ts'
import { holdfast, type Options, type serveStore, serveStoreIn } from './processes.ts'

export const HOSTNAMES = Array.from({ length: 16 }, (_, n) => `h${n}.acme.test`)
const STORED = `SELECT fqdn, value FROM name JOIN rrset ON name_id = name.id JOIN rdata ON rrset_id = rrset.id
  WHERE dns_type = 'A'`
/** Limits that this load does not reach, where the test sets no other. */
const patient = (more: readonly string[]): readonly string[] =>
  ['--request-limit', '--nochg-limit', '--refusal-limit']
    .filter((flag) => !more.includes(flag))
    .flatMap((flag) => [flag, '1000000'])

export const urlOf = (...ports: readonly number[]): string =>
  `postgres://holdfast@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/service`

type Node = Awaited<ReturnType<typeof serveStore>>

interface Nodes {
  readonly nodes: readonly [Node, Node]
  /** Of the DDNS key for all hostnames. */
  readonly credentials: string
}

/** Two nodes with one store, each with its URL. */
export async function twoNodes(
  [first, second]: readonly [string, string],
  key: string,
  more: readonly string[] = [],
  env: Options['env'] = {},
): Promise<Nodes> {
  const admin = async (words: string): Promise<string> => {
    const { code, stdout, stderr } = await holdfast(
      ['admin', ...words.split(' '), '--store', first, '--hash-key-file', key],
      { node: process.execPath },
    )
    expect([code, stderr]).toEqual([0, ''])
    return stdout.trim()
  }
  for (const words of ['init', 'plan add basic', 'account add acme basic', 'zone add acme.test acme'])
    await admin(words)
  const apiKey = (await admin('api-key add acme')).split(' ').at(-1) ?? ''
  const args = ['--hash-key-file', key, ...patient(more), ...more]
  const nodes = [await serveStoreIn(env, first, ...args), await serveStoreIn(env, second, ...args)] as const
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const post = async (path: string, body: unknown) =>
    fetch(`${nodes[0].url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  for (const hostname of HOSTNAMES) await post('/v1/dns/records/acme.test', { name: hostname.split('.')[0] })
  const made = await post('/v1/account/ddns-keys', { hostnames: HOSTNAMES })
  const { data } = (await made.json()) as { data: { username: string; password: string } }
  return { nodes, credentials: `${data.username}:${data.password}` }
}

/** The address of each hostname. */
export const storedIn = async (server: Pick<Postgres, 'query'>): Promise<ReadonlyMap<string, string>> =>
  new Map((await server.query(STORED, 'service')).map(({ fqdn, value }) => [String(fqdn), String(value)]))

export const readyOf = async (urls: readonly string[]): Promise<readonly number[]> =>
  Promise.all(urls.map(async (url) => (await fetch(`${url}/readyz`)).status))
/** Of one caller, after the database is there again. */
export const MAX_REFUSED = 20
/** They give up soon. */
const SOON = ['--store-wait', '1s']
/** Two nodes, each with this URL. */
export async function twoImpatient(store: string, key: string) {
  const { nodes, credentials } = await twoNodes([store, store], key, SOON)
  return { urls: nodes.map(({ url }) => url), credentials }
}
