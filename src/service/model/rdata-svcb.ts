import { err, ok, type Result } from '../../shared/base/result.ts'
import { canonicalName, wireLength } from './dns-name.ts'
import { nameField, numberField } from './rdata-fields.ts'
import { octetsOf } from './rdata-strings.ts'
import {
  ALPN_KEY,
  MANDATORY_KEY,
  NO_DEFAULT_ALPN_KEY,
  svcParamCodec,
  svcParamName,
  svcParamNumber,
} from './rdata-svcparams.ts'
import { excerpt, joinFields, malformed, notOfForm, type RdataParser, withinRecord } from './rdata-type.ts'

interface SvcParam {
  readonly key: number
  /** Canonical presentation: key or key=value. */
  readonly text: string
  /** Canonical value without the key. */
  readonly value: string
  /** On the wire, without key and length. */
  readonly wire: string
}

/** RFC 9460 §2.1: SVCB and HTTPS have one format. The canonical form has its parameters in ascending order of keys. */
export const parseSvcb: RdataParser = (value) => {
  const [, priority, target, rest = ''] = /^(\S+)[ \t]+(\S+)(?:[ \t]+(.*))?$/s.exec(value.trim()) ?? []
  if (target === undefined) return notOfForm(value, 'PRIORITY TARGET [KEY[=VALUE] …]')
  const head = joinFields([
    numberField({ name: 'priority', max: 65_535 }, priority),
    nameField('target', target),
  ])
  if (!head.ok) return head
  const params = paramsIn(rest)
  if (!params.ok) return malformed('rdataMalformed', params.error)
  const sorted = params.value.toSorted((a, b) => a.key - b.key)
  const fault = setFault(sorted, Number(priority) === 0)
  if (fault !== undefined) return malformed('rdataMalformed', fault)
  const targetLength = target === '.' ? 1 : wireLength(canonicalName(target))
  const total = sorted.reduce((sum, { wire }) => sum + 4 + wire.length, 2 + targetLength)
  return withinRecord(total, [head.value, ...sorted.map(({ text }) => text)].join(' '))
}

/** The parameters of a canonical value on the wire (RFC 9460 §2.2): keys with the octets of their values, as ISO 8859-1. */
export const svcParamsOf = (value: string): readonly (readonly [key: number, wire: string])[] => {
  const params = paramsIn(value.split(' ').slice(2).join(' '))
  return params.ok ? params.value.map(({ key, wire }) => [key, wire] as const) : []
}

/** RFC 9460 appendix A: key, key=value or key="value"; in a value, \X is X and \DDD is an octet. */
const PARAM =
  /[ \t]*([^\s="\\]+)(?:=(?:"((?:[^"\\]|\\\d{3}|\\\D)*)"|((?:[^\s"\\;()]|\\\d{3}|\\\D)*)))?(?=[ \t]|$)/suy

function paramsIn(text: string): Result<readonly SvcParam[], string> {
  const params: SvcParam[] = []
  for (let at = 0; at < text.length; at = PARAM.lastIndex) {
    PARAM.lastIndex = at
    const [, name, inside, bare] = PARAM.exec(text) ?? []
    if (name === undefined) return err(`${excerpt(text.slice(at))} is not KEY, KEY=VALUE or KEY="VALUE"`)
    const param = paramOf(name, inside ?? bare ?? '')
    if (!param.ok) return param
    params.push(param.value)
  }
  return ok(params)
}

/** The value goes to the wire and back: so alpn and key1 have one canonical text. */
function paramOf(name: string, escaped: string): Result<SvcParam, string> {
  const key = svcParamNumber(name)
  if (key === undefined)
    return err(
      `${excerpt(name)} is not a known key in lower case, and not key0 to key65534 without leading zeros`,
    )
  const octets = octetsOf(escaped)
  if (octets === undefined) return err(`${name}: a \\DDD is above \\255`)
  const codec = svcParamCodec(key)
  const value = Buffer.from(octets).toString('latin1')
  const wire = name === codec.name ? codec.encode(value) : ok(value)
  const decoded = wire.ok ? codec.decode(wire.value) : wire
  if (!decoded.ok || !wire.ok) return err(`${name}: ${decoded.ok ? '' : decoded.error}`)
  const text = decoded.value === '' ? codec.name : `${codec.name}=${decoded.value}`
  return ok({ key, text, value: decoded.value, wire: wire.value })
}

/** What is wrong with the parameters together; they are sorted. */
function setFault(params: readonly SvcParam[], isAlias: boolean): string | undefined {
  const keys = params.map(({ key }) => key)
  if (isAlias && keys.length > 0)
    return 'a record with priority 0 is in AliasMode and has no parameters (RFC 9460 §2.4.2)'
  const duplicate = keys.find((key, n) => key === keys[n + 1])
  if (duplicate !== undefined) return `${svcParamName(duplicate)} is there twice (RFC 9460 §2.2)`
  if (keys.includes(NO_DEFAULT_ALPN_KEY) && !keys.includes(ALPN_KEY))
    return 'no-default-alpn needs alpn (RFC 9460 §7.1.1)'
  const required = params.find(({ key }) => key === MANDATORY_KEY)?.value.split(',') ?? []
  const missing = required.find((name) => !keys.some((key) => svcParamName(key) === name))
  return missing === undefined ? undefined : `mandatory lists ${missing}, which is missing (RFC 9460 §8)`
}
