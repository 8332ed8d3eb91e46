import { err, ok, type Result } from '../../base/result.ts'
import { familyOf, parseAddress } from '../../net/address.ts'
import type { ErrorName } from '../errors/errors.ts'
import { parseHost, parseTarget } from './dns-name.ts'

/** A fault of a value, with the error that its type has for it. */
export interface InvalidValue {
  readonly refused: Extract<
    ErrorName,
    'rdataMalformed' | 'cnameInvalid' | 'nsInvalid' | 'ptrInvalid' | 'aliasInvalid' | 'urlRedirectMalformed'
  >
  readonly detail: string
}

export interface RdataType {
  /** Whether a DDNS key may change it. */
  readonly isTarget: boolean
  /** Parses a value into its canonical form, in which it is stored, compared and shown. */
  readonly parse: (value: string) => Result<string, InvalidValue>
}

const malformed = (refused: InvalidValue['refused'], detail: string): Result<never, InvalidValue> =>
  err({ refused, detail })
const excerpt = (value: string): string => `'${value.slice(0, 60)}'`

const address =
  (family: 'v4' | 'v6', is: string): RdataType['parse'] =>
  (value) => {
    const parsed = parseAddress(value)
    return parsed === undefined || familyOf(parsed) !== family
      ? malformed('rdataMalformed', `${excerpt(value)} is not an ${is} address`)
      : ok(parsed)
  }

/** Canonical form: absolute, with the trailing dot (RFC 1035 §5.1). */
const domain =
  (refused: InvalidValue['refused'], parse: (text: string) => string | undefined): RdataType['parse'] =>
  (value) => {
    const name = parse(value)
    return name === undefined ? malformed(refused, `${excerpt(value)} is not a domain name`) : ok(`${name}.`)
  }

/** An absolute http or https URL with a host and without credentials, parsed as in browsers (WHATWG URL). */
export function parseWebUrl(value: string): string | undefined {
  if (value.length > 2048 || /[\0-\x20\x7f]/.test(value) || !URL.canParse(value)) return undefined
  const url = new URL(value)
  const isWeb = (url.protocol === 'http:' || url.protocol === 'https:') && /^https?:\/\//i.test(value)
  return isWeb && url.hostname !== '' && url.username === '' && url.password === '' ? url.href : undefined
}

const number = (text: string | undefined, max: number): number | undefined =>
  text !== undefined && /^\d{1,5}$/.test(text) && Number(text) <= max ? Number(text) : undefined

/** RFC 1035 §3.3.9; RFC 7505: "0 ." is the null MX. */
function parseMx(value: string): Result<string, InvalidValue> {
  const [preference, exchange, ...rest] = value.split(/[ \t]+/)
  const weight = number(preference, 65_535)
  const host = exchange === '.' && weight === 0 ? '' : parseHost(exchange ?? '')
  return weight === undefined || host === undefined || rest.length > 0
    ? malformed('rdataMalformed', `${excerpt(value)} is not "PREFERENCE HOST"`)
    : ok(`${weight} ${host}.`)
}

/** RFC 2782; the target "." means that the service is not available. */
function parseSrv(value: string): Result<string, InvalidValue> {
  const fields = value.split(/[ \t]+/)
  const numbers = fields.slice(0, 3).map((field) => number(field, 65_535))
  const target = fields[3] === '.' ? '' : parseTarget(fields[3] ?? '')
  return fields.length !== 4 || numbers.includes(undefined) || target === undefined
    ? malformed('rdataMalformed', `${excerpt(value)} is not "PRIORITY WEIGHT PORT TARGET"`)
    : ok(`${numbers.join(' ')} ${target}.`)
}

/** RFC 8659 §4.1.1: the tag has letters and digits, compared without case; the value is any quoted text. */
function parseCaa(value: string): Result<string, InvalidValue> {
  const [, flags, tag = '', rest = ''] = /^(\d{1,3})[ \t]+([a-z0-9]{1,255})[ \t]+(.*)$/is.exec(value) ?? []
  const strings = stringsOf(rest)
  return number(flags, 255) === undefined || strings?.length !== 1
    ? malformed('rdataMalformed', `${excerpt(value)} is not "FLAGS TAG "VALUE""`)
    : ok(`${Number(flags)} ${tag.toLowerCase()} ${quoted(strings[0] ?? new Uint8Array())}`)
}

const MAX_STRING_BYTES = 255
const MAX_RDATA_BYTES = 65_535

