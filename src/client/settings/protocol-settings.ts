import { err, ok, type Result } from '../../shared/base/result.ts'
import { seconds } from '../../shared/base/time.ts'
import {
  isLocalWord,
  isReplyWord,
  LOCAL_WORDS,
  type LocalWord,
  REPLIES,
  type ReplyWord,
} from '../../shared/protocol/reply.ts'
import { parseProvider, providerCalled } from '../services/providers/providers.ts'
import { readHostname } from './hostname.ts'
import {
  choice,
  duration,
  onOff,
  path,
  programArguments,
  secret,
  type SettingReader,
  text,
} from '../../shared/settings/reader.ts'
import type { GivenValue, SettingLayer, SettingTable } from '../../shared/settings/setting.ts'
import {
  isLiteralSecret,
  type RequestBody,
  parseBody,
  parsePattern,
  parseTemplate,
  parseUrlTemplate,
  type Pattern,
  type Place,
  type Template,
  type UrlTemplate,
} from '../services/template.ts'

const urlTemplate: SettingReader<UrlTemplate> = { ...text, read: parseUrlTemplate }

const bodyTemplate: SettingReader<RequestBody> = {
  ...text,
  read: (value) => (value.trim() === '' ? err('is empty') : parseBody(value)),
}

/** Items may contain commas: a list in a file is taken as it is. */
const itemsReader = <T>(
  item: (value: string) => Result<T, string>,
  noun: string,
): SettingReader<readonly T[]> => ({
  ...programArguments,
  read: (value) => {
    const items = programArguments.read(value)
    if (!items.ok) return err(`names no ${noun}`)
    const read = items.value.map(item)
    const errors = read.flatMap((one) => (one.ok ? [] : [one.error]))
    return errors.length > 0
      ? err(errors.map((error) => `has a ${noun} that ${error}`).join('\n'))
      : ok(read.flatMap((one) => (one.ok ? [one.value] : [])))
  },
})

const patterns = itemsReader(parsePattern, 'pattern')

/** Words that stop an account or a hostname. */
const STOP_WORDS: readonly string[] = [
  ...Object.entries(REPLIES).flatMap(([word, { action }]) => (action.kind === 'stop' ? [word] : [])),
  ...Object.keys(LOCAL_WORDS),
]

/** "PATTERN=WORD". */
function parseStop(value: string): Result<readonly [Pattern, ReplyWord | LocalWord], string> {
  const at = value.lastIndexOf('=')
  const word = value.slice(at + 1)
  if (at < 1 || !(isReplyWord(word) || isLocalWord(word)) || !STOP_WORDS.includes(word))
    return err(`must be PATTERN=WORD, where WORD is one of ${STOP_WORDS.join(', ')}`)
  const pattern = parsePattern(value.slice(0, at))
  return pattern.ok ? ok([pattern.value, word]) : pattern
}

const OWN_HEADERS = /^(host|connection|content-length|transfer-encoding|user-agent)$/i

/** "NAME: VALUE" (RFC 9110 §5.1). */
function parseHeader(value: string): Result<readonly [string, Template], string> {
  const [, name, content] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): *([\t -~]*)$/.exec(value) ?? []
  if (name === undefined || content === undefined) return err('must be NAME: VALUE')
  if (OWN_HEADERS.test(name)) return err(`sets ${name}, which each request sets itself`)
  const parsed = parseTemplate(content)
  if (!parsed.ok) return parsed
  if (isLiteralSecret(name, parsed.value))
    return err(`has the value of ${name} itself; write {password} or {api_key}, and the value into a file`)
  return ok([name, parsed.value])
}

