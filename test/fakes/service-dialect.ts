import { ACCOUNT_SETTINGS } from '../../src/client/settings/client-settings.ts'
import { presetLayer } from '../../src/client/settings/protocol-checks.ts'
import { PROVIDERS } from '../../src/client/services/providers/providers.ts'
import { readTable } from '../../src/shared/settings/setting.ts'
import { byFamily, FAMILIES, type Family, listed, parseAddress } from '../../src/shared/base/address.ts'
import { parseHostname } from '../../src/shared/base/hostname.ts'
import { dialectOf, type ReplyDialect } from '../../src/shared/protocol/dialect.ts'
import { type RequestForm, UPDATE_PATH } from '../../src/shared/protocol/request.ts'

/**
 * Services that delete the records of a family that a request does not name, by what keeps them: a word in the place of the address,
 * a parameter (keepipv4=1), or nothing. A fact of its own, and not that of the preset, which the tests compare with it.
 */
export const DELETING_SERVICES: Readonly<Record<string, 'preserve' | 'no' | 'parameter' | 'nothing'>> = {
  dyn: 'nothing',
  inwx: 'nothing',
  dynu: 'no',
  desec: 'preserve',
  'core-networks': 'parameter',
}

/** Another service of this protocol, whose requests and replies are imitated for tests of clients. */
export interface ServiceDialect {
  readonly path: string
  readonly form: RequestForm
  readonly replies: ReplyDialect
  /** The whole body in the place of a line, for a service that answers with pages. */
  readonly page: ((line: string, hostname: string) => string) | undefined
  /** Undefined for a service that keeps what a request does not name. */
  readonly preservedBy: (typeof DELETING_SERVICES)[string] | undefined
  /** Those of the credentials, which stand for the first where a request names none. */
  readonly hostnames: readonly string[]
}

/** The service of a preset, by its name. */
export function readDialect(provider: string, hostnames: readonly string[]): ServiceDialect {
  if (!Object.hasOwn(PROVIDERS, provider)) throw new Error(`there is no service ${provider}`)
  const layer = presetLayer([{ provider: { value: provider, where: 'test' } }])
  const { values } = readTable(ACCOUNT_SETTINGS, [layer], { subject: '', file: '' })
  return {
    path: values.path,
    form: {
      hostnameParameter: values.hostnameParameter,
      addressParameter: values.addressParameter,
      ipv6Parameter: values.ipv6Parameter,
      isApart: values.families === 'apart',
      absentFamily: values.absentFamily,
      parameters: values.parameters,
      minGap: values.minGap,
    },
    replies: dialectOf(provider),
    page: provider === 'easydns' ? easydnsPage : undefined,
    preservedBy: Object.hasOwn(DELETING_SERVICES, provider) ? DELETING_SERVICES[provider] : undefined,
    hostnames,
  }
}

export interface DialectRequest {
  readonly query: string
  /** The address of the client. */
  readonly peer: string
}
export interface DialectResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A request in the form of the specification. */
export interface PlainRequest {
  /** Path and query. */
  readonly target: string
  /** As the request lists them: hostnames, groups, or the word for all. */
  readonly items: readonly string[]
  /** Families whose records the other service deletes, because the request does not name them. */
  readonly deleted: readonly Family[]
}

/** Where each family is kept by a parameter: keepipv4=1, keepipv6=1. */
const KEPT = { v4: 'keepipv4', v6: 'keepipv6' } as const

/** Translates a request. Undefined where a fixed parameter of the other service is missing or different. */
export function plainRequest(request: DialectRequest, dialect: ServiceDialect): PlainRequest | undefined {
  const { form, hostnames, preservedBy } = dialect
  const given = new URLSearchParams(request.query)
  if (form.parameters.some(([name, value]) => given.get(name) !== value)) return undefined
  const named =
    form.hostnameParameter === 'none' ? (hostnames[0] ?? '') : (given.get(form.hostnameParameter) ?? '')
  const items = [given.get(form.addressParameter), given.get(form.ipv6Parameter)]
    .flatMap((text) => (text ?? '').split(','))
    .filter((text) => text !== '')
  const addresses = byFamily(items.flatMap((text) => parseAddress(text) ?? []))
  const query = new URLSearchParams({ hostname: named })
  if (listed(addresses).length > 0) query.set('myip', listed(addresses).join(','))
  const offline = given.get('offline')
  if (offline !== null) query.set('offline', offline)
  // The connection gives the address of its family.
  const present =
    listed(addresses).length > 0 ? addresses : byFamily([parseAddress(request.peer) ?? []].flat())
  const absent = FAMILIES.filter((family) => present[family] === undefined)
  const deletes = preservedBy !== undefined && offline?.toUpperCase() !== 'YES'
  return {
    target: `${UPDATE_PATH}?${query.toString()}`,
    items: named.split(','),
    deleted: deletes ? absent.filter((family) => !isKept(family, given, dialect)) : [],
  }
}

