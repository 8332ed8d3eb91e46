import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Patroni, startPatroni, whyNoPatroni } from '../lab/patroni.ts'
import { startLedger } from './ledger.ts'
import { HOSTNAMES, MAX_REFUSED, readyOf, storedIn, twoImpatient, urlOf } from './two-nodes.ts'

const noPatroni = whyNoPatroni()
if (noPatroni !== undefined) console.error(`\n!!! ${noPatroni}: the test of Patroni is SKIPPED\n`)

let [folder, key] = ['', '']
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-failover-'))
  key = join(folder, 'hash.key')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(noPatroni !== undefined)('with Patroni, in the middle of updates', () => {
  let patroni: Patroni
  beforeAll(async () => {
    patroni = await startPatroni()
    await patroni.query('CREATE DATABASE service')
  })
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
})
