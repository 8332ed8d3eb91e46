import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readHashKey, recordRotation, rotateHashKey } from '../../src/service/admin/store/hash-key.ts'
import { exclusively } from '../../src/service/store/sqlite/files.ts'
import { isLarge } from '../large.ts'
import { holdfast, scratch, start, storeWith } from './processes.ts'

const NODE = { node: process.execPath }
const admin = async (folder: string, ...words: readonly string[]) =>
  holdfast(['admin', ...words, '--store', folder], NODE)

async function made(): Promise<{ folder: string; key: string }> {
  const { folder, printed } = await storeWith(
    'plan add p max-names=100000',
    'account add acme p',
    'zone add acme.test acme',
    'api-key add acme',
  )
  return { folder, key: printed.at(-1)?.trim().split(' ').at(-1) ?? '' }
}

async function serving(folder: string) {
  const child = start(['serve', '--store', folder, '--listen', '127.0.0.1:0', '--json'], NODE)
  const ended = new Promise<void>((done) => child.on('close', () => done()))
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(stop)
  const url = await new Promise<string>((found) =>
    child.stdout?.once('data', (line: Buffer) => found((JSON.parse(line.toString()) as { url: string }).url)),
  )
  return { url, stop }
}

function inDatabase(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, 'holdfast.db'))
  database.exec(sql)
  database.close()
}

const addName = async (url: string, key: string, name: string): Promise<number> =>
  (
    await fetch(`${url}/v1/dns/records/acme.test`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, rrsets: [{ dns_type: 'A', rdata: [{ value: '192.0.2.1' }] }] }),
    })
  ).status
const totalOf = async (url: string, key: string): Promise<number> => {
  const answer = await fetch(`${url}/v1/dns/records/acme.test?limit=1`, {
    headers: { authorization: `Bearer ${key}` },
  })
  return ((await answer.json()) as { page: { total: number } }).page.total
}

