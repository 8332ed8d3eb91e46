import { err, ok, type Result } from '../../../shared/base/result.ts'
import { APEX, canonicalName, fqdnOf, relativeTo } from '../dns-name.ts'
import { entriesOf, type Entry, type MasterFault, type MasterFaultName } from './entries.ts'
import { octetsOf } from '../rdata/strings.ts'
import { type DnsType, isDnsType, nameFieldOf, RDATA_TYPES } from '../rdata/types.ts'

/** One record of a master file (RFC 1035 §5.1), with the number of its line. */
export interface MasterRecord {
  /** Relative to the zone. */
  readonly name: string
  readonly ttl: number | undefined
  readonly dnsType: DnsType
  /** In canonical form. */
  readonly value: string
  readonly line: number
}

interface Reading {
  origin: string
  /** Of $TTL (RFC 2308 §4). */
  defaultTtl: number | undefined
  /** The last one of a record: it counts for the next ones where there is no $TTL (RFC 1035 §5.1). */
  lastTtl: number | undefined
  owner: string | undefined
}

/**
 * The records of a master file without its SOA, and every fault with its line. A line without a record gives undefined: a
 * reader of a long file may pause after any line.
 */
export function* masterRecords(
  lines: Iterable<string>,
  zone: string,
): Generator<MasterRecord | MasterFault | undefined> {
  const reading: Reading = { origin: zone, defaultTtl: undefined, lastTtl: undefined, owner: undefined }
  for (const entry of entriesOf(lines)) {
    if ('refused' in entry) yield entry
    else if (entry.tokens.length === 0) yield undefined
    else {
      const record = recordOf(entry, zone, reading)
      yield record.ok ? record.value : { line: entry.line, ...record.error }
    }
  }
}

/** All of them; or every fault. */
export function parseMasterFile(
  lines: Iterable<string>,
  zone: string,
): Result<readonly MasterRecord[], readonly MasterFault[]> {
  const faults: MasterFault[] = []
  const records: MasterRecord[] = []
  for (const one of masterRecords(lines, zone))
    if (one !== undefined && 'refused' in one) faults.push(one)
    else if (one !== undefined) records.push(one)
  return faults.length > 0 ? err(faults.toSorted((a, b) => a.line - b.line)) : ok(records)
}

type RecordFault = Omit<MasterFault, 'line'>
const fault = (refused: MasterFaultName, detail: string) => err({ refused, detail })

function recordOf(
  entry: Entry,
  zone: string,
  reading: Reading,
): Result<MasterRecord | undefined, RecordFault> {
  const [first = '', second = ''] = entry.tokens
  if (first.startsWith('$')) return directive(first.toUpperCase(), second, reading)
  const rest = [...entry.tokens]
  if (entry.hasOwner) reading.owner = absoluteName(rest.shift() ?? '', reading.origin)
  const { owner } = reading
  if (owner === undefined) return fault('nameInvalid', 'the first record has no owner name')
  if (owner.length > MAX_NAME) return fault('nameInvalid', tooLong(owner))
  const stated = takeTtlAndClass(rest)
  const dnsType = rest.shift()?.toUpperCase()
  const ttl = stated ?? reading.defaultTtl ?? reading.lastTtl
  // As BIND does: without any TTL, the minimum of the SOA counts.
  reading.lastTtl = ttl ?? (dnsType === 'SOA' ? seconds(rest[SOA_MINIMUM] ?? '') : undefined)
  const name = relativeTo(owner, zone)
  if (name === undefined) return fault('nameInvalid', `${cut(owner)} is outside ${zone}`)
  if (dnsType === 'SOA')
    return name === APEX
      ? ok(undefined)
      : fault('typeUnsupported', `${cut(owner)} has an SOA: it is another zone`)
  if (dnsType === undefined || !isDnsType(dnsType))
    return fault('typeUnsupported', `${cut(dnsType ?? 'nothing')} is not a supported type`)
  if (ttl !== undefined && ttl > MAX_TTL)
    return fault('ttlInvalid', `the TTL ${ttl} is larger than ${MAX_TTL}`)
  const value = RDATA_TYPES[dnsType].parse(valueOf(dnsType, rest, reading.origin))
  return value.ok ? ok({ name, ttl, dnsType, value: value.value, line: entry.line }) : value
}

