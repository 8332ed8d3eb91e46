import { join } from 'node:path'
import { err, ok, type Result } from '../base/result.ts'
import type { ParsedFile } from '../config/client-file.ts'
import type * as documents from '../config/document.ts'
import { MISSING } from '../platform/named-file.ts'
import type { Failure } from './failure.ts'
import { type Flags, textFlag } from './flags.ts'
import { expandHome } from './home.ts'
import { paths } from './paths.ts'
import { MAX_BYTES, textOf } from './text-file.ts'

/** The file that was named, or else the one in its usual place, if there is one. */
export async function configFile(
  flags: Flags,
  usual: readonly string[],
  fromEnvironmentVariable: string | undefined,
): Promise<Result<ParsedFile | undefined, Failure>> {
  if (Array.isArray(flags['config']))
    return err({ exit: 'usage', messages: ['--config is given twice; keep one'] })
  const named =
    textFlag(flags, 'config') ?? (fromEnvironmentVariable === '' ? undefined : fromEnvironmentVariable)
  const folder = named === undefined && usual.length > 0 ? await paths().config() : ''
  const candidates = named === undefined ? usual.map((name) => join(folder, name)) : [named]
  for (const candidate of candidates) {
    const place = expandHome(candidate)
    if (!place.ok) return err({ exit: 'configuration', messages: [`config ${place.error}`] })
    const path = place.value
    const text = await textOf(path, { setting: 'config', maxBytes: MAX_BYTES.config })
    if (text.ok && text.value !== undefined)
      return ok({ name: path, document: parse(await import('../config/document.ts'), text.value, path) })
    if (!text.ok && (named !== undefined || !text.error.endsWith(MISSING)))
      return err({ exit: 'configuration', messages: [text.error] })
  }
  return ok(undefined)
}

const parse = ({ parseDocument }: typeof documents, text: string, path: string): ParsedFile['document'] =>
  parseDocument(text, path)
