/** Commands of a page, which run as they stand there. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../e2e/processes.ts'
import { PATH } from '../lab/run.ts'

/** The fenced blocks of a kind below a heading of a page, in their order. */
export function blocksBelow(path: string, heading: string, kind = 'sh'): readonly string[] {
  const page = readFileSync(join(ROOT, path), 'utf8')
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const blocks = [...section.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].filter(([, found]) => found === kind)
  if (blocks.length === 0) throw new Error(`${path} has no block below ${heading}`)
  return blocks.map(([, , text = '']) => text)
}

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** In seconds. */
  readonly took: number
}

export type Variables = Readonly<Record<string, string>>

/** Runs a text in a shell, with these variables and no others. */
export async function shell(text: string, env: Variables, words: readonly string[] = ['bash']): Promise<Ran> {
  const [program = '', ...args] = words
  const began = performance.now()
  const child = spawn(program, [...args, '-c', text], {
    env: { PATH, HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, errors]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk))
  const code = await new Promise<number | null>((done) => child.on('close', done))
  return {
    code,
    stdout: Buffer.concat(out).toString(),
    stderr: Buffer.concat(errors).toString(),
    took: (performance.now() - began) / 1000,
  }
}

/** A program that gets more arguments, because its surroundings are those of a test. */
export const withArguments = (name: string, before: string, after = ''): string =>
  `${name}() { command ${name} ${before} "$@" ${after}; }\n`
