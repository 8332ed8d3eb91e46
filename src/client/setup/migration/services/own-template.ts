import { percentDecoded } from '../../../../shared/base/percent.ts'
import { err, ok, type Result } from '../../../../shared/base/result.ts'
import { providerCalled, PROVIDERS } from '../../../services/providers/providers.ts'
import { isSecretName } from '../../../../shared/settings/secret-names.ts'
import {
  formatTemplate,
  parseBody,
  parseUrlTemplate,
  type Place,
  placesIn,
  type UrlTemplate,
} from '../../../services/template.ts'
import { Secret } from '../../../../shared/base/secret.ts'
import type { DraftSettings } from '../../draft.ts'
import type { Remarks, ServiceAddress } from '../imported.ts'

/** A request that a user wrote for another client. */
export interface OwnRequest {
  readonly url: string
  readonly body?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** Both are sent in a header, too. */
  readonly isBasic?: boolean
}

/** The same as an account: of a known service, or with `url`. */
interface OwnAccount {
  readonly service: ServiceAddress
  readonly settings: DraftSettings
  readonly username: string | undefined
  readonly password: Secret | undefined
  readonly apiKey: Secret | undefined
  /** The hostnames of the account for those of the request. */
  readonly namesOf: (names: readonly string[]) => readonly string[]
  /** The URL says http: its origin. */
  readonly plain: string | undefined
}

/** Placeholders of ddns-scripts, inadyn, ddns-go, FRITZ!Box and Synology, by their names. */
const PLACEHOLDER = /\[([A-Z]+\d?)\]|%([hiup])|#\{(\w+)\}|<([a-z]+\d?[a-z]*)>|__([A-Z]+\d?)__/g
// biome-ignore format: a table
const PLACE_OF: Readonly<Record<string, Place>> = {
  DOMAIN: 'hostname', IP: 'ip', IPV4: 'ipv4', IPV6: 'ipv6', USERNAME: 'username', PASSWORD: 'password', h: 'hostname', i: 'ip', u: 'username', p: 'password',
  ip: 'ip', domain: 'hostname', recordType: 'type', ttl: 'ttl', ipaddr: 'ipv4', ip6addr: 'ipv6', ip6lanprefix: 'ipv6', username: 'username', user: 'username',
  passwd: 'password', pass: 'password', password: 'password', HOSTNAME: 'hostname', MYIP: 'ip', MYIPV6: 'ipv6',
}
/** As in `[PARAMOPT]`, `#{line}` and `<dualstack>`. */
const UNKNOWN = /\[[A-Z0-9]+\]|#\{[^}]*\}|<[a-z0-9]+>/

/** A text of the other client as a template: its braces are doubled. */
function templateText(text: string): string {
  let written = ''
  let from = 0
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [whole, ...names] = match
    const place = PLACE_OF[names.find((name) => name !== undefined) ?? '']
    if (place === undefined) continue
    written += `${text.slice(from, match.index).replaceAll(/[{}]/g, '$&$&')}{${place}}`
    from = match.index + whole.length
  }
  return written + text.slice(from).replaceAll(/[{}]/g, '$&$&')
}

/** The places of the first two secrets of a request. */
const SECRET_PLACES_IN_ORDER = ['{password}', '{api_key}']

/** A secret that stands in a text itself gets a place; `secrets` collects the values. */
function placeOf(value: string, secrets: string[]): string {
  if (!secrets.includes(value)) secrets.push(value)
  return SECRET_PLACES_IN_ORDER[secrets.indexOf(value)] ?? ''
}

function withoutSecrets(text: string, pattern: RegExp, secrets: string[]): string {
  return text.replaceAll(pattern, (whole, ...[before, name, value]: readonly string[]) =>
    isSecretName(percentDecoded(name ?? '')) && value?.includes('{') === false
      ? `${before}${placeOf(percentDecoded(value), secrets)}`
      : whole,
  )
}

