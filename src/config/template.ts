import { err, ok, type Result } from '../base/result.ts'
import { isSecretName } from './secret-names.ts'

/**
 * What a request by a template can say. `label` is the hostname without the zone, `label@` the same with @ for none,
 * `basic` both credentials in the form of RFC 7617.
 */
export const PLACES = [
  'hostname',
  'zone',
  'label',
  'label@',
  'ipv4',
  'ipv6',
  'ip',
  'type',
  'is_apex',
  'username',
  'password',
  'basic',
  'api_key',
  'record',
  'ttl',
] as const
export type Place = (typeof PLACES)[number]

/** A text with places, in pieces. */
export type Template = readonly (string | { readonly place: Place })[]

const isPlace = (text: string): text is Place => PLACES.some((place) => place === text)

/** "{hostname}" is a place, and "{{" a brace. The error is a predicate. */
export function parseTemplate(text: string): Result<Template, string> {
  const pieces: (string | { readonly place: Place })[] = []
  for (const [piece] of text.matchAll(/\{\{|\}\}|\{[^{}]*\}|[{}]|[^{}]+/g)) {
    const name = piece.slice(1, -1)
    if (piece === '{{' || piece === '}}') pieces.push(piece.slice(1))
    else if (isPlace(name) && piece.startsWith('{')) pieces.push({ place: name })
    else if (piece.startsWith('{') && piece.length > 1)
      return err(`has ${piece}, which is none of ${PLACES.map((place) => `{${place}}`).join(' ')}`)
    else if (piece === '{' || piece === '}') return err(`has a single ${piece}; write ${piece}${piece}`)
    else pieces.push(piece)
  }
  return ok(pieces)
}

/** The inverse of `parseTemplate`. */
export const formatTemplate = (template: Template): string =>
  template
    .map((piece) =>
      typeof piece === 'string' ? piece.replaceAll(/[{}]/g, (brace) => brace + brace) : `{${piece.place}}`,
    )
    .join('')

export const placesIn = (template: Template): readonly Place[] =>
  template.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.place]))

/** Places whose values are secrets. */
export const SECRET_PLACES: readonly Place[] = ['password', 'basic', 'api_key']

/** The URL of an update service, with places where the hostname, the addresses and the secrets stand. */
export interface UrlTemplate {
  readonly origin: string
  readonly path: Template
  readonly parameters: Parameters
}

