import { type MetricFamily, prometheusText } from '../../shared/base/exposition.ts'
import { writeReadable } from '../../shared/platform/files/files.ts'
import type { Clock } from '../../shared/ports/clock.ts'
import type { Log } from '../../shared/ports/log.ts'

/** In milliseconds. */
const WRITE_INTERVAL = 15_000

/** Writes metrics for the textfile collector of node_exporter, each time as a whole file. */
export class MetricsFile {
  readonly #log: Log
  readonly #clock: Clock
  #written = -WRITE_INTERVAL
  #isFailing = false
  #writing: Promise<void> = Promise.resolve()

  constructor(log: Log, clock: Clock) {
    this.#log = log
    this.#clock = clock
  }

  /** Often called; writes at most each 15 s. */
  write(path: string, families: () => readonly MetricFamily[]): void {
    const now = this.#clock.now()
    if (now - this.#written < WRITE_INTERVAL) return
    this.#written = now
    const text = prometheusText(families())
    this.#writing = this.#writing
      .then(async () => writeReadable(path, text))
      .then(() => void (this.#isFailing = false))
      .catch((error: Error) => {
        if (!this.#isFailing)
          this.#log('warn', 'the metrics cannot be written', {
            fields: { because: error.message },
            line: `metrics_file: ${error.message}`,
          })
        this.#isFailing = true
      })
  }
}
