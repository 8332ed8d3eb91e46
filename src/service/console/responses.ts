import { createHash } from 'node:crypto'
import { PAGE_HEADERS } from '../../shared/html/html.ts'
import type { Secret } from '../../shared/base/secret.ts'
import { isNotModified } from '../api/answer/entity-tag.ts'
import type { Session } from '../auth/sessions.ts'
import type { IncomingRequest, OutgoingResponse } from '../http/request.ts'
import { formToken } from './access.ts'
import { type Asset, STYLESHEET } from './assets.ts'
import type { ConsoleResult, ShownPage } from './context.ts'
import { documentOf } from './layout.ts'
import type { Words } from './words/words.ts'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The only policy of the script.
  'trusted-types page',
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  ...PAGE_HEADERS,
}

type MoreHeaders = Readonly<Record<string, string>>

export const plainResponse = (status: number, text: string, more: MoreHeaders = {}): OutgoingResponse => ({
  status,
  headers: { ...HEADERS, 'content-type': 'text/plain; charset=utf-8', ...more },
  body: `${text}\n`,
})

export const seeOther = (location: string, more: MoreHeaders = {}): OutgoingResponse =>
  plainResponse(303, 'see another page', { location, ...more })

/** Its name has its content, so it never changes. */
export const assetResponse = ({ type, text }: Asset): OutgoingResponse => ({
  status: 200,
  headers: { ...HEADERS, 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' },
  body: text,
})

/** The browser of a person who is signed in. */
export interface Person {
  readonly secret: Secret
  readonly session: Session
}

/** Who reads a page, and in which language. */
export interface Reader {
  readonly request: IncomingRequest
  readonly words: Words
  readonly script: Asset
  readonly person?: Person
}

/** A query, so that no page has to know of another one. */
const SAVED = 'saved=yes'
export const savedPath = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}${SAVED}`

export function resultResponse(reader: Reader, result: ConsoleResult): OutgoingResponse {
  if ('see' in result) return seeOther(result.isSaved === true ? savedPath(result.see) : result.see)
  if (!('file' in result)) return documentResponse(reader, result)
  const name = result.file.replaceAll(/[^\w.-]/g, '_')
  return {
    status: 200,
    headers: {
      ...HEADERS,
      'content-type': result.type,
      'content-disposition': `attachment; filename="${name}"`,
    },
    body: result.text,
  }
}

/** The page of a request, with its query. */
export const backOf = ({ path, query }: IncomingRequest): string => (query === '' ? path : `${path}?${query}`)

/** With an entity tag, so that a page that asks whether it has changed gets little. */
export function documentResponse(
  { request, words, script, person }: Reader,
  page: ShownPage,
): OutgoingResponse {
  const { title, main, status = 200, retryAfter, isPending = false, hasFocus = false } = page
  const body = documentOf({
    title,
    main,
    isPending,
    words,
    account: person?.session.caller.account.name,
    hasPlaces: person?.session.needsFactor === false && !person.session.lacksFactor,
    isScoped: person?.session.isScoped === true,
    isOperator:
      person?.session.caller.account.isOperator === true && person.session.caller.apiKeyId === undefined,
    path: request.path,
    isAnswer: request.method === 'POST',
    isFocused: request.method === 'POST' && !hasFocus,
    isSaved: request.query.split('&').includes(SAVED),
    back: backOf(request),
    token: person === undefined ? '' : formToken(person.secret, person.session.caller.account.id),
    style: STYLESHEET.path,
    script: script.path,
  })
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const headers = {
    ...HEADERS,
    'content-type': 'text/html; charset=utf-8',
    etag,
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  }
  if (status === 200 && request.method !== 'POST' && isNotModified(request.ifNoneMatch, etag))
    return { status: 304, headers, body: '' }
  return { status, headers, body }
}
