import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { sized } from '../large.ts'
import { type Patroni, startPatroni, whyNoPatroni } from '../lab/patroni.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { startLedger } from './ledger.ts'
import { HOSTNAMES, storedIn, twoNodes, urlOf } from './two-nodes.ts'

const lacking = whyNoPostgres()
if (lacking !== undefined) console.error(`\n!!! ${lacking}: the tests of failovers are SKIPPED\n`)
const noPatroni = whyNoPatroni()
if (noPatroni !== undefined) console.error(`\n!!! ${noPatroni}: the test of Patroni is SKIPPED\n`)

const readyOf = async (urls: readonly string[]): Promise<readonly number[]> =>
  Promise.all(urls.map(async (url) => (await fetch(`${url}/readyz`)).status))
/** Of one caller, after the database is there again. */
const MAX_REFUSED = 20
/** They give up soon. */
const SOON = ['--store-wait', '1s']
/** Two nodes, each with this URL. */
async function twoImpatient(store: string, key: string) {
  const { nodes, credentials } = await twoNodes([store, store], key, SOON)
  return { urls: nodes.map(({ url }) => url), credentials }
}

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
    for (let kill = 0; kill < sized(2, 3); kill++) {
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

describe.skipIf(noPatroni !== undefined)(
  'with Patroni, in the middle of updates',
  { timeout: 180_000 },
  () => {
    let patroni: Patroni
    beforeAll(async () => {
      patroni = await startPatroni()
      await patroni.query('CREATE DATABASE service')
    }, 120_000)
    afterAll(async () => patroni?.stop(), 60_000)

    it('the host of the primary dies: the standby takes over by itself, and nothing is lost', async () => {
      const { urls, credentials } = await twoImpatient(urlOf(...patroni.ports), key)
      const ledger = startLedger({ urls, hostnames: HOSTNAMES, credentials, block: 0 })
      await eventually(() => ledger.count()).toBeGreaterThan(100)
      const died = await patroni.primary()
      await patroni.killHost(died ?? 0)
      await eventually(async () => patroni.primary()).toBe(patroni.ports.find((port) => port !== died))
      // Callers went on all the time.
      const [refused, promoted] = [ledger.refused(), ledger.count()]
      await eventually(() => ledger.count(), 20).toBeGreaterThan(promoted)
      expect(ledger.refused() - refused).toBeLessThan(HOSTNAMES.length * MAX_REFUSED)
      await eventually(async () => readyOf(urls)).toEqual([200, 200])
      await sleep(1000)
      await ledger.stop()

      expect(ledger.lost(await storedIn(patroni))).toEqual([])
    })
  },
)
