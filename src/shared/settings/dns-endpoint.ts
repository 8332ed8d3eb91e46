import { err, ok, type Result } from '../base/result.ts'
import { type Address, parseAddress } from '../base/address.ts'

/** An address with a port for DNS. */
interface DnsEndpoint {
  readonly host: Address
  readonly port: number
}

/** Of name servers (RFC 1035 §4.2). */
export const DNS_PORT = 53
/** RFC 7858 §3.1. */
const DNS_TLS_PORT = 853

/** Parses "192.0.2.53", "192.0.2.53:5300" or "[2001:db8::53]:5300"; the default port is 53. Port 0: a free port. */
function parseDnsEndpoint(value: string): Result<DnsEndpoint, string> {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+)|[^[\]]+)(?::(\d{1,5}))?$/.exec(value) ?? []
  const host = parseAddress(bracketed ?? plain ?? value)
  return host === undefined || Number(port ?? DNS_PORT) > 65_535
    ? err('must be an address with a port, such as 192.0.2.53:5300 or [2001:db8::53]:53')
    : ok({ host, port: Number(port ?? DNS_PORT) })
}

/** Where DNS is answered: with TLS by RFC 7858, else by UDP and TCP. */
interface DnsListenPlace extends DnsEndpoint {
  readonly isTls: boolean
}

/** Parses an endpoint, or one with "/tls" at its end, whose default port is 853. */
export function parseDnsListen(value: string): Result<DnsListenPlace, string> {
  const isTls = value.endsWith('/tls')
  const text = isTls ? value.slice(0, -'/tls'.length) : value
  const endpoint = parseDnsEndpoint(text)
  if (!endpoint.ok)
    return err('must be ADDRESS:PORT or ADDRESS:PORT/tls, such as 192.0.2.53:53 or 192.0.2.53:853/tls')
  const hasPort = endpoint.value.port !== DNS_PORT || text.endsWith(`:${DNS_PORT}`)
  return ok({ ...endpoint.value, port: isTls && !hasPort ? DNS_TLS_PORT : endpoint.value.port, isTls })
}

export const formatDnsListen = (place: DnsListenPlace): string =>
  `${formatDnsEndpoint(place)}${place.isTls ? '/tls' : ''}`

/** The same, of a name server that can be asked. */
export function parseDnsServer(value: string): Result<DnsEndpoint, string> {
  const endpoint = parseDnsEndpoint(value)
  return endpoint.ok && endpoint.value.port === 0
    ? err('needs the port at which the name server listens')
    : endpoint
}

export const formatDnsEndpoint = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`
