import { nearest } from '../base/nearest.ts'
import { err, ok, type Result } from '../base/result.ts'
import { type Addresses, parseAddress } from '../net/address.ts'

/** A way of learning the public address, as the user writes it. */
export type SourceSpec =
  | { readonly kind: 'given'; readonly addresses: Addresses }
  | { readonly kind: 'interface'; readonly interface?: string }
  /** NAT-PMP where the router speaks it, else UPnP. */
  | { readonly kind: 'router' }
  | { readonly kind: 'natPmp' }
  | { readonly kind: 'pcp' }
  | { readonly kind: 'upnp' }
  | { readonly kind: 'command' }
  | { readonly kind: 'stun'; readonly host: string; readonly port: number }
  | {
      readonly kind: 'dns'
      readonly name: string
      readonly type?: 'A' | 'AAAA' | 'TXT'
      readonly class: 'IN' | 'CH'
      readonly server: string
    }
  | { readonly kind: 'echo'; readonly url: string; readonly field?: string }

const WORDS = {
  interfaces: { kind: 'interface' },
  router: { kind: 'router' },
  'nat-pmp': { kind: 'natPmp' },
  pcp: { kind: 'pcp' },
  upnp: { kind: 'upnp' },
  command: { kind: 'command' },
} as const satisfies Readonly<Record<string, SourceSpec>>
const isWord = (text: string): text is keyof typeof WORDS => Object.hasOwn(WORDS, text)

export const STUN_PORT = 3478

/** What a source may look like: one line for each, for people. */
export const SOURCE_FORMS =
  'interfaces, interface:NAME, router, nat-pmp, pcp, upnp, command, stun:HOST[:PORT], dns:NAME[/A|AAAA|TXT][/CH]@SERVER, an echo URL, or URL#member for JSON'

/** "interfaces", "interface:eth0", "router", "stun:stun.example", "dns:whoami.example/TXT/CH@192.0.2.1", "https://…#ip". */
export function parseSource(text: string): Result<SourceSpec, string> {
  if (isWord(text)) return ok(WORDS[text])
  const [, scheme = '', rest = ''] = /^(interface|stun|dns):(.+)$/i.exec(text) ?? []
  if (scheme === 'interface')
    return /^[^\s/]{1,15}$/.test(rest)
      ? ok({ kind: 'interface', interface: rest })
      : err('names no interface')
  if (scheme === 'stun') return parseStun(rest)
  if (scheme === 'dns') return parseDns(rest)
  return parseEcho(text)
}

const isHost = (text: string): boolean =>
  parseAddress(text) !== undefined || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text)

function parseStun(text: string): Result<SourceSpec, string> {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = bracketed ?? plain ?? ''
  const number = port === undefined ? STUN_PORT : Number(port)
  return isHost(host) && number > 0 && number < 65_536
    ? ok({ kind: 'stun', host, port: number })
    : err('is not stun:HOST or stun:HOST:PORT; an IPv6 address stands in brackets')
}

function parseDns(text: string): Result<SourceSpec, string> {
  const [, name = '', type, chaos, server = ''] =
    /^([^/@]+?)\.?(?:\/(A|AAAA|TXT))?(\/CH)?@\[?([^\]]+)\]?$/i.exec(text) ?? []
  const labels = name.split('.')
  const isName = name.length <= 253 && labels.every((label) => /^[a-z0-9_-]{1,63}$/i.test(label))
  if (!isName || !isHost(server)) return err('is not dns:NAME[/A|AAAA|TXT][/CH]@SERVER')
  return ok({
    kind: 'dns',
    name,
    server,
    class: chaos === undefined ? 'IN' : 'CH',
    ...(type !== undefined && { type: type.toUpperCase() as 'A' | 'AAAA' | 'TXT' }),
  })
}

function parseEcho(text: string): Result<SourceSpec, string> {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return err(notASource(text))
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return err('holds credentials')
  const field = fragmentOf(url)
  if (field === undefined) return err('holds a broken escape in its fragment')
  url.hash = ''
  return ok({ kind: 'echo', url: url.href, ...(field !== '' && { field }) })
}

/** What was probably meant; the caller lists the forms. */
function notASource(text: string): string {
  if (text === 'stun' || text === 'dns')
    return `names no server; write ${text === 'stun' ? 'stun:HOST' : 'dns:NAME@SERVER'}`
  if (text === 'interface' || /^(?:eth|en|wl|wan|ppp|br|wg|tun)[a-z0-9.]*\d[a-z0-9.]*$/.test(text))
    return `is no source; did you mean interface:${text === 'interface' ? 'NAME' : text}?`
  const meant = nearest(text, Object.keys(WORDS))
  return `is no source${meant === undefined ? '' : `; did you mean ${meant}?`}`
}

function fragmentOf(url: URL): string | undefined {
  try {
    return decodeURIComponent(url.hash.slice(1))
  } catch {
    return undefined
  }
}

/** The inverse. */
export function formatSource(spec: SourceSpec): string {
  if (spec.kind === 'interface')
    return spec.interface === undefined ? 'interfaces' : `interface:${spec.interface}`
  if (spec.kind === 'stun') {
    const host = spec.host.includes(':') ? `[${spec.host}]` : spec.host
    return `stun:${host}${spec.port === STUN_PORT ? '' : `:${spec.port}`}`
  }
  if (spec.kind === 'dns') {
    const { name, type, class: classOf, server } = spec
    return `dns:${name}${type === undefined ? '' : `/${type}`}${classOf === 'CH' ? '/CH' : ''}@${server}`
  }
  if (spec.kind === 'echo')
    return spec.field === undefined ? spec.url : `${spec.url}#${encodeURIComponent(spec.field)}`
  return spec.kind === 'natPmp' ? 'nat-pmp' : spec.kind
}
