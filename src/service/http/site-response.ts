import { createHash } from 'node:crypto'
import { escapeMarkup } from '../../shared/html/html.ts'
import type { OutgoingResponse } from './request.ts'

/** The texts of an offline page. Users of the service write them, so none is markup. */
interface PageTexts {
  readonly title: string
  readonly message?: string
  /** An absolute http or https URL. */
  readonly logo_url?: string
  readonly email?: string
}

/** In seconds: a redirect can change with the next update. */
const REDIRECT_MAX_AGE = 60

const STYLE = `body{font:1.1em/1.5 system-ui,sans-serif;margin:0;display:grid;min-height:100vh;place-items:center;
color:#222;background:#f7f7f7}
main{max-width:36em;padding:2em;text-align:center}img{max-width:100%;max-height:8em}p{white-space:pre-line}a{color:inherit}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}}`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/** A host may contain the separators of policies, which a source cannot contain: such a logo is not loaded. */
const sourceOf = (url: string): string => new URL(url).origin.replaceAll(/[;,]/g, encodeURIComponent)

/** No script, nothing from elsewhere but the logo, in no frame (CSP Level 3). */
const policyFor = (logo: string | undefined): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    ...(logo === undefined ? [] : [`img-src ${sourceOf(logo)}`]),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const SAFE = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' } as const

/** RFC 9110 §15.4.3, §15.4.8: a POST is repeated as a POST. */
export const redirectResponse = (method: string, url: string): OutgoingResponse => ({
  status: method === 'GET' || method === 'HEAD' ? 302 : 307,
  headers: { location: url, 'cache-control': `max-age=${REDIRECT_MAX_AGE}`, ...SAFE },
  body: '',
})

/** 503: the site is not there now, and search engines keep what they know (RFC 9110 §15.6.4). */
export const pageResponse = ({ title, message, logo_url: logo, email }: PageTexts): OutgoingResponse => ({
  status: 503,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyFor(logo),
    'cache-control': 'no-store',
    'retry-after': String(REDIRECT_MAX_AGE),
    ...SAFE,
  },
  body: [
    '<!doctype html>',
    '<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${escapeMarkup(title)}</title><style>${STYLE}</style></head><body><main>`,
    ...(logo === undefined ? [] : [`<img src="${escapeMarkup(logo)}" alt="">`]),
    `<h1>${escapeMarkup(title)}</h1>`,
    ...(message === undefined ? [] : [`<p>${escapeMarkup(message)}</p>`]),
    ...(email === undefined
      ? []
      : [`<p><a href="mailto:${escapeMarkup(encodeURI(email))}">${escapeMarkup(email)}</a></p>`]),
    '</main></body></html>',
    '',
  ].join('\n'),
})
