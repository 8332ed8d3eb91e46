import { err, ok, type Result } from '../base/result.ts'
import { formatComplaint } from '../settings/setting.ts'
import { readNamedFile } from '../platform/files/named-file.ts'

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
