import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { startLedger } from '../e2e/ledger.ts'
import { HOSTNAMES, MAX_REFUSED, readyOf, storedIn, twoImpatient, urlOf } from '../e2e/two-nodes.ts'

const lacking = whyNoPostgres()
if (lacking !== undefined) console.error(`\n!!! ${lacking}: the tests of failovers are SKIPPED\n`)

let [folder, key] = ['', '']
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-failover-'))
  key = join(folder, 'hash.key')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(lacking !== undefined)('in the middle of updates', { timeout: 120_000 }, () => {
  let postgres: Postgres
  beforeEach(async () => {
    postgres = await startPostgres()
    await postgres.query('CREATE DATABASE service')
  }, 120_000)
  afterEach(async () => postgres.stop(), 60_000)

  it('a database that is killed and started again loses nothing that was acknowledged', async () => {
    const { urls, credentials } = await twoImpatient(urlOf(postgres.port), key)
    for (let kill = 0; kill < 3; kill++) {
      const ledger = startLedger({ urls, hostnames: HOSTNAMES, credentials, block: kill })
      await eventually(() => ledger.count()).toBeGreaterThan(100)
      await postgres.kill9()
      await ledger.stop()
      await eventually(async () => readyOf(urls)).toEqual([503, 503])
      const next = startLedger({ urls, hostnames: ['h0.acme.test'], credentials, block: 100 + kill })
      await postgres.start()
      const before = next.refused()
      await eventually(() => next.count(), 20).toBeGreaterThan(0)
      expect(next.refused() - before).toBeLessThan(MAX_REFUSED)
      await eventually(async () => readyOf(urls)).toEqual([200, 200])
      await next.stop()

      const stored = await storedIn(postgres)
      // The first one has been changed again.
      expect(ledger.lost(stored).filter((one) => !one.startsWith('h0.'))).toEqual([])
      expect(next.lost(stored)).toEqual([])
    }
  })

  it('a primary that is killed is replaced by its synchronous standby, without a loss', async () => {
    const standby = await postgres.standby()
    const { urls, credentials } = await twoImpatient(urlOf(postgres.port, standby.port), key)
    const ledger = startLedger({ urls, hostnames: HOSTNAMES, credentials, block: 0 })
    await eventually(() => ledger.count()).toBeGreaterThan(100)
    await postgres.kill9()
    await ledger.stop()
    await standby.promote()
    expect(ledger.lost(await storedIn(standby))).toEqual([])
    const next = startLedger({ urls, hostnames: HOSTNAMES, credentials, block: 100 })
    await eventually(() => next.count(), 20).toBeGreaterThan(0)
    expect(next.refused()).toBeLessThan(HOSTNAMES.length * MAX_REFUSED)
    await sleep(1000)
    await next.stop()

    expect(next.lost(await storedIn(standby))).toEqual([])
    await standby.stop()
  })
})
