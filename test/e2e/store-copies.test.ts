import { DatabaseSync } from 'node:sqlite'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STORE_TABLES } from '../../src/service/store/copy-rows.ts'
import { tableColumns } from '../../src/service/store/sqlite/copy-rows.ts'
import { eventually } from '../eventually.ts'
import { OPERATOR } from '../../src/service/model/trail.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { holdfast, serveStore } from './processes.ts'

const lacking = whyNoPostgres()
if (lacking !== undefined) console.error(`\n!!! ${lacking}: the tests of copied stores are SKIPPED\n`)

async function stop({ child, ended }: Awaited<ReturnType<typeof serveStore>>): Promise<void> {
  child.kill('SIGTERM')
  await ended
}

/** More rows than are copied at once. */
const HOSTS = 1200
const ZONE = `@ 3600 IN SOA ns1.acme.test. hostmaster.acme.test. 1 3600 900 604800 60
@ NS ns1.acme.test.
ns1 A 192.0.2.53
${Array.from({ length: HOSTS }, (_, n) => `h${n} A 192.0.2.${n % 250}\n   TXT "line ${n} \\"quoted\\" ü, {,}" "second"`).join('\n')}
`
const CHANGED = /^(?:dns_|operator_change)/

/** Every row of the store in this folder, without what a copy changes: serials, and what the operator did. */
function rowsIn(folder: string): Readonly<Record<string, readonly string[]>> {
  const database = new DatabaseSync(join(folder, 'holdfast.db'), { readOnly: true })
  const columnsOf = tableColumns()
  const rows = STORE_TABLES.filter((table) => !CHANGED.test(table)).map((table) => {
    const all = database.prepare(`SELECT ${columnsOf(table).join(', ')} FROM ${table}`).all()
    const others = all.filter((row) => table !== 'trail' || row['account_id'] !== OPERATOR)
    return [table, others.map((row) => JSON.stringify(row)).toSorted()] as const
  })
  const used = database.prepare(`SELECT id FROM last_id WHERE of = 'account'`).get()
  database.close()
  return { ...Object.fromEntries(rows), used: [JSON.stringify(used)] }
}

const serialIn = (folder: string): number => {
  const database = new DatabaseSync(join(folder, 'holdfast.db'), { readOnly: true })
  const row = database.prepare(`SELECT serial FROM dns_zone WHERE apex = 'acme.test'`).get()
  database.close()
  return Number(row?.['serial'])
}

