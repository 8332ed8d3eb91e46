import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { start } from './run.ts'

interface Waiting {
  readonly resolve: (line: string) => void
  readonly reject: (reason: Error) => void
}

/** The process of the outside services. It answers each command line with one line. */
export class OutsideServices {
  readonly child: ChildProcess
  readonly #waiting: Waiting[] = []
  readonly #ready: Promise<string>
  #errors = ''

  constructor(namespace: string, delay: number) {
    this.child = start({
      namespace,
      program: process.execPath,
      args: [join(import.meta.dirname, 'isp.ts'), '--delay', String(delay)],
      stdio: 'pipe',
    })
    this.#ready = this.#line()
    this.child.stdin?.on('error', () => undefined)
    this.child.stderr?.on('data', (chunk: Buffer) => (this.#errors += chunk.toString()))
    if (this.child.stdout !== null)
      createInterface({ input: this.child.stdout }).on('line', (line) => this.#waiting.shift()?.resolve(line))
    this.child.on('close', () => {
      const reason = new Error(`the outside services have ended: ${this.#errors}`)
      for (const { reject } of this.#waiting.splice(0)) reject(reason)
    })
  }

  #line(): Promise<string> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  async ready(): Promise<void> {
    await this.#ready
  }

  async ask(command: string): Promise<string> {
    const answer = this.#line()
    this.child.stdin?.write(`${command}\n`)
    const line = await answer
    if (line.startsWith('error')) throw new Error(line)
    return line
  }
}
