import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { FILES, placeOf, SRC } from './sources.ts'

export const HOUSES: readonly string[] = ['client', 'shared', 'service']

interface Room {
  readonly mayImport: readonly string[]
  readonly packages: readonly string[]
}

export const words = (cell: string): readonly string[] =>
  cell.split(' ').filter((word) => word !== '' && word !== '–')
/** The tables of the three documents, the lowest house first. */
export const ROOMS = new Map(
  HOUSES.toSorted((a, b) => Number(b === 'shared') - Number(a === 'shared')).flatMap((house) =>
    [
      ...readFileSync(join(SRC, house, 'ARCHITECTURE.md'), 'utf8').matchAll(
        /^\| `([a-z0-9/-]+)` \|[^|]+\|([^|]+)\|([^|]+)\|$/gm,
      ),
    ].map(([, room = '', may = '', packages = '']): [string, Room] => [
      room,
      {
        mayImport: words(may).map((name) =>
          HOUSES.includes(name.split('/')[0] ?? '') ? name : `shared/${name}`,
        ),
        packages: words(packages),
      },
    ]),
  ),
)
/** Above the rooms: what starts the program and picks the command. */
export const ABOVE: readonly string[] = ['start.ts', 'main.ts']
/** The deepest room that a file is in. */
export const roomOf = (path: string): string =>
  [...ROOMS.keys()]
    .filter((room) => path.startsWith(`${room}/`))
    .toSorted((a, b) => b.length - a.length)[0] ?? path

interface Import {
  /** As it is written. */
  readonly name: string
  /** The path in src; undefined for a package. */
  readonly target: string | undefined
  readonly place: string
}

/** What each file imports: by value or by type, statically or dynamically. */
export const IMPORTS = new Map(
  FILES.map((file): [string, readonly Import[]] => [
    file.path,
    [...file.text.matchAll(/(?:from |import\()'([^']+)'/g)].map(({ 1: name = '', index }) => ({
      name,
      target: name.startsWith('.') ? relative(SRC, resolve(SRC, dirname(file.path), name)) : undefined,
      place: placeOf(file, index),
    })),
  ]),
)

export interface Within extends Import {
  readonly target: string
}
/** Its imports of other files in src. */
export const importsWithin = (path: string): readonly Within[] =>
  (IMPORTS.get(path) ?? []).flatMap((one) =>
    one.target === undefined || one.target === '../package.json' ? [] : [{ ...one, target: one.target }],
  )

/** One above the highest room that it may import. */
export const floorOf = (room: string): number =>
  1 + Math.max(0, ...(ROOMS.get(room)?.mayImport ?? []).map(floorOf))
