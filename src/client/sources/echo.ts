import { seconds } from '../../base/time.ts'
import { type Family, familyOf, parseAddress } from '../../net/address.ts'
import { type RangeClass, isGlobal, specialRangeOf } from '../../net/special.ts'
import type { Http } from '../../ports/http.ts'
import type { Sighting } from '../../net/sighting.ts'
import type { AddressSource } from './source.ts'

export interface Echo {
  /** Without fragment. */
  readonly url: string
  /** The member of a JSON object that holds the address; without it, the whole body is the address. */
  readonly field?: string
}

/** An address and some white space; a body of more bytes than this is something else. */
const LONGEST_BODY = 4096

/** Asks a service that answers with nothing but the caller's address. */
export function echoSource({ url, field }: Echo, http: Http, asking: Asking): AddressSource {
  return {
    name: url,
    async look(family, signal) {
      if (literalOf(url) !== undefined && literalOf(url) !== family)
        return unknown(`is an ${NAMES[literalOf(url) ?? family]} address`)
      const headers = {
        'user-agent': asking.agent,
        accept: field === undefined ? 'text/plain' : 'application/json',
      }
      const request = { url, headers, family, longestBody: LONGEST_BODY }
      const answer = await http({ ...request, connectWithin: seconds(4), answerWithin: seconds(8) }, signal)
      if (answer.kind === 'unreached') return unknown(`not reached (${answer.stage}: ${answer.because})`)
      if (answer.status !== 200) return unknown(`answered HTTP ${answer.status}`)
      if (answer.body.length > LONGEST_BODY) return unknown('answered with more than 4 KiB')
      return judged(valueOf(answer.body, field), family, url, asking.allowed)
    },
  }
}

export interface Asking {
  readonly agent: string
  readonly allowed: readonly RangeClass[]
}

const NAMES = { v4: 'IPv4', v6: 'IPv6' } as const

const unknown = (because: string): Sighting => ({ kind: 'unknown', because })

function judged(
  text: string | undefined,
  family: Family,
  by: string,
  allowed: readonly RangeClass[],
): Sighting {
  const address = parseAddress(text ?? '')
  if (address === undefined) return unknown('did not answer with an address')
  if (familyOf(address) !== family) return unknown('answered in the other family')
  if (!isGlobal(address, allowed))
    return unknown(`answered with ${address}, which is no public address (${specialRangeOf(address)})`)
  return { kind: 'seen', address, by }
}

function valueOf(body: string, field: string | undefined): string | undefined {
  if (field === undefined) return body.trim()
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
