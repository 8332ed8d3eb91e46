import { err, ok, type Result } from '../../../shared/base/result.ts'
import { importFavonia, importOznu, isFavonia, isOznu } from './cloudflare-containers.ts'
import { isOfSeveral, SEVERAL } from './environment.ts'
import { importDdclient } from './ddclient/read.ts'
import { type Format, FORMATS } from './formats.ts'
import { type ImportContext, type Imported, type ImportReader, type Remark, Remarks } from './imported.ts'
import { importDdnsGo } from './ddns-go.ts'
import { importDockerDyndns } from './docker-dyndns.ts'
import { importInadyn } from './inadyn.ts'
import { importInadyn1, isInadyn1 } from './inadyn1.ts'
import { importNoipDuc } from './noip-duc.ts'
import { importOpenwrt } from './openwrt.ts'
import { importQdm12 } from './qdm12.ts'
import { importUrls } from './url-file.ts'
import { ddclientLines } from './ddclient/lines.ts'

/** Every ddclient file that updates a host has one of these settings. */
const MARKS: ReadonlySet<string> = new Set(['protocol', 'use', 'usev4', 'usev6', 'login', 'login_env'])
/** The longest list of words behind the settings of a line: hosts, login, password. */
const MAX_WORDS = 3
const LIKE_HOSTS = /^[\w*@&=.-]+$/

/**
 * Whether a text is a file of ddclient: every line is settings without blanks around the equals sign, and perhaps hosts. In
 * a script, or a file of another program, some line begins with another word.
 */
