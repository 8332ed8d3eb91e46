import { table } from './table.ts'

/** One request and the code that its operation refuses it with: a line of `refusals.tsv`. */
export interface RefusalCase {
  readonly operation: string
  readonly code: string
  readonly status: number
  readonly method: string
  readonly path: string
  readonly body: string
  /** What is prepared before the request, as words of `api-world.ts`. */
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
    body,
    setup,
  }),
)

/** Stands for the code of an operation that refuses nothing. */
const NONE = '-'

export const REFUSALS: readonly RefusalCase[] = cases.filter(({ code }) => code !== NONE)
/** Operations that refuse nothing, each with a request that succeeds without credentials. */
export const NO_REFUSALS: readonly RefusalCase[] = cases.filter(({ code }) => code === NONE)