function isKept(family: Family, given: URLSearchParams, { form, preservedBy }: ServiceDialect): boolean {
  if (preservedBy === 'parameter') return given.get(KEPT[family]) === '1'
  const parameter = family === 'v4' ? form.addressParameter : form.ipv6Parameter
  return given.get(parameter) === preservedBy
}

/** As users of the service quote its pages in ddclient#582, ddclient#848 and dyndnsd#14. */
function easydnsPage(line: string, hostname: string): string {
  const [word = '', address = ''] = line.split(' ')
  const [said = word, remark = ''] =
    {
      good: ['OK', `${hostname} updated to ${address}`],
      nochg: ['OK', `no update required for ${hostname} to ${address}`],
      nohost: ['NO_SERVICE', `An invalid hostname was provided: ${hostname}`],
      badauth: ['NO_AUTH', `Failed login attempt logged: user u, host ${hostname}`],
    }[word] ?? []
  const font = '<FONT FACE="sans-serif" SIZE="-1">'
  return `<HTML><BODY>${font}${said}<br />\n<hr noshade size="1">\n${remark}<br />\n</FONT></BODY></HTML>`
}

/** Translates a response: the pages or words of the other service, its statuses, and its one line for all hostnames. */
export function dialectResponse(
  response: DialectResponse,
  { replies: dialect, page, hostnames: [hostname = ''] }: ServiceDialect,
): DialectResponse {
  const lines = response.body.split('\n').filter((line) => line !== '')
  const words = lines.map((line) => line.split(' ')[0] ?? '')
  const [first = ''] = words
  const isOne = words.every((word) => word === first)
  const status = isOne ? statusFor(first, dialect) : undefined
  if (status !== undefined) return { ...response, status, body: '' }
  if (page !== undefined)
    return { ...response, status: 200, headers: HTML, body: page(lines[0] ?? '', hostname) }
  const own = lines.map((line, at) => ownLine(line, words[at] ?? '', dialect))
  const one = dialect.hasOneLine === true && isOne ? own.slice(0, 1) : own
  return { ...response, body: `${one.join('\n')}\n` }
}

const HTML = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' } as const

/** Where a service has one word for success, an unchanged address has it too. */
const changeWordFor = (word: string): string | undefined => (word === 'nochg' ? 'good' : undefined)

/** The HTTP status that stands for a word. */
const statusFor = (word: string, { statuses = {} }: ReplyDialect): number | undefined => {
  const found = Object.entries(statuses).find(([, like]) => like === word || like === changeWordFor(word))
  return found === undefined ? undefined : Number(found[0])
}

function ownLine(line: string, word: string, { words = {}, hasOneLine }: ReplyDialect): string {
  const found = Object.entries(words).find(([, like]) => like === word || like === changeWordFor(word))
  if (found !== undefined) return found[0].toUpperCase()
  return hasOneLine === true ? (changeWordFor(word) ?? word) : line
}

/**
 * The hostnames that a reply confirms: each item with its line. Lines that do not fit the items are those of a group or of the word
 * for all, which stand for the hostnames of the credentials.
 */
export function confirmedHostnames(
  body: string,
  items: readonly string[],
  { hostnames }: Pick<ServiceDialect, 'hostnames'>,
): readonly string[] {
  const lines = body.split('\n').filter((line) => line !== '')
  const isDone = (line = ''): boolean => /^(good|nochg)\b/.test(line)
  const named = items.map(parseHostname)
  const isEach =
    lines.length === items.length && named.every((name) => name !== undefined && name.includes('.'))
  return isEach
    ? named.flatMap((name, at) => (name !== undefined && isDone(lines[at]) ? [name] : []))
    : hostnames.filter((_, at) => isDone(lines[at]))
}
