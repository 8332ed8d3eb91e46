import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { seededRandom } from './bench/fleet-random.ts'

/** `HOLDFAST_TEST_ORDER` repeats an order of the test files. */
const SEED = Number(process.env['HOLDFAST_TEST_ORDER'] ?? Math.floor(Math.random() * 1e9))

/** Files that share a process pass in any order: each run of them has another one. The others keep theirs. */
export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isShared = ({ project }: TestSpecification): boolean => !project.config.isolate
    const shared = files.filter(isShared).toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1))
    if (shared.length > 1) console.log(`HOLDFAST_TEST_ORDER=${SEED}`)
    const random = seededRandom(SEED)
    const ranks = new Map(shared.map((file) => [file, random()]))
    const shuffled = shared.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0))
    return [...(await super.sort(files.filter((file) => !isShared(file)))), ...shuffled]
  }
}