/** For services that do not speak the update protocol. */
// biome-ignore format: a table
export const PROTOCOL_SETTINGS = {
  url:        { reader: urlTemplate,  help: 'address of an update request of a service with another protocol, such as https://ddns.example/update?host={hostname}&ip={ipv4}&key={password}; needs success' },
  ipv6Url:    { reader: urlTemplate,  help: 'the same for IPv6-only requests, if they go to another host' },
  method:     { reader: choice('GET', 'POST', 'PUT', 'PATCH'), help: 'method of the request to url', fallback: 'GET' },
  body:       { reader: bodyTemplate,     help: 'body of the request to url: a form such as host={hostname}&ip={ipv4}, or JSON, in which {{ is a brace' },
  headers:    { reader: itemsReader(parseHeader, 'header'), help: 'further headers of the request to url, such as "Authorization: Bearer {password}"', fallback: [] },
  success:    { reader: patterns,     help: 'patterns for an answer that confirms a change: regular expressions, or json:MEMBER=VALUE', fallback: [] },
  unchanged:  { reader: patterns,     help: 'patterns for an answer that says that the address is already current', fallback: [] },
  wait:       { reader: patterns,     help: 'patterns for an answer after which nothing is sent for 30 minutes', fallback: [] },
  stop:       { reader: itemsReader(parseStop, 'pattern'), help: 'patterns for an answer that stops the hostname or the account, each with a reply word: "bad key=badauth", "no such host=nohost"', fallback: [] },
  zone:       { reader: { ...text, read: readHostname }, help: 'the zone of the hostnames, if the service cannot report it' },
  record:     { reader: text,         help: 'the identifier of the record, for services that number their records' },
  apiKey:     { reader: secret,       help: 'API key, for services that need one and a password; api_key_file is safer' },
  apiKeyFile: { reader: path,         help: 'file that contains the API key' },
  ttl:        { reader: duration(seconds(1), seconds(2_147_483_647)), help: 'TTL of new records, and for services that require one; default: 5m, or the minimum that the service allows' },
  tsigAlgorithm: { reader: choice('hmac-sha256', 'hmac-sha384', 'hmac-sha512'), help: 'algorithm of the TSIG key of provider rfc2136, unless its file says so', fallback: 'hmac-sha256' },
  create:     { reader: onOff,        help: 'create a missing record of a hostname; only in a zone of the account', fallback: true },
} as const satisfies SettingTable

/**
 * What follows from `url` where nothing else says it: the server, a username, and requests of one hostname each
 * (decision 0054).
 */
export function protocolLayer(layers: readonly SettingLayer[]): SettingLayer {
  const given = (key: string): GivenValue | undefined =>
    layers.find((layer) => Object.hasOwn(layer, key))?.[key]
  const [name, provider, url] = [given('name')?.value, given('provider'), given('url')]
  const username = (where: string): SettingLayer => ({
    username: { value: typeof name === 'string' ? name : NO_USERNAME, where },
  })
  // A mistake in the name has one complaint, not one more for each setting that the service would have.
  if (typeof provider?.value === 'string' && !parseProvider(provider.value).ok)
    return {
      server: { value: 'https://provider.invalid', where: provider.where },
      ...username(provider.where),
    }
  const hasNone = providerCalled(String(provider?.value))?.hasNoUsername === true
  if (url === undefined) return hasNone ? username(provider?.where ?? '') : {}
  const parsed = parseUrlTemplate(String(url.value))
  const { where } = url
  // A mistake in the address has one complaint, not one more for each setting that follows from it.
  if (!parsed.ok) return { server: { value: 'https://url.invalid', where }, ...username(where) }
  const texts = JSON.stringify(['url', 'ipv6Url', 'body', 'headers'].map((key) => given(key)?.value))
  const has = (...places: readonly Place[]): boolean => places.some((place) => texts.includes(`{${place}}`))
  const isApart = has('ip', 'type') || given('ipv6Url') !== undefined
  const off = { value: false, where }
  return {
    server: { value: parsed.value.origin, where },
    batch: { value: 1, where },
    nohostStops: { value: 'hostname', where },
    ...(isApart && { families: { value: 'apart', where } }),
    ...(!has('username', 'basic') && username(where)),
    ...(!has('ipv4', 'ipv6', 'ip') && { myip: { value: 'connection', where } }),
    ...(has('ipv6') && !has('ipv4', 'ip') && { ipv4: off }),
    ...(has('ipv4') && !has('ipv6', 'ip') && { ipv6: off }),
  }
}

/** Stands in the key of an account whose service takes no username. */
export const NO_USERNAME = 'none'
