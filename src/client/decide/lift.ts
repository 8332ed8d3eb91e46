import { createHash } from 'node:crypto'
import { actionOf, LIFTS, type ReplyWord } from '../../shared/protocol/reply.ts'
import type { Stop } from './state.ts'

/** Fingerprints of the user's present settings: a stop is lifted when the one of its kind changes. */
export interface Fingerprints {
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
