import { type Duration, seconds } from '../../../shared/base/time.ts'
import { type SourceSpec, STUN_PORT } from './spec.ts'
import type { Family } from '../../../shared/base/address.ts'
import { TEN_MINUTE_COOLDOWN } from './source.ts'

export interface PublicService {
  readonly operator: string
  readonly families: readonly Family[]
  readonly spec: SourceSpec
  /** The operator's rules for use, as far as any were found; `cooldown` and `burst` follow from them. */
  readonly policy: string
  readonly cooldown: Duration
  readonly burst?: number
}

const BOTH = ['v4', 'v6'] as const
const stun = (host: string, port = STUN_PORT): SourceSpec => ({ kind: 'stun', host, port })
const dns = (name: string, server: string): SourceSpec => ({ kind: 'dns', name, server, class: 'IN' })
const chaosDns = (name: string, server: string): SourceSpec => ({
  kind: 'dns',
  name,
  server,
  type: 'TXT',
  class: 'CH',
})
const web = (url: string): SourceSpec => ({ kind: 'web', url })

const NONE = 'no policy was found'
const ONE_SECOND = seconds(1)
/** Used only where neither STUN nor DNS works: four times a minute, and in a burst when the address changes. */
const FIFTEEN_SECONDS = seconds(15)
const FALLBACK_BURST = 4

/**
 * Public services that report the client's address, in the order of use, cheapest first. Two services of one operator count
 * as one. A DNS answer may come from a middlebox and never counts alone.
 */
// biome-ignore format: a table
export const PUBLIC_SERVICES: readonly PublicService[] = [
  { operator: 'Cloudflare', families: BOTH,   spec: stun('stun.cloudflare.com'),                               policy: NONE,                                     cooldown: ONE_SECOND },
  { operator: 'Google',     families: BOTH,   spec: stun('stun.l.google.com', 19302),                          policy: NONE,                                     cooldown: ONE_SECOND },
  { operator: 'Nextcloud',  families: BOTH,   spec: stun('stun.nextcloud.com', 443),                           policy: NONE,                                     cooldown: ONE_SECOND },
  // By address, so that two operators agree even while name resolution fails.
  { operator: 'Cisco',      families: ['v4'], spec: dns('myip.opendns.com', '208.67.222.222'),                 policy: NONE,                                     cooldown: ONE_SECOND },
  { operator: 'Cisco',      families: ['v6'], spec: dns('myip.opendns.com', '2620:119:35::35'),                policy: NONE,                                     cooldown: ONE_SECOND },
  { operator: 'Cloudflare', families: ['v4'], spec: chaosDns('whoami.cloudflare', '1.1.1.1'),          policy: NONE,                                     cooldown: ONE_SECOND },
  { operator: 'Cloudflare', families: ['v6'], spec: chaosDns('whoami.cloudflare', '2606:4700:4700::1111'), policy: NONE,                                 cooldown: ONE_SECOND },
  { operator: 'ipify',      families: ['v4'], spec: web('https://api.ipify.org/'),                            policy: 'home page: "without limit"',            cooldown: FIFTEEN_SECONDS, burst: FALLBACK_BURST },
  { operator: 'ipify',      families: ['v6'], spec: web('https://api6.ipify.org/'),                           policy: 'home page: "without limit"',            cooldown: FIFTEEN_SECONDS, burst: FALLBACK_BURST },
  { operator: 'ident.me',   families: ['v4'], spec: web('https://v4.ident.me/'),                              policy: NONE,                                     cooldown: FIFTEEN_SECONDS, burst: FALLBACK_BURST },
  { operator: 'ident.me',   families: ['v6'], spec: web('https://v6.ident.me/'),                              policy: NONE,                                     cooldown: FIFTEEN_SECONDS, burst: FALLBACK_BURST },
  { operator: 'Amazon',     families: ['v4'], spec: web('https://checkip.amazonaws.com/'),                    policy: NONE,                                     cooldown: FIFTEEN_SECONDS, burst: FALLBACK_BURST },
  { operator: 'Cloudflare', families: BOTH,   spec: web('https://www.cloudflare.com/cdn-cgi/trace'),          policy: NONE,                                     cooldown: FIFTEEN_SECONDS, burst: FALLBACK_BURST },
]

/**
 * Update services with an address service of their own: it is asked first,
 * because it learns nothing new. `operator` is the host.
 */
// biome-ignore format: a table
export const UPDATE_SERVICES: readonly PublicService[] = [
  { operator: 'dynupdate.no-ip.com', families: ['v4'], spec: web('http://ip1.dynupdate.no-ip.com/'),  policy: NONE,                             cooldown: FIFTEEN_SECONDS },
  { operator: 'dynupdate.no-ip.com', families: ['v6'], spec: web('http://ip1.dynupdate6.no-ip.com/'), policy: NONE,                             cooldown: FIFTEEN_SECONDS },
  { operator: 'update.dedyn.io',     families: ['v4'], spec: web('https://checkipv4.dedyn.io/'),      policy: NONE,                             cooldown: FIFTEEN_SECONDS },
  { operator: 'update.dedyn.io',     families: ['v6'], spec: web('https://checkipv6.dedyn.io/'),      policy: NONE,                             cooldown: FIFTEEN_SECONDS },
  { operator: 'ipv4.nsupdate.info',  families: ['v4'], spec: web('https://ipv4.nsupdate.info/myip'),  policy: NONE,                             cooldown: TEN_MINUTE_COOLDOWN },
  { operator: 'ipv4.nsupdate.info',  families: ['v6'], spec: web('https://ipv6.nsupdate.info/myip'),  policy: NONE,                             cooldown: TEN_MINUTE_COOLDOWN },
  { operator: 'svc.joker.com',       families: ['v4'], spec: web('https://ipv4.svc.joker.com/nic/checkip'), policy: NONE,                       cooldown: TEN_MINUTE_COOLDOWN },
  { operator: 'svc.joker.com',       families: ['v6'], spec: web('https://ipv6.svc.joker.com/nic/checkip'), policy: NONE,                       cooldown: TEN_MINUTE_COOLDOWN },
  { operator: 'www.dnshome.de',      families: ['v4'], spec: web('https://ip4.dnshome.de/'),          policy: NONE,                             cooldown: TEN_MINUTE_COOLDOWN },
  { operator: 'www.dnshome.de',      families: ['v6'], spec: web('https://ip6.dnshome.de/'),          policy: NONE,                             cooldown: TEN_MINUTE_COOLDOWN },
]
