/** The document of an answer, which may begin with a byte order mark; undefined where it is none. */
export function documentIn(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\uFEFF/, '')) as unknown
  } catch {
    return undefined
  }
}

/** A member, or a member of a member; undefined where there is none. */
export const memberOfDocument = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Readonly<Record<string, unknown>>)[String(name)]
        : undefined,
    value,
  )

/** A text, a number or a boolean as text; undefined for anything else. */
export function memberText(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const found = memberOfDocument(value, ...path)
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean'
    ? String(found)
    : undefined
}

/** Undefined where there is no list. */
export function memberList(
  value: unknown,
  ...path: readonly (string | number)[]
): readonly unknown[] | undefined {
  const found = memberOfDocument(value, ...path)
  return Array.isArray(found) ? found : undefined
}
