import { err, ok, type Result } from '../../../shared/base/result.ts'
import { canonicalName, wireLength } from '../dns-name.ts'
import {
  excerpt,
  type Field,
  joinFields,
  malformed,
  nameField,
  notOfForm,
  numberField,
  type RdataParser,
  withinRecord,
  withText,
} from './parse.ts'
import { octetsOf, quoted } from './strings.ts'
import { wireName, wireRest, wireUint16 } from './wire.ts'
import { addressOfBytes, bytesOf, type Family, familyOf, parseAddress } from '../../../shared/base/address.ts'

/** Octets as characters of ISO 8859-1, so that they can be split and matched like text. */
type Octets = string

/** A parameter of SVCB and HTTPS records. Both functions refuse what the RFC of the key does not allow. */
interface SvcParamCodec {
  readonly name: string
  /** From the presentation value, without the quotes and escapes of strings, to the wire. */
  readonly encode: (value: Octets) => Result<Octets, string>
  /** From the wire to the canonical presentation value; the empty text for a key without a value. */
  readonly decode: (wire: Octets) => Field
}

const uint16 = (number: number): Octets => String.fromCharCode(number >> 8, number & 255)
const bufferOf = (octets: Octets): Buffer => Buffer.from(octets, 'latin1')
/** The octets in pieces of one size; the last one may be shorter. */
const piecesOf = (wire: Octets, size: number): readonly Octets[] =>
  Array.from({ length: Math.ceil(wire.length / size) }, (_, n) => wire.slice(n * size, (n + 1) * size))

/** The encoded items one after the other, or the first fault. */
function encodeAll(items: readonly string[], encode: (item: string) => Field): Field {
  const encoded = items.map(encode)
  return encoded.find((one) => !one.ok) ?? ok(encoded.map((one) => (one.ok ? one.value : '')).join(''))
}

const KEYS = 'a list of other keys of the record, each once, such as alpn,port'

/** RFC 9460 §8. On the wire the keys ascend; the list is not empty and does not contain the key itself. */
const mandatory: SvcParamCodec = {
  name: 'mandatory',
  encode: (value) => {
    const numbers = value.split(',').map(svcParamNumber)
    const known = numbers.filter((number) => number !== undefined)
    return known.length < numbers.length
      ? err(`${excerpt(value)} is not ${KEYS}`)
      : ok(
          known
            .toSorted((a, b) => a - b)
            .map(uint16)
            .join(''),
        )
  },
  decode: (wire) => {
    const numbers = piecesOf(wire, 2).map((pair) => bufferOf(pair.padEnd(2, '\0')).readUInt16BE())
    const isAscending = numbers.every((number, n) => number > (numbers[n - 1] ?? 0))
    return wire === '' || wire.length % 2 !== 0 || !isAscending || numbers.includes(INVALID_KEY)
      ? err(`the value is not ${KEYS}`)
      : ok(numbers.map(svcParamName).join(','))
  },
}

const PROTOCOLS = 'a list of protocols of 1 to 255 octets, such as h2,h3'

/** RFC 9460 §7.1.1 and appendix A.1: in the list, "\" is written before "," and "\". */
const alpn: SvcParamCodec = {
  name: 'alpn',
  encode: (value) => {
    const tokens: readonly string[] = value.match(/\\[\\,]|./gs) ?? []
    if (tokens.includes('\\'))
      return err(`${excerpt(value)} contains "\\" before a character other than "," and "\\"`)
    const ids = tokens.reduce<string[]>(
      (list, token) => {
        if (token === ',') list.push('')
        else list[list.length - 1] += token.slice(-1)
        return list
      },
      [''],
    )
    return ids.some((id) => id === '' || id.length > 255)
      ? err(`${excerpt(value)} is not ${PROTOCOLS}`)
      : ok(ids.map((id) => String.fromCharCode(id.length) + id).join(''))
  },
  decode: (wire) => {
    const ids = lengthPrefixed(wire)
    return ids === undefined || ids.length === 0 || ids.includes('')
      ? err(`the value is not ${PROTOCOLS}`)
      : ok(quoted(bufferOf(ids.map((id) => id.replace(/[\\,]/g, '\\$&')).join(','))))
  },
}

/** Texts that are each preceded by an octet with their length; undefined if the last one is cut off. */
function lengthPrefixed(wire: Octets): readonly Octets[] | undefined {
  const texts: Octets[] = []
  for (let at = 0; at < wire.length; ) {
    const end = at + 1 + wire.charCodeAt(at)
    if (end > wire.length) return undefined
    texts.push(wire.slice(at + 1, end))
    at = end
  }
  return texts
}

/** RFC 9460 §7.1.1. */
const noDefaultAlpn: SvcParamCodec = {
  name: 'no-default-alpn',
  encode: ok,
  decode: (wire) => (wire === '' ? ok('') : err('the key has no value')),
}

const PORT = 'a whole number from 0 to 65535'

/** RFC 9460 §7.2. */
const port: SvcParamCodec = {
  name: 'port',
  encode: (value) =>
    /^\d{1,5}$/.test(value) && Number(value) <= 65_535
      ? ok(uint16(Number(value)))
      : err(`${excerpt(value)} is not ${PORT}`),
  decode: (wire) =>
    wire.length === 2 ? ok(String(bufferOf(wire).readUInt16BE())) : err(`the value is not ${PORT}`),
}

