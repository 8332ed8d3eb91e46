import { type Credentials, parseBasic } from '../../shared/base/secret.ts'
import { readQuery, type UpdateQuery } from '../../shared/protocol/update-query.ts'
import type { IncomingRequest } from '../http/request.ts'
import { namesOf } from './hosts.ts'

/** A request with its credentials and its query, each parsed once: the query of a wrong password never. */
export class ReadUpdate {
  readonly request: IncomingRequest
  /** Undefined without a valid Basic header. */
  readonly credentials: Credentials | undefined
  #query: UpdateQuery | undefined
  #names: readonly string[] | undefined

  constructor(request: IncomingRequest) {
    this.request = request
    this.credentials = parseBasic(request.authorization ?? '')
  }

  get query(): UpdateQuery {
    this.#query ??= readQuery(this.request.query)
    return this.#query
  }

  /** What it asks to update, in its order and in one spelling. */
  get names(): readonly string[] {
    this.#names ??= namesOf(this.query)
    return this.#names
  }

  /** Whether it may have more targets than a device has: many items, or one that is no host name, such as a group. */
  get isLong(): boolean {
    return this.request.query.length > MAX_SHORT_QUERY || this.names.some((name) => !name.includes('.'))
  }
}

/** In characters: the longest list that a client sends for twenty hostnames. */
const MAX_SHORT_QUERY = 2000
