import type { ErrorName } from '../../model/errors.ts'
import type { TrailChange } from '../../model/trail.ts'
import type { Store, StoreWrites } from '../../store/store.ts'
import type { HandlerResult } from '../request/context.ts'
import type { RequestFaultName } from '../request/faults.ts'

class Undone extends Error {}

/** Does the work in a transaction that is rolled back, and resolves with its result (decision 0057). */
export async function undone<T>(store: Store, work: (w: StoreWrites) => Promise<T>): Promise<T> {
  let done: { readonly value: T } | undefined
  try {
    await store.write(async (w) => {
      done = { value: await work(w) }
      throw new Undone()
    })
  } catch (error) {
    if (!(error instanceof Undone)) throw error
  }
  if (done === undefined) throw new Error('a transaction that was not begun ended')
  return done.value
}

/** Passwords, keys and links that were made and are not stored. */
const SECRETS: ReadonlySet<string> = new Set(['password', 'key', 'secret', 'link'])

/** The answer to `dry_run=true`: that of the change, without secrets, and with what would change. */
export function previewOf<R extends ErrorName>({
  result,
  changes,
}: {
  readonly result: HandlerResult<R, RequestFaultName>
  readonly changes: readonly TrailChange[]
}): HandlerResult<R, RequestFaultName> {
  if (!('status' in result)) return result
  const { data, later: _, headers: __, ...rest } = result
  return { ...rest, ...(data !== undefined && { data: withoutSecrets(data) }), changes }
}

const withoutSecrets = (data: unknown): unknown =>
  typeof data === 'object' && data !== null && !Array.isArray(data)
    ? Object.fromEntries(Object.entries(data).filter(([name]) => !SECRETS.has(name)))
    : data
