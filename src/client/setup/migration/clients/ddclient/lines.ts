import type { Remarks } from '../../imported.ts'

/** A line of ddclient.conf after comments and continuations: settings, and what is left of them. */
export interface DdclientLine {
  readonly line: number
  readonly settings: readonly (readonly [name: string, value: string])[]
  /** Hosts, login and password, in that order. */
  readonly rest: readonly string[]
  /** Why the line cannot be read; the settings before the fault may be wrong, too. */
  readonly fault?: { readonly text: string; readonly isOfHost: boolean }
}

export type DdclientSettings = ReadonlyMap<string, { readonly value: string; readonly line: number }>

/** A password is replaced while the line is split, because it may contain commas, blanks and "#". */
const MARK = '\u0001'
const PASSWORD = /([a-z][0-9a-z_-]*)?password\s*=\s*/y

interface Physical {
  readonly text: string
  readonly continues: boolean
}

/** Splits a file as ddclient 3 and 4 do. */
export function ddclientLines(text: string, remarks: Remarks): readonly DdclientLine[] {
  const passwords: string[] = []
  const lines: DdclientLine[] = []
  let open: { readonly at: number; readonly text: string } | undefined
  const physical = text.replace(/^\uFEFF/, '').split('\n')
  for (const [index, raw] of physical.entries()) {
    const at = index + 1
    const { text: part, continues } = physicalLine(raw.replaceAll('\r', ''), at, { passwords, remarks })
    open = { at: open?.at ?? at, text: (open?.text ?? '') + part }
    if (continues && at < physical.length) continue
    const parsed = parseLine(open.text, open.at, passwords)
    if (parsed !== undefined) lines.push(parsed)
    open = undefined
  }
  return lines
}

interface Collected {
  readonly passwords: string[]
  readonly remarks: Remarks
}

/** One line of the file, without its comment, and with marks in the place of passwords. */
function physicalLine(raw: string, at: number, { passwords, remarks }: Collected): Physical {
  let text = ''
  let position = 0
  while (position < raw.length && raw.charAt(position) !== '#') {
    const password = passwordAt(raw, position)
    if (password !== undefined) remarkOnPassword(password, at, remarks)
    text +=
      password === undefined ? raw.charAt(position) : `${password.name}=${MARK}${passwords.length}${MARK}`
    if (password !== undefined) passwords.push(password.value)
    position = password?.end ?? position + 1
  }
  const bare = text.trimEnd()
  if (!bare.endsWith('\\')) return { text, continues: false }
  if (bare.length < text.length)
    remarks.add(
      'changed',
      at,
      'a blank or a comment follows the backslash at the end of the line; the next line is read as its continuation',
    )
  return { text: bare.slice(0, -1), continues: true }
}

interface FoundPassword {
  readonly name: string
  readonly value: string
  readonly end: number
  readonly isUnclosed: boolean
}

function remarkOnPassword({ value, isUnclosed }: FoundPassword, at: number, remarks: Remarks): void {
  // biome-ignore format: a table
  const rows: readonly (readonly [isSo: boolean, text: string])[] = [
    [isUnclosed, 'the quote of the password is not closed; the password is read up to the next blank'],
    [value.endsWith(','), 'the password ends with a comma, because ddclient reads up to the next blank; without quotes, the comma is part of the password'],
  ]
  for (const [isSo, text] of rows) if (isSo) remarks.add('changed', at, text)
}

/** `…password=` at this position: quoted to the last quote of the line, else up to the next blank. */
function passwordAt(raw: string, position: number): FoundPassword | undefined {
  if (/[0-9a-z_-]/i.test(raw.charAt(position - 1))) return undefined
  PASSWORD.lastIndex = position
  const found = PASSWORD.exec(raw)
  if (found === null) return undefined
  const name = found[0].replace(/\s*=\s*$/, '')
  const start = position + found[0].length
  const isQuoted = raw.charAt(start) === "'"
  const last = isQuoted ? raw.lastIndexOf("'") : -1
  if (last > start) return { name, value: raw.slice(start + 1, last), end: last + 1, isUnclosed: false }
  const bare = /^\S*/.exec(raw.slice(start))?.[0] ?? ''
  const doubled = /^"(.*)"$/.exec(bare)?.[1]
  return { name, value: doubled ?? bare, end: start + bare.length, isUnclosed: isQuoted }
}

function parseLine(text: string, line: number, passwords: readonly string[]): DdclientLine | undefined {
  const settings: [string, string][] = []
  const faults: string[] = []
  const all = text.replaceAll(/\s+/g, ' ').trim()
  let left = all
  for (;;) {
    const [whole, name] = /^[, ]*([a-z][0-9a-z_-]*)=/.exec(left) ?? []
    if (whole === undefined || name === undefined) break
    const { value, length, isClosed } = readValue(left.slice(whole.length))
    if (!isClosed) faults.push(`the quote of ${name} is not closed`)
    else if (value.includes(MARK) && !name.endsWith('password')) faults.push(`${name} contains a password`)
    settings.push([name, unmarked(value, passwords)])
    left = left.slice(whole.length + length)
  }
  const rest = left
    .replace(/^[, ]+/, '')
    .replaceAll(/ ?, ?/g, ',')
    .split(' ')
    .filter((word) => word !== '')
  if (rest.some((word) => word.includes(MARK))) faults.push('a password follows the hostname')
  const [fault] = faults
  if (fault !== undefined) {
    const isOfHost = settings.some(([name]) => name === 'host') || rest.length > 0 || ENDS_WITH_NAME.test(all)
    return { line, settings: [], rest: [], fault: { text: fault, isOfHost } }
  }
  return settings.length === 0 && rest.length === 0 ? undefined : { line, settings, rest }
}

/** The last word is a hostname, not a setting. */
const ENDS_WITH_NAME = /(?:^|[ ,])[a-z0-9*_-]+(?:\.[a-z0-9_-]+)+$/i

interface Value {
  readonly value: string
  readonly length: number
  readonly isClosed: boolean
}

/** A value with its quotes and escapes, up to a comma or a blank. */
function readValue(text: string): Value {
  let value = ''
  let quote = ''
  let at = 0
  for (; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (quote === '' && /[, ]/.test(character)) break
    if (character === '\\' && quote !== "'") {
      at += 1
      value += text.charAt(at)
    } else if (character === quote) quote = ''
    else if (quote === '' && (character === '"' || character === "'")) quote = character
    else value += character
  }
  return { value, length: at, isClosed: quote === '' }
}

const unmarked = (text: string, passwords: readonly string[]): string =>
  text.replaceAll(new RegExp(`${MARK}(\\d+)${MARK}`, 'g'), (_, at: string) => passwords[Number(at)] ?? '')
