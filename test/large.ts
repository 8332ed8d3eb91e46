/** Whether a run may take long: HOLDFAST_TEST_LARGE=1. */
export const isLarge = process.env['HOLDFAST_TEST_LARGE'] === '1'

/** How many of a crowd, or how often. */
export const sized = (small: number, large: number): number => (isLarge ? large : small)

/** Of a table with kinds of rows, the first row of each kind; the large run has every row. */
export const oneOfEach = <Row>(rows: readonly Row[], kindOf: (row: Row) => unknown): readonly Row[] =>
  rows.filter((row, at) => isLarge || rows.findIndex((one) => kindOf(one) === kindOf(row)) === at)

/** Of a table, the first row and every so many-th after it; the large run has every row. */
export const oneIn = <Row>(count: number, rows: readonly Row[]): readonly Row[] =>
  rows.filter((_, at) => at % sized(count, 1) === 0)
