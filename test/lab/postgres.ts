import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { codeOf, type PostgresPlace } from '../../src/service/store/postgres/connection.ts'
import { migratePostgres } from '../../src/service/store/postgres/migrations.ts'
import { freePort } from '../free-port.ts'
import { memoryFolder } from './memory-folder.ts'

const INSTALLED = '/usr/lib/postgresql'

/** The programs of Debian's newest PostgreSQL; undefined without one. */
export function programs(): string | undefined {
  if (!existsSync(INSTALLED)) return undefined
  const [newest] = readdirSync(INSTALLED).toSorted((a, b) => Number(b) - Number(a))
  return newest === undefined ? undefined : join(INSTALLED, newest, 'bin')
}

/** Why there can be no PostgreSQL here; undefined where there can. */
export const whyNoPostgres = (): string | undefined =>
  programs() === undefined ? 'PostgreSQL is not installed' : undefined

/** A private server on a port of 127.0.0.1, with its data in a temporary folder. */
export interface Postgres {
  readonly port: number
  readonly folder: string
  /** A database of its own for one store, with the schema; it takes a tenth of a second. */
  store(): Promise<PostgresPlace>
  place(database: string): PostgresPlace
  query(text: string, database?: string): Promise<readonly Record<string, unknown>[]>
  kill9(): Promise<void>
  /** Its processes stand still, as on a host that is frozen, or cut off. */
  freeze(): void
  thaw(): void
  start(): Promise<void>
  stop(): Promise<void>
  /** A server that follows this one, and without which no change is acknowledged. */
  standby(): Promise<Standby>
}

export interface Standby {
  readonly port: number
  readonly query: Postgres['query']
  /** Makes it the primary. */
  promote(): Promise<void>
  stop(): Promise<void>
}

export const TEMPLATE = 'holdfast_template'

/** How a test reaches a database of the server at this port. */
export const placeAt = (port: number, database: string): PostgresPlace => ({
  hosts: [{ host: '127.0.0.1', port }],
  database,
  user: 'holdfast',
  credentials: () => ({}),
  pause: async (duration) => sleep(duration, undefined, { ref: false }),
  isPrepared: true,
  connections: 8,
  wait: 5000,
})

export interface Cluster {
  readonly bin: string
  readonly folder: string
  readonly user: { readonly uid?: number; readonly gid?: number }
}

/** A temporary folder of the user that runs the server: initdb and the server refuse root. */
export function newCluster(): Cluster {
  const bin = programs()
  if (bin === undefined) throw new Error('PostgreSQL is not installed')
  const folder = memoryFolder('holdfast-postgres-')
  const user = postgresUser()
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  return { bin, folder, user }
}

/** Who runs the server: it refuses root. */
export function postgresUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

export const run = ({ bin, folder, user }: Cluster, program: string, args: readonly string[]): void =>
  void execFileSync(join(bin, program), args, { ...user, stdio: 'pipe', cwd: folder })

/** The server of the data in this folder, which may be started again after it was killed. */
export function serverOf({ bin, folder, user }: Cluster, port: number, settings: readonly string[]) {
  let server: ChildProcess | undefined
  let ended: Promise<unknown> = Promise.resolve()
  const fixed = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`]
  const isReady = (): boolean =>
    spawnSync(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).status === 0
  return {
    async start() {
      const child = spawn(
        join(bin, 'postgres'),
        ['-D', join(folder, 'data'), ...[...fixed, ...settings].flatMap((one) => ['-c', one])],
        { ...user, stdio: 'ignore', cwd: folder },
      )
      server = child
      ended = new Promise((done) => child.once('close', done))
      for (let n = 0; !isReady(); n++) {
        if (n === 600 || child.exitCode !== null) throw new Error(`PostgreSQL did not start on port ${port}`)
        await sleep(50)
      }
    },
    freeze: () => signalAll(server?.pid, 'SIGSTOP'),
    thaw: () => signalAll(server?.pid, 'SIGCONT'),
    async kill9() {
      server?.kill('SIGKILL')
      await ended
    },
    async stop() {
      // At once: nothing of it is kept.
      server?.kill('SIGQUIT')
      await ended
      // A process of a connection may outlive its server by a moment, and write.
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

function signalAll(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  for (const one of [pid, ...children.map(Number)])
    try {
      process.kill(one, signal)
    } catch (error) {
      // A process of a connection may have ended since.
      if (codeOf(error) !== 'ESRCH') throw error
    }
}

export const queryAt =
  (port: number): Postgres['query'] =>
  async (text, database = 'postgres') => {
    const client = new pg.Client({ host: '127.0.0.1', port, database, user: 'holdfast' })
    await client.connect()
    try {
      const { rows } = await client.query<Record<string, unknown>>(text)
      return rows
    } finally {
      await client.end()
    }
  }

async function standbyOf(port: number, query: Postgres['query']): Promise<Standby> {
  const cluster = newCluster()
  const data = join(cluster.folder, 'data')
  const from = `host=127.0.0.1 port=${port} user=holdfast`
  run(cluster, 'pg_basebackup', ['-d', from, '-D', data, '-R', '-X', 'stream', '-c', 'fast'])
  const own = await freePort()
  const server = serverOf(cluster, own, [])
  await server.start()
  // After the copy: a standby with this setting would wait for one of its own once it is the primary.
  await query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await query('SELECT pg_reload_conf()')
  for (let n = 0; ; n++) {
    const [row] = await query(`SELECT count(*)::int AS n FROM pg_stat_replication WHERE sync_state = 'sync'`)
    if (row?.['n'] === 1) break
    if (n === 200) throw new Error('the standby did not become a synchronous one')
    await sleep(50)
  }
  return {
    port: own,
    query: queryAt(own),
    promote: async () => void (await queryAt(own)('SELECT pg_promote()')),
    stop: async () => server.stop(),
  }
}

export async function startPostgres(settings: readonly string[] = []): Promise<Postgres> {
  const cluster = newCluster()
  const form = ['--locale=C.UTF-8', '-E', 'UTF8', '--no-sync']
  run(cluster, 'initdb', ['-D', join(cluster.folder, 'data'), '-U', 'holdfast', '-A', 'trust', ...form])
  const port = await freePort()
  const server = serverOf(cluster, port, settings)
  const query = queryAt(port)
  const place = (database: string): PostgresPlace => placeAt(port, database)
  await server.start()
  await query(`CREATE DATABASE ${TEMPLATE}`)
  await migratePostgres(place(TEMPLATE))
  let made = 0
  return {
    ...server,
    port,
    folder: cluster.folder,
    place,
    query,
    standby: async () => standbyOf(port, query),
    async store() {
      const database = `store_${++made}`
      await query(`CREATE DATABASE ${database} TEMPLATE ${TEMPLATE}`)
      return place(database)
    },
  }
}
