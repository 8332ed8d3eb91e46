import { join } from 'node:path'
import { formatNotifyMemory, type NotifyMemory, parseNotifyMemory } from './memory.ts'
import type { Files } from '../../shared/ports/files.ts'
import type { Log } from '../../shared/ports/log.ts'

const NAME = 'notified.json'

interface MemoryFileContext {
  readonly files: Files
  readonly log: Log
}

/** What the last process has saved. */
export const savedNotifyMemory = async (folders: readonly string[], files: Files): Promise<NotifyMemory> =>
  parseNotifyMemory(await savedText(pathsIn(folders), files))

const pathsIn = (folders: readonly string[]): readonly string[] => folders.map((folder) => join(folder, NAME))

/** Of the first file that can be read; empty without any. */
async function savedText(paths: readonly string[], files: Files): Promise<string> {
  for (const path of paths) {
    const text = await files.read(path).catch(() => undefined)
    if (text !== undefined) return text
  }
  return ''
}

/** What was told, in the first folder that can be written. The state makes the fallback folders. */
export class NotifyMemoryFile {
  readonly #paths: readonly string[]
  readonly #files: Files
  readonly #log: Log
  #saved = ''
  #saving: Promise<void> = Promise.resolve()
  #isUnsaved = false

  constructor(folders: readonly string[], { files, log }: MemoryFileContext) {
    this.#paths = pathsIn(folders)
    this.#files = files
    this.#log = log
  }

  async load(): Promise<NotifyMemory> {
    this.#saved = await savedText(this.#paths, this.#files)
    return parseNotifyMemory(this.#saved)
  }

  /** In the order of the changes; resolves when this one is written. Without the file, a restart may tell a thing twice. */
  async save(memory: NotifyMemory): Promise<void> {
    const text = formatNotifyMemory(memory)
    if (text !== this.#saved) this.#saving = this.#saving.then(async () => this.#write(text))
    this.#saved = text
    await this.#saving
  }

  async #write(text: string): Promise<void> {
    const [first, ...fallbacks] = this.#paths
    const problem = first === undefined ? '' : await this.#tryToWrite(first, text)
    if (problem === undefined) {
      this.#isUnsaved = false
      return
    }
    for (const path of fallbacks) if ((await this.#tryToWrite(path, text)) === undefined) return
    if (!this.#isUnsaved)
      this.#log('warn', 'what was told cannot be saved', {
        fields: { because: problem },
        line: `${first}: ${problem}; a notification may be sent again after a restart`,
      })
    this.#isUnsaved = true
  }

  readonly #tryToWrite = async (path: string, text: string): Promise<string | undefined> =>
    this.#files.replace(path, text).then(
      () => undefined,
      (error: Error) => error.message,
    )
}