describe('a backup', () => {
  it('of a running service is whole, keeps the newest, and is restored with every name and key', async () => {
    const { folder, key } = await made()
    const into = scratch()
    const service = await serving(folder)
    for (let n = 0; n < 200; n++) expect(await addName(service.url, key, `n${n}`)).toBe(201)

    const made1 = await admin(folder, 'backup', into, '--json')
    await sleep(1100)
    const { stdout, code } = await admin(folder, 'backup', into, 'keep=1', '--json')
    const { backup } = JSON.parse(stdout) as { backup: string }
    expect([made1.code, code, readdirSync(into)]).toEqual([0, 0, [backup.split('/').at(-1)]])
    expect(readdirSync(backup).toSorted()).toEqual(['hash.key', 'holdfast.db'])

    expect(await admin(folder, 'restore', backup)).toMatchObject({
      code: 78,
      stderr:
        'holdfast: a process has the store open; stop the service and its socket first (systemctl stop holdfast-service.socket holdfast-service.service), then restore\n',
    })
    await service.stop()
    rmSync(join(folder, 'holdfast.db'))
    expect((await admin(folder, 'restore', backup)).code).toBe(0)
    const again = await serving(folder)

    expect(await totalOf(again.url, key)).toBe(201)
    expect(await admin(folder, 'check')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is whole') as string,
    })
  })

  it('while others write is a state that was there', async () => {
    const { folder, key } = await made()
    const { url } = await serving(folder)
    let acknowledged = 0
    const writing = (async () => {
      for (let n = 0; n < 300; n++) if ((await addName(url, key, `n${n}`)) === 201) acknowledged++
    })()
    await sleep(300)
    const before = acknowledged
    const { stdout } = await admin(folder, 'backup', scratch(), '--json')
    const after = acknowledged
    await writing
    const { backup } = JSON.parse(stdout) as { backup: string }
    const restored = await serving(backup)
    const total = await totalOf(restored.url, key)

    expect(total).toBeGreaterThanOrEqual(before + 1)
    expect(total).toBeLessThanOrEqual(after + 2)
  })

  // biome-ignore format: a table
  it.each<[string, (backup: string) => void, RegExp]>([
    ['without a database', (backup) => rmSync(join(backup, 'holdfast.db')),              /is no backup: it contains no holdfast\.db/],
    ['without a hash key', (backup) => rmSync(join(backup, 'hash.key')),                 /is no backup: it contains no hash\.key/],
    ['whose hash key is a folder', (backup) => { rmSync(join(backup, 'hash.key')); mkdirSync(join(backup, 'hash.key')) }, /is no backup: its hash\.key is not a file/],
    ['without a table',    (backup) => inDatabase(backup, 'DROP TABLE operator_change'), /the table operator_change is missing/],
    ['with a trigger',     (backup) => inDatabase(backup, 'CREATE TRIGGER t AFTER INSERT ON plan BEGIN DELETE FROM plan; END'), /the trigger t is not from Holdfast/],
    ['with a view',        (backup) => inDatabase(backup, 'CREATE VIEW v AS SELECT 1'),  /the view v is not from Holdfast/],
    ['that is damaged',    (backup) => writeFileSync(join(backup, 'holdfast.db'), 'x'.repeat(9000)), /not a database/],
    ['with another key',   (backup) => writeFileSync(join(backup, 'hash.key'), `${'ab'.repeat(32)}\n`), /is not the hash key of this database.*the store is unchanged/],
  ])('%s is refused, and the store stays as it is', async (_, harm, message) => {
    const { folder } = await made()
    const { stdout } = await admin(folder, 'backup', scratch(), '--json')
    const { backup } = JSON.parse(stdout) as { backup: string }
    harm(backup)
    const before = readFileSync(join(folder, 'hash.key'))

    expect(await admin(folder, 'restore', backup)).toMatchObject({ code: 78, stderr: expect.stringMatching(message) as string })
    expect(readFileSync(join(folder, 'hash.key'))).toEqual(before)
    expect(readdirSync(folder).filter((name) => name.startsWith('restore.'))).toEqual([])
    expect((await admin(folder, 'account', 'show', 'acme')).code).toBe(0)
  })

  it('with wrong arguments says what is wrong', async () => {
    const { folder } = await made()
    const into = scratch()
    const wrong = async (...args: readonly string[]) => {
      const { code, stderr } = await admin(folder, 'backup', ...args)
      return [code, stderr.split('\n')[0]]
    }

    expect(await wrong()).toEqual([64, expect.stringContaining('name the folder for backups')])
    expect(await wrong(into, 'keep=x')).toEqual([
      64,
      'holdfast: keep=x is not keep=N with a number from 1 to 9999',
    ])
    expect(await wrong(into, 'keep=1', 'x')).toEqual([64, 'holdfast: x is one argument too many'])
    symlinkSync(folder, join(into, 'link'))
    for (const own of [folder, join(folder, 'backups'), join(into, 'link', 'backups')])
      expect(await wrong(own)).toEqual([
        78,
        expect.stringMatching(/or a folder in it; choose another folder/),
      ])
    rmSync(join(into, 'link'))
    const file = join(scratch(), 'file')
    writeFileSync(file, '')
    expect(await wrong(file)).toEqual([
      78,
      expect.stringMatching(/^holdfast: the folder for backups \S+file cannot be made \(EEXIST/),
    ])
    expect(readdirSync(into)).toEqual([])
  })

  it('with changes that are only in its write-ahead log is restored with them', async () => {
    const { folder } = await made()
    const copy = scratch()
    const open = new DatabaseSync(join(folder, 'holdfast.db'))
    open.exec("UPDATE account SET name = 'late'")
    for (const name of ['hash.key', 'holdfast.db', 'holdfast.db-wal'])
      copyFileSync(join(folder, name), join(copy, name))
    open.close()

    expect((await admin(folder, 'restore', copy)).code).toBe(0)
    expect((await admin(folder, 'account', 'list')).stdout).toMatch(/^late /m)
  })

  it('is restored over a damaged database, and not into a folder that others may enter', async () => {
    const { folder } = await made()
    const { stdout } = await admin(folder, 'backup', scratch(), '--json')
    const { backup } = JSON.parse(stdout) as { backup: string }
    writeFileSync(join(folder, 'holdfast.db'), 'x'.repeat(9000))
    expect((await admin(folder, 'restore', backup)).code).toBe(0)
    expect((await admin(folder, 'account', 'list')).stdout).toContain('acme')

    const open = scratch()
    chmodSync(open, 0o755)
    expect(await admin(open, 'restore', backup)).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/is open to other users .* run chmod 700/) as string,
    })
    expect(readdirSync(open)).toEqual([])
  })

  it('is restored by one of several processes at once, or by one after the other', async () => {
    const { folder } = await made()
    const backups = []
    for (const from of [folder, (await made()).folder]) {
      const { stdout } = await admin(from, 'backup', scratch(), '--json')
      backups.push((JSON.parse(stdout) as { backup: string }).backup)
    }
    const empty = join(scratch(), 'store')
    mkdirSync(join(folder, 'restore.partial-1999999'))
    for (const store of [folder, empty]) {
      const ends = await Promise.all(
        [...backups, ...backups].map(async (one) => admin(store, 'restore', one)),
      )
      expect(ends.map(({ code }) => code)).toContain(0)
      expect(await admin(store, 'check')).toMatchObject({ code: 0, stderr: '' })
      expect(readdirSync(store).filter((name) => name.startsWith('restore.'))).toEqual([])
    }
  })

  it('that fails leaves nothing behind', async () => {
    const { folder } = await made()
    const into = scratch()
    const node = join(scratch(), 'node')
    writeFileSync(node, `#!/bin/sh\nulimit -f 100\ntrap '' XFSZ\nexec ${process.execPath} "$@"\n`, {
      mode: 0o755,
    })
    const { code, stderr } = await holdfast(['admin', 'backup', into, '--store', folder], { node })

    expect([code, stderr]).toEqual([
      78,
      expect.stringMatching(
        /^holdfast: the backup in \S+ failed: .*; nothing was kept, and the store is unchanged\n$/,
      ),
    ])
    expect(readdirSync(into)).toEqual([])
  })

  it.runIf(isLarge)(
    'whose restore is killed at any moment is completed by the next one',
    async () => {
      const { folder } = await made()
      const { stdout } = await admin(folder, 'backup', scratch(), '--json')
      const { backup } = JSON.parse(stdout) as { backup: string }
      const kinds = new Set<string>()
      for (let delay = 20; delay < 260; delay += 12) {
        const child = start(['admin', 'restore', backup, '--store', folder], NODE)
        const ended = new Promise<number | null>((done) => child.on('close', done))
        await sleep(delay)
        child.kill('SIGKILL')
        kinds.add(String(await ended))
        const served = await admin(folder, 'account', 'list')
        expect([0, 78]).toContain(served.code)
        if (served.code === 0) expect(served.stdout).toContain('acme')
        expect((await admin(folder, 'restore', backup)).code).toBe(0)
        expect((await admin(folder, 'account', 'list')).stdout).toContain('acme')
      }
      expect(kinds.has('null')).toBe(true)
      expect(readdirSync(folder).filter((name) => name.startsWith('restore.'))).toEqual([])
    },
    120_000,
  )
})

