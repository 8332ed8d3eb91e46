import { createHash } from 'node:crypto'
import { formatInstant, type Instant, latest, parseInstant } from '../../../shared/base/time.ts'
import type { Files } from '../../../shared/ports/files.ts'
import { JOTTED_FILE } from '../../decide/file-name.ts'

/**
 * Where it is written when a state was saved last: the first of these that can be written (decision 0070). In the runtime
 * folder it does not go with a state that is deleted, or replaced by a copy of yesterday; the state folder does where there
 * is no other.
 */
export function lastSavePaths(runtimeDir: string, stateDir: string): readonly string[] {
  const state = createHash('sha256').update(stateDir).digest('hex').slice(0, 12)
  return [`${runtimeDir}/state-${state}.saved`, `${stateDir}/state-${state}.saved`]
}

/** Files that accompany the state: a state that is not yet saved, and the moment of the last save. */
export function secondFiles(files: Files, paths: readonly string[]) {
  let isJotted = false
  return {
    jot(folder: string, text: string): void {
      isJotted = files.jot(jottedIn(folder), text) || isJotted
    },
    /** One of a process before this one. */
    found: (): void => void (isJotted = true),
    async saved(folder: string, at: Instant): Promise<void> {
      paths.some((path) => files.jot(path, `${formatInstant(at)}\n`))
      if (isJotted) await files.remove(jottedIn(folder)).catch(() => undefined)
      isJotted = false
    },
  }
}

/** The last moment; undefined where none was written, or where it cannot be read. */
export async function readLastSave(paths: readonly string[], files: Files): Promise<Instant | undefined> {
  const texts = await Promise.all(paths.map(async (path) => files.read(path).catch(() => undefined)))
  const [first, ...others] = texts.flatMap((text) => parseInstant(text?.trim() ?? '') ?? [])
  return first === undefined ? undefined : latest(first, ...others)
}

export const jottedIn = (folder: string): string => `${folder}/${JOTTED_FILE}`
