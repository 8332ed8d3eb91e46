import { parseTOML } from 'toml-eslint-parser'

/** A setting at the top of a TOML file, with its first and last line, counted from one. */
interface TopStatement {
  readonly key: string
  readonly firstLine: number
  readonly lastLine: number
}

/** The settings above all tables of a valid TOML text. */
export const topStatements = (text: string): readonly TopStatement[] =>
  parseTOML(text.replace(/^\uFEFF/, '')).body[0].body.flatMap((item) => {
    if (item.type !== 'TOMLKeyValue') return []
    const [first] = item.key.keys
    const key = first === undefined ? '' : first.type === 'TOMLBare' ? first.name : first.value
    return [{ key, firstLine: item.loc.start.line, lastLine: item.loc.end.line }]
  })
