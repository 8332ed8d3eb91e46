import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ABOVE, floorOf, HOUSES, IMPORTS, importsWithin, ROOMS, roomOf, words } from './rooms.ts'
import { FILES, SRC } from './sources.ts'

const DOCUMENT = readFileSync(join(SRC, 'ARCHITECTURE.md'), 'utf8')

/** The places of the first circle of imports that goes through this file, or undefined. */
function circleOf(start: string): readonly string[] | undefined {
  const seen = new Set<string>()
  const visit = (path: string, places: readonly string[]): readonly string[] | undefined => {
    for (const { target, place } of importsWithin(path)) {
      if (target === start) return [...places, place]
      if (seen.has(target)) continue
      seen.add(target)
      const circle = visit(target, [...places, place])
      if (circle !== undefined) return circle
    }
    return undefined
  }
  return visit(start, [])
}

it('no file is in a circle of imports', () =>
  expect(FILES.flatMap(({ path }) => circleOf(path)?.join('\n') ?? [])).toEqual([]))

it('has a room for every file, and a file for every room', () => {
  const paths = FILES.map(({ path }) => path)
  expect(paths.filter((path) => !ROOMS.has(roomOf(path)))).toEqual(ABOVE.toSorted())
  expect([...ROOMS.keys()].filter((room) => !paths.some((path) => roomOf(path) === room))).toEqual([])
})

it('lists rooms strictly downward', () => {
  const order = [...ROOMS.keys()]
  for (const [room, { mayImport }] of ROOMS)
    for (const below of mayImport)
      expect(order.indexOf(below), `${room} imports ${below}`).toBeLessThan(order.indexOf(room))
})

it('is drawn with every room on its floor', () => {
  const drawn = [...DOCUMENT.matchAll(/^ ?(\d+) │(.*)│$/gm)].flatMap(([, floor = '', columns = '']) =>
    columns
      .split('│')
      .flatMap((column, at) => words(column.trim()).map((room) => [`${HOUSES[at]}/${room}`, Number(floor)])),
  )
  expect(Object.fromEntries(drawn)).toEqual(
    Object.fromEntries([...ROOMS.keys()].map((room) => [room, floorOf(room)])),
  )
})

it('the client and the service never import each other, and the shared ground imports neither', () => {
  const houseOf = (path: string): string => path.split('/')[0] ?? ''
  const wrong = [...ROOMS].flatMap(([room, { mayImport }]) =>
    mayImport
      .filter((below) => ![houseOf(room), 'shared'].includes(houseOf(below)))
      .map((below) => `${room}: ${below}`),
  )

  expect(wrong).toEqual([])
})

it('every file imports only from its room and from rooms below it', () => {
  const wrong = FILES.filter(({ path }) => !ABOVE.includes(path)).flatMap(({ path }) => {
    const allowed = [roomOf(path), ...(ROOMS.get(roomOf(path))?.mayImport ?? [])]
    return importsWithin(path).filter(({ target }) => !allowed.includes(roomOf(target)))
  })

  expect(wrong.map(({ place }) => place)).toEqual([])
})

describe('packages', () => {
  const foreign = [...IMPORTS].flatMap(([path, imports]) =>
    imports
      .filter(({ name }) => !name.startsWith('.') && !name.startsWith('node:'))
      // A package may have several entries.
      .map(({ name }) => ({ room: roomOf(path), name: /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name })),
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
