import { join } from 'node:path'
import type { Instant } from '../../shared/base/time.ts'
import { formatHistory, nextHistory, parseHistory, type PastAddress } from '../report/address-history.ts'
import type { AccountReport } from '../report/report.ts'
import { listed } from '../../shared/base/address.ts'
import type { Files } from '../../shared/ports/files.ts'
import type { Log } from '../../shared/ports/log.ts'

const FILE_NAME = 'addresses.json'

interface HistoryContext {
  readonly files: Files
  readonly log: Log
}

/** The addresses that services have confirmed, in the state folder. Without the file, a restart forgets them. */
export class HistoryFile {
  readonly #path: string
  readonly #context: HistoryContext
  #addresses: readonly PastAddress[]
  #saving: Promise<void> = Promise.resolve()

  private constructor(path: string, context: HistoryContext, addresses: readonly PastAddress[]) {
    this.#path = path
    this.#context = context
    this.#addresses = addresses
  }

  static async load([folder = '']: readonly string[], { files, log }: HistoryContext): Promise<HistoryFile> {
    const path = join(folder, FILE_NAME)
    const text = await files.read(path).catch(() => undefined)
    return new HistoryFile(path, { files, log }, text === undefined ? [] : parseHistory(text))
  }

  get addresses(): readonly PastAddress[] {
    return this.#addresses
  }

  take(reports: readonly AccountReport[], now: Instant): void {
    // Before the first report, nothing is known.
    if (reports.length === 0) return
    const confirmed = reports.flatMap(({ hostnames }) =>
      hostnames.flatMap((host) => (host.isOffline ? [] : listed(host.confirmed))),
    )
    const after = nextHistory(this.#addresses, confirmed, now)
    if (after === this.#addresses) return
    this.#addresses = after
    this.#saving = this.#saving.then(async () => this.#save(formatHistory(after)))
  }

  async #save(text: string): Promise<void> {
    const { files, log } = this.#context
    try {
      await files.replace(this.#path, text)
    } catch (error) {
      log('debug', 'the history of addresses is not saved', {
        fields: { because: (error as Error).message },
      })
    }
  }
}
