import { table } from './table.ts'

/** A line of `refusals.tsv`: a request, and the error code that its operation returns. */
export interface RefusalCase {
  readonly operation: string
  readonly code: string
  readonly status: number
  readonly method: string
  readonly path: string
  readonly body: string
  /** Setup steps before the request, as words of test/service/api/world.ts. */
  readonly setup: string
}

const [, ...rows] = table('refusals.tsv')

const cases = rows.map(
  ([operation = '', code = '', status = '', method = '', path = '', body = '', setup = '']): RefusalCase => ({
    operation,
    code,
    status: Number(status),
    method,
    path,
    // A master file has lines; it stands on one line of the table.
    body: operation === 'importZone' ? body.replaceAll('\\n', '\n') : body,
    setup,
  }),
)

/** The code of an operation that has no refusals. */
const NONE = '-'

export const REFUSALS: readonly RefusalCase[] = cases.filter(({ code }) => code !== NONE)
/** Operations without refusals, each with a request that succeeds without credentials. */
export const NO_REFUSALS: readonly RefusalCase[] = cases.filter(({ code }) => code === NONE)
