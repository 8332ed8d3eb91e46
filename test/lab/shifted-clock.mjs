import { readFileSync } from 'node:fs'

/** Preloaded into a program: shifts its clock by the milliseconds in the file HOLDFAST_TEST_SHIFT. */
const real = Date.now.bind(Date)
// The minimum interval between reads of the file, in milliseconds.
const KEPT = 5
let [readAt, shift] = [0, 0]

Date.now = () => {
  const now = real()
  if (now >= readAt + KEPT) {
    readAt = now
    shift = Number(readFileSync(process.env.HOLDFAST_TEST_SHIFT, 'utf8'))
  }
  return now + shift
}
