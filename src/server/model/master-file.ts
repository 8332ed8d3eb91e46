import { err, ok, type Result } from '../../base/result.ts'
import { APEX, canonicalName, fqdnOf, relativeTo } from './dns-name.ts'
import { type DnsType, isDnsType, RDATA_TYPES } from './rdata-values.ts'
import type { Name, Zone } from './tree.ts'

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

/** Types that are no types of DNS: name servers get comments, and an import reads them. */
const OWN_TYPES: readonly string[] = ['ALIAS', '_URL']
const OWN = ';holdfast '

/** The zone as a master file. The SOA is that of a primary that others may transfer from. */
export function formatMasterFile(
  { name: zone, serial, defaultTtl }: Pick<Zone, 'name' | 'serial' | 'defaultTtl'>,
  names: readonly Name[],
  nameservers: readonly string[],
): readonly string[] {
  const primary = canonicalName(nameservers[0] ?? `ns.${zone}`)
  const sorted = names.toSorted((a, b) =>
    a.name === APEX ? -1 : b.name === APEX ? 1 : a.name < b.name ? -1 : 1,
  )
  return [
    `$ORIGIN ${zone}.`,
    `$TTL ${defaultTtl}`,
    `@ 3600 IN SOA ${primary}. hostmaster.${zone}. ${serial} 3600 600 1209600 60`,
    ...sorted.flatMap(({ name, rrsets }) =>
      rrsets.flatMap(({ dnsType, ttl, rdata }) =>
        rdata.map(
          ({ value }) => `${OWN_TYPES.includes(dnsType) ? OWN : ''}${name} ${ttl} IN ${dnsType} ${value}`,
        ),
      ),
    ),
  ]
}

/** Which field of a value is a domain name, and so may be relative to the origin. */
const DOMAIN_FIELDS: Readonly<Record<string, number>> = {
  NS: 0,
  CNAME: 0,
  PTR: 0,
  ALIAS: 0,
  MX: 1,
  SVCB: 1,
  HTTPS: 1,
  SRV: 3,
  NAPTR: 5,
}

interface Reading {
  origin: string
  ttl: number | undefined
  owner: string | undefined
}

/** The records of a master file without its SOA; or every fault with its line. */
export function parseMasterFile(
  text: string,
  zone: string,
): Result<readonly MasterRecord[], readonly string[]> {
  const entries = entriesOf(text)
  if (!entries.ok) return err([entries.error])
  const reading: Reading = { origin: zone, ttl: undefined, owner: undefined }
  const records: MasterRecord[] = []
  const faults: string[] = []
  for (const entry of entries.value) {
    const record = recordOf(entry, zone, reading)
    if (!record.ok) faults.push(`line ${entry.line}: ${record.error}`)
    else if (record.value !== undefined) records.push(record.value)
  }
  return faults.length > 0 ? err(faults) : ok(records)
}

interface Entry {
  readonly tokens: readonly string[]
  readonly hasOwner: boolean
  readonly line: number
}

const TOKEN = /"(?:[^"\\]|\\[^])*"|[()]|;[^\n]*|(?:[^\s();"\\]|\\[^])+|"/g

/** Without the comment at the end. */
function tokensOf(line: string): readonly string[] {
  const tokens = [...line.matchAll(TOKEN)].map(([token]) => token)
  const end = tokens.findIndex((token) => token.startsWith(';'))
  return end < 0 ? tokens : tokens.slice(0, end)
}

const count = (tokens: readonly string[], what: string): number =>
  tokens.filter((token) => token === what).length

/** Logical lines: parentheses join lines, and comments end. */
function entriesOf(text: string): Result<readonly Entry[], string> {
  const entries: Entry[] = []
  let depth = 0
  let open: { tokens: string[]; hasOwner: boolean; line: number } | undefined
  for (const [at, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.startsWith(OWN) ? raw.slice(OWN.length) : raw
    open ??= { tokens: [], hasOwner: /^\S/.test(line), line: at + 1 }
    const tokens = tokensOf(line)
    if (tokens.includes('"')) return err(`line ${at + 1}: a quote is not closed`)
    depth += count(tokens, '(') - count(tokens, ')')
    open.tokens.push(...tokens.filter((token) => token !== '(' && token !== ')'))
    if (depth < 0) return err(`line ${at + 1}: a closing parenthesis without an opening one`)
    if (depth > 0) continue
    if (open.tokens.length > 0) entries.push(open)
    open = undefined
  }
  return depth > 0 ? err('a parenthesis is not closed') : ok(entries)
}

function recordOf(entry: Entry, zone: string, reading: Reading): Result<MasterRecord | undefined, string> {
  const [first = '', second = ''] = entry.tokens
  if (first.startsWith('$')) return directive(first.toUpperCase(), second, reading)
  const rest = [...entry.tokens]
  if (entry.hasOwner) reading.owner = absoluteName(rest.shift() ?? '', reading.origin)
  const { owner } = reading
  if (owner === undefined) return err('the first record has no owner name')
  const ttl = takeTtlAndClass(rest) ?? reading.ttl
  const dnsType = rest.shift()?.toUpperCase()
  if (dnsType === 'SOA') return ok(undefined)
  const name = relativeTo(owner, zone)
  if (name === undefined) return err(`${owner} is outside ${zone}`)
  if (dnsType === undefined || !isDnsType(dnsType))
    return err(`${dnsType ?? 'nothing'} is not a supported type`)
  const field = DOMAIN_FIELDS[dnsType]
  const fields = rest.map((token, at) =>
    at === field && token !== '.' ? `${absoluteName(token, reading.origin)}.` : token,
  )
  if (ttl !== undefined && ttl > MAX_TTL) return err(`the TTL ${ttl} is larger than ${MAX_TTL}`)
  const value = RDATA_TYPES[dnsType].parse(stringsQuoted(dnsType, fields).join(' '))
  return value.ok ? ok({ name, ttl, dnsType, value: value.value, line: entry.line }) : err(value.error.detail)
}

/** In seconds, as for records that the management API makes. */
const MAX_TTL = 604_800

/** Strings may stand without quotes, with the same escapes (RFC 1035 §5.1). */
const stringsQuoted = (dnsType: DnsType, fields: readonly string[]): readonly string[] =>
  fields.map((field, at) => {
    const isString = dnsType === 'TXT' || (dnsType === 'CAA' && at === 2)
    return isString && !field.startsWith('"') ? `"${field}"` : field
  })

function directive(name: string, argument: string, reading: Reading): Result<undefined, string> {
  if (name === '$ORIGIN') reading.origin = absoluteName(argument, reading.origin)
  else if (name === '$TTL') reading.ttl = seconds(argument)
  else return err(`${name} is not supported; write its records out`)
  return ok(undefined)
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