/** RFC 9460 §7.3: one address or more, in the order of the list. */
const hint = (name: string, family: Family, { is, size }: { is: string; size: number }): SvcParamCodec => ({
  name,
  encode: (value) =>
    encodeAll(value.split(','), (text) => {
      const address = parseAddress(text)
      return address === undefined || familyOf(address) !== family
        ? err(`${excerpt(text)} is not an ${is} address`)
        : ok(Buffer.from(bytesOf(address)).toString('latin1'))
    }),
  decode: (wire) => {
    const addresses = piecesOf(wire, size).map((octets) => addressOfBytes(bufferOf(octets)))
    // addressOfBytes unwraps IPv4-mapped IPv6.
    const isList = addresses.every((address) => address !== undefined && familyOf(address) === family)
    return wire === '' || !isList
      ? err(`the value is not a list of ${is} addresses`)
      : ok(addresses.join(','))
  },
})

/** RFC 9460 §14.3.2 and RFC 9848: an ECHConfigList in Base64. Its content is not checked. */
const ech: SvcParamCodec = {
  name: 'ech',
  encode: (value) => {
    const octets = Buffer.from(value, 'base64')
    // Buffer ignores other characters, and bits after the last octet.
    return octets.toString('base64') === value
      ? ok(octets.toString('latin1'))
      : err(`${excerpt(value)} is not Base64 with padding (RFC 4648 §4)`)
  },
  decode: (wire) => (wire === '' ? err('the value is missing') : ok(bufferOf(wire).toString('base64'))),
}

/** Literals and expressions of RFC 6570, of which one contains the variable dns. */
const PATH_TEMPLATE = /^\/(?:[^\0-\x20"'<>\\^`{|}\x7f]|\{[^\0-\x20{}]+\})*$/
const DNS_VARIABLE = /\{[+#./;?&]?(?:[^{}]*,)?dns(?:[,*:][^{}]*)?\}/

const isUtf8 = (wire: Octets): boolean =>
  Buffer.from(bufferOf(wire).toString('utf8'), 'utf8').equals(bufferOf(wire))

/** RFC 9461 §5: a template in UTF-8. */
const dohpath: SvcParamCodec = {
  name: 'dohpath',
  encode: ok,
  decode: (wire) =>
    isUtf8(wire) && PATH_TEMPLATE.test(wire) && DNS_VARIABLE.test(wire)
      ? ok(quoted(bufferOf(wire)))
      : err(`${excerpt(wire)} is not a path with the variable dns, such as /dns-query{?dns}`),
}

/** IANA's registry "Service Parameter Keys (SvcParamKeys)": the place is the number of the key. */
const CODECS: readonly SvcParamCodec[] = [
  mandatory,
  alpn,
  noDefaultAlpn,
  port,
  hint('ipv4hint', 'v4', { is: 'IPv4', size: 4 }),
  ech,
  hint('ipv6hint', 'v6', { is: 'IPv6', size: 16 }),
  dohpath,
]

const MANDATORY_KEY = CODECS.indexOf(mandatory)
const ALPN_KEY = CODECS.indexOf(alpn)
const NO_DEFAULT_ALPN_KEY = CODECS.indexOf(noDefaultAlpn)
/** RFC 9460 §14.3.2: reserved. */
const INVALID_KEY = 65_535

/** RFC 9460 §2.1: other keys are written as their number, and their values are any octets. */
const opaque = (number: number): SvcParamCodec => ({
  name: `key${number}`,
  encode: ok,
  decode: (wire) => ok(wire === '' ? '' : quoted(bufferOf(wire))),
})

const svcParamCodec = (number: number): SvcParamCodec => CODECS[number] ?? opaque(number)
/** A parameter in canonical form, from the octets of its value; undefined if these are malformed. */
function svcParamText(number: number, wire: Octets): string | undefined {
  const codec = svcParamCodec(number)
  const value = codec.decode(wire)
  if (!value.ok) return undefined
  return value.value === '' ? codec.name : `${codec.name}=${value.value}`
}
const svcParamName = (number: number): string => svcParamCodec(number).name

/** The number of a key by its name, or by the form keyNNNNN without leading zeros; undefined for any other text. */
function svcParamNumber(name: string): number | undefined {
  const [, digits] = /^key(0|[1-9]\d{0,4})$/.exec(name) ?? []
  if (digits !== undefined) return Number(digits) < INVALID_KEY ? Number(digits) : undefined
  const number = CODECS.findIndex((codec) => codec.name === name)
  return number < 0 ? undefined : number
}

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
const parseSvcb: RdataParser = (value) => {
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

/** RFC 9460 §2.2: keys with the lengths and octets of their values. */
const wireParams = wireRest(
  (field) => {
    const texts: string[] = []
    for (let at = 0; at < field.length; ) {
      const end = at + 4 + (at + 4 <= field.length ? field.readUInt16BE(at + 2) : Infinity)
      if (end > field.length) return undefined
      const text = svcParamText(field.readUInt16BE(at), field.subarray(at + 4, end).toString('latin1'))
      if (text === undefined) return undefined
      texts.push(text)
      at = end
    }
    return texts.join(' ')
  },
  (text) => {
    const params = paramsIn(text)
    const all = params.ok ? params.value : []
    return Buffer.concat(
      all.map(({ key, wire }) => {
        const head = Buffer.alloc(4)
        head.writeUInt16BE(key)
        head.writeUInt16BE(wire.length, 2)
        return Buffer.concat([head, Buffer.from(wire, 'latin1')])
      }),
    )
  },
)

/** Of HTTPS too. */
export const svcbRdata = {
  isTarget: false,
  parse: withText(parseSvcb),
  wire: [wireUint16, wireName, wireParams],
} as const

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
