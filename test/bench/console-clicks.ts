import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Asker, personOf, WITH_CONSOLE } from './console-person.ts'
import { fill } from './fill.ts'
import { cpuOf, type Subject, subjectOn } from './load.ts'
import { type Bar, type Context, type Figure, median } from './report.ts'
import { startService } from './service.ts'
import { onCore } from './wrk.ts'

/** In milliseconds: each person opens a page so often. */
const EVERY = 3000
/** In milliseconds: whether the work is over is looked at so often. */
const WAIT = 50

/** Rounds are as long as a person needs for two pages, so that each of them has as many. */
export const CLICK_SIZES = {
  full: { names: 20_000, keys: 2000, people: 20, turns: 20, rounds: 9, seconds: 6, warmUp: 5 },
  medium: { names: 20_000, keys: 2000, people: 20, turns: 10, rounds: 5, seconds: 6, warmUp: 5 },
  quick: { names: 1000, keys: 100, people: 20, turns: 1, rounds: 1, seconds: 3, warmUp: 1 },
} as const

/** The pages that people go to, from one to the next. */
export const PAGES = ['names', 'names/bench.test/h0000777', 'zones', 'keys', 'trail', 'account'] as const

const KINDS = { unchanged: 'unchanged address', changed: 'changed address, durable' } as const

const BAR: Bar = { of: 'ratio', atLeast: 0.95 }

/** The same bar by the CPU time of pages, which a busy machine does not falsify. */
const SHARE: Bar = { of: 'value', atMost: 5 }
const shareOf = (cost: number, people: number): number => (100 * cost * people) / EVERY

/** Opens pages one after another until `isOver`; resolves with how long each took. */
async function click(person: Asker, first: number, isOver: () => boolean): Promise<readonly number[]> {
  const times: number[] = []
  for (let turn = first; !isOver(); turn++) {
    const due = performance.now() + EVERY
    times.push((await person.get(PAGES[turn % PAGES.length] ?? '')).ms)
    while (!isOver() && performance.now() < due) await sleep(WAIT)
  }
  return times
}

/** What the work gives while these people click, evenly in time; and how long their pages took. */
async function whileClicking<T>(people: readonly Asker[], round: number, work: () => Promise<T>) {
  let isOver = false
  const clicks = people.map(async (person, nth) => {
    await sleep((nth * EVERY) / people.length)
    return click(person, nth + round, () => isOver)
  })
  const value = await work().finally(() => (isOver = true))
  return { value, pages: (await Promise.all(clicks)).flat() }
}

/** The CPU time of the service for one page, in milliseconds: what else runs on the machine does not count. */
async function costOf(pid: number, [person]: readonly Asker[], turns: number): Promise<number> {
  const before = cpuOf(pid)
  for (let turn = 0; turn < turns; turn++) for (const page of PAGES) await person?.get(page)
  return (cpuOf(pid) - before) / (turns * PAGES.length)
}

type Kind = keyof typeof KINDS
const kinds = Object.keys(KINDS) as Kind[]

interface Round {
  readonly kind: Kind
  readonly alone: number
  readonly clicked: number
  readonly pages: readonly number[]
}

/** One kind of update with and without people, in turns that change, so that no drift counts for one side. */
async function roundOf(
  subject: Subject,
  people: readonly Asker[],
  { kind, round, seconds }: { readonly kind: Kind; readonly round: number; readonly seconds: number },
): Promise<Round> {
  const load = async () => (await subject.load(kind, seconds)).perSecond
  const before = round % 2 === 0 ? await load() : undefined
  const { value: clicked, pages } = await whileClicking(people, round, load)
  return { kind, clicked, pages, alone: before ?? (await load()) }
}

const figuresOf = (all: readonly Round[], people: number): readonly Figure[] =>
  kinds.flatMap((kind) => {
    const own = all.filter((one) => one.kind === kind)
    const [value, alone] = [median(own.map(({ clicked }) => clicked)), median(own.map((one) => one.alone))]
    // Of rounds that follow each other: what else runs on the machine comes and goes.
    const ratio = median(own.map((one) => one.clicked / one.alone))
    const what = `updates, ${KINDS[kind]}`
    return [
      { what, value: alone, unit: 'req/s' },
      { what: `${what}, while ${people} people click`, value, unit: 'req/s', ratio, bar: BAR },
    ]
  })

/** How many updates the service takes while people open pages, relative to how many it takes alone. */
export async function clicks({ node, folder, size: called }: Context): Promise<readonly Figure[]> {
  const size = CLICK_SIZES[called]
  const filled = fill(join(folder, 'clicks'), size)
  const settings = ['--store', filled.folder, '--trusted-proxies', '127.0.0.1', ...WITH_CONSOLE]
  const service = await startService(node, settings, (argv) => onCore(0, argv))
  const people: Asker[] = []
  try {
    for (let nth = 0; nth < size.people; nth++) people.push(await personOf(service, filled))
    // Before the load, which leaves changes behind that are published later; the first is for the caches.
    await costOf(service.pid, people, size.turns)
    const cost = await costOf(service.pid, people, size.turns)
    const subject = subjectOn(service, filled)
    for (const kind of kinds) await whileClicking(people, 0, async () => subject.load(kind, size.warmUp))
    const all: Round[] = []
    for (let round = 0; round < size.rounds; round++)
      for (const kind of kinds)
        all.push(await roundOf(subject, people, { kind, round, seconds: size.seconds }))
    const pages = all.flatMap((one) => one.pages)
    const seconds = all.length * size.seconds
    return [
      ...figuresOf(all, size.people),
      { what: 'pages that they open', value: pages.length / seconds, unit: 'a second' },
      { what: 'a page: CPU', value: cost, unit: 'ms' },
      { what: 'pages, of the time of a core', value: shareOf(cost, size.people), unit: '%', bar: SHARE },
      { what: 'a page, under this load', value: median(pages), unit: 'ms' },
    ]
  } finally {
    for (const one of people) one.end()
    await service.stop()
  }
}
