import { nearest } from '../../../shared/base/nearest.ts'
import { err, ok, type Result } from '../../../shared/base/result.ts'
import { parseAddress } from '../../../shared/base/address.ts'

/** An address source, as configured. */
export type SourceSpec =
  | { readonly kind: 'interface'; readonly interface?: string }
  /** NAT-PMP where the router supports it, else UPnP. */
  | { readonly kind: 'router' }
  | { readonly kind: 'natPmp' }
  | { readonly kind: 'pcp' }
  | { readonly kind: 'upnp' }
  | { readonly kind: 'command' }
  | { readonly kind: 'stun'; readonly host: string; readonly port: number }
  | {
      readonly kind: 'dns'
      /** A name whose answer is the client's address; without trailing dot. */
      readonly name: string
      /** Without one, A or AAAA by the family of the query. */
      readonly type?: 'A' | 'AAAA' | 'TXT'
      readonly class: 'IN' | 'CH'
      /** A name or an address. Another server answers with its own address, or with that of its resolver. */
      readonly server: string
    }
  /** `url` has no fragment; `field` is the member of a JSON object that holds the address. */
  | { readonly kind: 'web'; readonly url: string; readonly field?: string }

/** The host of an outside source, which is its operator; undefined for a source of this host or of its network. */
export function hostOfSource(spec: SourceSpec): string | undefined {
  if (spec.kind === 'web') return new URL(spec.url).hostname
  if (spec.kind === 'dns') return spec.server
  return spec.kind === 'stun' ? spec.host : undefined
}

type Kind = SourceSpec['kind']
export type SourceSpecOf<K extends Kind> = Extract<SourceSpec, { readonly kind: K }>

interface SourceForm<K extends Kind> {
  /** For help and error messages. */
  readonly form: string
  /** For the schema that editors read. */
  readonly example: string
  /** undefined where the text has the form of another kind. */
  readonly parse: (text: string) => Result<SourceSpecOf<K>, string> | undefined
  readonly format: (spec: SourceSpecOf<K>) => string
}

/** A kind that is one word, without parameters. */
const keyword = <K extends 'router' | 'natPmp' | 'pcp' | 'upnp' | 'command'>(
  word: string,
  kind: K,
): SourceForm<K> => ({
  form: word,
  example: word,
  parse: (text) => (text === word ? ok({ kind } as SourceSpecOf<K>) : undefined),
  format: () => word,
})

/** RFC 8489 §18.6. */
export const STUN_PORT = 3478

/** The text form of each kind of source; the first row that accepts a text decides. */
const FORMS: { readonly [K in Kind]: SourceForm<K> } = {
  interface: {
    form: 'interfaces, interface:NAME',
    example: 'interface:eth0',
    parse: (text) => (text === 'interfaces' ? ok({ kind: 'interface' }) : parseInterface(text)),
    format: ({ interface: name }) => (name === undefined ? 'interfaces' : `interface:${name}`),
  },
  router: keyword('router', 'router'),
  natPmp: keyword('nat-pmp', 'natPmp'),
  pcp: keyword('pcp', 'pcp'),
  upnp: keyword('upnp', 'upnp'),
  command: keyword('command', 'command'),
  stun: {
    form: 'stun:HOST[:PORT]',
    example: 'stun:stun.cloudflare.com',
    parse: parseStun,
    format: ({ host, port }) =>
      `stun:${host.includes(':') ? `[${host}]` : host}${port === STUN_PORT ? '' : `:${port}`}`,
  },
  dns: {
    form: 'dns:NAME[/A|AAAA|TXT][/CH]@SERVER',
    example: 'dns:whoami.cloudflare/TXT/CH@1.1.1.1',
    parse: parseDns,
    format: ({ name, type, class: recordClass, server }) =>
      `dns:${name}${type === undefined ? '' : `/${type}`}${recordClass === 'CH' ? '/CH' : ''}@${server}`,
  },
  web: {
    form: 'URL, or URL#member for JSON',
    example: 'https://api.ipify.org/?format=json#ip',
    parse: parseWeb,
    format: ({ url, field }) => (field === undefined ? url : `${url}#${encodeURIComponent(field)}`),
  },
}

