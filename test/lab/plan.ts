/**
 * The addresses of the lab. They are from globally routed ranges, because a port-mapping service rejects documentation ranges on
 * its WAN side; no packet leaves the namespaces.
 */
export const FIRST_WAN = '11.22.33.10'
/** The address of a second line. */
export const OTHER_WAN = '11.23.44.10'
export const LAN_ROUTER = '192.168.77.1'
export const LAN_HOST = '192.168.77.100'
export const LAN_NET = '192.168.77.0/24'
/** The LAN side of a modem in front of the router, and the router's address there. */
export const MODEM = '10.20.30.1'
export const MODEM_ROUTER = '10.20.30.9'
export const CGNAT_INSIDE = '100.64.9.9'
/** A new address each time, like providers: an address that returns soon looks like two alternating uplinks. */
export const cgnatOutside = (turn: number): string => `11.22.200.${turn}`
export const afterCgnat = (turn: number): string => `11.22.201.${10 + turn}`
export const WAN_PREFIX = '2a00:db8:1:1'
export const FIRST_PREFIX = '2a00:db8:100:1'
/** The range of all prefixes that the lab assigns to the LAN. */
export const LAN_PREFIXES = '2a00:db8:100::/48'
export const UPDATE_PORT = 8080

export const STUN_PORT = 3478
export const STUN_RESPONDERS: readonly number[] = [1, 2, 81, 82]
export const HTTP_RESPONDERS: readonly number[] = [80, 81, 82, 83]
export const DNS_RESPONDER = 53
/** For the update service of a test. */
export const UPDATE_HOST = 10
/** The name server of the host; it has the number of a STUN responder. */
export const RESOLVER = 2
/** The outside services by name, each in a separate domain: sources of one domain count as one operator. */
export const NAMES: ReadonlyMap<string, number> = new Map([
  ['stun.one.test', 81],
  ['stun.two.test', 82],
  ['whoami.three.test', DNS_RESPONDER],
  ['web.four.test', 80],
  // The default sources of the client.
  ['stun.cloudflare.com', 81],
  ['stun.l.google.com', 82],
  ['stun.nextcloud.com', 1],
  ['resolver1.opendns.com', DNS_RESPONDER],
  ['www.cloudflare.com', 80],
  ['api.ipify.org', 81],
  ['v4.ident.me', 82],
  ['checkip.amazonaws.com', 83],
])
export const SERVICES: readonly number[] = [1, 2, UPDATE_HOST, DNS_RESPONDER, 80, 81, 82, 83]

/** The outside service number n, e.g. 11.99.0.81 and 2a00:db8:99::81. */
export const serviceV4 = (n: number): string => `11.99.0.${n}`
export const serviceV6 = (n: number): string => `2a00:db8:99::${n}`

/** A fixed MAC address, so that the stable IPv6 address in a prefix is known in advance. */
export const HOST_MAC = '02:00:00:00:77:64'
export const stableAddress = (prefix: string): string => `${prefix}:0:ff:fe00:7764`

export const gatewayOf = (wan: string): string => wan.replace(/\d+$/, '1')

/** An IPv6 address as /proc/net/if_inet6 writes it: 32 digits. */
export function tableForm(address: string): string {
  const [left = '', right] = address.split('::')
  const groups = (part = ''): readonly string[] => part.split(':').filter((group) => group !== '')
  const zeros = Array<string>(8 - groups(left).length - groups(right).length).fill('0')
  return [...groups(left), ...zeros, ...groups(right)].map((group) => group.padStart(4, '0')).join('')
}

/** The folder whose files `ip netns exec` mounts over those in /etc. */
export const etcOf = (namespace: string): string => `/etc/netns/${namespace}`

/** The first groups of global prefixes that do not belong to the provider, and sort before those of the provider. */
export const FOREIGN_PREFIX = '2001:470:1f0b'
/** The tunnels of all VPNs. */
export const VPN_NET = '10.8.0.0/16'

/** The key and the certificate of the outside services, in the lab's folder. */
export const [KEY_FILE, CERTIFICATE_FILE] = ['tls.key', 'tls.crt']
