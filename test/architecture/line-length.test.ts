import { expect, it } from 'vitest'
import { FILES, lineAt, type TextFile } from './sources.ts'

const MAX_COLUMNS = { text: 125, table: 250 } as const
/** The text of a trigger, which is compared with that of databases that exist. */
const FIXED_TEXT = 'service/store/sqlite/publish-schema.ts'

/** What the formatter leaves as it is: the line after the comment, to the end of the bracket that it opens. */
const TABLE = /^( *)\/\/ biome-ignore format: .*\n(?:.*[[{(]\n(?:(?:\1 .*)?\n)*\1[\])}].*|.*)$/gm

const linesIn = (text: string): readonly string[] => text.split('\n')

/** The numbers of the lines of tables. */
function tableLines({ text }: TextFile): ReadonlySet<number> {
  const numbers = [...text.matchAll(TABLE)].flatMap(({ 0: table, index }) =>
    linesIn(table).map((_, at) => lineAt(text, index) + at),
  )
  return new Set(numbers)
}

it('finds the tables', () => {
  const sizes = FILES.map((file) => tableLines(file).size).filter((size) => size > 0)

  expect(sizes.length).toBeGreaterThan(40)
})

it(`no line is longer than ${MAX_COLUMNS.text} columns, and no row of a table than ${MAX_COLUMNS.table}`, () => {
  const long = FILES.filter(({ path }) => path !== FIXED_TEXT).flatMap((file) => {
    const ofTables = tableLines(file)
    return linesIn(file.text).flatMap((line, at) => {
      const max = ofTables.has(at + 1) ? MAX_COLUMNS.table : MAX_COLUMNS.text
      return line.length > max ? [`${file.path}:${at + 1}: ${line.length}`] : []
    })
  })

  expect(long).toEqual([])
})
