import { readFileSync } from 'node:fs'

/** A text table beside this file: one case a line, tabs between, "#" begins a remark. Transcribed apart from the code. */
export function table(name: string): readonly (readonly string[])[] {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'))
}
