import { join } from 'node:path'
import { err, ok, type Result } from '../base/result.ts'
import type { ParsedFile } from '../settings/file-layer.ts'
import { MISSING_FILE, readNamedFile } from '../platform/files/named-file.ts'
import { configurationFailure, type Failure } from './exit-codes.ts'
import { expandHome, paths } from './paths.ts'
import { formatComplaint } from '../settings/setting.ts'

/** In bytes. A password is one line; the other files are written by hand or hold certificates. */
export const MAX_BYTES = {
  password: 64 * 1024,
  config: 4 * 1024 * 1024,
  authorities: 4 * 1024 * 1024,
} as const

interface FileSetting {
  /** The setting that names the file. */
  readonly setting: string
  readonly maxBytes: number
  /** The place of the setting, for the error message. */
  readonly where?: string | undefined
}

/** Reads a file that a setting names; undefined without a path. */
export async function textOf(
  path: string | undefined,
  { setting, maxBytes, where = '' }: FileSetting,
): Promise<Result<string | undefined, string>> {
  if (path === undefined) return ok(undefined)
  const text = await readNamedFile(path, maxBytes)
  return text.ok ? text : err(formatComplaint({ where, problem: `${setting} ${path}: ${text.error}` }))
}

/** The text of a file with one secret, without the line ends after it: editors and `echo` add one, or several. */
export function secretText(text: string): string {
  let end = text.length
  while (end > 0 && /[\r\n]/.test(text[end - 1] ?? '')) end--
  return text.slice(0, end)
}

/**
 * The file that the user names, or else the first of the usual files in the configuration folder; undefined where none
 * of the usual files exists.
 */
export async function readConfigFile(
  named: string | undefined,
  usual: readonly string[],
): Promise<Result<ParsedFile | undefined, Failure>> {
  const folder = named === undefined && usual.length > 0 ? await paths().config() : ''
  const candidates = named === undefined ? usual.map((name) => join(folder, name)) : [named]
  for (const candidate of candidates) {
    const expanded = expandHome(candidate)
    if (!expanded.ok) return configurationFailure(`config ${expanded.error}`)
    const path = expanded.value
    const text = await textOf(path, { setting: 'config', maxBytes: MAX_BYTES.config })
    if (text.ok && text.value !== undefined)
      return ok({ name: path, document: await parse(text.value, path) })
    if (!text.ok && (named !== undefined || !text.error.endsWith(MISSING_FILE)))
      return configurationFailure(text.error)
  }
  return ok(undefined)
}

/** The TOML and JSON parsers load only when a file exists. */
const parse = async (text: string, path: string): Promise<ParsedFile['document']> =>
  (await import('../settings/document.ts')).parseDocument(text, path)
