import type { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import {
  type Expression,
  type NameFilter,
  type NameQuery,
  SORT_KEYS,
  type Sort,
} from '../../../../src/service/model/query.ts'

const [ACCOUNTS, ZONES, NAMES] = [3, 5, 7000]

/** Names of several accounts and zones; some blocks of ids are full, some sparse, some empty. */
export function grow(into: DatabaseSync): void {
  // Without column names, which differ between schemas.
  const columns = Number(into.prepare("SELECT count(*) AS n FROM pragma_table_info('plan')").get()?.['n'])
  const plan = ["1, 'p', 9, 9, 9, 9, 1, NULL, NULL, 1, 1", ...Array.from({ length: columns - 11 }, () => '9')]
  into.exec(`
    INSERT INTO plan VALUES (${plan.join(', ')});
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ACCOUNTS})
      INSERT INTO account (id, name, password_hash, plan_id, created_at) SELECT i, 'a' || i, x'00', 1, 0 FROM n;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ZONES})
      INSERT INTO zone (id, name, account_id, is_shared, created_at, updated_at)
      SELECT i, 'z' || i || '.test', 1 + i % ${ACCOUNTS}, i % 2, 0, 0 FROM n;
    INSERT INTO zone_metadata SELECT id, 'k', 'v' || (id % 2) FROM zone;
    INSERT INTO ddns_key (id, account_id, username, password_hash, description, created_at)
      VALUES (1, 1, 'kkkkkk1', x'00', '', 0), (2, 2, 'kkkkkk2', x'00', '', 0);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${NAMES})
      INSERT INTO name (id, zone_id, account_id, name, fqdn, labels_reversed, key_id, created_at, updated_at)
      SELECT i, 1 + i * 7 % ${ZONES}, 1 + i / 1900 % ${ACCOUNTS}, 'n' || (i * 7919 % 9973), 'n' || (i * 7919 % 9973) || '.z.test', 'test.z.n' || (i * 7919 % 9973),
        CASE i % 50 WHEN 0 THEN 1 + i / 50 % 2 END, i / 3, 0 FROM n;
    INSERT INTO name_metadata SELECT id, 'k', 'v' || (id % 40) FROM name WHERE id % 3 = 0;
    INSERT INTO rrset (name_id, dns_type, ttl, created_at, updated_at) SELECT id, 'A', 60, 0, 0 FROM name WHERE id % 5 > 0;
    INSERT INTO rrset (name_id, dns_type, ttl, created_at, updated_at) SELECT id, 'TXT', 60, 0, 0 FROM name WHERE id % 4 = 0;
    INSERT INTO rrset_metadata SELECT id, 'k', 'v' || (id % 30) FROM rrset WHERE id % 2 = 0;
    INSERT INTO rdata (rrset_id, label, value, key_id, created_at, updated_at)
      SELECT id, '_1', 'x' || (id % 60), CASE id % 70 WHEN 0 THEN 2 END, 0, 0 FROM rrset;
    INSERT INTO rdata (rrset_id, label, value, created_at, updated_at) SELECT id, 'b', 'y' || (id % 60), 0, 0 FROM rrset WHERE id % 3 = 0`)
}

/** States of names, which an old schema does not have. */
export function growStates(into: DatabaseSync): void {
  into.exec(`UPDATE name SET is_offline = id % 11 = 0, is_blocked = id % 13 = 0, is_prohibited = id % 17 = 0,
      published_at = CASE WHEN id % 5 > 0 THEN id / 7 END, updated_at = id % 100;
    UPDATE rdata SET updated_at = id % 150; UPDATE rrset SET updated_at = id % 120;
    UPDATE ddns_key SET description = 'Router ' || id;
    DELETE FROM dns_dirty WHERE zone_id > 0;
    INSERT INTO dns_dirty SELECT zone_id, name FROM name WHERE id % 6 = 0 ON CONFLICT DO NOTHING;
    INSERT INTO dns_dirty SELECT zone_id, char(127) || name FROM name WHERE id % 19 = 0 ON CONFLICT DO NOTHING`)
}

export const scope = fc.record(
  {
    accountId: fc.integer({ min: 1, max: ACCOUNTS }),
    zoneId: fc.integer({ min: 1, max: ZONES }),
    scope: fc.record(
      {
        zones: fc.subarray(['z1.test', 'z2.test', 'none.test'], { minLength: 1 }),
        names: fc.subarray(['z.test', 'n7.z.test', 'none.test'], { minLength: 1 }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['accountId'] },
)
/** Where it begins, as a share of the whole and a little more. */
export const page = fc.record({ share: fc.nat(110).map((percent) => percent / 100), limit: fc.nat(120) })
export const sort: fc.Arbitrary<readonly Sort[]> = fc.array(
  fc.record({
    key: fc.constantFrom(...SORT_KEYS),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
  }),
  { maxLength: 2 },
)
const condition = fc.record({
  op: fc.constantFrom('exact' as const, 'contains' as const),
  key: fc.constantFrom('k', 'other'),
  value: fc.constantFrom('v1', 'v', '7', ''),
})
const expression: fc.Arbitrary<Expression> = fc.oneof(
  condition,
  fc.record({ and: fc.array(condition, { maxLength: 2 }) }),
  fc.record({ or: fc.array(condition, { maxLength: 2 }) }),
)
/** Single filters; each test combines two of them. */
const filters: readonly fc.Arbitrary<Pick<NameQuery, 'filter'> & Partial<NameQuery>>[] = [
  ...[
    { rdata: ['x3', 'y7'] },
    { updateGroups: ['kkkkkk1'] },
    { updateGroups: ['kkkkkk1', 'kkkkkk2'] },
    { dnsTypes: ['TXT'] },
    { labels: ['B'] },
    { isDynupdate: true },
    { isDynupdate: false },
    { isZoneShared: true },
    { zoneNames: ['z1.test', 'z2.test'] },
    { names: ['n7919', 'n5865', 'n100'] },
    { isOffline: true },
    { states: [{ states: ['published', 'no_address'] }] },
    { states: [{ states: ['pending'] }] },
    { states: [{ states: ['stuck', 'blocked'] }] },
    { search: { name: 'n79', text: 'N79', isInKeys: true } },
    { search: { name: 'x33', text: 'x33', isInKeys: false } },
    { search: { name: 'router 2', text: 'router 2', isInKeys: true } },
  ].map((filter) => fc.constant<{ readonly filter: NameFilter }>({ filter: filter as NameFilter })),
  expression.map((metadata) => ({ filter: {}, metadata })),
  expression.map((zoneMetadata) => ({ filter: {}, zoneMetadata })),
  expression.map((rrsetMetadata) => ({ filter: {}, rrsetMetadata })),
]
export const filterPair = fc
  .tuple(fc.oneof(...filters), fc.oneof(...filters))
  .map(([one, other]) => ({ ...one, ...other, filter: { ...one.filter, ...other.filter } }))
