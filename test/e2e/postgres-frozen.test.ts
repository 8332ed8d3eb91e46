import { Resolver } from 'node:dns/promises'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { shortTimers } from '../lab/short-timers.ts'
import { startLedger } from './ledger.ts'
import { HOSTNAMES, storedIn, twoNodes, urlOf } from './two-nodes.ts'

const lacking = whyNoPostgres()
if (lacking !== undefined) console.error(`\n!!! ${lacking}: the tests of frozen nodes are SKIPPED\n`)

const DNS = ['--dns-listen', '127.0.0.1:0', '--answer-queries', '--nameservers', 'ns1.example.net']
/** Whoever flushes holds the row of the catalog. */
const IN_FLUSH = `SELECT count(*)::int AS n FROM pg_stat_activity JOIN pg_locks USING (pid)
  WHERE usename = 'first' AND state = 'idle in transaction' AND relation = 'dns_dirty'::regclass`
const GAPS = `SELECT count(*)::int AS n FROM dns_journal AS step WHERE n > 1 AND serial_from IS DISTINCT FROM
  (SELECT serial_to FROM dns_journal AS other WHERE other.zone_id = step.zone_id AND other.n = step.n - 1)`

describe.skipIf(lacking !== undefined)('what is frozen', () => {
  let postgres: Postgres
  let folder = ''
  beforeAll(async () => {
    postgres = await startPostgres()
    folder = mkdtempSync(join(tmpdir(), 'holdfast-frozen-'))
    await postgres.query('CREATE DATABASE service')
    // Tells its connections apart.
    await postgres.query('CREATE ROLE first SUPERUSER LOGIN')
  })
  afterAll(async () => {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('a node in the middle of a flush is replaced while it is frozen, and loses nothing', async () => {
    const store = urlOf(postgres.port)
    const { nodes, credentials } = await twoNodes(
      [store.replace('holdfast@', 'first@'), store],
      join(folder, 'hash.key'),
      DNS,
    )
    const [first, second] = nodes
    const urls = nodes.map(({ url }) => url)
    const ledger = startLedger({ urls: urls.slice(1), hostnames: HOSTNAMES, credentials, block: 0 })
    await freezeInFlush(first.child.pid ?? 0)
    await ledger.stop()
    const stored = await storedIn(postgres)
    expect(ledger.lost(stored)).toEqual([])

    const resolver = new Resolver()
    resolver.setServers([second.dns])
    const published = async (): Promise<ReadonlyMap<string, string>> => {
      const answers = await Promise.all(
        HOSTNAMES.map(
          async (name) => [name, (await resolver.resolve4(name).catch(() => [])).join()] as const,
        ),
      )
      // Names that had no update until the freeze are in neither.
      return new Map(answers.filter(([, addresses]) => addresses !== ''))
    }
    await eventually(published, 100).toEqual(stored)

    first.child.kill('SIGCONT')
    const later = startLedger({ urls, hostnames: HOSTNAMES, credentials, block: 1 })
    await sleep(1000)
    await later.stop()
    const last = await storedIn(postgres)
    expect(later.lost(last)).toEqual([])
    await eventually(published, 100).toEqual(last)
    expect(await postgres.query(GAPS, 'service')).toEqual([{ n: 0 }])
  })

  it('a database is no reason for a node to go on after SIGTERM', async () => {
    await postgres.query('CREATE DATABASE frozen')
    const store = urlOf(postgres.port).replace('/service', '/frozen')
    const env = shortTimers(4999)
    const { nodes, credentials } = await twoNodes([store, store], join(folder, 'other.key'), [], env)
    const [node] = nodes
    postgres.freeze()
    const ledger = startLedger({ urls: [node.url], hostnames: HOSTNAMES, credentials, block: 2 })
    await sleep(500)
    node.child.kill('SIGTERM')
    await node.ended
    postgres.thaw()
    await ledger.stop()
  })

  async function freezeInFlush(pid: number): Promise<void> {
    for (let n = 0; n < 500; n++) {
      await sleep(20)
      process.kill(pid, 'SIGSTOP')
      // Its last statement may still run.
      await sleep(20)
      const [row] = await postgres.query(IN_FLUSH, 'service')
      if (Number(row?.['n']) > 0) return
      process.kill(pid, 'SIGCONT')
    }
    throw new Error('the node has never flushed')
  }
})
