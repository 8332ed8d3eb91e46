import { join } from 'node:path'
import { ok, type Result } from '../base/result.ts'
import type { ParsedFile } from '../settings/file-layer.ts'
import { MISSING_FILE } from '../platform/files/named-file.ts'
import { configurationFailure, type Failure } from './failure.ts'
import { expandHome } from './home.ts'
import { paths } from './paths.ts'
import { MAX_BYTES, textOf } from './text-file.ts'

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
