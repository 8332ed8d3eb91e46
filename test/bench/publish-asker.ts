import { createSocket, type Socket } from 'node:dgram'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseResponse } from '../../src/shared/dns/response.ts'

/** Questions on one socket. */
export class Asker {
  readonly #socket: Socket = createSocket('udp4')
  readonly #waiting = new Map<number, (bytes: Buffer | undefined) => void>()
  #id = 0

  constructor() {
    this.#socket.on('message', (bytes) => this.#waiting.get(bytes.readUInt16BE(0))?.(bytes))
  }

  async ask(port: number, wire: Buffer, timeout = 200): Promise<Buffer | undefined> {
    const id = (this.#id = (this.#id + 1) & 0xffff)
    const header = Buffer.alloc(12)
    header.writeUInt16BE(id, 0)
    header.writeUInt16BE(1, 4)
    return new Promise((resolve) => {
      const settle = (bytes: Buffer | undefined): void => {
        clearTimeout(timer)
        this.#waiting.delete(id)
        resolve(bytes)
      }
      const timer = setTimeout(() => settle(undefined), timeout)
      this.#waiting.set(id, settle)
      this.#socket.send(Buffer.concat([header, wire]), port, '127.0.0.1')
    })
  }

  /** Asks again and again until the answer is this; in milliseconds. */
  async until(
    { port, wire, pause, timeout }: Awaited,
    isIt: (answer: Buffer | undefined) => boolean,
  ): Promise<void> {
    const end = performance.now() + timeout
    while (!isIt(await this.ask(port, wire)))
      if (performance.now() > end) throw new Error(`port ${port} does not answer as expected`)
      else await sleep(pause)
  }

  close(): void {
    this.#socket.close()
  }
}

interface Awaited {
  readonly port: number
  readonly wire: Buffer
  readonly pause: number
  readonly timeout: number
}

/** The IPv4 address in the first record. */
export const addressIn = (bytes: Buffer | undefined): string | undefined => {
  const [record] = (bytes === undefined ? undefined : parseResponse(bytes))?.answers ?? []
  return record === undefined
    ? undefined
    : [...(bytes ?? Buffer.alloc(0)).subarray(record.rdataAt, record.end)].join('.')
}

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN
