import { type Duration, seconds } from '../../base/time.ts'
import { FAMILIES, type Family, familyOf, parseAddress } from '../../net/address.ts'
import type { Sighting } from '../../net/sighting.ts'
import type { QueryOptions, SourcePorts } from './ports.ts'
import { type AddressSource, NO_COOLDOWN } from './source.ts'
import { unknown, validated } from './validate.ts'

export interface WebSourceSpec {
  /** Without fragment. */
  readonly url: string
  /** The member of a JSON object, or the key of a Cloudflare trace, that holds the address; without it, the whole body does. */
  readonly field?: string
  readonly operator?: string
  readonly families?: readonly Family[]
  readonly cooldown?: Duration
}

/** An address and some white space; a body of more bytes than this is something else. */
const LONGEST_BODY = 4096

/** Cloudflare's own way of telling who asks: lines of key=value. */
const TRACE_PATH = '/cdn-cgi/trace'

/** Asks a service that answers with nothing but the caller's address. */
export function webSource(
  echo: WebSourceSpec,
  http: SourcePorts['http'],
  asking: QueryOptions,
): AddressSource {
  const { url, cooldown = NO_COOLDOWN } = echo
  const literal = literalOf(url)
  const field = echo.field ?? (new URL(url).pathname === TRACE_PATH ? 'ip' : undefined)
  return {
    name: url,
    operator: echo.operator ?? new URL(url).hostname,
    vantage: 'outside',
    families: literal === undefined ? (echo.families ?? FAMILIES) : [literal],
    cooldown: cooldown,
    async look(family, signal): Promise<Sighting> {
      if (literal !== undefined && literal !== family) return unknown(`is an ${NAMES[literal]} address`)
      const from = await asking.from?.(family)
      const headers = { 'user-agent': asking.userAgent, accept: acceptOf(url, field) }
      const request = {
        url,
        headers,
        family,
        maxBodyBytes: LONGEST_BODY,
        ...(from !== undefined && { from }),
      }
      const answer = await http(
        { ...request, connectTimeout: seconds(4), responseTimeout: seconds(8) },
        signal,
      )
      if (answer.kind === 'unreached') return unknown(`not reached (${answer.stage}: ${answer.because})`)
      if (answer.status !== 200) return refusal(answer.status)
      if (answer.body.length > LONGEST_BODY) return unknown('answered with more than 4 KiB')
      return validated(parseAddress(valueOf(answer.body, url, field) ?? ''), family, url, asking.allowed)
    },
  }
}

const NAMES = { v4: 'IPv4', v6: 'IPv6' } as const

const acceptOf = (url: string, field: string | undefined): string =>
  field === undefined || isTrace(url) ? 'text/plain' : 'application/json'
const isTrace = (url: string): boolean => new URL(url).pathname === TRACE_PATH

/** RFC 9110 §15.5.4, RFC 6585 §4: it does not want us, or not so often. */
const refusal = (status: number): Sighting => ({
  ...unknown(`answered HTTP ${status}`),
  ...((status === 403 || status === 429) && { isRefusal: true }),
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

/** The family of a URL whose host is an address: it cannot be asked over the other one. */
function literalOf(url: string): Family | undefined {
  const address = parseAddress(new URL(url).hostname.replace(/^\[|\]$/g, ''))
  return address === undefined ? undefined : familyOf(address)
}
