/**
 * Translates SQL for SQLite into SQL for PostgreSQL. Both stores run the same statements; the differences are here and
 * in the schema. A test prepares every statement on both.
 */

// biome-ignore format: a table
const RULES: readonly (readonly [RegExp, string])[] = [
  // A hint for the planner of SQLite; here the sign of a value without a type.
  [/\bLIMIT \+\?/g, 'LIMIT ?'],
  [/\+zone_id\b/g, 'zone_id'],
  [/\+name\.id\b/g, 'name.id + 0'],
  [/\(SELECT coalesce\(max\(id\), 0\) \+ 1 FROM \(SELECT max[^']+'(\w+)'\) AS used\)/g, "nextval('$1_id_seq')"],
  [/\(SELECT coalesce\(max\(n\), 0\) \+ 1 FROM trail WHERE [^)]+\)/g, "nextval('trail_n')"],
  // The planner overestimates the length of a list, and would read the whole table.
  [/(?<!NOT )\bIN \((SELECT CAST\(value AS BIGINT\) FROM json_each\(\?\d*\))\)/g, '= ANY(ARRAY($1))'],
  [/\bjson_each\(/g, 'json_list('],
  [/\binstr\(/g, 'strpos('],
  [/\bchar\(1\)/g, 'chr(1)'],
  [/\bhex\((\w+)\)/g, "encode($1, 'hex')"],
  [/\bNULL AS stamp\b/g, 'stamp'],
  // The greatest of several values, which is also max() in SQLite.
  [/\bmax\(coalesce\(max\(/g, 'greatest(coalesce(max('],
  [/\bCOLLATE BINARY\b/g, 'COLLATE "C"'],
  // An index accepts only short values; no name is longer.
  [/substr\(([\w.]+), -1\) = '\.'/g, "right($1, 1) = '.' AND length($1) <= 600"],
  // The column compares without case in SQLite, and its index does here.
  [/ON CONFLICT \(rrset_id, label\)/g, 'ON CONFLICT (rrset_id, lower(label))'],
  // An index cannot contain long RDATA.
  [/ON CONFLICT \(zone_id, owner, type, rdata\)/g, 'ON CONFLICT (zone_id, owner, type, digest)'],
]

/**
 * A flush reads a name, and later deletes its row of `dns_dirty`. A change in between raises the stamp of the row; the flush
 * deletes only rows whose stamp it has read, so the change is not lost.
 */
const marked = (text: string): string =>
  text
    .replace('INSERT INTO dns_dirty', 'INSERT INTO dns_dirty (zone_id, name)')
    .replace('ON CONFLICT DO NOTHING', 'ON CONFLICT (zone_id, name) DO UPDATE SET stamp = excluded.stamp')

/** `?` gets the number after the greatest one before it, as in SQLite. */
function numbered(text: string): string {
  let last = 0
  return text.replace(/\?(\d*)/g, (_, number: string) => {
    const n = number === '' ? last + 1 : Number(number)
    last = Math.max(last, n)
    return `$${n}`
  })
}

const translated = new Map<string, string>()

export function toPostgres(text: string): string {
  const known = translated.get(text)
  if (known !== undefined) return known
  const own = text.trimStart().startsWith('INSERT INTO dns_dirty') ? marked(text) : text
  const result = numbered(RULES.reduce((left, [from, to]) => left.replaceAll(from, to), own))
  translated.set(text, result)
  return result
}
