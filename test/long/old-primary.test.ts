import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { startLedger } from '../e2e/ledger.ts'
import { serveStore } from '../e2e/processes.ts'
import { HOSTNAMES, storedIn, twoNodes, urlOf } from '../e2e/two-nodes.ts'

const lacking = whyNoPostgres()

describe.skipIf(lacking !== undefined)('a standby that has taken over', { timeout: 90_000 }, () => {
  let postgres: Postgres
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-old-primary-'))
  beforeAll(async () => {
    postgres = await startPostgres()
    await postgres.query('CREATE DATABASE service')
  }, 60_000)
  afterAll(async () => {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }, 60_000)

  it('gets all writes, although the old primary takes them too', async () => {
    const key = join(folder, 'hash.key')
    const standby = await postgres.standby()
    const url = urlOf(postgres.port, standby.port)
    const { nodes, credentials } = await twoNodes([url, url], key, ['--store-wait', '1s'])
    const urls = nodes.map((node) => node.url)
    const ledger = startLedger({ urls, hostnames: HOSTNAMES, credentials, block: 0 })
    await eventually(() => ledger.count(), 20).toBeGreaterThan(100)
    // Nothing fences it, and it waits for no standby.
    await postgres.query(`ALTER SYSTEM SET synchronous_standby_names = ''`)
    await postgres.query('SELECT pg_reload_conf()')
    await standby.promote()
    const said = `the database at 127.0.0.1:${postgres.port} takes writes although another host has taken over from it`
    for (const node of nodes) await eventually(node.log, 15).toContain(said)
    await ledger.stop()

    const [old, next] = [
      await storedIn(postgres),
      startLedger({ urls, hostnames: HOSTNAMES, credentials, block: 100 }),
    ]
    await eventually(() => next.count(), 20).toBeGreaterThan(100)
    await sleep(6000)
    await next.stop()
    expect(next.lost(await storedIn(standby))).toEqual([])
    expect(await storedIn(postgres)).toEqual(old)

    // A node that starts now asks both before it writes.
    const started = await serveStore(url, '--hash-key-file', key)
    await eventually(started.log).toContain(said)
    expect((await fetch(`${started.url}/readyz`)).status).toBe(200)
    expect(await storedIn(postgres)).toEqual(old)
    // And it is not used while the new one is away.
    await standby.stop()
    await eventually(async () => (await fetch(`${started.url}/readyz`)).status, 20).toBe(503)
  })
})
