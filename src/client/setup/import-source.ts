import { readFileSync, statSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { FORMAT_ROWS } from './migration/import.ts'
import type { ImportContext } from './migration/imported.ts'
import { domainBelowSuffix } from '../../shared/platform/names/public-suffix.ts'
import { DENIED_FILE, readNamedFile } from '../../shared/platform/files/named-file.ts'
import { type Failure, usageFailure } from '../../shared/program/exit-codes.ts'
import { readStdin } from '../settings/account-files.ts'

const MAX_BYTES = 4 * 1024 * 1024

/** The text of a file of another client, with its name for remarks. */
interface ImportSource {
  readonly name: string
  readonly text: string
}

/** Files of other clients on this host. */
export async function oldClientFiles(): Promise<readonly string[]> {
  const all = Object.values(FORMAT_ROWS).flatMap(({ files }) => files)
  const found = await Promise.all(
    all.map(async (path) =>
      access(path, constants.R_OK).then(
        () => [path],
        () => [],
      ),
    ),
  )
  return found.flat()
}

/** The named file, `-` for standard input, or the only file of another client on this host. */
export async function importSource(named: string | undefined): Promise<Result<ImportSource, Failure>> {
  if (named === '-') return ok({ name: 'standard input', text: await readStdin() })
  if (named !== undefined) return fromFile(named)
  const [found, ...others] = await oldClientFiles()
  if (found === undefined)
    return usageFailure('no file of another client is found here; write holdfast import FILE')
  if (others.length > 0)
    return usageFailure(
      `several files of other clients are found; name one of them: ${[found, ...others].join(', ')}`,
    )
  return fromFile(found)
}

async function fromFile(path: string): Promise<Result<ImportSource, Failure>> {
  const text = await readNamedFile(path, MAX_BYTES)
  if (text.ok) return ok({ name: path, text: text.value })
  return text.error.startsWith(DENIED_FILE)
    ? err({ exit: 'denied', messages: [`${path}: ${text.error}; use sudo`] })
    : usageFailure(`${path}: ${text.error}`)
}

/** What the readers need of this host. A file that includes itself is no loop, because included files include nothing. */
export const importContext = (name: string): ImportContext => ({
  file: name,
  variable: (variable) => process.env[variable],
  include: (path) => {
    const full = path.startsWith('~/')
      ? join(homedir(), path.slice(2))
      : join(path.startsWith('/') ? '' : dirname(name), path)
    try {
      if (!statSync(full).isFile()) return { problem: 'this is not a file' }
      return { text: readFileSync(full, 'utf8').slice(0, MAX_BYTES) }
    } catch (error) {
      return { problem: (error as Error).message }
    }
  },
  // deSEC gives such names away, one to each account.
  domainOf: (hostname) => /[^.]+\.dedyn\.io$/.exec(hostname)?.[0] ?? domainBelowSuffix(hostname),
})
