import { listed } from '../../shared/base/address.ts'
import { PUBLICATION_ADVICE } from '../verify/publication-text.ts'
import { isAtEarlier, publicationText } from './elsewhere.ts'
import type { HostReport } from './report.ts'
import { formatTime } from './report-text.ts'

/** Terminals have at least this many columns. */
const MAX_WIDTH = 80
const INDENT = '  '
const HEADS = ['hostname', 'address', 'confirmed since'] as const

type HostRow = readonly [name: string, address: string, since: string]

/** The hostnames of an account as a table of at most 80 columns; wider ones get a line for their name. */
export function hostTable(hostnames: readonly HostReport[], isWithAdvice = false): readonly string[] {
  const rows = new Map(hostnames.map((host) => [host, rowsOf(host)]))
  const all = [HEADS, ...[...rows.values()].flat()]
  const width = (column: 0 | 1): number => Math.max(...all.map((row) => row[column].length))
  const [name, address] = [width(0), width(1)]
  const isNarrow = INDENT.length + name + 2 + address + 2 + '2026-01-01 00:00:00'.length <= MAX_WIDTH
  const line = ([first, second, third]: HostRow): string =>
    `${INDENT}${first.padEnd(name)}  ${second.padEnd(address)}  ${third}`.trimEnd()
  const lines = (host: HostReport): readonly string[] => {
    const own = rows.get(host) ?? []
    const table = isNarrow
      ? own.map(line)
      : [
          `${INDENT}${host.hostname}`,
          ...own.map(([, second, third]) =>
            `${INDENT}  ${second.padEnd(address)}${third === '' ? '' : `  since ${third}`}`.trimEnd(),
          ),
        ]
    return [...table, ...detailsOf(host, isWithAdvice).map((text) => `${INDENT}  ${text}`)]
  }
  return hostnames.length === 0 ? [] : [...(isNarrow ? [line(HEADS)] : []), ...hostnames.flatMap(lines)]
}

/** A row for each address. */
function rowsOf({ hostname, confirmed, since }: HostReport): readonly HostRow[] {
  const [first, ...others] = listed(confirmed)
  if (first === undefined) return [[hostname, 'not confirmed yet', '']]
  return [
    [hostname, first, since === null ? 'unknown' : formatTime(since)],
    ...others.map((one): HostRow => ['', one, '']),
  ]
}

function detailsOf(host: HostReport, isWithAdvice: boolean): readonly string[] {
  const { published, remarks } = host
  const text = publicationText(host)
  return [
    ...(text === null ? [] : [text]),
    ...remarks,
    ...(published === null || !isWithAdvice || isAtEarlier(host)
      ? []
      : [PUBLICATION_ADVICE[published.state]]),
  ]
}
