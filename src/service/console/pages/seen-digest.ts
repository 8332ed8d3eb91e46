import { createHash } from 'node:crypto'

/** A short text of what a person has seen before a press; with another one, something has changed meanwhile. */
export const seenDigest = (seen: unknown): string =>
  createHash('sha256').update(JSON.stringify(seen)).digest('base64url').slice(0, 22)

/** Whether something has changed since a form was made with this digest in it. */
export const isOtherSince = (sent: URLSearchParams, seen: unknown): boolean => {
  const digest = sent.get('seen')
  return digest !== null && digest !== seenDigest(seen)
}
