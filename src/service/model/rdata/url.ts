import { ok } from '../../../shared/base/result.ts'
import { excerpt, malformed, type RdataParser } from './parse.ts'

/** An absolute http or https URL with a host and without credentials, parsed as in browsers (WHATWG URL). */
export function parseWebUrl(value: string): string | undefined {
  // A URL replaces half of a surrogate pair by U+FFFD.
  if (value.length > 2048 || /[\0-\x20\x7f]|\p{Surrogate}/u.test(value) || !URL.canParse(value))
    return undefined
  const url = new URL(value)
  const isWeb = (url.protocol === 'http:' || url.protocol === 'https:') && /^https?:\/\//i.test(value)
  return isWeb && url.hostname !== '' && url.username === '' && url.password === '' ? url.href : undefined
}

const parseUrl: RdataParser = (value) => {
  const url = parseWebUrl(value)
  return url === undefined
    ? malformed('urlRedirectMalformed', `${excerpt(value)} is not an absolute http or https URL`)
    : ok(url)
}

/** It is published as the addresses of the service, which redirects. */
export const urlRdata = { isTarget: true, parse: parseUrl } as const
