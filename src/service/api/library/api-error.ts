/** One reason why the service refused a request, as the schema Error of the OpenAPI document. */
export interface ApiRefusal {
  readonly id: string
  readonly code: string
  readonly title: string
  readonly detail?: string
  readonly location?: string
  readonly pointer?: string
}

/** An answer that is no success. */
interface FailedAnswer {
  readonly operation: string
  readonly status: number
  /** Empty where the answer is not of the API, such as that of a proxy. */
  readonly errors: readonly ApiRefusal[]
  /** In seconds. */
  readonly retryAfter: number | undefined
}

/** Why a call failed: `errors` are all reasons of the service. The message has the first one. */
export class HoldfastApiError extends Error {
  override readonly name = 'HoldfastApiError'
  readonly operation: string
  readonly status: number
  readonly errors: readonly ApiRefusal[]
  readonly retryAfter: number | undefined

  constructor({ operation, status, errors, retryAfter }: FailedAnswer) {
    super(`${operation}: ${status} ${reasonOf(errors[0])}`)
    this.operation = operation
    this.status = status
    this.errors = errors
    this.retryAfter = retryAfter
  }
}

function reasonOf(error: ApiRefusal | undefined): string {
  if (error === undefined) return 'is no answer of the API'
  const { code, title, detail, location, pointer } = error
  const place = [location, pointer].filter((one) => one !== undefined).join(' ')
  return `${code} ${title}${detail === undefined ? '' : `: ${detail}`}${place === '' ? '' : ` (${place})`}`
}
