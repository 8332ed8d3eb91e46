import { providerCalled } from '../../../../src/client/services/providers/providers.ts'
import type { FakeRecord, FakeService, FakeWorld } from '../../../fakes/services/service.ts'
import { cloudflare } from '../../../fakes/services/cloudflare.ts'
import { desecRest } from '../../../fakes/services/desec-rest.ts'
import { digitalocean } from '../../../fakes/services/digitalocean.ts'
import { dynu } from '../../../fakes/services/dynu.ts'
import { gandi } from '../../../fakes/services/gandi.ts'
import { hetzner } from '../../../fakes/services/hetzner.ts'
import { ionos } from '../../../fakes/services/ionos.ts'
import { ns1 } from '../../../fakes/services/ns1.ts'
import { porkbun } from '../../../fakes/services/porkbun.ts'
import { godaddy } from '../../../fakes/services/godaddy.ts'
import { netcup } from '../../../fakes/services/netcup.ts'
import { dnspod } from '../../../fakes/services/dnspod.ts'
import { powerdns } from '../../../fakes/services/powerdns.ts'
import { linode } from '../../../fakes/services/linode.ts'
import { vultr } from '../../../fakes/services/vultr.ts'
import { vercel } from '../../../fakes/services/vercel.ts'
import { scaleway } from '../../../fakes/services/scaleway.ts'
import * as templates from '../../../fakes/services/templates.ts'

/** One service as the conformance table plays it. */
export interface Played {
  /** The name of the preset. */
  readonly provider: string
  readonly fake: FakeService
  /** A further host of the same service. */
  readonly other?: FakeService
  readonly zone: string
  readonly hostname: string
  /** Settings other than hostname and password. */
  readonly settings?: Readonly<Record<string, string>>
  readonly hasIpv6?: true
  /** What a wrong password, and a hostname that does not exist, end as: a reply word or a word of this program; a wait without one. */
  readonly wrongPassword: string | undefined
  readonly unknownHostname: string | undefined
  /** Its credentials cannot be limited. */
  readonly hasOneRight?: true
  /** Of its records, in seconds. */
  readonly ttl?: number
  /** Whether it says that an address is current already. */
  readonly saysUnchanged?: true
  /** Of the record, where the service needs it. */
  readonly extra?: Readonly<Record<string, unknown>>
}

const USERNAME = 'maria'

