import { steadyClock } from '../../src/shared/platform/clock/clock.ts'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NotDirect, refuseInUse } from '../../src/service/store/postgres/copy-rows.ts'
import { postgresStore } from '../../src/service/store/postgres/store.ts'
import { freePort } from '../free-port.ts'
import { type Postgres, placeAt, startPostgres, whyNoPostgres } from '../lab/postgres.ts'
import { isLarge } from '../large.ts'
import { lacks } from '../lacks.ts'
import { recordsContract } from '../contract/records.ts'
import { storeContract } from '../contract/store.ts'

const lacking = whyNoPostgres()
if (lacking !== undefined) console.error(`\n!!! ${lacking}: the tests behind a pooler are SKIPPED\n`)

/** docs/scale.md names these settings. */
const settingsFor = (port: number, own: number): string => `[databases]
* = host=127.0.0.1 port=${port} user=holdfast
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 6
server_idle_timeout = 1
ignore_startup_parameters = extra_float_digits,statement_timeout,lock_timeout,idle_in_transaction_session_timeout
`

describe.skipIf(lacking !== undefined || lacks('pgbouncer'))('through pgbouncer in transaction mode', () => {
  let postgres: Postgres
  let pooler: ChildProcess | undefined
  let folder = ''
  let port = 0
  beforeAll(async () => {
    postgres = await startPostgres(['max_connections=300'])
    folder = mkdtempSync(join(tmpdir(), 'holdfast-pooler-'))
    port = await freePort()
    const path = join(folder, 'pgbouncer.ini')
    writeFileSync(path, settingsFor(postgres.port, port))
    // It refuses root.
    const isRoot = process.getuid?.() === 0
    if (isRoot) chownSync(folder, idOf('-u'), idOf('-g'))
    pooler = spawn('pgbouncer', [path], {
      stdio: 'ignore',
      ...(isRoot && { uid: idOf('-u'), gid: idOf('-g') }),
    })
    for (let tries = 0; tries < 100 && !(await isThere()); tries++) await sleep(100)
  })
  afterAll(async () => {
    pooler?.kill('SIGKILL')
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const open = async () => {
    const { database } = await postgres.store()
    // Two nodes: with one, names of prepared statements would not collide.
    return postgresStore({ ...placeAt(port, database), isPrepared: false }, steadyClock)
  }

  const isThere = async (): Promise<boolean> => {
    const store = await open()
    const found = await store.read(async (r) => r.hasAccounts()).catch(() => undefined)
    await store.close()
    return found === false
  }

  it('nobody can tell who uses a store, so it is neither copied nor restored', async () => {
    const { database } = await postgres.store()
    await expect(refuseInUse({ ...placeAt(port, database), isPrepared: false })).rejects.toThrow(NotDirect)
    await refuseInUse(await postgres.store())
  })

  it('has no other settings than documented ones', () => {
    expect(pooler?.exitCode).toBeNull()
  })
  storeContract('the store', open)
  if (isLarge) recordsContract('the store', open)
})
