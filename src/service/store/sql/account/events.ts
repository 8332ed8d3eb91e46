import { days, type Instant } from '../../../../shared/base/time.ts'
import { ACCOUNT_EVENTS, type AccountEventKind } from '../../../model/account-events.ts'
import {
  type EventReads,
  type EventWrites,
  MAX_ACCOUNT_EVENTS,
  type StoredSignIn,
} from '../../account/events.ts'
import { select, selects } from '../../select.ts'
import type { Sql } from '../statement.ts'

const EVENT = { id: 'INTEGER', kind: 'TEXT', at: 'TIME', subject: 'TEXT' } as const
const MAIL = { ...EVENT, account_id: 'INTEGER', account: 'TEXT', mail_to: 'TEXT' } as const
const FOUND = { found: 'INTEGER' } as const

export const ACCOUNT_EVENT_ROWS = selects({
  of: select(
    EVENT,
    'SELECT id, kind, at, subject FROM account_event WHERE account_id = ? ORDER BY id DESC LIMIT ?',
  ),
  signIns: select(
    { at: 'TIME', network: 'TEXT', peer: 'TEXT', credential: 'TEXT', program: 'TEXT' },
    'SELECT at, network, peer, credential, program FROM sign_in WHERE account_id = ? ORDER BY id DESC LIMIT ?',
  ),
  unsent: select(
    MAIL,
    `SELECT account_event.id, kind, at, subject, account_id, account.name AS account, mail_to FROM account_event
      JOIN account ON account.id = account_id WHERE mail_to <> '' AND mailed_at IS NULL AND at > ?
      ORDER BY account_event.id LIMIT ?`,
  ),
  address: select({ email: 'TEXT' }, 'SELECT email FROM account WHERE id = ? AND is_email_confirmed = 1'),
  mailed: select(
    FOUND,
    `SELECT 1 AS found FROM account_event WHERE account_id = ? AND kind = ? AND mail_to <> '' AND at > ? LIMIT 1`,
  ),
  mailedTo: select(
    FOUND,
    `SELECT 1 AS found FROM account_event WHERE kind = 'emailGiven' AND lower(mail_to) = lower(CAST(? AS TEXT))
      AND at > ? LIMIT 1`,
  ),
  network: select(FOUND, 'SELECT 1 AS found FROM sign_in WHERE account_id = ? AND network = ? LIMIT 1'),
  anySignIn: select(FOUND, 'SELECT 1 AS found FROM sign_in WHERE account_id = ? LIMIT 1'),
})

export const sqlEventReads = (sql: Sql): EventReads => ({
  async eventsOf(accountId, limit) {
    const rows = await sql(ACCOUNT_EVENT_ROWS.of).all(accountId, limit)
    return rows.map((row) => ({ ...row, kind: row.kind as AccountEventKind }))
  },
  async signInsOf(accountId, limit) {
    return sql(ACCOUNT_EVENT_ROWS.signIns).all(accountId, limit)
  },
  async unsentMails(since, limit) {
    const rows = await sql(ACCOUNT_EVENT_ROWS.unsent).all(since, limit)
    return rows.map(({ account_id: accountId, mail_to: to, kind, ...row }) => ({
      ...row,
      kind: kind as AccountEventKind,
      accountId,
      to,
    }))
  },
})

const dayBefore = (now: Instant): Instant => (now - days(1)) as Instant

/** Account events and sign-ins, in SQL. */
export const sqlEvents = (sql: Sql): EventWrites => ({
  ...sqlEventReads(sql),
  async addEvent(accountId, { kind, subject, to }, now) {
    const address = to ?? (await sql(ACCOUNT_EVENT_ROWS.address).get(accountId))?.email ?? ''
    const isTold =
      kind === 'emailGiven'
        ? await sql(ACCOUNT_EVENT_ROWS.mailedTo).get(address, dayBefore(now))
        : ACCOUNT_EVENTS[kind].isOncePerDay &&
          (await sql(ACCOUNT_EVENT_ROWS.mailed).get(accountId, kind, dayBefore(now)))
    await sql(
      'INSERT INTO account_event (account_id, kind, at, subject, mail_to) VALUES (?, ?, ?, ?, ?)',
    ).run(accountId, kind, now, subject, isTold === undefined || isTold === false ? address : '')
    // Keeps unsent messages, and sent ones for a day, because they count towards the limit.
    await sql(`DELETE FROM account_event WHERE account_id = ?1 AND id <= ${oldestOf('account_event')}
      AND (mail_to = '' OR (mailed_at IS NOT NULL AND at < ?2))`).run(accountId, dayBefore(now))
  },
  async setMailed(id, at) {
    const { changes } = await sql(
      `UPDATE account_event SET mailed_at = ?1 WHERE id = ?2 AND (CAST(?1 AS BIGINT) IS NULL OR mailed_at IS NULL)`,
    ).run(at ?? null, id)
    return Number(changes) > 0
  },
  async confirmEmail(accountId, email) {
    const { changes } = await sql(
      `UPDATE account SET is_email_confirmed = 1 WHERE id = ? AND email = ? AND email <> ''`,
    ).run(accountId, email)
    return Number(changes) > 0
  },
  addSignIn: signIns(sql),
})

/** The newest row of account ?1 beyond the maximum, in SQL. */
const oldestOf = (table: 'account_event' | 'sign_in'): string =>
  `(SELECT id FROM ${table} WHERE account_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ${MAX_ACCOUNT_EVENTS})`

/** Resolves with true if this network is new and the account has earlier sign-ins. */
const signIns =
  (sql: Sql) =>
  async (accountId: number, { at, network, peer, credential, program }: StoredSignIn): Promise<boolean> => {
    const isKnown = await sql(ACCOUNT_EVENT_ROWS.network).get(accountId, network)
    const isFirst = (await sql(ACCOUNT_EVENT_ROWS.anySignIn).get(accountId)) === undefined
    await sql(
      'INSERT INTO sign_in (account_id, at, network, peer, credential, program) VALUES (?, ?, ?, ?, ?, ?)',
    ).run(accountId, at, network, peer, credential, program)
    await sql(`DELETE FROM sign_in WHERE account_id = ?1 AND id <= ${oldestOf('sign_in')}`).run(accountId)
    return isKnown === undefined && !isFirst
  }
