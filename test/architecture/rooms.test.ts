import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../../src')
const DOCUMENT = readFileSync(join(SRC, 'ARCHITECTURE.md'), 'utf8')

interface Room {
  readonly mayImport: readonly string[]
  readonly packages: readonly string[]
}

const words = (cell: string): readonly string[] =>
  cell.split(' ').filter((word) => word !== '' && word !== '–')
const ROOMS = new Map(
  [...DOCUMENT.matchAll(/^\| `([a-z/]+)` \|[^|]+\|([^|]+)\|([^|]+)\|$/gm)].map(
    ([, room = '', may = '', packages = '']): [string, Room] => [
      room,
      { mayImport: words(may), packages: words(packages) },
    ],
  ),
)
/** The deepest room that a file is in: `app/client` before `app`. */
const roomOf = (path: string): string =>
  [...ROOMS.keys()]
    .filter((room) => path.startsWith(`${room}/`))
    .toSorted((a, b) => b.length - a.length)[0] ?? path
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
const importsOf = (file: string): readonly string[] =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(/(?:from |import\()'([^']+)'/g)].map(([, to = '']) => to)

/** The files in src that a file imports: by value or by type, statically or dynamically. */
const targetsOf = (file: string): readonly string[] =>
  importsOf(file)
    .filter((to) => to.startsWith('.'))
    .map((to) => relative(SRC, resolve(SRC, dirname(file), to)))
    .filter((to) => to !== '../package.json')

/** The first circle of imports that goes through this file, or undefined. */
function circleOf(start: string): readonly string[] | undefined {
  const seen = new Set<string>()
  const visit = (file: string, path: readonly string[]): readonly string[] | undefined => {
    for (const target of targetsOf(file)) {
      if (target === start) return [...path, target]
      if (seen.has(target)) continue
      seen.add(target)
      const circle = visit(target, [...path, target])
      if (circle !== undefined) return circle
    }
    return undefined
  }
  return visit(start, [start])
}

it.each(files)('%s is in no circle of imports', (file) => expect(circleOf(file)).toBeUndefined())

it('has a room for every file, and a file for every room', () => {
  expect(files.filter((file) => !ROOMS.has(roomOf(file)))).toEqual([])
  expect([...ROOMS.keys()].filter((room) => !files.some((file) => roomOf(file) === room))).toEqual([])
})

it('lists rooms strictly downward', () => {
  const order = [...ROOMS.keys()]
  for (const [room, { mayImport }] of ROOMS)
    for (const below of mayImport)
      expect(order.indexOf(below), `${room} imports ${below}`).toBeLessThan(order.indexOf(room))
})

it('is drawn with every room on its floor', () => {
  const prefixes = ['client/', '', 'server/']
  const drawn = [...DOCUMENT.matchAll(/^ ?(\d+) │(.*)│$/gm)].flatMap(([, floor = '', columns = '']) =>
    columns
      .split('│')
      .flatMap((column, at) =>
        words(column.trim()).map((room) => [
          room.includes('/') ? room : `${prefixes[at]}${room}`,
          Number(floor),
        ]),
      ),
  )
  const floorOf = (room: string): number =>
    1 + Math.max(0, ...(ROOMS.get(room)?.mayImport ?? []).map(floorOf))

  expect(Object.fromEntries(drawn)).toEqual(
    Object.fromEntries([...ROOMS.keys()].map((room) => [room, floorOf(room)])),
  )
})

it.each(files)('%s imports only from rooms below it', (file) => {
  const targets = targetsOf(file)
  const allowed = [roomOf(file), ...(ROOMS.get(roomOf(file))?.mayImport ?? [])]

  expect(targets.filter((to) => !allowed.includes(roomOf(to)))).toEqual([])
})

describe('packages', () => {
  const foreign = files.flatMap((file) =>
    importsOf(file)
      .filter((to) => !to.startsWith('.') && !to.startsWith('node:'))
      .map((name) => ({ room: roomOf(file), name })),
  )

  it('are imported in the room that the table says, and only there', () => {
    const found = [...new Set(foreign.map(({ room, name }) => `${room}: ${name}`))].toSorted()
    const listed = [...ROOMS]
      .flatMap(([room, { packages }]) => packages.map((name) => `${room}: ${name}`))
      .toSorted()

    expect(found).toEqual(listed)
  })

  it('are pinned to one version', () => {
    const manifest = JSON.parse(readFileSync(join(SRC, '../package.json'), 'utf8')) as {
      devDependencies: Record<string, string>
      dependencies?: unknown
    }

    expect(manifest.dependencies).toBeUndefined()
    for (const [name, version] of Object.entries(manifest.devDependencies))
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/)
  })
})
