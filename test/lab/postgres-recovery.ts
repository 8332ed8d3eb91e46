import { appendFileSync, chownSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Postgres, postgresUser, programs } from './postgres.ts'

/** Settings of a server that keeps its log; its programs run in the folder of its data. */
export const ARCHIVING = ['archive_mode=on', 'archive_command=cp %p ../archive/%f', 'wal_level=replica']

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A server with those settings, which can go back to a moment (PostgreSQL, "Continuous Archiving and Point-in-Time Recovery"). */
export function recoverable(postgres: Postgres) {
  const user = postgresUser()
  const at = (name: string): string => join(postgres.folder, name)
  mkdirSync(at('archive'))
  if (user.uid !== undefined && user.gid !== undefined) chownSync(at('archive'), user.uid, user.gid)
  return {
    backup: (): void =>
      void execFileSync(
        join(programs() ?? '', 'pg_basebackup'),
        ['-d', `host=127.0.0.1 port=${postgres.port} user=holdfast`, '-D', at('base'), '-c', 'fast'],
        { ...user, cwd: postgres.folder, stdio: 'pipe' },
      ),
    mark: async (name: string): Promise<unknown> =>
      postgres.query(`SELECT pg_create_restore_point('${name}')`),
    /** Everything after the mark is gone. */
    async goBack(name: string): Promise<void> {
      const [last] = await postgres.query('SELECT pg_walfile_name(pg_switch_wal()) AS file')
      for (let isLeft = true; isLeft; await sleep(50)) {
        const [row] = await postgres.query('SELECT last_archived_wal FROM pg_stat_archiver')
        isLeft = text(row?.['last_archived_wal']) < text(last?.['file'])
      }
      await postgres.kill9()
      rmSync(at('data'), { recursive: true, maxRetries: 20 })
      cpSync(at('base'), at('data'), { recursive: true })
      appendFileSync(
        join(at('data'), 'postgresql.auto.conf'),
        `restore_command = 'cp ../archive/%f %p'\nrecovery_target_name = '${name}'\nrecovery_target_action = 'promote'\n`,
      )
      writeFileSync(join(at('data'), 'recovery.signal'), '')
      if (user.uid !== undefined) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, at('data')])
      execFileSync('chmod', ['700', at('data')])
      await postgres.start()
    },
  }
}
