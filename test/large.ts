/** Whether a run may take long: HOLDFAST_TEST_LARGE=1. */
export const isLarge = process.env['HOLDFAST_TEST_LARGE'] === '1'

/** How many of a crowd, or how often. */
export const sized = (small: number, large: number): number => (isLarge ? large : small)
