import { Secret, SecretText } from '../../../shared/base/secret.ts'
import {
  expressionOf,
  type Pattern,
  type Place,
  type RequestBody,
  type Template,
  type UrlTemplate,
} from '../template.ts'
import { type LocalWord, MEANINGS, type ReplyWord } from '../../../shared/protocol/reply.ts'
import type { UpdateRequest } from '../../../shared/protocol/request.ts'
import { answeredAll, notUnderstood, uselessAnswer } from './answers.ts'
import { documentIn, memberText } from './json.ts'
import type { ServiceAnswer, Step, StepOutcome, StepRequest, UpdateProtocol } from './protocol.ts'
import { labelWithin } from './records.ts'
import { refusalBy } from './refusals.ts'

/** A service that takes an update as one request with the values in their places. */
interface TemplateService {
  readonly url: UrlTemplate
  /** For requests of IPv6 alone. */
  readonly ipv6Url?: UrlTemplate
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly body?: RequestBody
  readonly headers: readonly (readonly [name: string, value: Template])[]
  readonly userAgent: string
  readonly patterns: ReplyPatterns
  /** Of the account. */
  readonly values: Readonly<Partial<Record<Place, string | Secret>>>
  /** The zone of a hostname, where it is known. */
  readonly zoneOf: (hostname: string) => string | undefined
}

/** What an answer means. One that forbids wins over one that asks for a wait, and that over success. */
interface ReplyPatterns {
  readonly stop: readonly (readonly [pattern: Pattern, word: ReplyWord | LocalWord])[]
  readonly wait: readonly Pattern[]
  readonly unchanged: readonly Pattern[]
  readonly success: readonly Pattern[]
}

/** In octets. */
const MAX_ANSWER = 4096

export const templateProtocol = (service: TemplateService): UpdateProtocol => ({
  begin: ({ request }): Step => ({
    request: requestOf(service, request),
    ...(service.method === 'GET' && { mayMove: true }),
    read: (answer) => meaningOf(service.patterns, answer, request),
  }),
})

type Values = Readonly<Partial<Record<Place, string | Secret>>>

function requestOf(service: TemplateService, request: UpdateRequest): StepRequest {
  const { url, ipv6Url, method, body, headers, userAgent } = service
  const values = valuesOf(service, request)
  const isIpv6Alone = request.addresses.v4 === undefined && request.addresses.v6 !== undefined
  return {
    method,
    url: filledUrl(isIpv6Alone && ipv6Url !== undefined ? ipv6Url : url, values),
    headers: {
      'user-agent': userAgent,
      accept: '*/*',
      ...(body !== undefined && { 'content-type': CONTENT_TYPES[body.kind] }),
      ...Object.fromEntries(
        headers.map(([name, value]) => [name.toLowerCase(), filled(value, values, String)]),
      ),
    },
    ...(body !== undefined && { body: filledBody(body, values) }),
    maxBodyBytes: MAX_ANSWER,
  }
}

const CONTENT_TYPES = { form: 'application/x-www-form-urlencoded', json: 'application/json' } as const

const filledBody = (body: RequestBody, values: Values): SecretText =>
  body.kind === 'json' ? filled(body.document, values, jsonText) : filledParameters(body.parameters, values)

const jsonText = (text: string): string => JSON.stringify(text).slice(1, -1)

function valuesOf({ values, zoneOf }: TemplateService, { hostnames, addresses }: UpdateRequest): Values {
  const [hostname = ''] = hostnames
  const zone = zoneOf(hostname)
  const label = zone === undefined ? '' : (labelWithin(hostname, zone) ?? '')
  const { v4, v6 } = addresses
  return {
    ...values,
    hostname,
    ...(zone !== undefined && {
      zone,
      label,
      'label@': label === '' ? '@' : label,
      is_apex: String(label === ''),
    }),
    ...(v4 !== undefined && { ipv4: v4 }),
    ...(v6 !== undefined && { ipv6: v6 }),
    ip: v4 ?? v6 ?? '',
    type: v4 === undefined ? 'AAAA' : 'A',
  }
}

function filledUrl({ origin, path, parameters }: UrlTemplate, values: Values): SecretText {
  const query = filledParameters(parameters, values)
  return new SecretText(
    origin,
    filled(path, values, encodeURIComponent),
    ...(query.length === 0 ? [] : ['?', query]),
  )
}

/** A parameter whose place has no value is left out as a whole. */
function filledParameters(parameters: UrlTemplate['parameters'], values: Values): SecretText {
  const given = parameters.filter(
    ([name, value]) =>
      ![...name, ...(value ?? [])].some(
        (piece) => typeof piece !== 'string' && values[piece.place] === undefined,
      ),
  )
  return new SecretText(
    ...given.flatMap(([name, value], at) => [
      at === 0 ? '' : '&',
      filled(name, values, encodeURIComponent),
      ...(value === undefined ? [] : ['=', filled(value, values, encodeURIComponent)]),
    ]),
  )
}

function filled(template: Template, values: Values, encode: (text: string) => string): SecretText {
  return new SecretText(
    ...template.map((piece) => {
      if (typeof piece === 'string') return piece
      const value = values[piece.place] ?? ''
      return value instanceof Secret ? value.derive(encode) : encode(value)
    }),
  )
}

function meaningOf(patterns: ReplyPatterns, answer: ServiceAnswer, request: UpdateRequest): StepOutcome {
  const [hostname = ''] = request.hostnames
  const { v4, v6 } = request.addresses
  const names = { hostname, ip: v4 ?? v6 ?? '' }
  const matches = (pattern: Pattern): boolean => isMatch(pattern, answer.body, names)
  const stop = patterns.stop.find(([pattern]) => matches(pattern))
  if (stop !== undefined) return refusalBy(request, stop[1])
  const useless = uselessAnswer(answer)
  if (useless !== undefined) return useless
  if (patterns.wait.some(matches)) return answeredAll(request, MEANINGS.fault)
  // A page that says OK may be that of a hotspot: it confirms only what is looked for in its markup.
  const isPage = /<(?:html|body|!doctype html)\b/i.test(answer.body)
  const confirms = (pattern: Pattern): boolean => (pattern.kind === 'raw' || !isPage) && matches(pattern)
  // What follows the part that is read may say the opposite.
  const isSuccess =
    answer.status >= 200 &&
    answer.status < 300 &&
    Buffer.byteLength(answer.body) <= MAX_ANSWER &&
    !answer.body.includes('\0')
  if (isSuccess && patterns.unchanged.some(confirms)) return answeredAll(request, MEANINGS.current)
  if (isSuccess && patterns.success.some(confirms)) return answeredAll(request, MEANINGS.changed)
  if (answer.status === 401) return refusalBy(request, 'badauth')
  return notUnderstood(answer)
}

function isMatch(pattern: Pattern, body: string, names: Readonly<Record<string, string>>): boolean {
  if (pattern.kind === 'json') return memberText(documentIn(body), ...pattern.path) === pattern.value
  const text = body.slice(0, MAX_ANSWER)
  return expressionOf(pattern.source, names).test(pattern.kind === 'raw' ? text : plainText(text))
}

/** Without tags, with one blank for white space. */
const plainText = (body: string): string =>
  body
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