/** RFC 1035 §3.3.14: strings of at most 255 octets. Text without quotes is split into strings. */
function parseTxt(value: string): Result<string, InvalidValue> {
  const isQuoted = value.trimStart().startsWith('"')
  const strings = isQuoted ? stringsOf(value.trim()) : chunked(Buffer.from(value, 'utf8'))
  if (strings === undefined || strings.length === 0)
    return malformed('rdataMalformed', `${excerpt(value)} is neither text nor quoted strings`)
  if (strings.some((one) => one.length > MAX_STRING_BYTES))
    return malformed('rdataMalformed', 'a string is longer than 255 octets; split it')
  const total = strings.reduce((sum, one) => sum + one.length + 1, 0)
  return total > MAX_RDATA_BYTES
    ? malformed('rdataMalformed', 'the record is longer than 65535 octets')
    : ok(strings.map(quoted).join(' '))
}

const chunked = (bytes: Uint8Array): readonly Uint8Array[] =>
  Array.from({ length: Math.max(1, Math.ceil(bytes.length / MAX_STRING_BYTES)) }, (_, at) =>
    bytes.subarray(at * MAX_STRING_BYTES, (at + 1) * MAX_STRING_BYTES),
  )

/** Parses quoted strings (RFC 1035 §5.1): \X is X, \DDD is an octet. Undefined for any other text. */
function stringsOf(text: string): readonly Uint8Array[] | undefined {
  const strings: Uint8Array[] = []
  const pattern = /"((?:[^"\\]|\\\d{3}|\\\D)*)"|([^\s"\\]+)/suy
  let at = 0
  while (at < text.length) {
    pattern.lastIndex = at
    const [whole, inside, bare] = pattern.exec(text) ?? []
    if (whole === undefined) return undefined
    const octets = octetsOf(inside ?? bare ?? '')
    if (octets === undefined) return undefined
    strings.push(octets)
    at += whole.length
    const gap = /^\s*/.exec(text.slice(at))?.[0].length ?? 0
    if (gap === 0 && at < text.length) return undefined
    at += gap
  }
  return strings
}

function octetsOf(text: string): Uint8Array | undefined {
  const octets: number[] = []
  for (const [part] of text.matchAll(/\\\d{3}|\\.|[^\\]/gsu)) {
    const isDecimal = /^\\\d{3}$/.test(part)
    if (isDecimal && Number(part.slice(1)) > 255) return undefined
    if (isDecimal) octets.push(Number(part.slice(1)))
    else octets.push(...Buffer.from(part.startsWith('\\') ? part.slice(1) : part, 'utf8'))
  }
  return Uint8Array.from(octets)
}

/** Octets outside printable ASCII as \DDD, so that each value has one text. */
function quoted(octets: Uint8Array): string {
  const text = [...octets].map((octet) => {
    if (octet === 0x22 || octet === 0x5c) return `\\${String.fromCodePoint(octet)}`
    return octet < 0x20 || octet > 0x7e ? `\\${String(octet).padStart(3, '0')}` : String.fromCodePoint(octet)
  })
  return `"${text.join('')}"`
}

const parseUrl: RdataType['parse'] = (value) => {
  const url = parseWebUrl(value)
  return url === undefined
    ? malformed('urlRedirectMalformed', `${excerpt(value)} is not an absolute http or https URL`)
    : ok(url)
}

/** All supported types. Those that contain an address or a redirect may be the target of a DDNS key. */
// biome-ignore format: a table
export const RDATA_TYPES = {
  A:     { isTarget: true,  parse: address('v4', 'IPv4') },
  AAAA:  { isTarget: true,  parse: address('v6', 'IPv6') },
  _URL:  { isTarget: true,  parse: parseUrl },
  ALIAS: { isTarget: false, parse: domain('aliasInvalid', parseTarget) },
  CNAME: { isTarget: false, parse: domain('cnameInvalid', parseTarget) },
  NS:    { isTarget: false, parse: domain('nsInvalid', parseHost) },
  PTR:   { isTarget: false, parse: domain('ptrInvalid', parseHost) },
  TXT:   { isTarget: false, parse: parseTxt },
  MX:    { isTarget: false, parse: parseMx },
  SRV:   { isTarget: false, parse: parseSrv },
  CAA:   { isTarget: false, parse: parseCaa },
} as const satisfies Readonly<Record<string, RdataType>>

export type DnsType = keyof typeof RDATA_TYPES
export const isDnsType = (text: unknown): text is DnsType =>
  typeof text === 'string' && Object.hasOwn(RDATA_TYPES, text)
