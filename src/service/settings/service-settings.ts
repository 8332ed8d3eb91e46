import { LEVELS } from '../../shared/base/level.ts'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { days, hours, minutes, seconds } from '../../shared/base/time.ts'
import { type Address, parseAddress } from '../../shared/base/address.ts'
import { parseHostname } from '../../shared/base/hostname.ts'
import { isLoopbackHost } from '../../shared/base/network.ts'
import { parsePrefix } from '../../shared/base/prefix.ts'
import { ALL_HOSTNAMES } from '../../shared/protocol/request.ts'
import { parseDnsListen, parseDnsServer } from '../../shared/settings/dns-endpoint.ts'
import {
  choice,
  duration,
  listReader,
  mailbox,
  mailServer,
  onOff,
  path,
  type SettingReader,
  text,
  whole,
} from '../../shared/settings/reader.ts'
import type { SettingTable, Values } from '../../shared/settings/setting.ts'
import { isStoreUrl, parseStoreUrl, type StoreUrl } from './store-url.ts'
import { KEY_NAME } from '../../shared/dns/tsig.ts'

/** A secondary name server, with the name of the key that it signs with. */
interface SecondarySetting {
  readonly name: string
  readonly address: Address
  readonly port: number
  readonly keyName: string
  readonly signs: boolean
}

/** Parses "ns1=192.0.2.1:53 key ns1-key". */
function parseSecondary(value: string): Result<SecondarySetting, string> {
  const [, name, place, keyName, signs] = /^([\w.-]{1,64})=(\S+) key (\S+)( signs)?$/.exec(value.trim()) ?? []
  const endpoint = place === undefined ? undefined : parseDnsServer(place)
  const key = keyName?.toLowerCase().replace(/\.$/, '') ?? ''
  if (name === undefined || endpoint === undefined || !KEY_NAME.test(key))
    return err(
      'must be NAME=ADDRESS:PORT key KEYNAME, such as "ns1=192.0.2.1:53 key ns1-key", and signs if it signs the zones',
    )
  return endpoint.ok
    ? ok({
        name,
        address: endpoint.value.host,
        port: endpoint.value.port,
        keyName: key,
        signs: signs !== undefined,
      })
    : endpoint
}

/** A mailbox as the domain name of a SOA, in which dots of the local part are escaped (RFC 1035 §8). */
function parseContact(value: string): Result<string, string> {
  const [, local = '', domain = ''] = /^([A-Za-z0-9_-]{1,63})@([^@]+)$/.exec(value.trim()) ?? []
  const host = parseHostname(domain)
  return local === '' || host === undefined
    ? err('must be an e-mail address without a dot before the @, such as hostmaster@example.net')
    : ok(`${local.toLowerCase()}.${host}`)
}

function parseRedirectAddress(value: string): Result<Address, string> {
  const address = parseAddress(value)
  return address === undefined ? err('is not an IPv4 or IPv6 address') : ok(address)
}

/** One socket to listen on. Port 0: a free port. */
export interface Listener {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
}

/** Parses "127.0.0.1:8080" or "[::]:443/tls". */
export function parseListener(value: string): Result<Listener, string> {
  const [, bracketed, plain, port, tls] = /^(?:\[([^\]]+)\]|([^:[\]/]+)):(\d{1,5})(\/tls)?$/.exec(value) ?? []
  const host = bracketed ?? plain
  if (host === undefined || port === undefined || Number(port) > 65_535)
    return err('is not ADDRESS:PORT or ADDRESS:PORT/tls')
  return parseAddress(host) === undefined && host !== 'localhost'
    ? err('must start with an address of this host or localhost, such as 0.0.0.0:8245')
    : ok({ host, port: Number(port), isTls: tls !== undefined })
}

