import { spawn } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Options, ROOT, cleanEnvironment, NODE } from './processes.ts'

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Keys as a terminal sends them. */
export const KEY = {
  enter: '\r',
  up: '\u001b[A',
  down: '\u001b[B',
  left: '\u001b[D',
  right: '\u001b[C',
  interrupt: '\u0003',
  escape: '\u001b',
} as const

export interface Terminal {
  /** The same with them. */
  readonly raw: () => string
  /** Everything that was shown, without the control sequences. */
  readonly shown: () => string
  /** Waits until the text is shown behind what was waited for before, then types. */
  readonly answer: (text: string, ...keys: readonly string[]) => Promise<void>
  readonly ended: Promise<number>
}

const TIMEOUT = 20_000

/** Runs the program in a pseudo-terminal (script(1)), as a person does; `within` is a command that starts it. */
export function inTerminal(
  args: readonly string[],
  {
    env = {},
    within = [],
    rows = 50,
    columns = 100,
  }: Options & {
    readonly within?: readonly string[]
    readonly rows?: number
    readonly columns?: number
  } = {},
): Terminal {
  const command = [...within, NODE, join(ROOT, 'bin/holdfast.js'), ...args].map(quoted).join(' ')
  const child = spawn(
    'script',
    ['-qefc', `stty cols ${columns} rows ${rows}; exec ${command}`, '/dev/null'],
    {
      cwd: ROOT,
      env: cleanEnvironment({ TERM: 'xterm-256color', ...env }),
      stdio: 'pipe',
    },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  let read = 0
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
  const shown = (): string => stripVTControlCharacters(output)
  const waitFor = async (text: string): Promise<void> => {
    const end = Date.now() + TIMEOUT
    while (!shown().slice(read).includes(text)) {
      if (Date.now() > end) throw new Error(`"${text}" is not shown in:\n${shown()}`)
      await new Promise((done) => setTimeout(done, 20))
    }
    read = shown().indexOf(text, read) + text.length
  }
  return {
    shown,
    raw: () => output,
    answer: async (text, ...keys) => {
      await waitFor(text)
      for (const key of keys) {
        // A prompt takes keys when it is drawn.
        await new Promise((done) => setTimeout(done, 60))
        child.stdin.write(key)
      }
    },
    ended: new Promise((done) => child.once('close', (code) => done(code ?? -1))),
  }
}
