import type { Result } from '../base/result.ts'
import type { Located, SyntaxFault } from './document.ts'
import { type Complaint, fileKeyOf, type SettingLayer, unknownKey } from './setting.ts'

/** A parsed configuration file. The parsers are loaded only where there is a file. */
export interface ParsedFile {
  readonly name: string
  readonly document: Result<Located, SyntaxFault>
}

/** For complaints where the name of the file is unknown. */
export const UNNAMED_FILE = 'the file'

/** Advice for misplaced settings, by their key in the file. */
export type Advice = ReadonlyMap<string, string>

/** The complaint about a file that cannot be parsed. */
export const syntaxComplaint = (file: string, { line, problem }: SyntaxFault): Complaint => ({
  where: `${file}:${line}`,
  problem,
})

/** The keys that a table may have. */
interface TableKeys {
  readonly settings: Readonly<Record<string, unknown>>
  /** Keys that are not settings, such as subtables. */
  readonly otherKeys: readonly string[]
  readonly advice?: Advice
}

export interface LayerResult {
  readonly layer: SettingLayer
  readonly complaints: readonly Complaint[]
}

/** One table of the file as a layer; each key that is not allowed there is a complaint. */
export function layerOf(
  table: Located,
  file: string,
  { settings, otherKeys, advice }: TableKeys,
): LayerResult {
  const keys = new Map(Object.keys(settings).map((key) => [fileKeyOf(key), key]))
  const members = [...(table.members ?? [])].filter(([key]) => !otherKeys.includes(key))
  const layer = members.flatMap(([key, { line, value }]) => {
    const setting = keys.get(key)
    return setting === undefined ? [] : [[setting, { value, where: `${file}:${line}` }]]
  })
  const complaints = members.flatMap(([key, { line }]) =>
    keys.has(key) ? [] : [{ where: `${file}:${line}`, problem: keyProblem(key) }],
  )
  function keyProblem(key: string): string {
    const place = advice?.get(key)
    return place === undefined ? unknownKey(key, [...keys.keys(), ...otherKeys]) : `${key} ${place}`
  }
  return { layer: Object.fromEntries(layer) as SettingLayer, complaints }
}
