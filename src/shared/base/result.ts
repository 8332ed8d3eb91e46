/** Expected failures are values; exceptions are bugs. */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E }

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value })
export const err = <E>(error: E): { readonly ok: false; readonly error: E } => ({ ok: false, error })

/** Ends an exhaustive switch: an unhandled kind makes the call a compile error. Throws if it runs anyway. */
export function never(kind: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(kind)}`)
}