/** In characters: the 253 of the longest name, each of which may be written as \DDD. */
const MAX_NAME = 4 * 253
const cut = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)
const tooLong = (name: string): string => `${cut(name)} is longer than a domain name can be`

/** The place of the field (RFC 1035 §3.3.13). */
const SOA_MINIMUM = 6
/** In seconds, as for records that the management API makes. */
const MAX_TTL = 604_800

/** The fields as the parser of the type expects them. */
function valueOf(dnsType: DnsType, tokens: readonly string[], origin: string): string {
  // A name may be relative to the origin.
  const field = nameFieldOf(dnsType)
  const hasKeys = dnsType === 'HTTPS' || dnsType === 'SVCB'
  const fields = (hasKeys ? tokens : tokens.flatMap(partsOf)).map((token, at) =>
    at === field && token !== '.' ? `${absoluteName(token, origin)}.` : token,
  )
  if (dnsType === '_URL') return fields.map(unescaped).join(' ')
  return stringsQuoted(dnsType, fields).join(' ')
}

/** KEY="VALUE" is one token of SVCB and HTTPS alone; elsewhere a quote begins a string. */
function partsOf(token: string): readonly string[] {
  const [, key, value] = /^((?:[^"\\]|\\[^])+)("[^]*")$/.exec(token) ?? []
  return key === undefined || value === undefined ? [token] : [key, value]
}

/** A string of octets as text, with or without quotes. What is no octet stays, and the parser of the type refuses it. */
function unescaped(field: string): string {
  const octets = octetsOf(field.replace(/^"([^]*)"$/, '$1'))
  return octets === undefined ? field : Buffer.from(octets).toString('utf8')
}

/** Strings may stand without quotes, with the same escapes (RFC 1035 §5.1). */
const stringsQuoted = (dnsType: DnsType, fields: readonly string[]): readonly string[] =>
  fields.map((field, at) => {
    const isString = dnsType === 'TXT' || (dnsType === 'CAA' && at === 2)
    return isString && !field.startsWith('"') ? `"${field}"` : field
  })

function directive(name: string, argument: string, reading: Reading): Result<undefined, RecordFault> {
  if (name !== '$ORIGIN' && name !== '$TTL')
    return fault('rdataMalformed', `${cut(name)} is not supported; write its records out`)
  if (argument === '') return fault('rdataMalformed', `${name} has no value`)
  if (name === '$ORIGIN') {
    const origin = absoluteName(argument, reading.origin)
    // Each origin is relative to the one before: without a limit, the work would grow with its square.
    if (origin.length > MAX_NAME) return fault('nameInvalid', tooLong(origin))
    reading.origin = origin
    return ok(undefined)
  }
  reading.defaultTtl = seconds(argument)
  return reading.defaultTtl === undefined
    ? fault('ttlInvalid', `$TTL ${cut(argument)} is not a number of seconds, nor a time such as 1h30m`)
    : ok(undefined)
}

/** In any order before the type (RFC 1035 §5.1). */
function takeTtlAndClass(tokens: string[]): number | undefined {
  let ttl: number | undefined
  for (;;) {
    const [token = ''] = tokens
    const found = seconds(token)
    if (found !== undefined) ttl = found
    else if (token.toUpperCase() !== 'IN') return ttl
    tokens.shift()
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }

/** "3600", and "1h30m" as BIND writes it. */
function seconds(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text)
  if (!/^(\d+[smhdw])+$/i.test(text)) return undefined
  const parts = [...text.toLowerCase().matchAll(/(\d+)([smhdw])/g)]
  return parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (UNITS[unit] ?? 1), 0)
}

const absoluteName = (text: string, origin: string): string => {
  if (text === APEX) return origin
  return text.endsWith('.') ? canonicalName(text) : canonicalName(fqdnOf(text, origin))
}
