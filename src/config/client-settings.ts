import { LEVELS } from '../base/level.ts'
import { err, ok, type Result } from '../base/result.ts'
import { days, minutes, seconds } from '../base/time.ts'
import { type Address, type Addresses, byFamily, familyOf, parseAddress } from '../net/address.ts'
import { eui64, type Prefix, parsePrefix } from '../net/prefix.ts'
import { RANGE_CLASSES } from '../net/special.ts'
import { UPDATE_PATH } from '../protocol/request.ts'
import { parseUserAgent } from '../protocol/user-agent.ts'
import { readHostname } from './hostname.ts'
import {
  choice,
  duration,
  durationOrNever,
  listReader,
  onOff,
  path,
  type SettingReader,
  secret,
  text,
  whole,
} from './reader.ts'
import type { SettingTable, Values } from './setting.ts'
import { parseSource, SOURCE_EXAMPLES, SOURCE_FORMS } from './source.ts'

/** A service's base address. https unless the user writes http, because the key would travel in clear. */
export function parseServer(value: string): Result<string, string> {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `https://${value}`
  if (!URL.canParse(full)) return err('is not the address of a service')
  const url = new URL(full)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return err('is neither an https nor an http address')
  if (url.username !== '' || url.password !== '')
    return err('holds credentials; username and password are settings of their own')
  const hasPath = url.pathname !== '/' && url.pathname !== UPDATE_PATH
  return hasPath || url.search !== ''
    ? err(`has a path; ${UPDATE_PATH} is added to the bare address`)
    : ok(url.origin)
}

/** One address of each family at most, or the word that leaves it to the service. */
const myip: SettingReader<Addresses | 'connection'> = {
  shape: 'list',
  read: (value) => {
    if (value === 'connection') return ok('connection')
    const items = value.split(',').map((item) => item.trim())
    const addresses = items.flatMap((item) => parseAddress(item) ?? [])
    const families = byFamily(addresses)
    if (addresses.length < items.length) return err('is not an IPv4 or IPv6 address')
    return Object.keys(families).length < addresses.length
      ? err('names two addresses of one family')
      : ok(families)
  },
  schema: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: 2 }] },
}

const userAgent: SettingReader<string> = {
  ...text,
  read: (value) =>
    parseUserAgent(value) === undefined || !/^[ -~]+$/.test(value)
      ? err(
          'does not keep the shape "<company> <program>/<os-version>-<release> <contact>" that services ask for',
        )
      : ok(value),
}

/** Five fields, or six with seconds. Whether each is right is for the reader of cron expressions to say. */
const cron: SettingReader<string> = {
  ...text,
  read: (value) =>
    /^\S+( +\S+){4,5}$/.test(value.trim())
      ? ok(value.trim())
      : err('is no cron expression of five or six fields'),
}

/** What may stand at the end of a User-Agent (RFC 5321 mailbox, as far as anybody needs it). */
const contact: SettingReader<string> = {
  ...text,
  read: (value) => (/^[!-;=?A-~]+@[A-Za-z0-9.-]+$/.test(value) ? ok(value) : err('is no e-mail address')),
}

/** Each once. */
const hostnames: SettingReader<readonly string[]> = (() => {
  const list = listReader(readHostname, { type: 'string' })
  return {
    ...list,
    read: (value) => {
      const names = list.read(value)
      return names.ok ? ok([...new Set(names.value)]) : names
    },
  }
})()

const prefix: SettingReader<Prefix> = { ...text, read: parsePrefix }

/** The host part of an address: "::1:2" is the last 64 bits, "::1:2/56" all but the first 56. */
const suffix: SettingReader<Prefix> = {
  ...text,
  read: (value) => {
    const host = parseAddress(value.split('/')[0] ?? '')
    return host === undefined || familyOf(host) === 'v4'
      ? err('is no IPv6 suffix such as ::1:2')
      : parsePrefix(value.includes('/') ? value : `${value}/64`)
  },
}

/** SLAAC's own host part (RFC 4291 appendix A). */
const mac: SettingReader<Address> = {
  ...text,
  read: (value) => {
    const host = eui64(value)
    return host === undefined ? err('is no MAC address such as 02:00:5e:00:53:01') : ok(host)
  },
}

const address: SettingReader<Address> = {
  ...text,
  read: (value) => {
    const read = parseAddress(value)
    return read === undefined ? err('is not an IPv4 or IPv6 address') : ok(read)
  },
}

const argument = (value: string): Result<string, string> => ok(value)

const rangeClass = (value: string): Result<(typeof RANGE_CLASSES)[number], string> => {
  const found = RANGE_CLASSES.find((one) => one === value)
  return found === undefined ? err(`is not one of ${RANGE_CLASSES.join(', ')}`) : ok(found)
}

