import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { holdfast, scratch, serveStore } from './processes.ts'

const NODE = { node: process.execPath }
const admin = async (folder: string, ...words: readonly string[]) =>
  holdfast(['admin', ...words, '--store', folder], NODE)
const serve = async (folder: string, ...more: readonly string[]) =>
  holdfast(['serve', '--store', folder, '--listen', '127.0.0.1:0', ...more], NODE)

async function made(): Promise<string> {
  const folder = join(scratch(), 'store')
  expect(await admin(folder, 'init')).toMatchObject({ code: 0, stderr: '' })
  return folder
}

describe('a store', () => {
  it('is made by admin init, closed to other users, and left alone by a second one', async () => {
    const folder = await made()

    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(folder))
      expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600])
    expect(await admin(folder, 'init')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/there is a store in \S+ already; it is unchanged/) as string,
    })
  })

  // biome-ignore format: a table
  it.each<[string, (folder: string) => void, RegExp]>([
    ['missing',                             (folder) => rmSync(folder, { recursive: true }),              /^holdfast: there is no store in \S+\. .*is mounted.*holdfast admin init\n$/],
    ['an empty folder',                     (folder) => readdirSync(folder).forEach((one) => rmSync(join(folder, one))), /^holdfast: there is no store in/],
    ['without its database',                (folder) => rmSync(join(folder, 'holdfast.db')),              /contains hash\.key and no holdfast\.db: restore the database/],
    ['with an empty database',              (folder) => truncateSync(join(folder, 'holdfast.db')),        /holdfast\.db in \S+ is empty: restore it/],
    ['without its hash key',                (folder) => rmSync(join(folder, 'hash.key')),                 /hash\.key is missing; without it no key/],
    ['with the hash key of another store',  (folder) => writeFileSync(join(folder, 'hash.key'), 'ab'.repeat(32)), /hash\.key is not the hash key of this database/],
    ['open to other users',                 (folder) => chmodSync(folder, 0o755),                         /is open to other users of this host \(mode 755\): run chmod 700/],
  ])('that is %s is refused by serve and admin, and nothing is made', async (_, harm, message) => {
    const folder = await made()
    await admin(folder, 'plan', 'add', 'p')
    harm(folder)
    const before = existsSync(folder) ? readdirSync(folder) : undefined

    for (const ended of [await serve(folder), await admin(folder, 'plan', 'add', 'q')])
      expect([ended.code, ended.stderr]).toEqual([78, expect.stringMatching(message)])
    expect(existsSync(folder) ? readdirSync(folder) : undefined).toEqual(before)
  })

  it('whose making fails leaves nothing, and is made when there is space', async () => {
    const folder = join(scratch(), 'store')
    const node = join(scratch(), 'node')
    writeFileSync(node, `#!/bin/sh\nulimit -f 60\ntrap '' XFSZ\nexec ${process.execPath} "$@"\n`, {
      mode: 0o755,
    })
    const { code } = await holdfast(['admin', 'init', '--store', folder], { node })

    expect([code, readdirSync(folder)]).toEqual([75, []])
    expect(await admin(folder, 'init')).toMatchObject({ code: 0, stderr: '' })
  })

  it('in a home folder is found there, with a key of its own beside it', async () => {
    const home = scratch()
    const { code } = await holdfast(['admin', 'init', '--store', '~/names'], { env: { HOME: home } })

    expect([code, readdirSync(home)]).toEqual([0, ['names']])
  })

  it('whose database is damaged is refused by serve too, with what to do', async () => {
    const folder = await made()
    const database = join(folder, 'holdfast.db')
    const bytes = readFileSync(database)
    // The first page, with the schema, stays whole.
    bytes.fill(0xff, 4096)
    writeFileSync(database, bytes)
    const { code, stderr } = await holdfast(['serve', '--store', folder, '--listen', '127.0.0.1:0'])

    expect(code, stderr).toBe(78)
    expect(stderr).toMatch(/cannot be opened: .*malformed; restore it from your backup/)
    expect(stderr).not.toContain('this is a bug')
  })

  it('leaves what a symbolic link in its folder names, and other files, as they are', async () => {
    const folder = await made()
    const outside = join(scratch(), 'outside')
    writeFileSync(outside, '')
    chmodSync(outside, 0o644)
    symlinkSync(outside, join(folder, 'hash.key.previous'))
    const notes = join(folder, 'holdfast.db-notes')
    writeFileSync(notes, '')
    for (const path of [notes, join(folder, 'holdfast.db')]) chmodSync(path, 0o644)
    await admin(folder, 'plan', 'list')

    const modes = [outside, notes, join(folder, 'holdfast.db')].map((path) => statSync(path).mode & 0o777)
    expect(modes).toEqual([0o644, 0o644, 0o600])
  })

  it('is made by serve --init where there is none, and only opened the next time', async () => {
    const folder = join(scratch(), 'store')
    const first = await serveStore(folder, '--init')
    await eventually(first.log).toContain(`"store":"${folder}","accounts":0,"zones":0,"names":0,"keys":0`)
    await admin(folder, 'plan', 'add', 'p')
    await admin(folder, 'account', 'add', 'acme', 'p')
    const second = await serveStore(folder, '--init')

    await eventually(second.log).toContain('"accounts":1,')
  })

  it('without an account answers 911, so that no client stops for good', async () => {
    const { url } = await serveStore(await made())
    const response = await fetch(`${url}/nic/update?hostname=a.test`, {
      headers: {
        'user-agent': 'Acme t/1-1 me@example.test',
        authorization: `Basic ${Buffer.from('abc1234:x').toString('base64')}`,
      },
    })

    expect([response.status, await response.text()]).toEqual([500, '911\n'])
  })
})