describe.skipIf(lacking !== undefined)('a store', () => {
  let postgres: Postgres
  let [root, first, key, username, password] = ['', '', '', '', '']
  let before: Readonly<Record<string, readonly string[]>>
  beforeAll(async () => {
    postgres = await startPostgres()
    root = mkdtempSync(join(tmpdir(), 'holdfast-copies-'))
    first = join(root, 'first')
    key = join(root, 'hash.key')
  })
  afterAll(async () => {
    await postgres?.stop()
    rmSync(root, { recursive: true, force: true })
  })

  it('is in a folder, and counts', async () => {
    const zone = join(root, 'acme.zone')
    writeFileSync(zone, ZONE)
    const apiKey = await madeStore(zone)
    const service = await serveStore(first)
    const made = await fetch(`${service.url}/v1/account/ddns-keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ hostnames: ['h1.acme.test', 'h2.acme.test'] }),
    })
    const { data } = (await made.json()) as { data: { username: string; password: string } }
    ;[username, password] = [data.username, data.password]
    expect(await update(service.url, '11.0.0.1')).toBe('good 11.0.0.1\ngood 11.0.0.1\n')
    expect(await update(service.url, '11.0.0.1')).toBe('nochg 11.0.0.1\nnochg 11.0.0.1\n')
    await stop(service)
    before = rowsIn(first)
    expect(before['name']).toHaveLength(HOSTS + 2)
  })

  const admin = async (words: string, store: string) =>
    holdfast(
      [
        'admin',
        ...words.split(' '),
        '--store',
        store,
        ...(store.startsWith('postgres') ? ['--hash-key-file', key] : []),
      ],
      { node: process.execPath },
    )
  const done = async (words: string, store: string): Promise<string> => {
    const { code, stdout, stderr } = await admin(words, store)
    expect([code, stderr]).toEqual([0, ''])
    return stdout
  }
  async function madeStore(zone: string): Promise<string> {
    for (const words of [
      'init',
      'plan add basic max-names=100000 max-rdata=100000',
      'account add acme basic',
      'account add gone basic',
      'account remove gone export=none',
      'zone add acme.test acme',
      `zone import acme.test ${zone}`,
      'name lock h7.acme.test',
    ])
      await done(words, first)
    return (await done('api-key add acme', first)).trim().split(' ').at(-1) ?? ''
  }
  const update = async (base: string, myip: string): Promise<string> => {
    const response = await fetch(`${base}/nic/update?hostname=h1.acme.test,h2.acme.test&myip=${myip}`, {
      headers: {
        'user-agent': 'Test test/1-1 you@example.test',
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      },
    })
    return response.text()
  }
  const copied = (to: string): void => {
    mkdirSync(to, { mode: 0o700 })
    cpSync(first, to, { recursive: true })
  }
  const database = async (name: string): Promise<string> => {
    await postgres.query(`CREATE DATABASE ${name}`)
    return `postgres://holdfast@127.0.0.1:${postgres.port}/${name}`
  }

  it('is the same after a copy into a database and back, with every row and counter', async () => {
    const url = await database('there')
    expect(await done(`store copy from=${first}`, url)).toContain(`from ${first} to ${url}`)
    expect(readFileSync(key, 'utf8')).toBe(readFileSync(join(first, 'hash.key'), 'utf8'))
    expect(statSync(key).mode & 0o777).toBe(0o600)
    expect(await done('check', url)).toContain('is whole')
    const back = join(root, 'back')
    expect(await done(`store copy to=${back}`, url)).toContain(`to ${back}`)

    expect(rowsIn(back)).toEqual(before)
    expect(before['usage']).toHaveLength(1)
    expect(before['nochg']).toHaveLength(2)
    expect(serialIn(back)).toBeGreaterThanOrEqual(serialIn(first))
    expect(await done('check', back)).toContain('is whole')
    expect(readdirSync(back).toSorted()).toEqual(['hash.key', 'holdfast.db'])
    expect(statSync(join(back, 'holdfast.db')).mode & 0o777).toBe(0o600)
  })

  it('goes on where it was: logins, published names, and ids that were never used', async () => {
    const url = await database('goes_on')
    await done(`store copy from=${first}`, url)
    const service = await serveStore(url, '--hash-key-file', key)
    expect(await update(service.url, '11.0.0.1')).toBe('nochg 11.0.0.1\nnochg 11.0.0.1\n')
    expect(await update(service.url, '11.0.0.2')).toBe('good 11.0.0.2\ngood 11.0.0.2\n')
    await eventually(async () => postgres.query('SELECT zone_id, name FROM dns_dirty', 'goes_on')).toEqual([])
    await stop(service)
    await done('account add next basic', url)
    // The first account is 1, and the one that was removed was 2.
    expect(await postgres.query(`SELECT id::int FROM account WHERE name = 'next'`, 'goes_on')).toEqual([
      { id: 3 },
    ])
  })

  it('is not copied over another one, with another hash key, or while a rotation is not ended', async () => {
    const url = await database('taken')
    await done(`store copy from=${first}`, url)
    const refused = async (words: string, store: string) => {
      const { code, stderr } = await admin(words, store)
      expect(code).toBe(78)
      return stderr
    }
    expect(await refused(`store copy from=${first}`, url)).toContain('there is a store in')
    expect(await refused(`store copy to=${first}`, url)).toContain('there is a store in')
    expect(await refused(`store copy to=${join(root, 'x')}`, first)).toContain('set store = "postgres://')
    const empty = await database('empty')
    expect(await refused(`store copy to=${join(root, 'x')}`, empty)).toContain('there is no store in')
    expect(await refused(`store copy from=${join(root, 'missing')}`, empty)).toContain('there is no store in')
    const other = join(root, 'other')
    await done('init', other)
    expect(await refused(`store copy from=${other}`, empty)).toContain('is another hash key than that of')
    const rotating = join(root, 'rotating')
    copied(rotating)
    await done('rotate-hash-key', rotating)
    expect(await refused(`store copy from=${rotating}`, empty)).toContain('is being rotated')
    expect(await postgres.query('SELECT count(*)::int AS n FROM account', 'empty')).toEqual([{ n: 0 }])
  })

  it('names the row that a database cannot have, and copies nothing', async () => {
    const url = await database('nul')
    const odd = join(root, 'odd')
    copied(odd)
    const store = new DatabaseSync(join(odd, 'holdfast.db'))
    store.prepare(`UPDATE ddns_key SET description = 'a' || char(0) || 'b'`).run()
    store.close()
    const { code, stderr } = await admin(`store copy from=${odd}`, url)
    expect([code, stderr]).toEqual([
      78,
      expect.stringContaining('ddns_key 1: description contains the character U+0000'),
    ])
    expect(await postgres.query('SELECT count(*)::int AS n FROM plan', 'nul')).toEqual([{ n: 0 }])
  })

  it('in a database is backed up, and restored there and in a folder; nothing that it replaces is lost', async () => {
    const [url, backups] = [await database('kept'), join(root, 'backups')]
    await done(`store copy from=${first}`, url)
    await done(`backup ${backups} keep=2`, url)
    const [backup = ''] = readdirSync(backups)
    expect(readdirSync(join(backups, backup)).toSorted()).toEqual(['hash.key', 'holdfast.db'])
    const folder = join(root, 'restored')
    await done(`restore ${join(backups, backup)}`, folder)
    expect(rowsIn(folder)).toEqual(before)

    await done('account add later basic', url)
    const running = await serveStore(url, '--hash-key-file', key)
    expect(await admin(`restore ${join(backups, backup)}`, url)).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('a service is connected to') as string,
    })
    await stop(running)
    // Of a restore that was killed.
    mkdirSync(join(backups, 'restore.partial-4194305'))
    const said = await done(`restore ${join(backups, backup)}`, url)
    expect(readdirSync(backups).filter((name) => !name.startsWith('holdfast-'))).toEqual([])
    expect(await postgres.query('SELECT name FROM account', 'kept')).toEqual([{ name: 'acme' }])
    const [, saved = ''] = /in the backup (\S+)/.exec(said) ?? []
    const undone = join(root, 'undone')
    await done(`restore ${saved}`, undone)
    expect(rowsIn(undone)['account']).toHaveLength(2)
    const service = await serveStore(url, '--hash-key-file', key)
    expect(await update(service.url, '11.0.0.3')).toBe('good 11.0.0.3\ngood 11.0.0.3\n')
    await stop(service)
  })

  it('in a database stays as it is where the key of a backup cannot be written', async () => {
    const [url, other] = [await database('fixed'), join(root, 'with-another-key')]
    await done('init', other)
    await done('plan add small', other)
    const backups = join(root, 'other-backups')
    await done(`backup ${backups}`, other)
    const [backup = ''] = readdirSync(backups)
    // The name that the present key would be kept under is too long.
    const long = join(root, `${'k'.repeat(240)}.key`)
    copyFileSync(key, long)
    await done(`store copy from=${first}`, url)
    const args = ['admin', 'restore', join(backups, backup), '--store', url, '--hash-key-file', long]
    expect(await holdfast(args, { node: process.execPath })).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/ENAMETOOLONG.*nothing was kept/) as string,
    })
    expect(readFileSync(long, 'utf8')).toBe(readFileSync(key, 'utf8'))
    expect(await postgres.query('SELECT name FROM account', 'fixed')).toEqual([{ name: 'acme' }])
    await done('check', url)
  })

  it('in a database has the key of its rows, wherever a restore ended', async () => {
    const [url, other] = [await database('halfway'), join(root, 'halfway')]
    await done('init', other)
    const backups = join(root, 'halfway-backups')
    await done(`backup ${backups}`, other)
    const own = join(root, 'own.key')
    const keyIs = (path: string): void => expect(readFileSync(own, 'utf8')).toBe(readFileSync(path, 'utf8'))
    const run = async (words: string) => {
      const args = ['admin', ...words.split(' '), '--store', url, '--hash-key-file', own]
      const { code, stderr } = await holdfast(args, { node: process.execPath })
      expect([code, stderr]).toEqual([0, ''])
    }
    await run(`store copy from=${first}`)
    // Before the rows were stored.
    copyFileSync(join(other, 'hash.key'), `${own}.incoming`)
    await run('check')
    keyIs(join(first, 'hash.key'))
    await run(`restore ${join(backups, readdirSync(backups)[0] ?? '')}`)
    keyIs(join(other, 'hash.key'))
    // After that, and before the file was put in its place.
    renameSync(own, `${own}.incoming`)
    copyFileSync(join(first, 'hash.key'), own)
    await run('check')
    keyIs(join(other, 'hash.key'))
    expect(readdirSync(root)).not.toContain('own.key.incoming')
  })

  it('is not copied while a service changes it', async () => {
    const folder = join(root, 'busy')
    copied(folder)
    const service = await serveStore(folder)
    const url = await database('idle')
    const refused = await admin(`store copy from=${folder}`, url)
    expect([refused.code, refused.stderr]).toEqual([
      78,
      expect.stringContaining('a process has the store in'),
    ])
    await stop(service)
    await done(`store copy from=${folder}`, url)
    const node = await serveStore(url, '--hash-key-file', key)
    const away = await admin(`store copy to=${join(root, 'away')}`, url)
    expect([away.code, away.stderr]).toEqual([78, expect.stringContaining('a service is connected to')])
    await stop(node)
  })

  it('in a database that lacks a part of it is not whole', async () => {
    const url = await database('damaged')
    await done(`store copy from=${first}`, url)
    await postgres.query('DROP TABLE dns_journal; ALTER TABLE usage DROP COLUMN agent', 'damaged')
    const checked = await admin('check', url)
    expect([checked.code, checked.stderr]).toEqual([
      78,
      expect.stringMatching(/column agent of the table usage is missing[^]*table dns_journal is missing/),
    ])
  })

  it('is not found where the server has no TLS, or the folder cannot be written', async () => {
    const url = await database('plain')
    const plain = await admin('plan list', `${url}?sslmode=verify-full`)
    expect([plain.code, plain.stderr]).toEqual([78, expect.stringContaining('does not support SSL')])
    await done(`store copy from=${first}`, url)
    const unwritten = await admin('store copy to=/proc/nowhere', url)
    expect([unwritten.code, unwritten.stderr]).toEqual([78, expect.stringContaining('the copy failed: ')])
  })

  it('of an older version is brought to this one by "store migrate"', async () => {
    expect(await done('store migrate', first)).toContain('is of this version')
    const url = await database('migrated')
    await done(`store copy from=${first}`, url)
    expect(await done('store migrate', url)).toContain('is of this version')
  })
})
