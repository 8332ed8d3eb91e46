import { err, ok, type Result } from '../../shared/base/result.ts'
import { parseAddress } from '../../shared/base/address.ts'
import { listReader, path, type SettingReader, text } from '../../shared/settings/reader.ts'
import type { SettingTable, Values } from '../../shared/settings/setting.ts'

/** Where the page listens. */
interface PageListener {
  readonly host: string
  readonly port: number
}

/** "8246" is loopback; "127.0.0.1:8246" or "[::1]:8246". */
function parsePageListener(value: string): Result<PageListener, string> {
  const [, bracketed, plain, port] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(value.trim()) ?? []
  const written = bracketed ?? plain ?? '127.0.0.1'
  const host = written === 'localhost' ? '127.0.0.1' : parseAddress(written)
  return port === undefined || host === undefined || Number(port) > 65_535
    ? err('must be an address with a port, such as 127.0.0.1:8246, or a port')
    : ok({ host, port: Number(port) })
}

export const formatPageListener = ({ host, port }: PageListener): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`

export const isLoopback = (host: string): boolean => host === '::1' || host.startsWith('127.')

const listener: SettingReader<PageListener> = {
  ...text,
  read: parsePageListener,
  schema: { type: 'string', examples: ['127.0.0.1:8246'] },
}

/** A name that browsers use for this host, without a port. */
const pageHost = (value: string): Result<string, string> =>
  /^[A-Za-z0-9_.-]+$|^\[[0-9A-Fa-f:.]+\]$/.test(value)
    ? ok(value.toLowerCase())
    : err('must be a name or address as the address bar shows it, without a port')

/** Settings of the page and the metrics of the daemon. */
// biome-ignore format: a table
export const PAGE_SETTINGS = {
  page:             { reader: listener, help: 'address and port of a page that shows the state in a browser, such as 127.0.0.1:8246; with it, when_stopped defaults to idle; default: no page' },
  pageHosts:        { reader: listReader(pageHost, { type: 'string' }), help: 'further names by which browsers may open the page, such as nas.lan; localhost and loopback addresses always work' },
  pagePasswordFile: { reader: path,     help: 'file with the password of the page; required unless it listens on loopback' },
  metricsFile:      { reader: path,     help: 'file that the daemon writes metrics into, ending in .prom, for the textfile collector of node_exporter; default: none' },
} as const satisfies SettingTable
export type PageSettings = Pick<Values<typeof PAGE_SETTINGS>, 'page' | 'pageHosts' | 'pagePasswordFile'>
