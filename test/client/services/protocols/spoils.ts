import type { HttpOutcome } from '../../../../src/shared/ports/http.ts'

/** Takes the answer of the service, and gives what arrives in its place. */
export type Spoil = (answered: HttpOutcome, nth: number) => HttpOutcome

export const answer = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): HttpOutcome => ({ kind: 'answered', status, headers, body })

// biome-ignore format: a table
const all = {
  '429 with Retry-After': () => answer(429, 'slow down', { 'retry-after': '120' }),
  '429 without it':       () => answer(429, ''),
  '500':                  () => answer(500, 'Internal Server Error'),
  '503 with a page':      () => answer(503, '<html><h1>503 Service Temporarily Unavailable</h1></html>'),
  'a page of a portal':   () => answer(200, '<!doctype html><html><body>OK, please log in</body></html>'),
  'a redirect elsewhere': () => answer(302, '', { location: 'https://portal.example/' }),
  'nothing':              () => answer(200, ''),
  'an unknown 4xx':       () => answer(418, 'I am a teapot'),
  'a reset':              () => ({ kind: 'unreached', stage: 'exchange', because: 'reset' }),
  'a silence':            () => ({ kind: 'unreached', stage: 'time-out', because: 'silent' }),
  'a cut':                (answered) => ({ ...(answered as object), isCut: true }) as HttpOutcome,
} as const satisfies Readonly<Record<string, Spoil>>

export const SPOILS: Readonly<Record<keyof typeof all, Spoil>> = all
