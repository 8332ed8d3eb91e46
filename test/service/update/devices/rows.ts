import { readFileSync } from 'node:fs'

/**
 * Tables in this folder: one row per line, columns separated by tabs; a line that starts with "#" is a comment. Written
 * from the rules of the update protocol, not from the code.
 */
const linesOf = (file: string): readonly (readonly string[])[] =>
  readFileSync(new URL(file, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'))

/** One request of a device, and its effect. */
export interface DeviceRow {
  /** A row of devices.tsv: what the device sends around its target. */
  readonly device: string
  readonly what: string
  /** Of the request line. */
  readonly target: string
  /** Records before: see records.ts. */
  readonly before: string
  readonly status: number
  /** The lines of the body. "~TEXT": it contains the text; "*" at the end: the rest may be anything. */
  readonly answer: string
  /** Records after. */
  readonly after: string
  /** The items that get a count of `nochg`, the repetitions that may block a key; "-" for none. */
  readonly counted: string
}

/** What `usual` stands for in the column of the records before. */
const USUAL = 'home=192.0.2.9,2001:db8:9:1::9 office=192.0.2.8'

export const rowsOf = (file: string): readonly DeviceRow[] =>
  linesOf(file).map((columns) => {
    const [device = '', what = '', target = '', before = '', status, answer = '', after = '', counted] =
      columns
    if (columns.length !== 8) throw new Error(`${file}: "${what}" has ${columns.length} columns`)
    const records = before === 'usual' ? USUAL : before
    return {
      device,
      what,
      target,
      before: records,
      status: Number(status),
      answer: answer.replaceAll('\\n', '\n'),
      after: after === 'same' ? records : after,
      counted: counted ?? '-',
    }
  })

const DEVICES = new Map(linesOf('devices.tsv').map(([device = '', bytes = '']) => [device, bytes]))

/** The request as the device sends it. */
export function bytesOf(
  { device, target }: Pick<DeviceRow, 'device' | 'target'>,
  { host, token }: { readonly host: string; readonly token: string },
): string {
  const bytes = DEVICES.get(device)
  if (bytes === undefined) throw new Error(`devices.tsv has no ${device}`)
  const places = { target, host, token, authorization: `Basic ${token}` }
  return bytes
    .replaceAll('\\r', '\r')
    .replaceAll('\\n', '\n')
    .replace(/\{(target|host|token|authorization)\}/g, (_, place: keyof typeof places) => places[place])
}

/** Whether the body is the answer of the row. */
export function isAnswer(answer: string, body: string): boolean {
  if (answer.startsWith('~')) return body.includes(answer.slice(1))
  return answer.endsWith('*') ? body.startsWith(answer.slice(0, -1)) : body === `${answer}\n`
}
