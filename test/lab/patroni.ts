import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { memoryFolder } from './memory-folder.ts'
import { freePort } from '../free-port.ts'
import { postgresUser, type Postgres, programs, queryAt, whyNoPostgres } from './postgres.ts'

const [PATRONI, ETCD] = ['/usr/bin/patroni', '/usr/bin/etcd']

/** Why there can be no Patroni here; undefined where there can. */
export const whyNoPatroni = (): string | undefined =>
  whyNoPostgres() ?? [PATRONI, ETCD].map(missing).find((reason) => reason !== undefined)

const missing = (program: string): string | undefined =>
  existsSync(program) ? undefined : `${program} is not installed`

/** Two servers, of which Patroni makes one the primary and the other one its synchronous standby, with one etcd. */
export interface Patroni {
  readonly ports: readonly number[]
  /** Of the primary. */
  readonly query: Postgres['query']
  /** Of the primary; undefined without one. */
  primary(): Promise<number | undefined>
  /** As if the host of this server lost its power: SIGKILL for the server and for its Patroni. */
  killHost(port: number): Promise<void>
  stop(): Promise<void>
}

interface Member {
  readonly name: string
  readonly data: string
  readonly port: number
  readonly api: number
  patroni?: ChildProcess
}

/** In seconds; Patroni allows no shorter life of the key of the primary. */
const TTL = 20

const settingsOf = ({ name, data, port, api }: Member, { bin, etcd }: { bin: string; etcd: number }) => ({
  scope: 'holdfast',
  name,
  restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
  etcd3: { host: `127.0.0.1:${etcd}` },
  bootstrap: {
    dcs: { ttl: TTL, loop_wait: 1, retry_timeout: 3, synchronous_mode: true },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'no-sync'],
  },
  postgresql: {
    listen: `127.0.0.1:${port}`,
    connect_address: `127.0.0.1:${port}`,
    data_dir: data,
    bin_dir: bin,
    pgpass: `${data}.pgpass`,
    pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    authentication: { superuser: { username: 'holdfast' }, replication: { username: 'replicator' } },
    parameters: { unix_socket_directories: '' },
  },
})

export async function startPatroni(): Promise<Patroni> {
  const bin = programs()
  if (bin === undefined) throw new Error('PostgreSQL is not installed')
  const folder = memoryFolder('holdfast-patroni-')
  const user = postgresUser()
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  const run = (program: string, ...args: readonly string[]): ChildProcess =>
    spawn(program, args, { ...user, stdio: 'ignore', cwd: folder })
  const [etcd, peer] = [await freePort(), await freePort()]
  const at = (port: number): string => `http://127.0.0.1:${port}`
  const own = ['--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync']
  const clients = ['--listen-client-urls', at(etcd), '--advertise-client-urls', at(etcd)]
  const store = run(ETCD, ...own, ...clients, '--listen-peer-urls', at(peer))
  const members: Member[] = []
  for (const name of ['one', 'two']) {
    const member: Member = { name, data: join(folder, name), port: await freePort(), api: await freePort() }
    const settings = join(folder, `${name}.yaml`)
    // YAML contains JSON.
    writeFileSync(settings, JSON.stringify(settingsOf(member, { bin, etcd })))
    member.patroni = run(PATRONI, settings)
    members.push(member)
  }
  const primary = async (): Promise<number | undefined> => (await inRole('primary', members))?.port
  await until(async () => (await inRole('sync', members)) !== undefined)
  return {
    ports: members.map(({ port }) => port),
    primary,
    query: async (text, database) => queryAt((await primary()) ?? 0)(text, database),
    async killHost(port) {
      const member = members.find((one) => one.port === port)
      if (member !== undefined) await end(member, 'SIGKILL')
    },
    async stop() {
      for (const member of members) await end(member, 'SIGQUIT')
      await ended(store, 'SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Patroni, "REST API": 200 from the member that has this role. */
async function inRole(role: 'primary' | 'sync', members: readonly Member[]): Promise<Member | undefined> {
  for (const member of members) {
    const status = await fetch(`http://127.0.0.1:${member.api}/${role}`).then(
      (response) => response.status,
      () => 0,
    )
    if (status === 200) return member
  }
  return undefined
}

/** Patroni first: it would start its server again. */
async function end({ patroni, data }: Member, signal: NodeJS.Signals): Promise<void> {
  if (patroni !== undefined) await ended(patroni, 'SIGKILL')
  const file = join(data, 'postmaster.pid')
  if (!existsSync(file)) return
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  if (!existsSync(`/proc/${pid}`)) return
  process.kill(pid, signal)
  await until(async () => Promise.resolve(!existsSync(`/proc/${pid}`)))
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const over = new Promise((done) => child.once('close', done))
  child.kill(signal)
  await over
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let n = 0; n < 300; n++) {
    if (await isSo()) return
    await sleep(200)
  }
  throw new Error('it did not happen within a minute')
}