/** `name=value` of a query or a form, and a member of a JSON document. */
const FORM_PAIR = /((?<=^|[?&])([^=&?#]+)=)([^&#]+)/g
const JSON_MEMBER = /("([^"{}]+)"\s*:\s*")([^"]+)(?=")/g

/** A request as an account. The error says why it is none. */
export function readOwnRequest(request: OwnRequest): Result<OwnAccount, string> {
  const { body, username, password } = request
  const full = /^https?:\/\//i.test(request.url.trim()) ? request.url.trim() : `https://${request.url.trim()}`
  const [, scheme = '', login, rest = ''] =
    /^(https?):\/\/(?:([^/?#]*)@)?([^#]*)/i.exec(full.replaceAll('#{', '\0')) ?? []
  const isBasic = login !== undefined || (request.isBasic === true && password !== undefined)
  const secrets = password !== undefined && (isBasic || /%p|\[PASSWORD\]/.test(full)) ? [password] : []
  const [user, pass] = (login ?? '').split(':').map((part) => percentDecoded(part))
  if (login !== undefined && pass !== undefined && templateText(pass) === pass) secrets.unshift(pass)
  const text = templateText(rest.replaceAll('\0', '#{'))
  if (UNKNOWN.test(text.replaceAll('{{', '{').replaceAll('}}', '}')))
    return err('has a placeholder that has no counterpart here')
  const url = withoutSecrets(`https://${text}`, FORM_PAIR, secrets)
  const sent = body === undefined || body.trim() === '' ? undefined : templateBody(body, secrets)
  if (secrets.length > SECRET_PLACES_IN_ORDER.length) return err('has more than two secrets')
  const parsed = parseUrlTemplate(url)
  if (!parsed.ok) return parsed
  const checked = sent === undefined ? ok(undefined) : parseBody(sent)
  if (!checked.ok) return err(`has a body that ${checked.error}`)
  const plain = scheme.toLowerCase() === 'http' ? `http://${new URL(parsed.value.origin).host}` : undefined
  const names = login !== undefined && user !== undefined && templateText(user) === user ? user : username
  const known = sent === undefined ? knownService(parsed.value, { username: names }) : undefined
  const [first, second] = secrets.map((one) => new Secret(one))
  const settings = {
    url,
    ...(sent !== undefined && { method: 'POST', body: sent }),
    ...(isBasic && { headers: ['Authorization: Basic {basic}'] }),
  }
  return ok({
    service: known?.service ?? {},
    settings: known?.settings ?? settings,
    username: (known?.hasUsername ?? (isBasic || url.includes('{username}'))) ? names : undefined,
    password: first,
    apiKey: known === undefined ? second : undefined,
    namesOf: known?.namesOf ?? ((all) => all),
    plain,
  })
}

function templateBody(body: string, secrets: string[]): string {
  const text = templateText(body.trim())
  return withoutSecrets(text, /^(?:\{\{|\[)/.test(text) ? JSON_MEMBER : FORM_PAIR, secrets)
}

interface KnownService {
  readonly service: ServiceAddress
  readonly settings: DraftSettings
  readonly hasUsername: boolean
  readonly namesOf: OwnAccount['namesOf']
}

/** The service of a URL whose preset has the same path; the names are put together as its parameters say. */
function knownService(
  own: UrlTemplate,
  given: { readonly username: string | undefined },
): KnownService | undefined {
  for (const [provider, { settings, hasNoUsername }] of Object.entries(PROVIDERS)) {
    const preset = parseUrlTemplate(settings['url'] ?? '')
    if (!preset.ok || preset.value.origin !== own.origin) continue
    if (formatTemplate(preset.value.path) !== formatTemplate(own.path)) continue
    if (secretsIn(own).some((name) => !secretsIn(preset.value).includes(name))) continue
    /** What the request has where the preset has this place. */
    const valueAt = (...places: readonly Place[]): string | undefined => {
      const name = preset.value.parameters.find(
        ([, value]) => value !== undefined && placesIn(value).some((place) => places.includes(place)),
      )?.[0]
      const value = own.parameters.find(
        ([one]) => name !== undefined && formatTemplate(one) === formatTemplate(name),
      )?.[1]
      if (value === undefined) return undefined
      const text = formatTemplate(value)
      return text === '{username}' ? given.username : text
    }
    const [label, zone] = [valueAt('label', 'label@'), valueAt('zone') ?? settings['zone']]
    return {
      service: { provider },
      settings: zone === undefined || zone.includes('{') || settings['zone'] !== undefined ? {} : { zone },
      hasUsername: hasNoUsername !== true,
      namesOf: (names) => names.map((name) => joined(name, { label, zone })),
    }
  }
  return undefined
}

/** The parameters with a secret: another one is another secret, such as the password of an account for an update key. */
const secretsIn = ({ parameters }: UrlTemplate): readonly string[] =>
  parameters.flatMap(([name, value]) =>
    value !== undefined && placesIn(value).some((place) => place === 'password' || place === 'api_key')
      ? [formatTemplate(name)]
      : [],
  )

/** Label and zone; `{hostname}` stands for the name of the other client. */
function joined(
  name: string,
  { label, zone }: { readonly label: string | undefined; readonly zone: string | undefined },
): string {
  const [before, after] = [label ?? '{hostname}', zone].map((part) => part?.replace('{hostname}', name))
  if (after === undefined || before === undefined || before === after || before.endsWith(`.${after}`))
    return before ?? name
  return before === '@' ? after : `${before}.${after}`
}

/** What confirms an update, where a preset says it. */
export const hasReplies = ({ service }: OwnAccount): boolean =>
  service.provider !== undefined && providerCalled(service.provider)?.replies !== undefined

export const NO_SUCCESS =
  'the answer of the service is not in this file; write success, such as success = ["^OK\\\\b"], ' +
  'and try it with holdfast update'

/** The remark where the other client uses plain HTTP; `setting` is the line that keeps it so. */
export const usesHttps = (setting: string): string =>
  `the service is asked with https; if it has only http, write ${setting}`

/** Remarks on a URL with plain HTTP, and on a service whose answers are not in the file. */
export function remarkOnOwn(own: OwnAccount, line: number, remarks: Remarks): void {
  if (own.plain !== undefined) remarks.once('changed', line, usesHttps(`url with ${own.plain}`))
  if (!hasReplies(own)) remarks.add('lost', line, NO_SUCCESS)
}
