import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DATABASE_FILE } from '../../src/service/store/sqlite/open.ts'
import { type Asker, personOf, programOf, WITH_CONSOLE } from './console-person.ts'
import { type Filled, fill } from './fill.ts'
import { type Bar, type Context, type Figure, median } from './report.ts'
import { startService } from './service.ts'

export const LIST_SIZES = {
  full: { names: 1_000_000, rounds: 5 },
  medium: { names: 100_000, rounds: 5 },
  quick: { names: 1000, rounds: 1 },
} as const

const BAR: Bar = { of: 'ratio', atMost: 1.5 }

/** One name in so many is offline, and one is blocked; all others are published. */
const OFFLINE = 1000
const BLOCKED = 100_000

/** The names as those of a service that has run for a while: `fill` publishes none. */
function publish({ folder }: Filled): void {
  const database = new DatabaseSync(join(folder, DATABASE_FILE))
  database.exec(`
    UPDATE name SET published_at = updated_at, is_offline = id % ${OFFLINE} = 0, is_blocked = id % ${BLOCKED} = 7;
    DELETE FROM dns_dirty WHERE name <> '@';
    PRAGMA wal_checkpoint(TRUNCATE); PRAGMA optimize`)
  database.close()
}

const DIRECTIONS = { name_labels_reversed: 'asc', updated_at: 'desc', last_update_at: 'desc' } as const

/** A list of names, as a person opens it and as a program asks for the same rows. */
interface List {
  readonly what: string
  /** Filters, by the names that pages have for them. */
  readonly search?: string
  readonly state?: string
  /** Default: by name. */
  readonly order?: keyof typeof DIRECTIONS
  /** How many rows are before it. */
  readonly offset?: (filled: Filled) => number
}

// biome-ignore format: a table
const LISTS: readonly List[] = [
  { what: 'first page' },
  { what: 'page in the middle',             offset: ({ names }) => Math.floor(names / 2) },
  { what: 'page at eight tenths',           offset: ({ names }) => Math.floor(names * 0.8) },
  { what: 'last changed',                   order: 'updated_at' },
  { what: 'last changed, in the middle',    order: 'updated_at', offset: ({ names }) => Math.floor(names / 2) },
  { what: 'last update',                    order: 'last_update_at' },
  { what: 'search: one name',               search: 'h0000777' },
  { what: 'search: many names',             search: 'h00' },
  { what: 'search: an address',             search: '1.0.0.77' },
  { what: 'search: nothing',                search: 'nowhere' },
  { what: 'state: published',               state: 'published' },
  { what: 'state: published, in the middle', state: 'published', offset: ({ names }) => Math.floor(names / 2) },
  { what: 'state: pending',                 state: 'pending' },
  { what: 'state: stuck',                   state: 'stuck' },
  { what: 'state: blocked',                 state: 'blocked' },
  { what: 'state: offline',                 state: 'offline' },
]

/** The request that shows the same rows, as the page makes it. */
const queryOf = (
  { search, state, order = 'name_labels_reversed' }: List,
  more: Readonly<Record<string, string>> = {},
): string =>
  `/v1/dns/records?${new URLSearchParams({
    view: 'detail',
    limit: '100',
    [`sort[${order}]`]: DIRECTIONS[order],
    ...(search !== undefined && { 'filter[search]': search }),
    ...(state !== undefined && { 'filter[state][]': state }),
    ...more,
  }).toString()}`

interface Answered {
  readonly data: readonly { readonly name: string }[]
  readonly page: { readonly next: string | null }
}

/** The cursor of the page that begins after so many rows; undefined for the first. */
async function cursorOf(program: Asker, list: List, filled: Filled): Promise<string | undefined> {
  if (list.offset === undefined) return undefined
  const { text } = await program.get(queryOf(list, { offset: String(list.offset(filled)) }))
  const { next } = (JSON.parse(text) as Answered).page
  if (next === null) throw new Error(`${list.what}: there is no such page`)
  return next
}

/** Throws where the page does not have the rows of the answer. */
function compare({ what }: List, page: string, answer: string): void {
  const { data } = JSON.parse(answer) as Answered
  const rows = [...page.matchAll(/<th scope="row"><a href="\/console\/names\/[^/]+\/([^"]+)"/g)].map(
    ([, one]) => one,
  )
  const wanted = data.map(({ name }) => name)
  if (!rows.join().endsWith(wanted.join()) || (wanted.length === 0 && rows.length > 0))
    throw new Error(`${what}: the page has ${rows.length} rows, the answer ${wanted.length}`)
}

async function measured(
  parties: { readonly person: Asker; readonly program: Asker },
  list: List,
  size: Stage,
) {
  const { person, program } = parties
  const cursor = await cursorOf(program, list, size.filled)
  const after: Readonly<Record<string, string>> = cursor === undefined ? {} : { after: cursor }
  const { search = '', state = '', order = '' } = list
  const path = `names?${new URLSearchParams({ search, state, order, ...after }).toString()}`
  const [pages, answers]: [number[], number[]] = [[], []]
  for (let round = 0; round <= size.rounds; round++) {
    const answer = await program.get(queryOf(list, after))
    const page = await person.get(path)
    // The first round is for the caches.
    if (round === 0) compare(list, page.text, answer.text)
    else {
      answers.push(answer.ms)
      pages.push(page.ms)
    }
  }
  return { page: median(pages), answer: median(answers) }
}

interface Stage {
  readonly filled: Filled
  readonly rounds: number
}

/** How long each list of names takes as a page, relative to the same rows as an answer of `/v1`. */
export async function lists({ node, folder, size: called }: Context): Promise<readonly Figure[]> {
  const size = LIST_SIZES[called]
  const filled = fill(join(folder, 'lists'), { names: size.names, keys: Math.min(1000, size.names / 10) })
  publish(filled)
  const service = await startService(node, ['--store', filled.folder, ...WITH_CONSOLE])
  const [person, program] = [await personOf(service, filled), programOf(service, filled)]
  try {
    const figures: Figure[] = []
    for (const list of LISTS) {
      const { page, answer } = await measured({ person, program }, list, { ...size, filled })
      const what = `${list.what}, ${size.names} names`
      figures.push({ what, value: page, unit: 'ms', ratio: page / answer, bar: BAR })
      if (process.env['BENCH_SHOW']) console.error(list.what, page, answer, page / answer)
    }
    return figures
  } finally {
    for (const one of [person, program]) one.end()
    await service.stop()
  }
}
