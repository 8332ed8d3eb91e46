import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { keyedHash, pepperOf } from '../../src/service/auth/hashes.ts'
import { openConnections } from '../../src/service/store/sqlite/open.ts'

/** A store as a service of some size has it, written without the service. */
export interface Filled {
  readonly folder: string
  readonly zone: string
  readonly names: number
  readonly keys: number
  /** Of the account that owns everything. */
  readonly apiKey: string
  /** Of every DDNS key. */
  readonly password: string
  readonly nameOf: (nth: number) => string
  readonly usernameOf: (nth: number) => string
}

const ZONE = 'bench.test'
const NOW = Date.UTC(2026, 0, 1)
/** As many rows as one statement makes: a transaction of a million would want its own memory. */
const STEP = 100_000
/** One name in so many has metadata, and one in so many of those a certain value. */
export const METADATA = { every: 10, values: 100 } as const

export const nameOf = (nth: number): string => `h${String(nth).padStart(7, '0')}`
export const usernameOf = (nth: number): string => `k${String(nth).padStart(6, '0')}`

/** Names h0000001 and on, each with one A record, shared out among keys k000001 and on in runs of equal length. */
export function fill(
  folder: string,
  { names, keys }: { readonly names: number; readonly keys: number },
): Filled {
  const { writer, reader } = openConnections(folder)
  const bytes = randomBytes(32)
  const pepper = pepperOf(bytes)
  const [apiKey, password] = [randomBytes(15).toString('hex'), randomBytes(15).toString('hex')]
  writer.exec('PRAGMA synchronous = OFF; BEGIN')
  owner(writer, keyedHash(pepper, apiKey))
  for (let nth = 1; nth <= keys; nth++)
    writer
      .prepare(
        `INSERT INTO ddns_key (id, account_id, username, password_hash, description, created_at) VALUES (?, 1, ?, ?, '', ?)`,
      )
      .run(nth, usernameOf(nth), keyedHash(pepper, password), NOW)
  writer.exec('COMMIT')
  for (let from = 1; from <= names; from += STEP) {
    const to = Math.min(names, from + STEP - 1)
    writer.exec(
      `BEGIN; ${namesFrom(from, to, Math.max(1, Math.ceil(names / Math.max(1, keys))), keys)}; COMMIT`,
    )
  }
  // As after the first flush: what waits to be published would be measured too. The apex makes the zone answerable.
  writer.exec(`DELETE FROM dns_dirty WHERE name <> '@'; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA optimize`)
  reader.close()
  writer.close()
  writeFileSync(join(folder, 'hash.key'), `${bytes.toString('hex')}\n`, { mode: 0o600 })
  return { folder, zone: ZONE, names, keys, apiKey, password, nameOf, usernameOf }
}

function owner(writer: DatabaseSync, apiHash: Uint8Array): void {
  const most = 1_000_000_000
  writer.exec(`
    INSERT INTO plan (id, name, max_names, max_rdata, max_name_metadata, max_rrset_metadata, min_ttl, has_offline, has_wildcards)
      VALUES (1, 'bench', ${most}, ${most}, 100, 100, 1, 1, 1);
    INSERT INTO account (id, name, password_hash, plan_id, created_at) VALUES (1, 'bench', x'00', 1, ${NOW});
    INSERT INTO zone (id, name, account_id, created_at, updated_at) VALUES (1, '${ZONE}', 1, ${NOW}, ${NOW})`)
  writer
    .prepare(
      `INSERT INTO api_key (account_id, hash, description, scopes, created_at) VALUES (1, ?, '', '', ?)`,
    )
    .run(apiHash, NOW)
}

const namesFrom = (from: number, to: number, perKey: number, keys: number): string => `
  WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to})
  INSERT INTO name (id, zone_id, account_id, name, fqdn, labels_reversed, key_id, created_at, updated_at)
    SELECT i, 1, 1, printf('h%07d', i), printf('h%07d.${ZONE}', i), printf('test.bench.h%07d', i),
      ${keys === 0 ? 'NULL' : `1 + (i - 1) / ${perKey}`}, ${NOW} + i, ${NOW} + i FROM n;
  INSERT INTO rrset (id, name_id, dns_type, ttl, created_at, updated_at)
    SELECT id, id, 'A', 60, created_at, created_at FROM name WHERE id BETWEEN ${from} AND ${to};
  INSERT INTO rdata (rrset_id, label, value, created_at, updated_at)
    SELECT id, '_1', printf('1.%d.%d.%d', id / 65536 % 256, id / 256 % 256, id % 256), created_at, created_at
      FROM rrset WHERE id BETWEEN ${from} AND ${to};
  INSERT INTO name_metadata (name_id, key, value)
    SELECT id, 'room', printf('r%d', id / ${METADATA.every} % ${METADATA.values}) FROM name
      WHERE id BETWEEN ${from} AND ${to} AND id % ${METADATA.every} = 0`
