/**
 * How much the tests try that make their cases: properties and fuzz tests. By default it is little, and always the same.
 * `HOLDFAST_TEST_RUNS=20` tries twenty times as much, and `HOLDFAST_TEST_SEED` makes other cases: those of that number, or
 * of a new one if it is `random`.
 */
export const DEFAULT_SEED = 20_260_101

/** The first process of the run chooses the number, and the others inherit it. */
if (process.env['HOLDFAST_TEST_SEED'] === 'random') {
  process.env['HOLDFAST_TEST_SEED'] = String(Math.floor(Math.random() * 1e9))
  console.log(`HOLDFAST_TEST_SEED=${process.env['HOLDFAST_TEST_SEED']}`)
}

/** Of every test that makes its cases. */
export const SEED = Number(process.env['HOLDFAST_TEST_SEED'] ?? DEFAULT_SEED)
const TIMES = Number(process.env['HOLDFAST_TEST_RUNS'] ?? 1)
if (!Number.isSafeInteger(SEED)) throw new Error('HOLDFAST_TEST_SEED is neither a whole number nor random')
if (!(TIMES > 0)) throw new Error('HOLDFAST_TEST_RUNS is not a number above 0')

/** The runs of a test that has this many by default. */
export const runs = (byDefault: number): number => Math.max(1, Math.round(byDefault * TIMES))
