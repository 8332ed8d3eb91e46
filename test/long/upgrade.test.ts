import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { startLedger } from '../e2e/ledger.ts'
import { holdfast, ROOT, serveWith } from '../e2e/processes.ts'
import { HOSTNAMES, storedIn, twoNodes, urlOf } from '../e2e/two-nodes.ts'

const lacking = whyNoPostgres()
if (lacking !== undefined) console.error(`\n!!! ${lacking}: the tests of rolling upgrades are SKIPPED\n`)

const MIGRATIONS = 'src/service/store/postgres/migrations.ts'
/** How many this release has. */
const OWN = readFileSync(join(ROOT, MIGRATIONS), 'utf8').match(/oldestReader: \d/g)?.length ?? 0
/** The migrations of a release that adds to the schema, and of a later one that removes what was before. */
const EXPAND = `{ sql: \`ALTER TABLE name ADD COLUMN note text NOT NULL DEFAULT ''; CREATE TABLE newer (id bigint);
  CREATE INDEX name_by_note ON name (note)\`, oldestReader: 1 },`
const CONTRACT = `{ sql: \`ALTER TABLE name DROP COLUMN note\`, oldestReader: ${OWN + 1} },`

/** A later release: this source with more migrations. Resolves with its program. */
function built(folder: string, migrations: string): string {
  for (const part of ['.build', 'bin', 'src', 'config', 'package.json', 'tsconfig.json', 'LICENSE'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const source = readFileSync(join(folder, MIGRATIONS), 'utf8')
  const end = source.indexOf('\n]\n', source.indexOf('const MIGRATIONS'))
  writeFileSync(join(folder, MIGRATIONS), `${source.slice(0, end)}\n${migrations}${source.slice(end)}`)
  execFileSync(process.execPath, [join(folder, '.build/build.mjs')], { stdio: 'pipe' })
  return join(folder, 'bin/holdfast.js')
}

describe.skipIf(lacking !== undefined)('a release that changes the schema', { timeout: 120_000 }, () => {
  let postgres: Postgres
  let [folder, key, next, last] = ['', '', '', '']
  beforeAll(async () => {
    postgres = await startPostgres()
    await postgres.query('CREATE DATABASE service')
    folder = mkdtempSync(join(tmpdir(), 'holdfast-upgrade-'))
    key = join(folder, 'hash.key')
    next = built(join(folder, 'next'), EXPAND)
    last = built(join(folder, 'last'), `${EXPAND}\n${CONTRACT}`)
  }, 120_000)
  afterAll(async () => {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }, 120_000)

  it('comes node by node while the others go on, and the one that removes comes when all have the first', async () => {
    const store = urlOf(postgres.port)
    const at = ['--store', store, '--hash-key-file', key]
    const patient = ['request', 'nochg'].flatMap((limit) => [`--${limit}-limit`, '1000000'])
    const migrated = async (program?: string) =>
      holdfast(['admin', 'store', 'migrate', ...at], {
        node: process.execPath,
        ...(program !== undefined && { program }),
      })
    const { nodes, credentials } = await twoNodes([store, store], key)
    const [one, two] = nodes
    const beside = (urls: readonly string[], block: number) =>
      startLedger({ urls, hostnames: HOSTNAMES, credentials, block })

    let ledger = beside([one.url, two.url], 0)
    await eventually(() => ledger.count()).toBeGreaterThan(50)
    expect(await migrated(next)).toMatchObject({ code: 0 })
    const during = ledger.count()
    await eventually(() => ledger.count()).toBeGreaterThan(during + 50)
    const newer = await serveWith(next, [...at, ...patient])
    await ledger.stop()
    expect(ledger.lost(await storedIn(postgres))).toEqual([])

    ledger = beside([one.url, newer.url], 1)
    two.child.kill('SIGTERM')
    await two.ended
    await eventually(() => ledger.count()).toBeGreaterThan(50)
    // An older one starts again, as after a crash.
    const again = await serveWith(join(ROOT, 'bin/holdfast.js'), [...at, ...patient])
    await ledger.stop()
    expect(ledger.lost(await storedIn(postgres))).toEqual([])
    for (const old of [one, again]) {
      old.child.kill('SIGTERM')
      await old.ended
    }

    ledger = beside([newer.url], 2)
    await eventually(() => ledger.count()).toBeGreaterThan(50)
    expect(await migrated(last)).toMatchObject({ code: 0 })
    const removed = ledger.count()
    await eventually(() => ledger.count()).toBeGreaterThan(removed + 50)
    await ledger.stop()
    expect(ledger.lost(await storedIn(postgres))).toEqual([])
    expect(await migrated()).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('was changed by a newer Holdfast') as string,
    })
  })
})
