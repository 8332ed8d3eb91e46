/** How many of a crowd, or how often: the small number in every run, the large one with HOLDFAST_TEST_LARGE=1. */
export const sized = (small: number, large: number): number =>
  process.env['HOLDFAST_TEST_LARGE'] === '1' ? large : small
