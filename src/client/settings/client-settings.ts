import { LINE_FORMS, type LineSpec, parseLineSpec } from '../detect/line/line-spec.ts'
import { namesOfItems } from '../../shared/settings/secret-names.ts'
import { LEVELS } from '../../shared/base/level.ts'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { days, minutes, seconds } from '../../shared/base/time.ts'
import { type Address, type Addresses, byFamily, familyOf, parseAddress } from '../../shared/base/address.ts'
import { eui64, parsePrefix, type Prefix } from '../../shared/base/prefix.ts'
import { RANGE_CLASSES } from '../../shared/base/special.ts'
import {
  ABSENT_FAMILY,
  ADDRESS_PARAMETERS,
  HOSTNAME_PARAMETERS,
  IPV6_PARAMETERS,
  UPDATE_PATH,
} from '../../shared/protocol/request.ts'
import { parseUserAgent } from '../../shared/protocol/user-agent.ts'
import { parseDnsServer } from '../../shared/settings/dns-endpoint.ts'
import { readHostnameOrLabel } from './hostname.ts'
import { parseParameter } from './parameter.ts'
import { NOTIFY_SETTINGS } from './notify-settings.ts'
import { PAGE_SETTINGS } from './page-settings.ts'
import { PROTOCOL_SETTINGS } from './protocol-settings.ts'
import { parseProvider, PROVIDER_NAMES } from '../services/providers/providers.ts'
import {
  choice,
  duration,
  durationOrNever,
  listReader,
  mailbox,
  onOff,
  path,
  programArguments,
  secret,
  type SettingReader,
  text,
  whole,
} from '../../shared/settings/reader.ts'
import type { SettingTable, Values } from '../../shared/settings/setting.ts'
import { parseSource, SOURCE_EXAMPLES, SOURCE_FORMS } from '../detect/sources/spec.ts'

/** The origin of the update service. The default scheme is https, because http sends the password in clear text. */
export function parseServer(value: string): Result<string, string> {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `https://${value}`
  if (!URL.canParse(full)) return err('must be the address of a service, such as https://dynupdate.example')
  const url = new URL(full)
  if (url.protocol === 'dns:') return parseNameServer(full)
  if (!['https:', 'http:'].includes(url.protocol)) return err('must be an https or http address')
  if (url.username !== '' || url.password !== '')
    return err('contains credentials; set them as username and password')
  if (url.search !== '') return err('has a query; remove it: the client adds the hostname and the IP address')
  const hasPath = url.pathname !== '/' && url.pathname !== UPDATE_PATH
  return hasPath ? err('has a path; remove it here, and set path instead') : ok(url.origin)
}

/** Host and port, checked and normal as those of a URL of the web. The default port of ftp, 21, is none of DNS. */
function parseNameServer(full: string): Result<string, string> {
  const web = full.replace(/^dns:/i, 'ftp:')
  const url = URL.canParse(web) ? new URL(web) : undefined
  const isPlain = url !== undefined && url.href === `ftp://${url.host}/` && url.port !== '0'
  return isPlain ? ok(`dns://${url.host}`) : err('must be a name server, as dns://HOST or dns://HOST:PORT')
}

function withoutPath(full: string): string {
  const url = new URL(full)
  url.pathname = '/'
  return url.href
}

/** The address of a service with its path, where it has another one than that of the protocol. */
export function parseServiceAddress(
  value: string,
): Result<{ server: string; path?: string; provider?: string }, string> {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `https://${value}`
  const pathname = URL.canParse(full) ? new URL(full).pathname : '/'
  const hasPath = !['', '/', UPDATE_PATH].includes(pathname)
  const server = parseServer(hasPath ? withoutPath(full) : value)
  if (server.ok && server.value.startsWith('dns:')) return ok({ server: server.value, provider: 'rfc2136' })
  if (!server.ok || !hasPath) return server.ok ? ok({ server: server.value }) : server
  const path = parsePath(pathname)
  return path.ok ? ok({ server: server.value, path: path.value }) : path
}

/** The path of a URL, without its query (RFC 3986 §3.3). */
function parsePath(value: string): Result<string, string> {
  if (!value.startsWith('/')) return err('must be a path that begins with a slash, such as /nic/update')
  if (/[?#]/.test(value))
    return err('has a query; write only the path, and set other parameters in parameters')
  const isPath = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})+$/.test(value)
  return isPath && !value.startsWith('//') ? ok(value) : err('is not a valid path')
}

