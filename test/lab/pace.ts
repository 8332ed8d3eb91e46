/** Only the long run judges how fast something is, on a machine that does nothing else (`.ci/long`). */
export const judgesPace = process.env['HOLDFAST_TEST_PACE'] === '1'
