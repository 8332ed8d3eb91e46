import { readFileSync } from 'node:fs'

/**
 * A table in this folder: one case per line, columns separated by tabs, comments start with "#". Written from the
 * specification, not from the code.
 */
export function table(name: string): readonly (readonly string[])[] {
  const text = readFileSync(new URL(name, import.meta.url), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'))
}
