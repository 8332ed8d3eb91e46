import { type Duration, seconds } from '../../base/time.ts'
import type { SourceSpec } from '../../config/source.ts'
import type { Family } from '../../net/address.ts'
import { TEN_MINUTE_COOLDOWN } from './source.ts'

interface Service {
  readonly operator: string
  readonly families: readonly Family[]
  readonly spec: SourceSpec
  /** What the operator says about use, or that nothing was found; and how often we ask at most because of it. */
  readonly policy: string
  readonly cooldown: Duration
  readonly burst?: number
}

const BOTH = ['v4', 'v6'] as const
const stun = (host: string, port = 3478): SourceSpec => ({ kind: 'stun', host, port })
const dns = (name: string, server: string, type?: 'TXT', isChaos = false): SourceSpec => ({
  kind: 'dns',
  name,
  server,
  class: isChaos ? 'CH' : 'IN',
  ...(type !== undefined && { type }),
})
const echo = (url: string): SourceSpec => ({ kind: 'echo', url })

const NONE = 'no policy was found'
/** Asked only where neither STUN nor DNS gets through: four times a minute, at once where a line is redialled. */
const RARELY = seconds(15)
const AT_ONCE = 4
const POLITE = seconds(1)

/**
 * Public services that tell the caller's address, cheapest first: the order in which they are asked. Of one operator's
 * several only one voice counts. An answer by DNS may come from a middlebox, and is never alone.
 */
// biome-ignore format: a table
export const SERVICES: readonly Service[] = [
  { operator: 'Cloudflare', families: BOTH,   spec: stun('stun.cloudflare.com'),                               policy: NONE,                                     cooldown: POLITE },
  { operator: 'Google',     families: BOTH,   spec: stun('stun.l.google.com', 19302),                          policy: NONE,                                     cooldown: POLITE },
  { operator: 'Nextcloud',  families: BOTH,   spec: stun('stun.nextcloud.com', 443),                           policy: NONE,                                     cooldown: POLITE },
  // By address, so that the host's own name server need not work: these two agree without it.
  { operator: 'Cisco',      families: ['v4'], spec: dns('myip.opendns.com', '208.67.222.222'),                 policy: NONE,                                     cooldown: POLITE },
  { operator: 'Cisco',      families: ['v6'], spec: dns('myip.opendns.com', '2620:119:35::35'),                policy: NONE,                                     cooldown: POLITE },
  { operator: 'Cloudflare', families: ['v4'], spec: dns('whoami.cloudflare', '1.1.1.1', 'TXT', true),          policy: NONE,                                     cooldown: POLITE },
  { operator: 'Cloudflare', families: ['v6'], spec: dns('whoami.cloudflare', '2606:4700:4700::1111', 'TXT', true), policy: NONE,                                 cooldown: POLITE },
  { operator: 'Akamai',     families: ['v4'], spec: dns('whoami.akamai.net', 'ns1-1.akamaitech.net'),          policy: NONE,                                     cooldown: POLITE },
  { operator: 'ipify',      families: ['v4'], spec: echo('https://api.ipify.org/'),                            policy: '"without limit", says its home page',    cooldown: RARELY, burst: AT_ONCE },
  { operator: 'ipify',      families: ['v6'], spec: echo('https://api6.ipify.org/'),                           policy: '"without limit", says its home page',    cooldown: RARELY, burst: AT_ONCE },
  { operator: 'ident.me',   families: ['v4'], spec: echo('https://v4.ident.me/'),                              policy: NONE,                                     cooldown: RARELY, burst: AT_ONCE },
  { operator: 'ident.me',   families: ['v6'], spec: echo('https://v6.ident.me/'),                              policy: NONE,                                     cooldown: RARELY, burst: AT_ONCE },
  { operator: 'Amazon',     families: ['v4'], spec: echo('https://checkip.amazonaws.com/'),                    policy: NONE,                                     cooldown: RARELY, burst: AT_ONCE },
  { operator: 'Cloudflare', families: BOTH,   spec: echo('https://www.cloudflare.com/cdn-cgi/trace'),          policy: NONE,                                     cooldown: RARELY, burst: AT_ONCE },
]

interface OwnEcho {
  /** The update service's host. */
  readonly server: string
  readonly families: readonly Family[]
  readonly url: string
  readonly policy: string
  readonly cooldown: Duration
}

/** Update services that also tell the address: whoever is sent the updates anyway is asked first. */
// biome-ignore format: a table
export const OWN_WEB_SOURCES: readonly OwnEcho[] = [
  { server: 'dynupdate.no-ip.com', families: ['v4'], url: 'http://ip1.dynupdate.no-ip.com/',  policy: NONE,                             cooldown: RARELY },
  { server: 'dynupdate.no-ip.com', families: ['v6'], url: 'http://ip1.dynupdate6.no-ip.com/', policy: NONE,                             cooldown: RARELY },
  { server: 'update.dedyn.io',     families: ['v4'], url: 'https://checkipv4.dedyn.io/',      policy: NONE,                             cooldown: RARELY },
  { server: 'update.dedyn.io',     families: ['v6'], url: 'https://checkipv6.dedyn.io/',      policy: NONE,                             cooldown: RARELY },
  { server: 'ipv4.nsupdate.info',  families: ['v4'], url: 'https://ipv4.nsupdate.info/myip',  policy: NONE,                             cooldown: TEN_MINUTE_COOLDOWN },
  { server: 'ipv6.nsupdate.info',  families: ['v6'], url: 'https://ipv6.nsupdate.info/myip',  policy: NONE,                             cooldown: TEN_MINUTE_COOLDOWN },
]
