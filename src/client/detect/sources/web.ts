import { seconds } from '../../../shared/base/time.ts'
import type { SourceSpecOf } from './spec.ts'
import { FAMILIES, type Family, FAMILY_NAMES, familyOf, parseAddress } from '../../../shared/base/address.ts'
import type { Sighting } from '../../../shared/base/sighting.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import { type AddressSource, NO_COOLDOWN } from './source.ts'
import { noSourceAddress, unknown, validated } from './validate.ts'

/** Enough for an address and white space; a longer body is something else. */
const MAX_BODY_BYTES = 4096

/** Cloudflare answers with lines of key=value; `ip` is the client's address. */
const TRACE_PATH = '/cdn-cgi/trace'

/**
 * Requests a URL whose body is the client's address: plain text, a member of
 * a JSON object, or a key of a Cloudflare trace.
 */
export function webSource(
  spec: Omit<SourceSpecOf<'web'>, 'kind'>,
  { http }: Pick<SourcePorts, 'http'>,
  options: QueryOptions,
): AddressSource {
  const { url } = spec
  const literal = literalOf(url)
  const field = spec.field ?? (isTrace(url) ? 'ip' : undefined)
  return {
    name: url,
    operator: options.operator ?? new URL(url).hostname,
    vantage: 'outside',
    ...(url.startsWith('http:') && { path: 'HTTP' }),
    families: literal === undefined ? FAMILIES : [literal],
    cooldown: NO_COOLDOWN,
    async look(family, signal): Promise<Sighting> {
      if (literal !== undefined && literal !== family)
        return unknown(`is an ${FAMILY_NAMES[literal]} address`)
      const from = await options.from?.(family)
      if (from === 'none') return noSourceAddress(family)
      const answer = await http(
        {
          url,
          headers: { 'user-agent': options.userAgent, accept: acceptOf(url, field) },
          family,
          maxBodyBytes: MAX_BODY_BYTES,
          connectTimeout: seconds(4),
          responseTimeout: seconds(8),
          ...(from !== undefined && { from }),
        },
        signal,
      )
      if (answer.kind === 'unreached') return unknown(`not reached (${answer.stage}: ${answer.because})`)
      if (answer.status !== 200) return refusedWith(answer.status)
      if (HTML.test(answer.body)) return { kind: 'unknown', because: 'answered with a page', isPage: true }
      if (answer.body.length > MAX_BODY_BYTES) return unknown('answered with more than 4 KiB')
      const address = parseAddress(valueOf(answer.body, url, field) ?? '')
      return validated(address, { family, by: url, allowed: options.allowed, sent: answer.sent })
    },
  }
}

const acceptOf = (url: string, field: string | undefined): string =>
  field === undefined || isTrace(url) ? 'text/plain' : 'application/json'
const isTrace = (url: string): boolean => new URL(url).pathname === TRACE_PATH

const HTML = /^\s*<(!doctype|html|head|\?xml)/i

/**
 * RFC 9110 §15.5.4, RFC 6585 §4: the service blocks this client or its rate. A captive portal redirects, or answers with 511
 * (RFC 6585 §6).
 */
const refusedWith = (status: number): Sighting => ({
  kind: 'unknown',
  because: `answered HTTP ${status}`,
  ...((status === 403 || status === 429) && { isRefusal: true }),
  ...(((status >= 300 && status < 400) || status === 511) && { isPage: true }),
})

function valueOf(body: string, url: string, field: string | undefined): string | undefined {
  if (field === undefined) return body.trim()
  if (isTrace(url)) return new RegExp(`^${field.replace(/\W/g, '')}=(.*)$`, 'm').exec(body)?.[1]?.trim()
  try {
    const value: unknown = JSON.parse(body)
    const isRecord = typeof value === 'object' && value !== null && Object.hasOwn(value, field)
    const member: unknown = isRecord ? (value as Record<string, unknown>)[field] : undefined
    return typeof member === 'string' ? member : undefined
  } catch {
    return undefined
  }
}

/** The family of a URL whose host is an address literal; the other family cannot reach it. */
function literalOf(url: string): Family | undefined {
  const address = parseAddress(new URL(url).hostname.replace(/^\[|\]$/g, ''))
  return address === undefined ? undefined : familyOf(address)
}