export const formatListener = ({ host, port, isTls }: Listener): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}${isTls ? '/tls' : ''}`

/** RFC 7617 §2 and RFC 9110 §5.6.4: the realm is a quoted string in a header. */
const parseRealm = (value: string): Result<string, string> =>
  /^[ !#-[\]-~]+$/.test(value) ? ok(value) : err('must be printable ASCII without quotes and backslashes')

/** In octets. */
const MAX_NSID = 64
const parseNsid = (value: string): Result<string, string> =>
  value !== '' && Buffer.byteLength(value) <= MAX_NSID ? ok(value) : err(`must have 1 to ${MAX_NSID} octets`)
const fragment = (value: string): Result<string, string> => ok(value.toLowerCase())
const nameserver = (value: string): Result<string, string> => {
  const name = parseHostname(value)
  return name === undefined || parseAddress(value) !== undefined
    ? err('is not a host name, such as ns1.example')
    : ok(name)
}

/** Without TLS: the values are for a collector in the same network. */
function parseMetrics(value: string): Result<string, string> {
  const parsed = parseListener(value)
  if (!parsed.ok) return parsed
  return parsed.value.isTls ? err('is without TLS; write ADDRESS:PORT') : ok(value)
}

/** A folder, or the address of a database; the address is parsed, because it may contain a password. */
const storeReader: SettingReader<string | StoreUrl> = {
  ...path,
  read: (value) => {
    if (isStoreUrl(value.trim())) return parseStoreUrl(value.trim())
    // A mistake in the address, and there may be a password in it.
    return /:\/\/|:.*@|\bpassword\s*=/i.test(value)
      ? err('is not the address of a PostgreSQL database, which begins with postgres://')
      : path.read(value)
  },
}

/** RFC 6454. Without TLS others could read the session, but on this host itself. */
function parseConsole(value: string): Result<string, string> {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isOrigin = url !== undefined && (value === url.origin || value === `${url.origin}/`)
  if (!isOrigin || !/^https?:$/.test(url.protocol))
    return err('is not an address such as https://dns.example.com')
  return url.protocol === 'https:' || isLoopbackHost(url.host)
    ? ok(url.origin)
    : err('must be https, because http lets others read what is sent; http is for loopback')
}

const limit = whole(1, 1_000_000)

/** What programs ask for on their own, and what visitors take for the operator's. */
const RESERVED_NAMES =
  `www mail webmail smtp imap pop mx ns dns ftp mta-sts wpad isatap autodiscover autoconfig localhost
  broadcasthost login account auth sso admin api status support`.split(/\s+/)
const label = (value: string): Result<string, string> => {
  const name = value.toLowerCase()
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name) ? ok(name) : err('is not one label, such as www')
}

/** Settings of the service. The abuse limits are Holdfast's own: the specification only says "excessive". */
// biome-ignore format: a table
export const SERVICE_SETTINGS = {
  listen:           { reader: listReader(parseListener, { type: 'string' }), help: 'addresses and ports to listen on: ADDRESS:PORT for http, ADDRESS:PORT/tls for https', fallback: [{ host: '127.0.0.1', port: 8245, isTls: false }] },
  tlsCert:          { reader: path,                         help: 'PEM file of the certificate chain, for /tls listeners' },
  tlsKey:           { reader: path,                         help: 'PEM file of the private key, for /tls listeners' },
  metrics:          { reader: { ...text, read: parseMetrics }, help: 'address and port for /metrics (OpenMetrics), /healthz and /readyz, such as 127.0.0.1:9053; default: none' },
  store:            { reader: storeReader,
                      help: 'folder of the database, or the address of a PostgreSQL database: postgres://USER@HOST:PORT/DATABASE; ' +
                            'default: /var/lib/holdfast-service for root, otherwise the folder service in the data folder of the user' },
  storePasswordFile: { reader: path,                        help: 'file with the password of the PostgreSQL database, which no other user of the host should be able to read' },
  hashKeyFile:      { reader: path,                         help: 'file of the hash key, the same on every node; needed with PostgreSQL' },
  storeConnections: { reader: whole(2, 50),                 help: 'maximum number of connections to PostgreSQL', fallback: 8 },
  storeWait:        { reader: duration(seconds(1), minutes(1)), help: 'maximum time for a connection to PostgreSQL, a statement or a lock: 1s to 1m', fallback: seconds(5) },
  console:          { reader: { ...text, read: parseConsole }, help: 'public URL of the console: https://dns.example.com, http only on loopback; default: none' },
  mailServer:       { reader: mailServer,                   help: 'host and port of the mail server for links of the console: TLS on 465 (the default), STARTTLS on other ports; without TLS only in your own network' },
  mailFrom:         { reader: mailbox,                      help: 'sender of the messages' },
  mailUsername:     { reader: text,                         help: 'username for the mail server, with mail_password_file; default: no login' },
  mailPasswordFile: { reader: path,                         help: 'file with the password for mail_username, which no other user of the host should be able to read' },
  realm:            { reader: { ...text, read: parseRealm }, help: 'realm in the WWW-Authenticate header of /nic/update', fallback: 'Holdfast' },
  allHostnames:     { reader: text,                         help: 'hostname parameter that selects every hostname of the DDNS key', fallback: ALL_HOSTNAMES },
  trustedProxies:   { reader: listReader(parsePrefix, { type: 'string' }), help: 'addresses and ranges (10.0.0.0/8) of reverse proxies whose client_header is trusted', fallback: [] },
  clientHeader:     { reader: choice('x-forwarded-for', 'forwarded'), help: 'the header in which trusted proxies name the client; the other one is never trusted', fallback: 'x-forwarded-for' },
  strictAgents:     { reader: onOff,                        help: 'answer badagent to every User-Agent that does not have the documented form', fallback: false },
  blockedAgents:    { reader: listReader(fragment, { type: 'string' }), help: 'answer badagent to User-Agents that contain one of these texts, ignoring case', fallback: [] },
  nochgLimit:       { reader: limit,                        help: 'maximum nochg replies per key and hostname in 24 hours; more is abuse (long_block)', fallback: 48 },
  requestLimit:     { reader: limit,                        help: 'maximum requests per key in 5 minutes; more is abuse (short_block)', fallback: 30 },
  refusalLimit:     { reader: limit,                        help: 'maximum repetitions of a refused request in 24 hours; more is abuse (long_block)', fallback: 10 },
  badauthLimit:     { reader: limit,                        fallback: 20,
                      help: 'maximum failed logins per client network (IPv4 address or IPv6 /64) and endpoint in 10 minutes; ' +
                            'above it no account password is checked for 10 minutes (911, at /v1 429)' },
  keyRequestLimit:  { reader: limit,                        help: 'maximum requests to the DDNS key endpoints per account and minute', fallback: 60 },
  nameservers:      { reader: listReader(nameserver, { type: 'string' }), help: 'host names of the nameservers of the zones', fallback: [] },
  dnsListen:        { reader: listReader(parseDnsListen, { type: 'string' }), 
                      help: 'addresses and ports for DNS: by UDP and TCP, such as 192.0.2.53:53, or by TLS, such as 192.0.2.53:853/tls; ' +
                            'for secondaries, UPDATE, and questions with answer_queries', fallback: [] },
  answerQueries:    { reader: onOff,                        help: 'answer the questions of resolvers at dns_listen; off: only those of secondaries', fallback: false },
  answerLimit:      { reader: limit,                        help: 'maximum identical UDP answers per second for one network (IPv4 /24, IPv6 /56); above it, every other one is truncated', fallback: 20 },
  nsid:             { reader: { ...text, read: parseNsid },  help: 'the NSID of this server (RFC 5001), such as ns1-fra; default: none' },
  secondaries:      { reader: listReader(parseSecondary, { type: 'string' }), help: 'name servers that fetch the zones: NAME=ADDRESS:PORT key KEYNAME; append signs if that server signs the zones (DNSSEC)', fallback: [] },
  tsigKeyFile:      { reader: path,                         help: 'file of the keys of secondaries, one per line: NAME ALGORITHM BASE64; only its owner may read it' },
  catalogZone:      { reader: { ...text, read: nameserver }, help: 'name of the catalog of all zones, for secondaries (RFC 9432)', fallback: 'catalog.holdfast' },
  soaContact:       { reader: { ...text, read: parseContact }, help: 'e-mail address in the SOA of the zones; default: hostmaster of each zone' },
  redirectAddresses: { reader: listReader(parseRedirectAddress, { type: 'string' }), help: 'addresses of this service to publish for names with a redirect or an offline page', fallback: [] },
  reservedNames:    { reader: listReader(label, { type: 'string' }), help: 'labels directly below a shared zone that only its owner may create, also with a number appended', fallback: RESERVED_NAMES },
  publicSuffixes:   { reader: onOff,                        help: 'let accounts create zones of public suffixes, such as co.uk', fallback: false },
  contact:          { reader: text,                         help: 'e-mail address or URL for questions, such as help@dns.example; shown to suspended accounts, in invitations and in messages' },
  zoneProof:        { reader: onOff,                        help: 'publish zones that accounts create only after a delegation to the nameservers or a TXT record proves the ownership', fallback: false },
  corsOrigins:      { reader: listReader(fragment, { type: 'string' }), help: 'origins of web pages that may use the management API, such as https://panel.example', fallback: [] },
  longBlock:        { reader: duration(minutes(1), days(365)), help: 'how long a key is blocked for repeated requests without effect: 1m to 365d', fallback: hours(24) },
  shortBlock:       { reader: duration(minutes(1), days(365)), help: 'how long a key is blocked for too many requests: 1m to 365d', fallback: minutes(30) },
  maxConnections:   { reader: whole(1, 100_000),            help: 'maximum number of open connections', fallback: 1024 },
  maxConnectionsPerNetwork: { reader: whole(1, 100_000),    help: 'maximum number of open connections of one client network (IPv4 /24, IPv6 /48); trusted proxies have no limit', fallback: 128 },
  apiWait:          { reader: duration(seconds(1), minutes(1)), help: 'maximum time that a request to the API waits for others of its account before a 429 answer: 1s to 1m', fallback: seconds(10) },
  requestTimeout:   { reader: duration(seconds(1), hours(1)), help: 'maximum time to receive a whole request: 1s to 1h', fallback: seconds(20) },
  idleTimeout:      { reader: duration(seconds(1), hours(1)), help: 'time after which an idle connection is closed: 1s to 1h', fallback: seconds(15) },
  logLevel:         { reader: choice(...LEVELS),            help: `lowest level to log: ${LEVELS.join(', ')}`, fallback: 'info' },
} as const satisfies SettingTable

export type ServiceSettings = Values<typeof SERVICE_SETTINGS>
