import { onTestFinished } from 'vitest'
import { freePort } from '../../free-port.ts'
import { newCluster, type Postgres, queryAt, run, serverOf } from '../../lab/postgres.ts'
import { eventually } from '../../eventually.ts'

type Server = ReturnType<typeof serverOf>

/** Two servers on two ports that stay the same: the primary, and a standby that acknowledges nothing. */
export interface Pair {
  readonly ports: readonly [number, number]
  /** Of the primary of the moment. */
  readonly query: Postgres['query']
  /** A new standby of the primary, which has all that the primary has. */
  follow(): Promise<void>
  /** The standby gets nothing from now on. */
  cut(): Promise<void>
  /** The primary dies, and the standby takes over with what it has. */
  failOver(): Promise<void>
}

export async function startPair(): Promise<Pair> {
  const ports = [await freePort(), await freePort()] as const
  const cluster = newCluster()
  const form = ['--locale=C.UTF-8', '-E', 'UTF8', '--no-sync']
  run(cluster, 'initdb', ['-D', `${cluster.folder}/data`, '-U', 'holdfast', '-A', 'trust', ...form])
  let at = 0
  let primary: Server = serverOf(cluster, ports[0], [])
  let standby: Server | undefined
  await primary.start()
  const portAt = (n: number): number => ports[n % 2] ?? 0
  const query: Postgres['query'] = async (text, database) => queryAt(portAt(at))(text, database)
  const queryStandby: Postgres['query'] = async (text) => queryAt(portAt(at + 1))(text)
  await query('CREATE DATABASE service')
  onTestFinished(async () => {
    await standby?.stop()
    await primary.stop()
  })
  return {
    ports,
    query,
    follow: async () => {
      const own = newCluster()
      const from = `host=127.0.0.1 port=${portAt(at)} user=holdfast`
      run(own, 'pg_basebackup', ['-d', from, '-D', `${own.folder}/data`, '-R', '-X', 'stream', '-c', 'fast'])
      standby = serverOf(own, portAt(at + 1), [])
      await standby.start()
      await eventually(async () =>
        query(`SELECT count(*)::int AS n FROM pg_stat_replication WHERE state = 'streaming'`),
      ).toEqual([{ n: 1 }])
    },
    cut: async () => {
      await queryStandby(`ALTER SYSTEM SET primary_conninfo = ''`)
      await queryStandby('SELECT pg_reload_conf()')
      await eventually(async () =>
        queryStandby('SELECT count(*)::int AS n FROM pg_stat_wal_receiver'),
      ).toEqual([{ n: 0 }])
      // What arrived before is replayed.
      await eventually(async () =>
        queryStandby('SELECT pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AS is_all'),
      ).toEqual([{ is_all: true }])
    },
    failOver: async () => {
      if (standby === undefined) throw new Error('there is no standby')
      await primary.kill9()
      await queryStandby('SELECT pg_promote()')
      await primary.stop()
      primary = standby
      standby = undefined
      at++
    },
  }
}