/** At most one address of each family, or `connection`: the service takes the address of the connection. */
/** One line, or several in their order. */
const lineOrder: SettingReader<readonly LineSpec[]> = {
  ...listReader(parseLineSpec, { type: 'string' }, { forms: LINE_FORMS }),
  schema: { oneOf: [{ type: 'string' }, { type: 'array', minItems: 1, items: { type: 'string' } }] },
}

const myip: SettingReader<Addresses | 'connection'> = {
  shape: 'list',
  read: (value) => {
    if (value === 'connection') return ok('connection')
    const items = value.split(',').map((item) => item.trim())
    const addresses = items.flatMap((item) => parseAddress(item) ?? [])
    const families = byFamily(addresses)
    if (addresses.length < items.length)
      return err('must be an IPv4 address, an IPv6 address, both, or connection')
    return Object.keys(families).length < addresses.length
      ? err('has two addresses of one family; keep one')
      : ok(families)
  },
  schema: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 2 }] },
}

const userAgent: SettingReader<string> = {
  ...text,
  read: (value) =>
    parseUserAgent(value) === undefined || !/^[ -~]+$/.test(value)
      ? err(
          'must have the form "<company> <program>/<os-version>-<release> <contact>", which services require',
        )
      : ok(value),
}

/** Five fields, or six with seconds. The platform checks the fields themselves when it makes the schedule. */
const cron: SettingReader<string> = {
  ...text,
  read: (value) =>
    /^\S+( +\S+){4,5}$/.test(value.trim())
      ? ok(value.trim())
      : err('must be a cron expression of five or six fields, such as */5 * * * *'),
}

/** It stands in logs and messages. */
const oneLine: SettingReader<string> = {
  ...text,
  read: (value) => (/[\0-\x1f\x7f]/.test(value) ? err('must have no control character') : text.read(value)),
}

/** Without duplicates. */
const hostnames: SettingReader<readonly string[]> = (() => {
  const list = listReader(readHostnameOrLabel, { type: 'string' })
  return {
    ...list,
    read: (value) => {
      const names = list.read(value)
      return names.ok ? ok([...new Set(names.value)]) : names
    },
  }
})()

const providerName: SettingReader<string> = {
  ...text,
  read: parseProvider,
  schema: { enum: PROVIDER_NAMES },
}

const prefix: SettingReader<Prefix> = { ...text, read: parsePrefix }

/** The host part of an IPv6 address: "::1:2" replaces the last 64 bits, "::1:2/56" all but the first 56. */
const suffix: SettingReader<Prefix> = {
  ...text,
  read: (value) => {
    const host = parseAddress(value.split('/')[0] ?? '')
    return host === undefined || familyOf(host) === 'v4'
      ? err('must be an IPv6 suffix, such as ::1:2 or ::1:2/56')
      : parsePrefix(value.includes('/') ? value : `${value}/64`)
  },
}

/** The SLAAC host part of a MAC address (RFC 4291 appendix A). */
const mac: SettingReader<Address> = {
  ...text,
  read: (value) => {
    const host = eui64(value)
    return host === undefined ? err('must be a MAC address, such as 02:00:5e:00:53:01') : ok(host)
  },
}

const address: SettingReader<Address> = {
  ...text,
  read: (value) => {
    const parsed = parseAddress(value)
    return parsed === undefined ? err('must be an IPv4 or IPv6 address') : ok(parsed)
  },
}

const rangeClass = (value: string): Result<(typeof RANGE_CLASSES)[number], string> => {
  const known = RANGE_CLASSES.find((one) => one === value)
  return known === undefined ? err(`is not one of ${RANGE_CLASSES.join(', ')}`) : ok(known)
}