/** What belongs to one account. At the top of the file it holds for every account. */
// biome-ignore format: a table
export const ACCOUNT_SETTINGS = {
  name:          { reader: text,                            help: 'a name for this account, for you' },
  server:        { reader: { ...text, read: parseServer },  help: 'the update service, such as https://dynupdate.example', isNeeded: true },
  username:      { reader: text,                            help: 'DDNS key username', isNeeded: true },
  password:      { reader: secret,                          help: 'DDNS key password; a password file is safer' },
  passwordFile:  { reader: path,                            help: 'file that holds the password, or - for standard input' },
  hostnames:     { reader: hostnames, flag: 'hostname', help: 'names and groups to keep current', isNeeded: true },
  myip:          { reader: myip,                            help: 'the address to publish instead of looking for it; "connection" leaves it to the service' },
  ipv4:          { reader: onOff,                           help: 'keep the IPv4 address current', fallback: true },
  ipv6:          { reader: onOff,                           help: 'keep the IPv6 address current', fallback: true },
  ipv6Parameter: { reader: choice('myip', 'myipv6'),        help: 'the parameter that carries IPv6', fallback: 'myip' },
  offline:       { reader: onOff,                           help: 'take the names offline instead (a feature of some plans)', fallback: false },
  nohostStops:   { reader: choice('account', 'hostname'),   help: 'how far a nohost reaches', fallback: 'account' },
  refresh:       { reader: durationOrNever(days(1), days(3650)),      help: 'touch a name again after this long without an update; 0 is never', fallback: days(28) },
  batch:         { reader: whole(1, 1000),                  help: 'the most hostnames of one request; without it 20, or more where the account has more than 160' },
  pace:          { reader: whole(1, 10_000),                help: 'the most requests in five minutes, and two fifths as many changes of address; services block a key that sends more', fallback: 25 },
  httpFallback:  { reader: onOff,                           help: 'try plain http on ports 80 and 8245 when https is not reached; the key then travels in clear', fallback: false },
  caFile:        { reader: path,                            help: 'PEM file of the authorities to trust for this service' },
} as const satisfies SettingTable

/** What belongs to the program as a whole. */
// biome-ignore format: a table
export const CLIENT_SETTINGS = {
  sources:       { reader: listReader(parseSource, { type: 'string', examples: SOURCE_EXAMPLES }, SOURCE_FORMS), flag: 'source', help: `who knows the address: ${SOURCE_FORMS}` },
  thirdParties:  { reader: onOff,                           help: 'ask public services for the address too (Cloudflare, Google, Nextcloud, Cisco, Akamai; ipify, ident.me and Amazon where those are not reached); off: only the router, the interfaces and the update service itself', fallback: true },
  allowVpn:      { reader: onOff,                           help: 'publish the address that outside services see, although the router or an interface goes on stating the one that is published', fallback: false },
  agreement:     { reader: choice('two', 'one'),            help: 'how many must agree on a changed address: the router or an own interface and one operator outside, or two outside; or whoever answers first', fallback: 'two' },
  command:       { reader: listReader(argument, { type: 'string' }), help: 'program and arguments for the source command; prints an address a line' },
  ipv6Choice:    { reader: choice('stable', 'temporary', 'any'), help: 'which of several IPv6 addresses of an interface', fallback: 'stable' },
  ipv6Prefix:    { reader: prefix,                          help: 'only an IPv6 address within this range' },
  ipv6Suffix:    { reader: suffix,                          help: 'only an IPv6 address that ends so, such as ::1:2' },
  watch:         { reader: onOff,                           help: 'notice changes as they happen, by the kernel, the router and a few packets a minute; off: only look at each interval', fallback: true },
  allow:         { reader: listReader(rangeClass, { enum: RANGE_CLASSES }), help: 'address ranges to publish although they are not public', fallback: [] },
  interval:      { reader: duration(minutes(1), days(7)),   help: 'time between looks', fallback: minutes(5) },
  schedule:      { reader: cron,                            help: 'cron expression for looks, instead of the interval' },
  userAgent:     { reader: userAgent,                       help: 'User-Agent, whole' },
  contact:       { reader: contact,                         help: 'your e-mail address, at the end of the User-Agent, so that the service can write before it blocks anything; without it none is sent' },
  connectTimeout: { reader: duration(seconds(1), minutes(10)), help: 'patience for reaching a service', fallback: seconds(15) },
  responseTimeout:  { reader: duration(seconds(1), minutes(10)), help: 'patience for its whole answer', fallback: seconds(30) },
  whenStopped:   { reader: choice('exit', 'idle'),          help: 'with every account stopped: end with exit 77, or stay up idle, for supervisors that restart blindly', fallback: 'exit' },
  offlineOnStop: { reader: onOff,                           help: 'take the names offline when the daemon is asked to end, and back when it starts', fallback: false },
  runtimeDir:    { reader: path,                            help: 'folder of the control socket' },
  stateDir:      { reader: path,                            help: 'folder where stops and waits are remembered' },
  logLevel:      { reader: choice(...LEVELS),               help: 'how much to log', fallback: 'info' },
} as const satisfies SettingTable

/** What belongs to one hostname of an account, as [[account.host]]. */
// biome-ignore format: a table
export const HOST_SETTINGS = {
  name:          { reader: { ...text, read: readHostname },     help: 'one of the hostnames', isNeeded: true },
  suffix:        { reader: suffix,                          help: 'host part of the IPv6 address: another machine of this network, with our prefix' },
  mac:           { reader: mac,                             help: 'the same from a MAC address (EUI-64)' },
  prefixLength:  { reader: whole(1, 127),                   help: 'how much of the address is ours, for mac', fallback: 64 },
  interface:     { reader: text,                            help: 'look only through this interface' },
  from:          { reader: address,                         help: 'look only from this local address' },
} as const satisfies SettingTable

export type HostSettings = Values<typeof HOST_SETTINGS>
export type AccountSettings = Values<typeof ACCOUNT_SETTINGS>
export type ClientSettings = Values<typeof CLIENT_SETTINGS>
