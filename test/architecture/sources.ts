import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const SRC = resolve(import.meta.dirname, '../../src')

export interface TextFile {
  readonly path: string
  readonly text: string
}

/** Every source file, with its path in src. */
export const FILES: readonly TextFile[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .toSorted()
  .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }))

/** The line of the character at this index, counted from 1. */
export const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length

/** A place as it is shown: "path:line: text of the line". */
export const placeOf = ({ path, text }: TextFile, index: number): string => {
  const line = lineAt(text, index)
  return `${path}:${line}: ${(text.split('\n')[line - 1] ?? '').trim()}`
}

/** Every place in the files that the pattern matches. */
export const placesOf = (files: readonly TextFile[], pattern: RegExp): readonly string[] =>
  files.flatMap((file) =>
    [...file.text.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map(({ index }) =>
      placeOf(file, index),
    ),
  )