/** Settings of one account. At the top of the file they apply to every account. */
// biome-ignore format: a table
export const ACCOUNT_SETTINGS = {
  name:          { reader: oneLine,                         help: 'a name for this account, used in logs and by --account; default: the username' },
  provider:      { reader: providerName,                    help: 'name of the update service, such as no-ip: sets server and whatever else it needs; holdfast providers lists the names; your own settings take precedence' },
  server:        { reader: { ...text, read: parseServer },  help: 'address of the update service, such as https://dynupdate.example', isNeeded: true },
  username:      { reader: text,                            help: 'username of the DDNS key', isNeeded: true },
  password:      { reader: secret,                          help: 'password of the DDNS key; password_file is safer' },
  passwordFile:  { reader: path,                            help: 'file that contains the password, or - for standard input' },
  hostnames:     { reader: hostnames, flag: 'hostname',     help: 'hostnames and groups to keep up to date', isNeeded: true },
  myip:          { reader: myip,                            help: 'IPv4 and IPv6 address to publish, without looking them up; "connection": the service uses the address of the connection; default: look the addresses up' },
  interface:     { reader: lineOrder,                       help: `look up the addresses only through this interface, such as wan1; of several, through the first that is up; each is ${LINE_FORMS}` },
  ipv4:          { reader: onOff,                           help: 'keep the IPv4 address up to date', fallback: true },
  ipv6:          { reader: onOff,                           help: 'keep the IPv6 address up to date', fallback: true },
  path:          { reader: { ...text, read: parsePath },    help: 'path of the update requests of the service', fallback: UPDATE_PATH },
  families:      { reader: choice('together', 'apart'),     help: 'send both addresses in one request, or one request per address', fallback: 'together' },
  absentFamily:  { reader: choice(...ABSENT_FAMILY),        fallback: 'omit',
                   help: 'what to send for a family without a known address, for services that delete what a request omits. ' +
                         'omit: nothing; repeat: the last confirmed address; hold: the same, but send nothing if there is none; ' +
                         'hold-ipv4: as hold, and send nothing without an IPv4 address; preserve, no: that word; keep: keepipv4=1 or keepipv6=1' },
  ipv6Server:    { reader: { ...text, read: parseServer },  help: 'address of the update service for requests with an IPv6 address, with families = "apart"; default: that of server' },
  ipv6Parameter: { reader: choice(...IPV6_PARAMETERS),      help: `request parameter for the IPv6 address: ${IPV6_PARAMETERS.join(', ')}`, fallback: 'myip' },
  addressParameter: { reader: choice(...ADDRESS_PARAMETERS), help: 'request parameter for the IPv4 address, or for both', fallback: 'myip' },
  hostnameParameter: { reader: choice(...HOSTNAME_PARAMETERS), help: 'request parameter for the hostnames; none: the username stands for the hostname', fallback: 'hostname' },
  parameters:    { reader: listReader(parseParameter, { type: 'string' }, { shownAs: namesOfItems }), help: 'further parameters of each request, such as system=dyndns; the value {password} stands for the password', fallback: [] },
  minGap:        { reader: durationOrNever(seconds(1), days(1)), help: 'minimum time between two requests: 1s to 1d, or 0 for none', fallback: seconds(0) },
  offline:       { reader: onOff,                           help: 'set the hostnames offline instead of updating them; not all plans allow this', fallback: false },
  nohostStops:   { reader: choice('account', 'hostname'),   help: 'what the reply nohost stops: the whole account, or only the hostname', fallback: 'account' },
  refresh:       { reader: durationOrNever(days(1), days(3650)), help: 'send an unchanged address again after this time, so that the hostname does not expire: 1d to 3650d, or 0 for never', fallback: days(28) },
  batch:         { reader: whole(1, 1000),                  help: 'maximum number of hostnames in one request; default: 20, or one eighth of the hostnames if there are more than 160' },
  pace:          { reader: whole(1, 10_000),                help: 'maximum number of requests in 5 minutes; at most two fifths of them change an address; services block keys that send too many', fallback: 25 },
  httpFallback:  { reader: onOff,                           help: 'try http on ports 80 and 8245 when https cannot be reached; this sends the password in clear text', fallback: false },
  verify:        { reader: onOff,                           help: 'after an update, ask the name servers of the zone whether they serve the new address; information only: updates and exit codes do not depend on it', fallback: true },
  verifyServers: { reader: listReader(parseDnsServer, { type: 'string' }), help: 'name servers to ask for verify, as addresses with ports, such as 192.0.2.53:53; default: those of the zone' },
  ...NOTIFY_SETTINGS,
  ...PROTOCOL_SETTINGS,
  caFile:        { reader: path,                            help: 'PEM file with the certificate authorities to trust for this service; default: those that Node includes' },
} as const satisfies SettingTable

