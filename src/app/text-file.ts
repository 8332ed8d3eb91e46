import { err, ok, type Result } from '../base/result.ts'
import { formatComplaint } from '../config/setting.ts'
import { readNamedFile } from '../platform/named-file.ts'

/** No more is read of any file: a password is a line, and the rest is written by people. In bytes. */
export const MAX_BYTES = {
  password: 64 * 1024,
  config: 4 * 1024 * 1024,
  authorities: 4 * 1024 * 1024,
} as const

interface Named {
  readonly setting: string
  readonly maxBytes: number
  readonly where?: string | undefined
}

export async function textOf(
  path: string | undefined,
  { setting, maxBytes, where = '' }: Named,
): Promise<Result<string | undefined, string>> {
  if (path === undefined) return ok(undefined)
  const text = await readNamedFile(path, maxBytes)
  return text.ok ? text : err(formatComplaint({ where, problem: `${setting} ${path}: ${text.error}` }))
}