/** All forms, for help and error messages. */
export const SOURCE_FORMS = Object.values(FORMS)
  .map(({ form }) => form)
  .join(', ')

export const SOURCE_EXAMPLES: readonly string[] = Object.values(FORMS).map(({ example }) => example)

/** The error is a predicate without its subject, such as "is not a source"; the caller lists the forms. */
export function parseSource(text: string): Result<SourceSpec, string> {
  for (const { parse } of Object.values(FORMS)) {
    const parsed = parse(text)
    if (parsed !== undefined) return parsed
  }
  return err(notASource(text))
}

/** The inverse of `parseSource`. */
export const formatSource = <K extends Kind>(spec: SourceSpecOf<K>): string =>
  (FORMS[spec.kind] as unknown as SourceForm<K>).format(spec)

/** What follows the scheme; empty for the bare scheme, undefined for another one. */
function afterScheme(scheme: string, text: string): string | undefined {
  if (text === scheme) return ''
  return text.startsWith(`${scheme}:`) ? text.slice(scheme.length + 1) : undefined
}

function parseInterface(text: string): Result<SourceSpecOf<'interface'>, string> | undefined {
  const name = afterScheme('interface', text)
  if (name === undefined) return undefined
  return /^[^\s/]{1,15}$/.test(name)
    ? ok({ kind: 'interface', interface: name })
    : err('names no interface; write interface:NAME')
}

const isHost = (text: string): boolean =>
  parseAddress(text) !== undefined || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text)

function parseStun(text: string): Result<SourceSpecOf<'stun'>, string> | undefined {
  const rest = afterScheme('stun', text)
  if (rest === undefined) return undefined
  if (rest === '') return err('names no server; write stun:HOST')
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(rest) ?? []
  const host = bracketed ?? plain ?? ''
  const number = port === undefined ? STUN_PORT : Number(port)
  return isHost(host) && number > 0 && number < 65_536
    ? ok({ kind: 'stun', host, port: number })
    : err('is not stun:HOST or stun:HOST:PORT; write an IPv6 address in brackets')
}

function parseDns(text: string): Result<SourceSpecOf<'dns'>, string> | undefined {
  const rest = afterScheme('dns', text)
  if (rest === undefined) return undefined
  if (rest === '') return err('names no server; write dns:NAME@SERVER')
  const [, name = '', type, chaos, server = ''] =
    /^([^/@]+?)\.?(?:\/(A|AAAA|TXT))?(\/CH)?@\[?([^\]]+)\]?$/i.exec(rest) ?? []
  const labels = name.split('.')
  const isName = name.length <= 253 && labels.every((label) => /^[a-z0-9_-]{1,63}$/i.test(label))
  if (!isName || !isHost(server)) return err(`is not ${FORMS.dns.form}`)
  return ok({
    kind: 'dns',
    name,
    server,
    class: chaos === undefined ? 'IN' : 'CH',
    ...(type !== undefined && { type: type.toUpperCase() as 'A' | 'AAAA' | 'TXT' }),
  })
}

function parseWeb(text: string): Result<SourceSpecOf<'web'>, string> | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return err('contains credentials')
  const field = fragmentOf(url)
  if (field === undefined) return err('contains an invalid escape in its fragment')
  url.hash = ''
  return ok({ kind: 'web', url: url.href, ...(field !== '' && { field }) })
}

function fragmentOf(url: URL): string | undefined {
  try {
    return decodeURIComponent(url.hash.slice(1))
  } catch {
    return undefined
  }
}

/** An interface name without its scheme, and misspelled keywords, get a suggestion. */
function notASource(text: string): string {
  if (/^(?:eth|en|wl|wan|ppp|br|wg|tun)[a-z0-9.]*\d[a-z0-9.]*$/.test(text))
    return `is not a source; did you mean interface:${text}?`
  const keywords = SOURCE_FORMS.split(', ').filter((form) => /^[a-z-]+$/.test(form))
  const suggestion = nearest(text, keywords)
  return `is not a source${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`
}
