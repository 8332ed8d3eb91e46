/** The fact of the store in which a running service keeps its heaviest accounts. */
export const LOAD_FACT = 'load'

export interface LoadStatus {
  /** RFC 3339. */
  readonly at: string
  /** Accounts, and networks without one: milliseconds of the service in the last one to two minutes; requests that wait. */
  readonly heaviest: readonly { readonly key: string; readonly ms: number; readonly waiting: number }[]
}
