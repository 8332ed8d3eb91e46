import { err, ok, type Result } from '../../base/result.ts'
import { importDdclient } from './ddclient/read.ts'
import { FORMATS, type Format } from './formats.ts'
import type { Imported, ImportContext, ImportReader, Remark } from './imported.ts'
import { importDdnsGo } from './ddns-go.ts'
import { importDockerDyndns } from './docker-dyndns.ts'
import { importInadyn } from './inadyn.ts'
import { importInadyn1, isInadyn1 } from './inadyn1.ts'
import { importNoipDuc } from './noip-duc.ts'
import { importOpenwrt } from './openwrt.ts'
import { importQdm12 } from './qdm12.ts'
import { importUrls } from './url-file.ts'

interface FormatRow {
  readonly read: ImportReader
  readonly matches: (text: string) => boolean
  /** Where the files usually are. */
  readonly files: readonly string[]
  /** How the other client is stopped. */
  readonly stop: string
}

export const FORMAT_ROWS: Readonly<Record<Format, FormatRow>> = {
  inadyn: {
    read: (text, context) => (isInadyn1(text) ? importInadyn1 : importInadyn)(text, context),
    matches: (text) => /^\s*(?:provider|custom)\s+[^\s={]+\s*\{/m.test(text) || isInadyn1(text),
    files: ['/etc/inadyn.conf', '/usr/local/etc/inadyn.conf'],
    stop: 'systemctl disable --now inadyn',
  },
  openwrt: {
    read: importOpenwrt,
    matches: (text) => /^\s*config\s+(?:service|ddns)\b/m.test(text) || /^ddns\.[^.=]+=/m.test(text),
    files: ['/etc/config/ddns'],
    stop: '/etc/init.d/ddns disable; /etc/init.d/ddns stop',
  },
  'noip-duc': {
    read: importNoipDuc,
    matches: (text) =>
      /\bNOIP_[A-Z]+["']?\s*[=:]/.test(text) || /^[^#\n]*(?:^|[\s/])noip-duc(?::\S+)?\s+-/m.test(text),
    files: ['/etc/default/noip-duc', '/etc/sysconfig/noip-duc', '/etc/noip-duc.env'],
    stop: 'systemctl disable --now noip-duc',
  },
  'ddns-updater': {
    read: importQdm12,
    matches: (text) =>
      /^\s*\{[^]*"settings"\s*:/.test(text) || /^\s*(?:-\s+)?CONFIG\s*[=:]\s*['"]?\{/m.test(text),
    files: [],
    stop: 'stop the container of ddns-updater',
  },
  'ddns-go': {
    read: importDdnsGo,
    matches: (text) => /^dnsconf\s*:/m.test(text) || (/^dns\s*:/m.test(text) && /^ipv4\s*:/m.test(text)),
    files: ['/root/.ddns_go_config.yaml', '/etc/ddns-go/ddns-go-config.yaml'],
    stop: 'ddns-go -s uninstall',
  },
  'docker-dyndns': {
    read: importDockerDyndns,
    matches: (text) =>
      ['SERVICE', 'HOSTNAME', 'USER'].every((name) =>
        new RegExp(`(?:^|[\\s"'-])${name}["']?\\s*[=:]`, 'm').test(text),
      ),
    files: [],
    stop: 'stop the container',
  },
  url: {
    read: importUrls,
    matches: (text) =>
      /^\s*https?:\/\/\S+(?:\s+https?:\/\/\S+)*\s*$/im.test(text) && !/^\s*[a-z0-9_-]+\s*=/im.test(text),
    files: [],
    stop: 'switch dynamic DNS off in the router',
  },
  ddclient: {
    read: importDdclient,
    // No other program has this form: see formatOf.
    matches: () => false,
    files: ['/etc/ddclient/ddclient.conf', '/etc/ddclient.conf'],
    stop: 'systemctl disable --now ddclient',
  },
}

/** Which client a text is for, by its content, else by the name of its file: those of ddclient have no mark. */
export const formatOf = (text: string, file = ''): Format =>
  FORMATS.find((format) => FORMAT_ROWS[format].matches(text)) ?? formatOfName(file) ?? 'ddclient'

const formatOfName = (file: string): Format | undefined =>
  FORMATS.find((format) => FORMAT_ROWS[format].files.some((known) => baseOf(known) === baseOf(file)))
const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Reads a file of another client; the error says why none of it can be read. */
export function readImport(text: string, format: Format, context: ImportContext): Result<Imported, string> {
  if (text.includes('\0'))
    return err('is a binary file; the file of noip2 is coded: noip-duc --import FILE prints it as text')
  if (text.trim() === '') return err('is empty')
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
  return ok({ ...imported, remarks: [...imported.remarks, ...remarks] })
}