function isDdclient(text: string): boolean {
  // Sections, XML, and blocks.
  if (/^[ \t]*[[<]|[{};][ \t]*\r?$/m.test(text.replaceAll(/#.*$/gm, ''))) return false
  const lines = ddclientLines(text, new Remarks('')).filter(({ fault }) => fault === undefined)
  const settings = lines.flatMap((line) => line.settings)
  const protocol = settings.find(([name]) => name === 'protocol')?.[1]
  if (!settings.some(([name]) => MARKS.has(name))) return false
  if (protocol !== undefined && !/^[a-z0-9-]{2,}$/i.test(protocol)) return false
  const isHostLine = (rest: readonly string[]): boolean =>
    rest.length <= MAX_WORDS &&
    (rest[0] ?? '')
      .split(',')
      .every((name) => LIKE_HOSTS.test(name) && (protocol !== undefined || name.includes('.')))
  const hosts = lines.filter(({ rest }) => rest.length > 0)
  const hasHost = hosts.length > 0 || settings.some(([name]) => name === 'host')
  return hosts.every(({ rest }) => isHostLine(rest)) && (hasHost || protocol !== undefined)
}

interface ForeignRow {
  readonly whose: string
  /** All of them are in the file. */
  readonly marks: readonly RegExp[]
}

/** Files of other programs that nothing is read from; the first that matches wins. */
// biome-ignore format: a table
const FOREIGN: readonly ForeignRow[] = [
  { whose: 'Holdfast itself: holdfast config check --config FILE checks it', marks: [/^[ \t]*(?:\[\[account\]\]|hostnames[ \t]*=[ \t]*\[)/m] },
  { whose: 'pfSense or OPNsense: take each update URL with holdfast import --url',           marks: [/<(?:dyndns|DynDNS|dyndnses)>/] },
  { whose: 'Caddy (dynamic_dns)',                                                            marks: [/^[ \t]*dynamic_dns[ \t]*\{/m] },
  { whose: 'Home Assistant',                                                                 marks: [/^[ \t]*(?:no_ip|duckdns|dynu|namecheapdns|freedns)[ \t]*:[ \t]*\r?$/m, /^[ \t]+(?:domain|access_token)[ \t]*:/m] },
  { whose: 'Synology DSM: take its query URL with holdfast import --url',                    marks: [/^[ \t]*(?:modulepath|queryurl)[ \t]*=/m] },
  { whose: 'a router of ASUS',                                                               marks: [/^(?:nvram set )?ddns_(?:server|hostname|passwd|enable)_x=/m] },
  { whose: 'Kubernetes',                                                                     marks: [/^kind:[ \t]*(?:Deployment|DNSEndpoint|DNSRecord)\b/m] },
  { whose: 'ddclient, but its cache: the settings are in ddclient.conf',                     marks: [/^[ \t]*atime=\d+,/m] },
]

/** Whose file this is that cannot be read; undefined where one cannot tell. */
function foreignTo(text: string): string | undefined {
  const uncommented = text.replaceAll(/^[ \t]*#.*$/gm, '')
  return FOREIGN.find(({ marks }) => marks.every((mark) => mark.test(uncommented)))?.whose
}

interface FormatRow {
  readonly read: ImportReader
  readonly matches: (text: string) => boolean
  /** Of a container: those that are set once for each. */
  readonly variables?: readonly string[]
  /** Where the files usually are. */
  readonly files: readonly string[]
  /** How the other client is stopped. */
  readonly stop: string
}

export const FORMAT_ROWS: Readonly<Record<Format, FormatRow>> = {
  inadyn: {
    read: (text, context) => (isInadyn1(text) ? importInadyn1 : importInadyn)(text, context),
    matches: (text) => /^[ \t]*(?:provider|custom)[ \t]+[^\s={"']+\s{0,9}\{/m.test(text) || isInadyn1(text),
    files: ['/etc/inadyn.conf', '/usr/local/etc/inadyn.conf'],
    stop: 'systemctl disable --now inadyn',
  },
  openwrt: {
    read: importOpenwrt,
    matches: (text) => /^[ \t]*config[ \t]+(?:service|ddns)\b/m.test(text) || /^ddns\.[^.=]+=/m.test(text),
    files: ['/etc/config/ddns'],
    stop: '/etc/init.d/ddns disable; /etc/init.d/ddns stop',
  },
  'noip-duc': {
    read: importNoipDuc,
    variables: ['NOIP_USERNAME', 'NOIP_PASSWORD', 'NOIP_HOSTNAMES', 'NOIP_IP_METHOD'],
    matches: (text) =>
      /\bNOIP_[A-Z]+["']?[ \t]*[=:]/.test(text) ||
      /^(?:[^#\n]*[ \t/])?noip-duc(?::[\w.-]{1,50})?[ \t]+-/m.test(text),
    files: ['/etc/default/noip-duc', '/etc/sysconfig/noip-duc', '/etc/noip-duc.env'],
    stop: 'systemctl disable --now noip-duc',
  },
  'ddns-updater': {
    read: importQdm12,
    variables: ['CONFIG'],
    matches: (text) =>
      /^\s*\{[^]*"settings"\s*:/.test(text) || /^[ \t]*(?:-[ \t]+)?CONFIG[ \t]*[=:][ \t]*['"]?\{/m.test(text),
    files: [],
    stop: 'stop the container of ddns-updater',
  },
  'ddns-go': {
    read: importDdnsGo,
    matches: (text) =>
      /^dnsconf[ \t]*:/m.test(text) || (/^dns[ \t]*:/m.test(text) && /^ipv4[ \t]*:/m.test(text)),
    files: ['/root/.ddns_go_config.yaml', '/etc/ddns-go/ddns-go-config.yaml'],
    stop: 'ddns-go -s uninstall',
  },
  'docker-dyndns': {
    read: importDockerDyndns,
    variables: ['SERVICE', 'HOSTNAME', 'USER', 'PASSWORD', 'IP'],
    matches: (text) =>
      ['SERVICE', 'HOSTNAME', 'USER'].every((name) =>
        new RegExp(`(?:^|[\\s"'-])${name}["']?[ \\t]*[=:]`, 'm').test(text),
      ),
    files: [],
    stop: 'stop the container',
  },
  'cloudflare-ddns': {
    read: importFavonia,
    variables: [
      'CLOUDFLARE_API_TOKEN',
      'CF_API_TOKEN',
      'DOMAINS',
      'IP4_DOMAINS',
      'IP6_DOMAINS',
      'IP4_PROVIDER',
      'IP6_PROVIDER',
    ],
    matches: isFavonia,
    files: [],
    stop: 'stop the container of cloudflare-ddns',
  },
  oznu: {
    read: importOznu,
    variables: ['API_KEY', 'ZONE', 'SUBDOMAIN', 'RRTYPE'],
    matches: isOznu,
    files: [],
    stop: 'stop the container of oznu/cloudflare-ddns',
  },
  url: {
    read: importUrls,
    matches: (text) => text.split('\n').every((line) => /^\s*(?:#|$)/.test(line) || isUrlLine(line)),
    files: [],
    stop: 'switch dynamic DNS off in the router',
  },
  ddclient: {
    read: importDdclient,
    // The marks of all other formats come first.
    matches: isDdclient,
    files: ['/etc/ddclient/ddclient.conf', '/etc/ddclient.conf'],
    stop: 'systemctl disable --now ddclient',
  },
}

/** Which client a text is for, by its content; where it has comments only, by the name of its file. */
export const formatOf = (text: string, file = ''): Format | undefined => {
  if (isBare(text)) return formatOfName(file)
  return foreignTo(text) === undefined
    ? FORMATS.find((format) => FORMAT_ROWS[format].matches(text))
    : undefined
}

const isUrlLine = (line: string): boolean =>
  line
    .trim()
    .split(/\s+/)
    .every((word) => /^https?:\/\//i.test(word))

/** Without any setting. */
const isBare = (text: string): boolean => text.split('\n').every((line) => /^\s*(?:#|$)/.test(line))

/** Why a file of no known client is refused; its contents may be secret and are not shown. */
export const unknownFormat = (text: string): string => {
  const whose = foreignTo(text)
  const clients = FORMATS.filter((one) => one !== 'url').join(', ')
  const known = `holdfast import reads the files of ${clients}, and update URLs`
  return whose === undefined
    ? `is of no client that is known here; ${known}; nothing is taken, and its contents are not shown`
    : `is a file of ${whose}; ${known}; nothing is taken`
}

const formatOfName = (file: string): Format | undefined =>
  FORMATS.find((format) => FORMAT_ROWS[format].files.some((known) => baseOf(known) === baseOf(file)))
const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Reads a file of another client, with its format where that is known; the error says why none of it can be read. */
export function readImport(
  text: string,
  format: Format | undefined,
  context: ImportContext,
): Result<Imported & { readonly format: Format }, string> {
  if (text.includes('\0'))
    return err('is a binary file; the file of noip2 is coded: noip-duc --import FILE prints it as text')
  if (text.trim() === '') return err('is empty')
  // The reader for ddclient would take any text for names and logins, and show them.
  const isUnknown = format === 'ddclient' && !isBare(text) && formatOf(text) !== 'ddclient'
  if (format === undefined || isUnknown) return err(unknownFormat(text))
  const names = FORMAT_ROWS[format].variables
  if (names !== undefined && isOfSeveral(text, names, context.variable)) return err(SEVERAL)
  const imported = FORMAT_ROWS[format].read(text, context)
  const damaged = text.split('\n').flatMap((line, at) => (line.includes('\uFFFD') ? [at + 1] : []))
  const remarks = damaged.map(
    (line): Remark => ({
      kind: 'lost',
      place: { file: context.file, line },
      text:
        'a character is not UTF-8, so it is lost, which matters in a password; ' +
        'save the file as UTF-8 and import it again',
    }),
  )
  return ok({ ...imported, format, remarks: [...imported.remarks, ...remarks] })
}
