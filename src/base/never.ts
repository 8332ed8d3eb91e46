/** The end of a switch that forgot nothing: a new kind makes the call a compile error. */
export function never(kind: never): never {
  throw new Error(`a case that should not exist: ${JSON.stringify(kind)}`)
}
