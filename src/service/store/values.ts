/** What is bound to a statement. */
export type Bound = string | number | bigint | Uint8Array | null
/** A row of any table, for a copy. */
export type Row = Readonly<Record<string, Bound>>

/** Counters and caches know these rows by their ids, so an id is never used again. */
export const NUMBERED_TABLES = ['account', 'ddns_key', 'api_key'] as const
export type NumberedTable = (typeof NUMBERED_TABLES)[number]

/** The rows by what they have in common, each group in their order. */
export function groupedBy<R, K>(rows: readonly R[], keyOf: (row: R) => K): Map<K, R[]> {
  const groups = new Map<K, R[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  return groups
}

export const isOn = (flag: 0 | 1): boolean => flag === 1
/** An object with this property, or an empty one without a value. */
export const optional = <K extends string, T>(
  key: K,
  value: T | null | undefined,
): { readonly [P in K]?: T } =>
  value === null || value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: T })
export const wordList = (text: string | null): readonly string[] | undefined =>
  text?.split(' ').filter((word) => word !== '')
