import type { Duration } from '../../shared/base/time.ts'
import type { Family } from '../../shared/base/address.ts'
import type { RequestForm } from '../../shared/protocol/request.ts'
import { actionOf, LIFTS, type ReplyWord, type ServiceNouns } from '../../shared/protocol/reply.ts'
import { createHash } from 'node:crypto'
import type { Stop } from './state.ts'

/** Fingerprints of the user's present settings: a stop is lifted when the one of its kind changes. */
interface Fingerprints {
  readonly credentials: string
  readonly agent: string
  readonly settings: string
}

const fingerprintFor = (word: ReplyWord): keyof Fingerprints | undefined => {
  const action = actionOf(word)
  return action.kind === 'stop' ? LIFTS[action.liftedBy].fingerprint : undefined
}

/** The fingerprint that a stop by this word is stored with; empty where only `holdfast resume` lifts it. */
export const aboutOf = (word: ReplyWord, now: Fingerprints): string => {
  const key = fingerprintFor(word)
  return key === undefined ? '' : now[key]
}

export const isLifted = (stop: Stop, now: Fingerprints): boolean => {
  const key = fingerprintFor(stop.because)
  return key !== undefined && stop.about !== now[key]
}

/** Detects a change of settings without storing them: 96 bits of a hash; the account is part of the hash, as a salt. */
export const fingerprint = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16)

/** The configuration of one account, as far as decisions depend on it. */
export interface DesiredState {
  /** The account key: server and username. */
  readonly account: string
  /** The key that it has without its name, where the service takes no username: its state is there before it gets one. */
  readonly namelessKey?: string
  /** The configured name. */
  readonly name?: string
  readonly hostnames: readonly string[]
  readonly families: readonly Family[]
  /** The service takes the address of the connection (`myip = "connection"`). */
  readonly reliesOnConnection: boolean
  readonly isOffline: boolean
  readonly nohostStops: 'account' | 'hostname'
  /** Zero: never. */
  readonly refreshAfter: Duration
  /** The number of service endpoints, which are tried in turn. */
  readonly endpointCount: number
  readonly form: RequestForm
  /** The maximum number of hostnames in one request; without it, see `batchOf`. */
  readonly batch?: number
  /** The maximum number of requests in five minutes. */
  readonly pace: number
  readonly fingerprints: Fingerprints
  /** What things are called at the service; without it, as in the specification. */
  readonly nouns?: ServiceNouns
  /** What the user may do if the service is not reached. */
  readonly ifUnreached?: string
}
