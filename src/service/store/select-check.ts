import { StoreRefused } from './errors.ts'
import type { Columns, Select, Selects } from './select.ts'

/** A column that a database gives; without a type where it does not say it. */
interface GivenColumn {
  readonly name: string
  readonly type: string | undefined
}

/** A statement with its name in messages, such as READING.fact. */
export interface NamedSelect {
  readonly name: string
  readonly select: Select<Columns>
}

export const namedSelects = (lists: Readonly<Record<string, Selects>>): readonly NamedSelect[] =>
  Object.entries(lists).flatMap(([list, members]) =>
    Object.entries(members).map(([name, select]) => ({ name: `${list}.${name}`, select })),
  )

/** How the columns of a list are stored: INTEGER, TEXT or BLOB. */
const storedType = (type: string | undefined): string | undefined =>
  type?.replace(/ NULL$/, '').replace(/^(?:FLAG|TIME)$/, 'INTEGER')

/** Throws StoreRefused if the database gives other columns than those of the list. */
export function compareColumns({ name, select }: NamedSelect, given: readonly GivenColumn[]): void {
  const fault = faultIn(select.columns, given)
  if (fault !== undefined) throw unfit(name, fault)
}

function faultIn(columns: Columns, given: readonly GivenColumn[]): string | undefined {
  const names = given.map((one) => one.name)
  const missing = Object.keys(columns).filter((name) => !names.includes(name))
  const unlisted = names.filter((name) => !(name in columns))
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  const other = given.find(({ name, type }) => type !== undefined && type !== storedType(columns[name]))
  if (missing.length > 0)
    return `it has no column ${missing.join(', ')}${unlisted.length > 0 ? `, but ${unlisted.join(', ')}` : ''}`
  if (unlisted.length > 0) return `it has the column ${unlisted.join(', ')}, which is not in its list`
  if (twice !== undefined) return `it has the column ${twice} twice`
  return other && `its column ${other.name} is ${other.type ?? ''}, and not ${columns[other.name] ?? ''}`
}

/** The database does not accept the statement. */
export const refusedBy = ({ name, select }: NamedSelect, reason: string): StoreRefused =>
  unfit(name, `${reason} (its list: ${Object.keys(select.columns).join(', ')})`)

const unfit = (name: string, what: string): StoreRefused =>
  new StoreRefused(`the statement ${name} does not fit the database: ${what}`)
