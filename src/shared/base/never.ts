/** Ends an exhaustive switch: an unhandled kind makes the call a compile error. Throws if it runs anyway. */
export function never(kind: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(kind)}`)
}