/** Settings of the program as a whole. */
// biome-ignore format: a table
export const CLIENT_SETTINGS = {
  sources:       { reader: listReader(parseSource, { type: 'string', examples: SOURCE_EXAMPLES }, { forms: SOURCE_FORMS }), flag: 'source',
                   help: `where to look up the address: ${SOURCE_FORMS}; default: the router, the interfaces, the update service and public services` },
  thirdParties:  { reader: onOff,                           fallback: true,
                   help: 'use public services to look up the address (Cloudflare, Google, Nextcloud, Cisco; and ipify, ident.me and Amazon ' +
                         'if those cannot be reached); off: only the router, the interfaces and the update service' },
  allowVpn:      { reader: onOff,                           help: 'publish the address that outside services report, even if the router or an interface still reports the published one; for VPNs that accept incoming connections', fallback: false },
  follow:        { reader: choice('home', 'default-route'), help: 'which line to publish where this host has several; home: the line that was published first, until it is dead; default-route: the line that the kernel uses now', fallback: 'home' },
  agreement:     { reader: choice('two', 'one'),            help: 'how many sources must agree on a new address; two: the router or an interface and one outside operator, or two outside operators; one: the first of sources', fallback: 'two' },
  command:       { reader: programArguments, help: 'program and arguments of the source command; it prints one address per line' },
  ipv6Choice:    { reader: choice('stable', 'temporary', 'any'), help: 'which IPv6 address of an interface to publish: stable, temporary (RFC 8981), or any (a stable one if there is one)', fallback: 'stable' },
  ipv6Prefix:    { reader: prefix,                          help: 'publish only an IPv6 address in this range, such as 2001:db8::/32; default: any range' },
  ipv6Suffix:    { reader: suffix,                          help: 'publish only an IPv6 address with this suffix, such as ::1:2; default: any suffix' },
  watch:         { reader: onOff,                           help: 'detect changes within seconds, with events of the kernel and the router and a few packets per minute; off: check only after each interval', fallback: true },
  ping:          { reader: onOff,                           help: 'notice a change in a tenth of a second where the router does not report it: ping the public address, which never leaves this network; not on battery', fallback: true },
  allow:         { reader: listReader(rangeClass, { enum: RANGE_CLASSES }), help: `publish addresses of these non-public ranges too: ${RANGE_CLASSES.join(', ')}`, fallback: [] },
  interval:      { reader: duration(minutes(1), days(7)),   help: 'time between checks of the address: 1m to 7d', fallback: minutes(5) },
  schedule:      { reader: cron,                            help: 'cron expression for checks of the address, instead of interval: five fields, or six with seconds, in local time' },
  userAgent:     { reader: userAgent,                       help: 'complete User-Agent header, instead of the one of Holdfast' },
  contact:       { reader: mailbox,                         help: 'your e-mail address, added to the User-Agent so that the service can reach you before it blocks the client; default: none' },
  connectTimeout: { reader: duration(seconds(1), minutes(10)), help: 'maximum time to connect to a service, including DNS and TLS: 1s to 10m', fallback: seconds(15) },
  responseTimeout: { reader: duration(seconds(1), minutes(10)), help: 'maximum time for a whole request and its response: 1s to 10m', fallback: seconds(30) },
  whenStopped:   { reader: choice('exit', 'idle'),          help: 'when every account is stopped: exit with code 77, or stay idle, for supervisors that always restart', fallback: 'exit' },
  offlineOnStop: { reader: onOff,                           help: 'set the hostnames offline when the daemon is stopped, and online when it starts', fallback: false },
  runtimeDir:    { reader: path,                            help: 'folder of the control socket; default: the holdfast folder in /run or $XDG_RUNTIME_DIR, or state_dir where there is none' },
  stateDir:      { reader: path,                            help: 'folder of the saved state (confirmed addresses, stops and waits); default: the holdfast folder in /var/lib, or in the data folder of the user' },
  ...PAGE_SETTINGS,
  logLevel:      { reader: choice(...LEVELS),               help: `lowest level to log: ${LEVELS.join(', ')}`, fallback: 'info' },
} as const satisfies SettingTable

/** Settings of one hostname of an account, as [[account.host]]. */
// biome-ignore format: a table
export const HOST_SETTINGS = {
  name:          { reader: { ...text, read: readHostnameOrLabel }, help: 'one of the hostnames of the account', isNeeded: true },
  suffix:        { reader: suffix,                          help: 'host part of the IPv6 address: publishes another machine of this network, with the prefix of this host' },
  mac:           { reader: mac,                             help: 'the same, with the host part derived from a MAC address (EUI-64)' },
  prefixLength:  { reader: whole(1, 127),                   help: 'length of the shared prefix for mac, in bits: 1 to 127', fallback: 64 },
  interface:     { reader: lineOrder,                       help: 'look up the address only through this interface, such as wan1; of several, through the first that is up' },
  ipv6Interface: { reader: text,                            help: 'the same for IPv6 only, if it uses another line' },
  from:          { reader: address,                         help: 'look up the address only from this local address' },
} as const satisfies SettingTable

export type HostSettings = Values<typeof HOST_SETTINGS>
export type AccountSettings = Values<typeof ACCOUNT_SETTINGS>
export type ClientSettings = Values<typeof CLIENT_SETTINGS>
