import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const FOLDER = 'docs/decisions'
const MAX_WORDS = 400

const records = readdirSync(join(ROOT, FOLDER)).map((name) => ({
  name,
  number: name.slice(0, 4),
  text: readFileSync(join(ROOT, FOLDER, name), 'utf8'),
}))

/** A title with the number, when to read it, then the parts in this order; the last two may be missing. */
const FORM =
  /^# (\d{4}) \S.*\n\nRead when: [^]+?[.]\sDecided: \d{4}-\d\d-\d\d[.][^*]*\*\*Question\.\*\* [^]+\n\n\*\*Decision\.\*\* [^]+\n\n\*\*Reason\.\*\* [^]+?(\n\n\*\*Alternatives\.\*\* [^]+?)?(\n\n\*\*Consequences\.\*\* [^]+)?\n$/
const PARTS = ['Question', 'Decision', 'Reason', 'Alternatives', 'Consequences']

/** Tokens with a letter or a digit: neither the bars of a table nor dashes. */
const wordsIn = (text: string): number =>
  text.split(/\s+/).filter((token) => /[\p{L}\p{N}]/u.test(token)).length

/** "decision 0013", "Decisions 0013 and 0026", also over two lines of a comment. */
const cited = (text: string): readonly string[] =>
  [...text.replace(/\n[\s*/]*/g, ' ').matchAll(/\bdecisions? (\d{4}(?:(?:, | and )\d{4})*)/gi)].flatMap(
    ([, numbers = '']) => numbers.match(/\d{4}/g) ?? [],
  )

const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|mjs|md)$/.test(path) && !path.includes('node_modules'))
    .map((path) => `${folder}/${path}`)
const citationsIn = (folders: readonly string[]) =>
  folders
    .flatMap(filesIn)
    .flatMap((path) => cited(readFileSync(join(ROOT, path), 'utf8')).map((number) => ({ path, number })))

it('each decision has the one form', () => {
  const wrong = records.filter(({ number, text }) => {
    const parts = [...text.matchAll(/^\*\*(\w+)\.\*\*/gm)].map(([, part = '']) => part)
    return (
      FORM.exec(text)?.[1] !== number || parts.join() !== PARTS.filter((one) => parts.includes(one)).join()
    )
  })

  expect(wrong.map(({ name }) => name)).toEqual([])
})

it(`each decision has at most ${MAX_WORDS} words`, () => {
  const long = records.filter(({ text }) => wordsIn(text) > MAX_WORDS)

  expect(long.map(({ name, text }) => `${name}: ${wordsIn(text)}`)).toEqual([])
})

it('no two decisions have the same number', () => {
  const numbers = records.map(({ number }) => number)

  expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([])
})

it('each decision is cited where it binds: in the code, or in ARCHITECTURE.md', () => {
  const numbers = citationsIn(['src']).map(({ number }) => number)

  expect(records.filter(({ number }) => !numbers.includes(number)).map(({ name }) => name)).toEqual([])
})

it('each decision that is cited exists', () => {
  const known = records.map(({ number }) => number)
  const dead = citationsIn(['src', 'docs', 'test', '.build']).filter(({ number }) => !known.includes(number))

  expect(dead.map(({ path, number }) => `${path}: ${number}`)).toEqual([])
})
