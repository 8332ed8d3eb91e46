import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PAGES } from './console-clicks.ts'
import { type Asker, personOf, WITH_CONSOLE } from './console-person.ts'
import { fill } from './fill.ts'
import { residentOf } from './memory.ts'
import { type Bar, type Context, type Figure, median } from './report.ts'
import { startService } from './service.ts'

export const SESSION_SIZES = {
  full: { names: 1000, keys: 100, sessions: 100, rounds: 5 },
  medium: { names: 1000, keys: 100, sessions: 100, rounds: 3 },
  quick: { names: 1000, keys: 100, sessions: 10, rounds: 1 },
} as const

const BAR: Bar = { of: 'value', atMost: 10 }

/** In milliseconds: what requests leave behind is done by then. */
const SETTLED = 1000

const openAll = async (person: Asker): Promise<void> => {
  for (const page of PAGES) await person.get(page)
}

/** How much memory sessions take that have opened each page, beyond what as many pages of one session take. */
export async function sessions({ node, folder, size: called }: Context): Promise<readonly Figure[]> {
  const size = SESSION_SIZES[called]
  const filled = fill(join(folder, 'sessions'), size)
  const service = await startService(node, ['--store', filled.folder, ...WITH_CONSOLE])
  const people: Asker[] = []
  const resident = async (): Promise<number> => {
    await sleep(SETTLED)
    return residentOf(service.pid)
  }
  try {
    const [before, more]: [number[], number[]] = [[], []]
    for (let round = 0; round < size.rounds; round++) {
      // The oldest of more than a hundred sessions of an account ends: each round has a first one of its own.
      const first = await personOf(service, filled)
      people.push(first)
      // The heap grows with requests until it is collected: as many as the sessions will have.
      for (let nth = 0; nth < size.sessions; nth++) await openAll(first)
      const alone = await resident()
      for (let nth = 0; nth < size.sessions; nth++) {
        const person = await personOf(service, filled)
        people.push(person)
        await openAll(person)
      }
      before.push(alone)
      more.push((await resident()) - alone)
      // The sessions stay; one address may have only so many connections.
      for (const one of people.splice(0)) one.end()
    }
    return [
      { what: 'resident', value: median(before), unit: 'MiB' },
      { what: `${size.sessions} sessions more`, value: median(more), unit: 'MiB', bar: BAR },
      { what: `${size.sessions} sessions more, the first`, value: more[0] ?? Number.NaN, unit: 'MiB' },
    ]
  } finally {
    for (const one of people) one.end()
    await service.stop()
  }
}
