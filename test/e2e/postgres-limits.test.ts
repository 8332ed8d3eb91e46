import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Postgres, startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { holdfast } from './processes.ts'
import { twoNodes, urlOf } from './two-nodes.ts'

const lacking = whyNoPostgres()
if (lacking !== undefined) console.error(`\n!!! ${lacking}: the tests of limits on two nodes are SKIPPED\n`)

/** In milliseconds: what a node has counted is added within five seconds. */
const ADDED = 6500

describe.skipIf(lacking !== undefined)('limits on two nodes', () => {
  let postgres: Postgres
  let key = ''
  beforeAll(async () => {
    postgres = await startPostgres()
    key = mkdtempSync(join(tmpdir(), 'holdfast-limits-'))
  })
  afterAll(async () => {
    await postgres?.stop()
    rmSync(key, { recursive: true, force: true })
  })

  it('count what both have answered, and hold on both at once', async () => {
    await postgres.query('CREATE DATABASE service')
    const url = urlOf(postgres.port)
    const hashKey = join(key, 'hash.key')
    const limits = ['--nochg-limit', '6', '--badauth-limit', '4']
    const { nodes, credentials } = await twoNodes([url, url], hashKey, limits)
    const ask = async (at: 0 | 1, path: string, login: string) => {
      const response = await fetch(`${nodes[at].url}${path}`, {
        headers: {
          'user-agent': 'Test test/1-1 you@example.test',
          authorization: `Basic ${Buffer.from(login).toString('base64')}`,
        },
      })
      return { status: response.status, text: (await response.text()).trim() }
    }
    const update = async (at: 0 | 1, name: string) =>
      (await ask(at, `/nic/update?hostname=${name}.acme.test&myip=11.0.0.1`, credentials)).text
    const several = async (times: number, at: 0 | 1, name: string) => {
      const said: string[] = []
      for (let n = 0; n < times; n++) said.push(await update(at, name))
      return said
    }

    expect(await update(0, 'h0')).toBe('good 11.0.0.1')
    const nochg = 'nochg 11.0.0.1'
    expect(await several(3, 0, 'h0')).toEqual([nochg, nochg, nochg])
    await sleep(ADDED)
    // Three of the limit are left, on whichever node.
    expect(await several(4, 1, 'h0')).toEqual([nochg, nochg, nochg, 'abuse'])
    expect(await update(0, 'h1')).toBe('abuse')

    // Failed logins of one network: whoever counts to the limit locks it out everywhere.
    const statuses: number[] = []
    for (let n = 0; n < 6; n++) statuses.push((await ask(0, '/v1/account/ddns-keys', 'acme:wrong')).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    expect((await ask(1, '/v1/account/ddns-keys', 'acme:wrong')).status).toBe(429)
  })

  it('a key or an account that the operator has stopped gets no update from either', async () => {
    await postgres.query('CREATE DATABASE other')
    const url = urlOf(postgres.port).replace('/service', '/other')
    const hashKey = join(key, 'other.key')
    const { nodes, credentials } = await twoNodes([url, url], hashKey)
    const update = async (at: 0 | 1): Promise<string> => {
      const response = await fetch(`${nodes[at].url}/nic/update?hostname=h0.acme.test&myip=11.0.0.1`, {
        headers: {
          'user-agent': 'Test test/1-1 you@example.test',
          authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
        },
      })
      return (await response.text()).trim()
    }
    const both = async () => Promise.all([update(0), update(1)])
    await update(0)
    expect(await both()).toEqual(['nochg 11.0.0.1', 'nochg 11.0.0.1'])
    const admin = async (words: string) =>
      holdfast(['admin', ...words.split(' '), '--store', url, '--hash-key-file', hashKey], {
        node: process.execPath,
      })
    expect((await admin('account suspend acme')).code).toBe(0)
    for (const said of await both()) expect(said).toMatch(/^(?:!donator|abuse|badauth)$/)
    expect((await admin('account resume acme')).code).toBe(0)
    expect(await both()).toEqual(['nochg 11.0.0.1', 'nochg 11.0.0.1'])
  })
})
