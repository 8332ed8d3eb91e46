import { milliseconds } from '../../shared/base/time.ts'
import { formatPageListener, type PageSettings } from '../settings/page-settings.ts'
import { Secret } from '../../shared/base/secret.ts'
import { type PageServer, servePage } from '../../shared/platform/http/page-server.ts'
import type { Log } from '../../shared/ports/log.ts'
import { MAX_BYTES, secretText, textOf } from '../../shared/program/config-file.ts'
import { type PageView, updateOf } from './view.ts'
import { pageHandler, type PageParts } from './handler.ts'

/** Several changes within this time are one event. */
const SEND_DELAY = milliseconds(200)

/** The page of a daemon, while its settings ask for one. A page that cannot be opened is logged, and updates continue. */
export class StatusPage {
  readonly #parts: PageParts
  /** What every open stream has. */
  #sent: PageView | undefined
  readonly #log: Log
  #server: PageServer | undefined
  #open = ''
  #waiting: AbortSignal | undefined

  constructor(parts: Omit<PageParts, 'opened'>, log: Log) {
    this.#parts = { ...parts, opened: () => this.#opened() }
    this.#log = log
  }

  /** At the start and after each reload. */
  async adopt({ page, pageHosts, pagePasswordFile }: PageSettings): Promise<void> {
    const read = await textOf(pagePasswordFile, {
      setting: 'page_password_file',
      maxBytes: MAX_BYTES.password,
    })
    const text = read.ok ? secretText(read.value ?? '') : ''
    const wanted = page === undefined ? '' : JSON.stringify([page, pageHosts, text])
    if (wanted === this.#open) return
    this.close()
    if (page === undefined) return
    // Without its password the page stays closed.
    if (!read.ok || (pagePasswordFile !== undefined && text === ''))
      return this.#cannotOpen(read.ok ? `page_password_file ${pagePasswordFile} is empty` : read.error)
    const guard = { hosts: pageHosts ?? [], password: text === '' ? undefined : new Secret(text) }
    try {
      this.#server = await servePage(page, pageHandler(this.#parts, guard))
      this.#open = wanted
      const url = `http://${formatPageListener({ ...page, port: this.#server.port })}/`
      this.#log('info', 'the page is open', { fields: { url }, line: `the page is at ${url}` })
    } catch (error) {
      this.#cannotOpen((error as Error).message)
    }
  }

  /** Something that the page shows has changed. */
  changed(): void {
    if (this.#server?.hasStreams() === true) this.#sendLater()
  }

  #sendLater(): void {
    if (this.#waiting !== undefined) return
    const waiting = this.#parts.clock.deadline(SEND_DELAY)
    this.#waiting = waiting
    waiting.addEventListener('abort', () => {
      if (this.#waiting !== waiting) return
      this.#waiting = undefined
      const view = this.#parts.view()
      const update = updateOf(view, this.#sent)
      if (update !== undefined) this.#server?.send('view', JSON.stringify(update))
      this.#sent = view
    })
  }

  /** A new stream has everything. What changes until it is open follows; the others get everything, too. */
  #opened(): object {
    const view = this.#parts.view()
    this.#sent = this.#server?.hasStreams() === true ? undefined : view
    this.#sendLater()
    return updateOf(view) ?? {}
  }

  close(): void {
    this.#waiting = undefined
    this.#server?.close()
    this.#server = undefined
    this.#open = ''
  }

  #cannotOpen(because: string): void {
    this.#log('error', 'the page cannot be opened', {
      fields: { because },
      line: `the page cannot be opened (${because}); updates continue; choose another port in page, and restart Holdfast`,
    })
  }
}
