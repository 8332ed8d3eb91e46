import { err, ok, type Result } from '../../../shared/base/result.ts'
import { CLOUDFLARE_DDNS, OZNU } from './clients/cloudflare-containers.ts'
import { isOfSeveral, SEVERAL } from './environment.ts'
import { DDCLIENT } from './clients/ddclient/ddclient.ts'
import { type Format, FORMATS } from './formats.ts'
import type { FormatRow, ImportContext, Imported, Remark } from './imported.ts'
import { DDNS_GO } from './clients/ddns-go.ts'
import { DOCKER_DYNDNS } from './clients/docker-dyndns.ts'
import { INADYN } from './clients/inadyn/inadyn.ts'
import { NOIP_DUC } from './clients/noip-duc.ts'
import { OPENWRT } from './clients/openwrt/openwrt.ts'
import { DDNS_UPDATER } from './clients/ddns-updater.ts'
import { URL_FILE } from './clients/url.ts'

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

export const FORMAT_ROWS: Readonly<Record<Format, FormatRow>> = {
  inadyn: INADYN,
  openwrt: OPENWRT,
  'noip-duc': NOIP_DUC,
  'ddns-updater': DDNS_UPDATER,
  'ddns-go': DDNS_GO,
  'docker-dyndns': DOCKER_DYNDNS,
  'cloudflare-ddns': CLOUDFLARE_DDNS,
  oznu: OZNU,
  url: URL_FILE,
  ddclient: DDCLIENT,
}

/** Which client a text is for, by its content; where it has comments only, by the name of its file. */
export const formatOf = (text: string, file = ''): Format | undefined => {
  if (isBare(text)) return formatOfName(file)
  return foreignTo(text) === undefined
    ? FORMATS.find((format) => FORMAT_ROWS[format].matches(text))
    : undefined
}

/** Without any setting. */
const isBare = (text: string): boolean => text.split('\n').every((line) => /^\s*(?:#|$)/.test(line))

/** Why a file of no known client is refused; its contents may be secret and are not shown. */
export const unknownFormat = (text: string): string => {
  const whose = foreignTo(text)
  const clients = FORMATS.filter((one) => one !== 'url').join(', ')
  const known = `holdfast import reads the files of ${clients}, and update URLs`
  return whose === undefined
    ? `is not the file of a known client; ${known}; nothing is taken, and its contents are not shown`
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
    return err('is a binary file; the file of noip2 is encoded: noip-duc --import FILE prints it as text')
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