export function parseUrlTemplate(text: string): Result<UrlTemplate, string> {
  const [, origin = '', rest = '/'] = /^(https?:\/\/[^/?#{}]+)([^#]*)$/i.exec(text.trim()) ?? []
  if (!URL.canParse(origin))
    return err(
      'must be an https address, such as https://ddns.example/update?host={hostname}&ip={ipv4}&key={password}',
    )
  const url = new URL(origin)
  if (url.username !== '' || url.password !== '')
    return err(
      'contains credentials; write {username} and {password} where they belong, ' +
        'and the values as username and password_file',
    )
  const [pathText = '/', ...queries] = rest.split('?')
  const path = parseTemplate(pathText === '' ? '/' : pathText)
  if (!path.ok) return path
  const parameters = parseParameters(queries.join('?'))
  if (!parameters.ok) return parameters
  return ok({ origin: url.origin, path: path.value, parameters: parameters.value })
}

/** Name and value of each parameter; one without "=" has no value. */
type Parameters = readonly (readonly [name: string, value: Template | undefined])[]

/** "a=b&c={ipv4}" (application/x-www-form-urlencoded). */
function parseParameters(text: string): Result<Parameters, string> {
  const parameters: (readonly [string, Template | undefined])[] = []
  for (const pair of text.split('&').filter((one) => one !== '')) {
    const at = pair.indexOf('=')
    const [name, written] = at < 0 ? [pair, undefined] : [pair.slice(0, at), pair.slice(at + 1)]
    const value = written === undefined ? undefined : parseTemplate(written)
    if (value !== undefined && !value.ok) return value
    if (value?.ok === true && isLiteralSecret(name, value.value))
      return err(
        `has the value of ${name} itself; write ${name}={password}, and the value into the file of password_file`,
      )
    parameters.push([name, value?.value])
  }
  return ok(parameters)
}

/** A form, or a JSON document with places in it, which begins with {{ or [. */
export type RequestBody =
  | { readonly kind: 'form'; readonly parameters: Parameters }
  | { readonly kind: 'json'; readonly document: Template }

export function parseBody(text: string): Result<RequestBody, string> {
  if (!/^\s*(\{\{|\[)/.test(text)) {
    const parameters = parseParameters(text.trim())
    return parameters.ok ? ok({ kind: 'form', parameters: parameters.value }) : parameters
  }
  const document = parseTemplate(text)
  return document.ok ? ok({ kind: 'json', document: document.value }) : document
}

const formatParameters = (parameters: Parameters): string =>
  parameters
    .map(([name, value]) => (value === undefined ? name : `${name}=${formatTemplate(value)}`))
    .join('&')

export const formatUrl = ({ origin, path, parameters }: UrlTemplate): string =>
  `${origin}${formatTemplate(path)}${parameters.length === 0 ? '' : `?${formatParameters(parameters)}`}`

export const formatBody = (body: RequestBody): string =>
  body.kind === 'json' ? formatTemplate(body.document) : formatParameters(body.parameters)

/** A secret in a URL would stand in logs, in the list of processes and in the state. */
const isLiteralSecret = (name: string, value: Template): boolean =>
  isSecretName(name) && value.length > 0 && placesIn(value).length === 0

/** How a pattern looks at an answer: its text without tags, the answer as it is, or one member of a JSON document. */
export type Pattern =
  | { readonly kind: 'text' | 'raw'; readonly source: string }
  | { readonly kind: 'json'; readonly path: readonly string[]; readonly value: string }

export const formatPattern = (pattern: Pattern): string => {
  if (pattern.kind === 'json') return `json:${pattern.path.join('.')}=${pattern.value}`
  return pattern.kind === 'raw' ? `raw:${pattern.source}` : pattern.source
}

/** The regular expression of a pattern; `{hostname}` and `{ip}` in it stand for themselves. */
export const expressionOf = (source: string, values: Readonly<Record<string, string>> = {}): RegExp =>
  new RegExp(
    source.replaceAll(/\{(hostname|ip)\}/g, (_, name: string) => escaped(values[name] ?? '')),
    'iu',
  )

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}/]/g, '\\$&')

export function parsePattern(text: string): Result<Pattern, string> {
  const [, prefix = 'text', source = ''] = /^(?:(raw|json):)?(.*)$/s.exec(text) ?? []
  if (prefix === 'json') {
    const at = source.indexOf('=')
    return at > 0
      ? ok({ kind: 'json', path: source.slice(0, at).split('.'), value: source.slice(at + 1) })
      : err('must be json:MEMBER=VALUE, such as json:status=ok')
  }
  if (source === '') return err('is empty')
  try {
    const expression = expressionOf(source)
    if (expression.test('')) return err('matches an empty answer, which says nothing')
  } catch (error) {
    return err(`is not a regular expression: ${(error as Error).message}`)
  }
  return ok({ kind: prefix === 'raw' ? 'raw' : 'text', source })
}

/** All that a request is made of. */
export interface RequestTemplates {
  readonly url: UrlTemplate
  readonly ipv6Url?: UrlTemplate | undefined
  readonly body?: RequestBody | undefined
  readonly headers: readonly (readonly [name: string, value: Template])[]
}

/** The places that a request has anywhere. */
export function placesOf({ url, ipv6Url, body, headers }: RequestTemplates): ReadonlySet<Place> {
  const inUrl = ({ path, parameters }: UrlTemplate): readonly (Template | undefined)[] => [
    path,
    ...parameters.map(([, value]) => value),
  ]
  const inBody = (of: RequestBody): readonly (Template | undefined)[] =>
    of.kind === 'json' ? [of.document] : of.parameters.map(([, value]) => value)
  const all = [
    ...inUrl(url),
    ...(ipv6Url === undefined ? [] : inUrl(ipv6Url)),
    ...(body === undefined ? [] : inBody(body)),
    ...headers.map(([, value]) => value),
  ]
  return new Set(all.flatMap((one) => (one === undefined ? [] : placesIn(one))))
}
