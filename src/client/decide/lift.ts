import { createHash } from 'node:crypto'
import type { ReplyWord } from '../../protocol/reply.ts'
import type { Stop } from './state.ts'

/** What a stop can be about; each is a fingerprint of the user's present settings. */
export interface Fingerprints {
  readonly credentials: string
  readonly agent: string
  readonly settings: string
}

/**
 * What, when it changes, lifts a stop; words that only the user's own word lifts are not listed. A changed list
 * of hostnames needs no row: a `nohost` is remembered at its hostname.
 */
const LIFTED_BY: { readonly [W in ReplyWord]?: keyof Fingerprints } = {
  nohost: 'credentials',
  badauth: 'credentials',
  badagent: 'agent',
  '!donator': 'settings',
}

export const aboutOf = (word: ReplyWord, now: Fingerprints): string => {
  const subject = LIFTED_BY[word]
  return subject === undefined ? '' : now[subject]
}

export const isLifted = (stop: Stop, now: Fingerprints): boolean => {
  const subject = LIFTED_BY[stop.because]
  return subject !== undefined && stop.about !== now[subject]
}

/** Tells whether settings changed without keeping them: 96 bits of a salted hash; the account is salt enough to keep two apart. */
export const fingerprint = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16)