describe('the hash key', () => {
  it('is rotated while the service is stopped: keys go on, get new hashes, and what never logs in can be dropped', async () => {
    const { folder, key } = await made()
    const { stdout } = await admin(folder, 'api-key', 'add', 'acme')
    const unused = stdout.trim().split(' ').at(-1) ?? ''
    const first = await serving(folder)
    const created = await fetch(`${first.url}/v1/account/ddns-keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{}',
    })
    const { data } = (await created.json()) as { data: { username: string; password: string } }
    const update = async (url: string): Promise<string> =>
      (
        await fetch(`${url}/nic/update?hostname=x.acme.test`, {
          headers: {
            'user-agent': 'Acme t/1-1 me@example.test',
            authorization: `Basic ${Buffer.from(`${data.username}:${data.password}`).toString('base64')}`,
          },
        })
      ).text()
    expect(await update(first.url)).toBe('nohost\n')
    expect((await admin(folder, 'rotate-hash-key')).stderr).toMatch(
      /a process has the store open; stop the service and its socket first/,
    )
    await first.stop()

    expect(await admin(folder, 'rotate-hash-key')).toMatchObject({ code: 0 })
    const second = await serving(folder)
    expect([await update(second.url), await totalOf(second.url, key)]).toEqual(['nohost\n', 1])
    await second.stop()
    const listed = await admin(folder, 'rotate-hash-key', 'drop-old')
    expect(listed).toMatchObject({ code: 78 })
    expect(listed.stderr).toMatch(/these 1 keys have not logged in .*add confirm=1:\n +API key 2 of acme\n/)
    expect((await admin(folder, 'rotate-hash-key')).stderr).toMatch(
      /1 keys have not logged in since the last rotation/,
    )
    expect((await admin(folder, 'rotate-hash-key', 'drop-old', 'confirm=1')).code).toBe(0)

    const third = await serving(folder)
    expect([await update(third.url), await totalOf(third.url, key)]).toEqual(['nohost\n', 1])
    const lost = await fetch(`${third.url}/v1/dns/zones`, { headers: { authorization: `Bearer ${unused}` } })
    expect(lost.status).toBe(401)
  })

  it('is of the database after several rotations at once, and while services start', async () => {
    const { folder, key } = await made()
    const rotations = Array.from({ length: 4 }, async () => admin(folder, 'rotate-hash-key'))
    const starting = start(['serve', '--store', folder, '--listen', '127.0.0.1:0', '--json'], NODE)
    const ended = new Promise<void>((done) => starting.on('close', () => done()))
    await Promise.all(rotations)
    starting.kill('SIGKILL')
    await ended

    expect(await admin(folder, 'check')).toMatchObject({ code: 0, stderr: '' })
    const { url } = await serving(folder)
    expect(await totalOf(url, key)).toBe(1)
  })

  it('that changes while a service starts is the one that the service uses', async () => {
    const { folder, key } = await made()
    const service = await exclusively(folder, async (held) => {
      const starting = serving(folder)
      await sleep(1000)
      await rotateHashKey(folder)
      const pepper = await readHashKey(folder)
      if (!pepper.ok) throw new Error(pepper.error)
      await recordRotation(held, pepper.value)
      return { starting }
    })

    expect(await totalOf((await service?.starting)?.url ?? '', key)).toBe(1)
  })

  it('whose rotation is interrupted before the database knows is taken up by the next start', async () => {
    const { folder, key } = await made()
    copyFileSync(join(folder, 'hash.key'), join(folder, 'hash.key.previous'))
    writeFileSync(join(folder, 'hash.key'), `${'ab'.repeat(32)}\n`)
    const { url } = await serving(folder)

    expect(await totalOf(url, key)).toBe(1)
    expect((await admin(folder, 'check')).code).toBe(0)
  })
})
