import type { MakeProtocol } from '../services/protocols/protocol.ts'
import { labelWithin } from '../services/protocols/records.ts'
import { templateProtocol } from '../services/protocols/template.ts'
import { isPreset } from './protocol-checks.ts'
import type { AccountConfig } from './read-client.ts'
import {
  expressionOf,
  fixedPlacesOf,
  type Pattern,
  type Place,
  placesOf,
  type UrlTemplate,
} from '../services/template.ts'
import { basicToken } from '../../shared/base/secret.ts'
import { steadyClock } from '../../shared/platform/clock/clock.ts'
import { domainBelowSuffix } from '../../shared/platform/names/public-suffix.ts'

type TemplateAccount = AccountConfig & { readonly url: UrlTemplate }

/** The zone of a hostname: as it is set, or the domain that can be registered. */
const zoneOf =
  ({ zone }: Pick<AccountConfig, 'zone'>) =>
  (hostname: string): string | undefined => {
    if (zone === undefined) return domainBelowSuffix(hostname.replace(/^\*\./, ''))
    return labelWithin(hostname, zone) === undefined ? undefined : zone
  }

/** Makes the requests of an account with `url`. */
export const templateFor =
  (account: TemplateAccount): MakeProtocol =>
  ({ password, apiKey, userAgent }) => {
    const { url, ipv6Url, method, body, headers, stop, wait, unchanged, success, username, record, ttl } =
      account
    return templateProtocol({
      url,
      method,
      headers,
      userAgent,
      ...(ipv6Url !== undefined && { ipv6Url }),
      ...(body !== undefined && { body }),
      patterns: { stop, wait, unchanged, success },
      values: {
        username,
        password,
        basic: basicToken({ username, password }),
        ...(apiKey !== undefined && { api_key: apiKey }),
        ...(record !== undefined && { record }),
        ...(ttl !== undefined && { ttl: String(ttl / 1000) }),
      },
      zoneOf: zoneOf(account),
    })
  }

interface TemplateProblem {
  /** Of the setting. */
  readonly key: string
  readonly problem: string
}

/** What an account with `url` cannot send, and patterns that would hold up the client. */
export function templateProblems(account: TemplateAccount): readonly TemplateProblem[] {
  const { hostnames, zone, record, apiKey, apiKeyFile } = account
  const places = placesOf(account)
  const needsZone = (['zone', 'label', 'label@', 'is_apex'] as const).find((place) => places.has(place))
  const outside =
    needsZone === undefined ? undefined : hostnames.find((name) => zoneOf(account)(name) === undefined)
  const lacking = (place: Place, setting: string, isThere: boolean): readonly TemplateProblem[] =>
    places.has(place) && !isThere
      ? [{ key: 'url', problem: `url has {${place}}, and ${setting} is not set` }]
      : []
  return [
    ...(outside === undefined
      ? []
      : [
          {
            key: 'hostnames',
            problem:
              zone === undefined
                ? `url has {${needsZone}}, and the zone of ${outside} is not known; set zone`
                : `hostname ${outside} is not in the zone ${zone}; write the whole name, such as home.${zone}`,
          },
        ]),
    ...lacking('record', 'record', record !== undefined),
    ...lacking('api_key', 'api_key_file', apiKey !== undefined || apiKeyFile !== undefined),
    ...requestProblems(account, places),
    ...(['stop', 'wait', 'unchanged', 'success'] as const).flatMap((key) =>
      patternsOf(account, key)
        .filter((pattern) => !isPreset(account.places[key] ?? '') && isSlow(pattern))
        .map((pattern) => ({
          key,
          problem:
            `${key} has a pattern that takes too long on some answers: ${shownPattern(pattern)}; ` +
            'write it without a repetition in a repetition',
        })),
    ),
  ]
}

/** Requests that would say less than they are for. */
function requestProblems(account: TemplateAccount, places: ReadonlySet<Place>): readonly TemplateProblem[] {
  const { hostnames, ipv4, ipv6, ipv6Url } = account
  const fixed = fixedPlacesOf(account)
  const mayLack =
    ipv4 && ipv6 && ipv6Url === undefined && (['ipv4', 'ipv6'] as const).find((place) => fixed.has(place))
  const isNamed = (['hostname', 'label', 'label@'] as const).some((place) => places.has(place))
  return [
    ...(mayLack === undefined || mayLack === false
      ? []
      : [
          {
            key: 'url',
            problem:
              `{${mayLack}} cannot be left out where it is, and a host may lack that address; ` +
              'write {ip}, or set ipv4 or ipv6 to false',
          },
        ]),
    ...(hostnames.length > 1 && !isNamed
      ? [
          {
            key: 'hostnames',
            problem:
              'there are several, and requests name none of them; write {hostname} into url, ' +
              'or an [[account]] for each hostname',
          },
        ]
      : []),
  ]
}

const shownPattern = (pattern: Pattern): string => ('source' in pattern ? pattern.source : pattern.value)

const patternsOf = (
  account: TemplateAccount,
  key: 'stop' | 'wait' | 'unchanged' | 'success',
): readonly Pattern[] => (key === 'stop' ? account.stop.map(([pattern]) => pattern) : account[key])

/** In characters: short ones, for which an exponential time shows before it hurts, and up to the longest that is read. */
const LENGTHS = [...Array.from({ length: 12 }, (_, n) => 16 + 2 * n), 128, 512, 4096]
/** In milliseconds, for a short run and for a long one. */
const MAX_TIME = { short: 10, long: 50 } as const

/** A service could delay the client with an answer that takes minutes to match: tried with runs of its characters. */
function isSlow(pattern: Pattern): boolean {
  if (pattern.kind === 'json') return false
  const expression = expressionOf(pattern.source)
  const characters = [...new Set(['a', '0', ' ', ...(pattern.source.match(/[\p{L}\p{N}._-]/gu) ?? [])])]
  return [...characters, characters.slice(3).join('')].some((run) =>
    LENGTHS.some((length) => {
      const text = `${run.repeat(length).slice(0, length)}\u0001`
      const limit = length < 128 ? MAX_TIME.short : MAX_TIME.long
      // A busy machine makes it seem slow once.
      return takesLonger(expression, text, limit) && takesLonger(expression, text, limit)
    }),
  )
}

function takesLonger(expression: RegExp, text: string, limit: number): boolean {
  const began = steadyClock.now()
  expression.test(text)
  return steadyClock.now() - began > limit
}