// biome-ignore format: a table
export const PLAYED: readonly Played[] = [
  { provider: 'cloudflare',    fake: cloudflare,           zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'no-zone', extra: { proxied: true, comment: 'at home', tags: ['a:b'] } },
  { provider: 'digitalocean',  fake: digitalocean,         zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'no-zone' },
  { provider: 'hetzner',       fake: hetzner,              zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'no-zone' },
  { provider: 'gandi',         fake: gandi,                zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'no-zone' },
  { provider: 'desec-api',     ttl: 3600, fake: desecRest,            zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'no-zone' },
  { provider: 'ns1',           fake: ns1,                  zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'no-zone' },
  { provider: 'ionos',         fake: ionos,                zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', extra: { disabled: false, prio: 0 }, unknownHostname: 'no-zone' },
  { provider: 'porkbun',       fake: porkbun,              zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'no-zone', settings: { apiKey: USERNAME }, extra: { notes: 'at home' } },
  { provider: 'godaddy',       fake: godaddy,              zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'no-zone', settings: { apiKey: USERNAME } },
  { provider: 'netcup', hasOneRight: true,       fake: netcup,               zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, saysUnchanged: true, wrongPassword: '911', unknownHostname: 'no-zone', settings: { username: USERNAME, apiKey: 'canary-of-a-key' } },
  { provider: 'dnspod',        fake: dnspod,               zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'no-zone', settings: { username: USERNAME }, extra: { line: '默认', line_id: '0', weight: 20, status: 'enable', remark: 'at home' } },
  { provider: 'powerdns',      fake: powerdns,             zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'no-zone', settings: { server: 'http://127.0.0.1:8081' }, extra: { disabled: false } },
  { provider: 'linode',        fake: linode,               zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'no-zone' },
  { provider: 'vultr',         fake: vultr,                zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'no-zone' },
  { provider: 'vercel',        fake: vercel,               zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'no-zone', extra: { comment: 'at home' } },
  { provider: 'scaleway',      fake: scaleway,             zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'no-zone', extra: { comment: 'at home', priority: 0 } },
  { provider: 'duckdns',       fake: templates.duckdns,    zone: 'duckdns.org', hostname: 'home.duckdns.org', hasIpv6: true, saysUnchanged: true, wrongPassword: 'wrong-name-or-token', unknownHostname: 'wrong-name-or-token' },
  { provider: 'namecheap',     fake: templates.namecheap,  zone: 'example.com', hostname: 'home.example.com', wrongPassword: 'badauth', unknownHostname: 'no-zone' },
  { provider: 'zoneedit',      fake: templates.zoneedit,   zone: 'example.com', hostname: 'home.example.com', settings: { username: USERNAME }, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'no-zone' },
  { provider: 'dynv6-api',     fake: templates.dynv6,      zone: 'home.dynv6.net', hostname: 'home.dynv6.net', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: undefined },
  { provider: 'freedns-token', fake: templates.freedns, other: templates.freednsV6, zone: 'mooo.com', hostname: 'home.mooo.com', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'good' },
  { provider: 'key-systems',   fake: templates.keySystems, zone: 'example.com', hostname: 'home.example.com', wrongPassword: 'badauth', unknownHostname: undefined },
  { provider: 'ddnss-key',     fake: templates.ddnss,      zone: 'ddnss.de', hostname: 'home.ddnss.de', hasIpv6: true, wrongPassword: 'badauth', unknownHostname: 'nohost' },
  { provider: 'dnsmadeeasy',   fake: templates.dnsmadeeasy, zone: 'example.com', hostname: 'home.example.com', settings: { username: USERNAME, record: '1007' }, extra: { record: '1007' }, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'good' },
  { provider: 'regfish',       fake: templates.regfish,    zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'nohost' },
  { provider: 'njalla',        fake: templates.njalla,     zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, wrongPassword: 'wrong-name-or-token', unknownHostname: 'wrong-name-or-token' },
  { provider: 'dynu-alias',    fake: dynu,                 zone: 'example.com', hostname: 'home.example.com', settings: { username: USERNAME }, hasIpv6: true, saysUnchanged: true, wrongPassword: 'badauth', unknownHostname: 'nohost' },
  { provider: 'dynadot',       fake: templates.dynadot,    zone: 'example.com', hostname: 'home.example.com', hasIpv6: true, wrongPassword: undefined, unknownHostname: undefined },
  { provider: 'dondominio',    fake: templates.dondominio, zone: 'example.com', hostname: 'home.example.com', settings: { username: USERNAME }, wrongPassword: undefined, unknownHostname: undefined },
  { provider: 'goip',          fake: templates.goip,       zone: 'goip.de', hostname: 'home.goip.de', settings: { username: USERNAME }, hasIpv6: true, wrongPassword: 'badauth', unknownHostname: 'badauth' },
  { provider: 'freemyip',      fake: templates.freemyip,   zone: 'freemyip.com', hostname: 'home.freemyip.com', wrongPassword: 'wrong-name-or-token', unknownHostname: 'wrong-name-or-token' },
]

/** Services that manage records. */
export const KEPT = PLAYED.filter(({ provider }) => providerCalled(provider)?.protocol !== undefined)

/** A record at the hostname of a service, without what only this service has. */
export const recordAt =
  ({ hostname, ttl = 600 }: Played) =>
  (type: string, value: string): FakeRecord => ({ name: hostname, type, value, ttl, extra: {} })

export const PASSWORD = 'canary-of-a-token'
export const [OLD, NEW] = ['192.0.2.1', '192.0.2.7']
export const [OLD6, NEW6] = ['2001:db8::1', '2001:db8::7']

export function worldOf(of: Played): FakeWorld {
  const { zone, extra = {}, hasIpv6 } = of
  const record = (type: string, value: string): FakeRecord => ({
    ...recordAt(of)(type, value),
    extra: { ...extra },
  })
  return {
    zones: [zone],
    records: [record('A', OLD), ...(hasIpv6 ? [record('AAAA', OLD6)] : [])],
    username: USERNAME,
    password: PASSWORD,
    apiKey: 'canary-of-a-key',
    isReadOnly: false,
  }
}
