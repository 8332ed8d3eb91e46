import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../eventually.ts'
import { isLarge } from '../large.ts'
import { type Postgres, startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { holdfast, scratch, serveStore } from './processes.ts'

const NAMES = 6000
const FILE = Array.from({ length: NAMES }, (_, n) => `n${n} 60 IN A 192.0.2.${n % 250}\n`).join('')

/** A database, as a service and `holdfast admin` use it. */
interface Place {
  /** Words of the command line. */
  readonly words: readonly string[]
  readonly store: string
  readonly count: (what: string) => Promise<number>
  /** As if a minute had gone by. */
  readonly endLease: () => Promise<unknown>
}

async function zoneWithKey({ store, words }: Pick<Place, 'store' | 'words'>): Promise<string> {
  const admin = async (text: string) => {
    const done = await holdfast(['admin', ...text.split(' '), '--store', store, ...words], {
      node: process.execPath,
    })
    expect(done).toMatchObject({ code: 0 })
    return done.stdout
  }
  await admin('init')
  await admin('plan add big max-names=100000 max-rdata=100000')
  await admin('account add acme big')
  await admin('zone add acme.test acme')
  return (await admin('api-key add acme')).trim().split(' ').at(-1) ?? ''
}

/** A service is killed in the middle of an import, and another one goes on. */
async function killed(place: Place): Promise<void> {
  const key = await zoneWithKey(place)
  const serve = async () => serveStore(place.store, ...place.words)
  const first = await serve()
  const ask = async (url: string, path: string, body?: string) => {
    const response = await fetch(`${url}/v1/dns/zones/acme.test/${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'text/dns' },
      ...(body !== undefined && { method: 'POST', body }),
    })
    return { status: response.status, text: await response.text() }
  }
  expect((await ask(first.url, 'import', 'www 60 IN A 192.0.2.1\n')).status).toBe(202)
  // The serial follows when the import before is published.
  const records = async (url: string) => (await ask(url, 'export')).text.replace(/^@ 3600 IN SOA .*\n/m, '')
  const before = await records(first.url)
  const under = ask(first.url, 'import', FILE).catch(() => 'it has no answer')
  await eventually(async () => (await place.count('name')) > 1000).toBe(true)
  first.child.kill('SIGKILL')
  expect(await under).toBe('it has no answer')
  await first.ended

  const second = await serve()
  expect(await records(second.url)).toBe(before)
  const early = await ask(second.url, 'import', FILE)
  expect([early.status, early.text]).toEqual([503, expect.stringContaining('another import into this zone')])
  await place.endLease()
  // Of the zone: its apex and www.
  await eventually(async () => place.count('name')).toBe(2)
  expect(await place.count("trail WHERE operation = 'importZone'")).toBe(1)

  const done = await ask(second.url, 'import', FILE)
  expect([done.status, JSON.parse(done.text)]).toMatchObject([202, { data: { new: NAMES, removed: 1 } }])
  const after = (await ask(second.url, 'export')).text
  expect(after.match(/^n\d+ 60 IN A /gm)).toHaveLength(NAMES)
  expect(JSON.parse((await ask(second.url, 'import?dry_run=true', after)).text)).toMatchObject({
    data: { new: 0, changed: 0, removed: 0 },
  })
  expect(await place.count("trail WHERE operation = 'importZone'")).toBe(2)
  expect(second.log()).not.toContain('"level":50')
}

describe('an import by the API that is killed in the middle changes nothing', () => {
  it('in a folder', async () => {
    const store = join(scratch(), 'store')
    const open = (): DatabaseSync => new DatabaseSync(join(store, 'holdfast.db'), { timeout: 5000 })
    let database: DatabaseSync | undefined
    onTestFinished(() => database?.close())
    await killed({
      store,
      words: [],
      count: async (what) =>
        Number((database ??= open()).prepare(`SELECT count(*) AS n FROM ${what}`).get()?.['n']),
      endLease: async () => (database ??= open()).exec('UPDATE zone_draft SET lease_until = 0'),
    })
  })

  describe.skipIf(!isLarge || whyNoPostgres() !== undefined)('in PostgreSQL', () => {
    let postgres: Postgres
    let folder = ''
    beforeAll(async () => {
      postgres = await startPostgres()
      folder = mkdtempSync(join(tmpdir(), 'holdfast-keys-'))
      await postgres.query('CREATE DATABASE service')
    })
    afterAll(async () => {
      await postgres?.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    it('it is the same', async () => {
      await killed({
        store: `postgres://holdfast@127.0.0.1:${postgres.port}/service`,
        words: ['--hash-key-file', join(folder, 'hash.key')],
        count: async (what) =>
          Number((await postgres.query(`SELECT count(*) AS n FROM ${what}`, 'service'))[0]?.['n']),
        endLease: async () => postgres.query('UPDATE zone_draft SET lease_until = 0', 'service'),
      })
    })
  })
})

it('an import whose client is slow holds up no other request of its account', async () => {
  const store = join(scratch(), 'store')
  const key = await zoneWithKey({ store, words: [] })
  const { url } = await serveStore(store)
  const { port } = new URL(url)
  const slow = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void slow.destroy())
  const head = ['POST /v1/dns/zones/acme.test/import HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`]
  slow.write(`${[...head, 'Content-Type: text/dns', 'Content-Length: 1000'].join('\r\n')}\r\n\r\nw 60 IN`)
  await sleep(500)

  // After `api_wait`, one that waits for its turn is 429.
  const response = await fetch(`${url}/v1/dns/zones`, { headers: { authorization: `Bearer ${key}` } })
  expect(response.status).toBe(200)
})
