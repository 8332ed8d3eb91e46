import { readFileSync } from 'node:fs'
import { grouped } from './grouped.ts'
import { type Mutant, mutantsOf } from './instrument.ts'
import type { FromWorker, Job, Measured } from './job.ts'
import { type Source, sourcesFor, taskOf } from './sources.ts'
import { WORKERS, work } from './workers.ts'

export interface Project {
  readonly root: string
  /** The files to mutate, and the test files; paths from the root. */
  readonly files: readonly string[]
  readonly tests: readonly string[]
}

export interface FileMutant extends Mutant {
  readonly id: number
  readonly file: string
}

export interface Fate {
  readonly mutant: FileMutant
  /** The test that failed; undefined for one that survived. */
  readonly killedBy?: string
  readonly isReached: boolean
}

export interface Measures {
  readonly file: string
  readonly atLoad: ReadonlySet<number>
  readonly tests: readonly Measured[]
}

export const mutantsIn = ({ root, files }: Project): readonly FileMutant[] =>
  files
    .flatMap((file) =>
      mutantsOf(readFileSync(`${root}/${file}`, 'utf8')).map((mutant) => ({ ...mutant, file })),
    )
    .map((mutant, at) => ({ ...mutant, id: at + 1 }))

const firstIds = (mutants: readonly FileMutant[]): Record<string, number> =>
  Object.fromEntries(mutants.toReversed().map(({ file, id }) => [file, id]))

const SILENCE = 90_000
/** Each load of a file stays in memory; small batches also let the workers end at about the same time. */
const BATCH = { run: 120, load: 20 } as const
const MAX_BATCH_COST = 20_000

/** Runs each test file once without a mutant: how long its tests take, and which mutants they reach. */
export async function measured(
  { root, tests }: Project,
  mutants: readonly FileMutant[],
  say: (text: string) => void,
): Promise<readonly Measures[]> {
  const first = firstIds(mutants)
  const waiting = [...tests]
  const all: Measures[] = []
  const next = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const path = file
      await work({ kind: 'measure', root, file, first, tasks: [] }, SILENCE, (message) => {
        if (message.kind === 'failed') say(`left out: ${path}: ${message.because.split('\n')[0] ?? ''}`)
        if (message.kind !== 'measured') return
        for (const { title } of message.tests.filter(({ isRight }) => !isRight))
          say(`left out: ${path}: ${title}`)
        all.push({ file: path, atLoad: new Set(message.atLoad), tests: message.tests })
      })
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, next))
  return all
}

interface Waiting {
  readonly mutant: FileMutant
  readonly sources: Source[]
  /** It made its process unusable, and is run in a separate one. */
  isAlone: boolean
}

/** Runs the chosen mutants with the tests that reach them, fastest first, until one test fails. */
export async function fatesOf(
  { root }: Project,
  mutants: readonly FileMutant[],
  { measures, chosen }: { readonly measures: readonly Measures[]; readonly chosen: readonly FileMutant[] },
): Promise<readonly Fate[]> {
  const first = firstIds(mutants)
  const fates = new Map<number, Fate>()
  let idle: Waiting[] = chosen.map((mutant) => ({
    mutant,
    sources: [...sourcesFor(mutant, measures)],
    isAlone: false,
  }))
  const reached = new Set(idle.filter(({ sources }) => sources.length > 0).map(({ mutant }) => mutant.id))
  const end = ({ mutant }: Waiting, killedBy?: string): void => {
    fates.set(mutant.id, {
      mutant,
      isReached: reached.has(mutant.id),
      ...(killedBy !== undefined && { killedBy }),
    })
  }
  const attempt = async (source: Source, batch: readonly Waiting[]): Promise<void> => {
    const open = new Map(batch.map((one) => [one.mutant.id, one]))
    const decided = (id: number, killedBy?: string): void => {
      const one = open.get(id)
      open.delete(id)
      if (one === undefined) return
      if (killedBy !== undefined) return end(one, killedBy)
      one.sources.shift()
      one.isAlone = false
      idle.push(one)
    }
    const hear = (message: FromWorker): void => {
      if (message.kind === 'killed') decided(message.id, message.by)
      if (message.kind === 'lived') decided(message.id)
      if (message.kind === 'failed') throw new Error(`${source.file}: ${message.because}`)
      if (message.kind !== 'broken') return
      const one = open.get(message.id)
      if (one?.isAlone === true) decided(message.id, 'in a process of its own')
      else if (one !== undefined) one.isAlone = true
    }
    const tasks = batch.map(({ mutant, sources }) => taskOf(mutant.id, sources[0] ?? source))
    const job: Job = { kind: source.kind, root, file: source.file, first, tasks }
    const { brokenOffAt } = await work(
      job,
      Math.max(...batch.map(({ sources }) => sources[0]?.patience ?? 0)),
      hear,
    )
    if (brokenOffAt !== undefined) decided(brokenOffAt, 'time')
    idle.push(...open.values())
  }
  const next = async (): Promise<void> => {
    for (;;) {
      for (const one of idle.filter(({ sources }) => sources.length === 0)) end(one)
      idle = idle.filter(({ sources }) => sources.length > 0)
      const batch = largest(idle)
      const [source] = batch[0]?.sources ?? []
      if (source === undefined) return
      idle = idle.filter((one) => !batch.includes(one))
      await attempt(source, batch)
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, next))
  // The tasks that another worker returned after this one had no more.
  if (idle.length > 0) await next()
  return [...fates.values()].toSorted((a, b) => a.mutant.id - b.mutant.id)
}

/** The largest group of mutants that wait for the same tests, because each batch starts a process. */
function largest(idle: readonly Waiting[]): readonly Waiting[] {
  const alone = idle.find(({ isAlone }) => isAlone)
  if (alone !== undefined) return [alone]
  const groups = grouped(idle, ({ sources: [source] }) => `${source?.kind} ${source?.file}`)
  const [group = []] = [...groups.values()].toSorted((a, b) => b.length - a.length)
  const { kind = 'run', cost = 0 } = group[0]?.sources[0] ?? {}
  return group.slice(0, Math.min(BATCH[kind], Math.ceil(MAX_BATCH_COST / (cost + 1))))
}
