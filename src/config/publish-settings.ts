import { err, ok, type Result } from '../base/result.ts'
import { type Address, familyOf, parseAddress } from '../net/address.ts'
import { parseHostname } from '../net/hostname.ts'

/** An address with a port for DNS. Port 0: a free port. */
export interface DnsEndpoint {
  readonly host: string
  readonly port: number
}

const DNS_PORT = 53

/** Parses "192.0.2.53", "192.0.2.53:5300" or "[2001:db8::53]:5300"; the default port is 53. */
export function parseDnsEndpoint(value: string): Result<DnsEndpoint, string> {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+)|[^[\]]+)(?::(\d{1,5}))?$/.exec(value) ?? []
  const host = parseAddress(bracketed ?? plain ?? value)
  return host === undefined || Number(port ?? DNS_PORT) > 65_535
    ? err('must be an address with a port, such as 192.0.2.53:5300 or [2001:db8::53]:53')
    : ok({ host, port: Number(port ?? DNS_PORT) })
}

export const formatDnsEndpoint = ({ host, port }: DnsEndpoint): string =>
  `${familyOf(host as Address) === 'v6' ? `[${host}]` : host}:${port}`

/** A secondary name server, with the name of the key that it signs with. */
export interface SecondarySetting {
  readonly name: string
  readonly address: Address
  readonly port: number
  readonly keyName: string
}

/** A domain name, also of one label (RFC 8945 §4.2). */
export const KEY_NAME = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/

/** Parses "ns1=192.0.2.1:53 key ns1-key". */
export function parseSecondary(value: string): Result<SecondarySetting, string> {
  const [, name, place, keyName] = /^([\w.-]{1,64})=(\S+) key (\S+)$/.exec(value.trim()) ?? []
  const endpoint = place === undefined ? undefined : parseDnsEndpoint(place)
  const key = keyName?.toLowerCase().replace(/\.$/, '') ?? ''
  if (name === undefined || endpoint === undefined || !KEY_NAME.test(key))
    return err('must be NAME=ADDRESS:PORT key KEYNAME, such as "ns1=192.0.2.1:53 key ns1-key"')
  if (endpoint.ok && endpoint.value.port === 0) return err('needs the port at which the name server listens')
  return endpoint.ok
    ? ok({ name, address: endpoint.value.host as Address, port: endpoint.value.port, keyName: key })
    : endpoint
}

/** A mailbox as the domain name of a SOA, in which dots of the local part are escaped (RFC 1035 §8). */
export function parseContact(value: string): Result<string, string> {
  const [, local = '', domain = ''] = /^([A-Za-z0-9_-]{1,63})@([^@]+)$/.exec(value.trim()) ?? []
  const host = parseHostname(domain)
  return local === '' || host === undefined
    ? err('must be an e-mail address without a dot before the @, such as hostmaster@example.net')
    : ok(`${local.toLowerCase()}.${host}`)
}

export function parseRedirectAddress(value: string): Result<Address, string> {
  const address = parseAddress(value)
  return address === undefined ? err('is not an IPv4 or IPv6 address') : ok(address)
}
