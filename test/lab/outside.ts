import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { begin } from './run.ts'

interface Waiting {
  readonly hears: (line: string) => void
  readonly fails: (reason: Error) => void
}

/** The outside services as a process; each line that is said to them, they answer with one. */
export class Outside {
  readonly child: ChildProcess
  readonly #waiting: Waiting[] = []
  readonly #ready: Promise<string>
  #errors = ''

  constructor(namespace: string, delay: number) {
    this.child = begin({
      namespace,
      program: process.execPath,
      args: [join(import.meta.dirname, 'isp.ts'), '--delay', String(delay)],
      stdio: 'pipe',
    })
    this.#ready = this.#line()
    this.child.stdin?.on('error', () => undefined)
    this.child.stderr?.on('data', (chunk: Buffer) => (this.#errors += chunk.toString()))
    if (this.child.stdout !== null)
      createInterface({ input: this.child.stdout }).on('line', (line) => this.#waiting.shift()?.hears(line))
    this.child.on('close', () => {
      const reason = new Error(`the outside services have ended: ${this.#errors}`)
      for (const { fails } of this.#waiting.splice(0)) fails(reason)
    })
  }

  #line(): Promise<string> {
    return new Promise((hears, fails) => this.#waiting.push({ hears, fails }))
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
