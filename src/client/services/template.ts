import { percentDecoded } from '../../shared/base/percent.ts'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { isSecretName } from '../../shared/settings/secret-names.ts'

/**
 * What a request by a template can say. `label` is the hostname without the zone, `label@` the same with @ for none,
 * `basic` both credentials in the form of RFC 7617.
 */
const PLACES = [
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
      return err(
        `has ${shownPlace(piece)}, which is none of ${PLACES.map((place) => `{${place}}`).join(' ')}`,
      )
    else if (piece === '{' || piece === '}') return err(`has a single ${piece}; write ${piece}${piece}`)
    else pieces.push(piece)
  }
  return ok(pieces)
}

/** A secret may stand in braces by mistake. */
const shownPlace = (piece: string): string => (/^\{[a-z_@]{0,12}\}$/.test(piece) ? piece : '{…}')

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
type Parameters = readonly (readonly [name: Template, value: Template | undefined])[]

/** "a=b&c={ipv4}" (application/x-www-form-urlencoded). */
function parseParameters(text: string): Result<Parameters, string> {
  const parameters: (readonly [Template, Template | undefined])[] = []
  for (const pair of text.split('&').filter((one) => one !== '')) {
    const at = pair.indexOf('=')
    const [name, written] = at < 0 ? [pair, undefined] : [pair.slice(0, at), pair.slice(at + 1)]
    const title = parseTemplate(name)
    if (!title.ok) return title
    const value = written === undefined ? undefined : parseTemplate(written)
    if (value !== undefined && !value.ok) return value
    if (value?.ok === true && isLiteralSecret(name, value.value))
      return err(
        `has the value of ${name} itself; write ${name}={password}, and the value into the file of password_file`,
      )
    parameters.push([title.value, value?.value])
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
  if (!document.ok) return document
  const plain = formatTemplate(document.value)
  for (const [, name = '', value = ''] of plain.matchAll(/"([^"{}]+)"\s*:\s*"([^"{}]+)"/g))
    if (value !== '' && isSecretName(name))
      return err(
        `has the value of ${name} itself; write {password}, and the value into the file of password_file`,
      )
  return ok({ kind: 'json', document: document.value })
}

const formatParameters = (parameters: Parameters): string =>
  parameters
    .map(([name, value]) =>
      value === undefined ? formatTemplate(name) : `${formatTemplate(name)}=${formatTemplate(value)}`,
    )
    .join('&')

export const formatUrl = ({ origin, path, parameters }: UrlTemplate): string =>
  `${origin}${formatTemplate(path)}${parameters.length === 0 ? '' : `?${formatParameters(parameters)}`}`

export const formatBody = (body: RequestBody): string =>
  body.kind === 'json' ? formatTemplate(body.document) : formatParameters(body.parameters)

/** A secret in the settings would stand in `config show`, and in copies of the file. */
export const isLiteralSecret = (name: string, value: Template): boolean =>
  isSecretName(percentDecoded(name)) &&
  value.some((piece) => typeof piece === 'string') &&
  !placesIn(value).some((place) => SECRET_PLACES.includes(place) || place === 'record')

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
    source.replaceAll(/\{(hostname|ip)\}/g, (_, name: string) => escapedPattern(values[name] ?? '')),
    'iu',
  )

/** A pattern for a text as it stands. */
export const escapedPattern = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}/]/g, '\\$&')

/** A repetition in a repetition takes exponential time. */
const REPEATED_GROUP = /\)(?:[*+]|\{\d*,?\d*\})/

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
    if (REPEATED_GROUP.test(source.replaceAll(/\\.|\[(?:\\.|[^\]])*\]/gs, '_')))
      return err('repeats a group, which may take a long time; write it without * + {} after a parenthesis')
  } catch (error) {
    return err(`is not a regular expression: ${(error as Error).message}`)
  }
  return ok({ kind: prefix === 'raw' ? 'raw' : 'text', source })
}

/** All that a request is made of. */
interface RequestTemplates {
  readonly url: UrlTemplate
  readonly ipv6Url?: UrlTemplate | undefined
  readonly body?: RequestBody | undefined
  readonly headers: readonly (readonly [name: string, value: Template])[]
}

/** The places that a request has anywhere. */
export const placesOf = (templates: RequestTemplates): ReadonlySet<Place> => {
  const { url, ipv6Url, body } = templates
  const parameters = [
    ...url.parameters.flat(),
    ...(ipv6Url?.parameters.flat() ?? []),
    ...(body?.kind === 'form' ? body.parameters.flat() : []),
  ]
  const all = parameters.flatMap((one) => (one === undefined ? [] : placesIn(one)))
  return new Set([...all, ...fixedPlacesOf(templates)])
}

/** The places that a request has outside of parameters: it cannot leave them out where there is no value. */
export const fixedPlacesOf = ({ url, ipv6Url, body, headers }: RequestTemplates): ReadonlySet<Place> =>
  new Set(
    [
      url.path,
      ...(ipv6Url === undefined ? [] : [ipv6Url.path]),
      ...(body?.kind === 'json' ? [body.document] : []),
      ...headers.map(([, value]) => value),
    ].flatMap(placesIn),
  )
