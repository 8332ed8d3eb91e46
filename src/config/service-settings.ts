import { LEVELS } from '../base/level.ts'
import { err, ok, type Result } from '../base/result.ts'
import { days, hours, minutes, seconds } from '../base/time.ts'
import { type Address, parseAddress } from '../net/address.ts'
import { parseHostname } from '../net/hostname.ts'
import { ALL_HOSTNAMES } from '../protocol/request.ts'
import { choice, duration, listReader, onOff, text, whole } from './reader.ts'
import type { SettingTable, Values } from './setting.ts'

/** One socket to listen on. Port 0 lets the system pick one. */
export interface Listener {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
}

/** "127.0.0.1:8080", "[::]:443/tls". */
export function parseListener(value: string): Result<Listener, string> {
  const [, bracketed, plain, port, tls] = /^(?:\[([^\]]+)\]|([^:[\]/]+)):(\d{1,5})(\/tls)?$/.exec(value) ?? []
  const host = bracketed ?? plain
  if (host === undefined || port === undefined || Number(port) > 65_535)
    return err('is not ADDRESS:PORT or ADDRESS:PORT/tls')
  return parseAddress(host) === undefined && host !== 'localhost'
    ? err('does not name an address of this host')
    : ok({ host, port: Number(port), isTls: tls !== undefined })
}

export const formatListener = ({ host, port, isTls }: Listener): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}${isTls ? '/tls' : ''}`

const address = (value: string): Result<Address, string> => {
  const parsed = parseAddress(value)
  return parsed === undefined ? err('is no address') : ok(parsed)
}
/** RFC 7617 §2 and RFC 9110 §5.6.4: it stands between quotes in a header. */
const parseRealm = (value: string): Result<string, string> =>
  /^[ !#-[\]-~]+$/.test(value)
    ? ok(value)
    : err('holds something else than printable ASCII without quotes and backslashes')

const fragment = (value: string): Result<string, string> => ok(value.toLowerCase())
/** A host's name, as NS has it. */
const nameserver = (value: string): Result<string, string> => {
  const name = parseHostname(value)
  return name === undefined ? err('is no host name') : ok(name)
}

const most = whole(1, 1_000_000)

/** Every setting of the service, once. The abuse numbers are ours: the specification says "excessive". */
// biome-ignore format: a table
export const SERVICE_SETTINGS = {
  listen:           { reader: listReader(parseListener, { type: 'string' }), help: 'where to listen: ADDRESS:PORT, or ADDRESS:PORT/tls', fallback: [{ host: '127.0.0.1', port: 8245, isTls: false }] },
  tlsCert:          { reader: text,                         help: 'PEM file of the certificate chain' },
  tlsKey:           { reader: text,                         help: 'PEM file of the private key' },
  store:            { reader: text,                         help: 'folder of the database' },
  realm:            { reader: { ...text, read: parseRealm },                     help: 'the realm named when credentials are asked for', fallback: 'Holdfast' },
  allHostnames:     { reader: text,                         help: 'the hostname that stands for every hostname of a DDNS key', fallback: ALL_HOSTNAMES },
  trustedProxies:   { reader: listReader(address, { type: 'string' }), help: 'peers whose X-Forwarded-For is believed', fallback: [] },
  strictAgents:     { reader: onOff,                        help: 'refuse every User-Agent that does not keep the documented shape', fallback: false },
  blockedAgents:    { reader: listReader(fragment, { type: 'string' }), help: 'parts of the User-Agent of clients that are not welcome', fallback: [] },
  nochgLimit:       { reader: most,                         help: 'nochg replies for one key and hostname in a day before it is abuse', fallback: 48 },
  requestLimit:     { reader: most,                         help: 'requests of one key in five minutes before it is abuse', fallback: 30 },
  refusalLimit:     { reader: most,                         help: 'repeats after a refusal in a day before it is abuse', fallback: 10 },
  badauthLimit:     { reader: most,                         help: 'failed logins of one peer in ten minutes before nobody looks any more', fallback: 20 },
  keyRequestLimit:  { reader: most,                         help: 'requests of one account for DDNS keys in a minute', fallback: 60 },
  nameservers:      { reader: listReader(nameserver, { type: 'string' }), help: 'the nameservers that zones are served by', fallback: [] },
  corsOrigins:      { reader: listReader(fragment, { type: 'string' }), help: 'origins whose pages may use the management API; off by default', fallback: [] },
  longBlock:        { reader: duration(minutes(1), days(365)),       help: 'how long abuse by repetition blocks', fallback: hours(24) },
  shortBlock:       { reader: duration(minutes(1), days(365)),       help: 'how long abuse by haste blocks', fallback: minutes(30) },
  maxConnections:  { reader: whole(1, 100_000),            help: 'connections open at one time', fallback: 1024 },
  requestTimeout:    { reader: duration(seconds(1), hours(1)),       help: 'time a client has to send its whole request', fallback: seconds(20) },
  idleTimeout:        { reader: duration(seconds(1), hours(1)),       help: 'time after which an idle connection is closed', fallback: seconds(15) },
  logLevel:         { reader: choice(...LEVELS),            help: 'how much to log', fallback: 'info' },
} as const satisfies SettingTable

export type ServiceSettings = Values<typeof SERVICE_SETTINGS>
