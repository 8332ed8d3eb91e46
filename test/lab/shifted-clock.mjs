import { readFileSync } from 'node:fs'

/** Preloaded into a program: its time of day is ahead by what the file HOLDFAST_TEST_SHIFT says, in milliseconds. */
const real = Date.now.bind(Date)
// One read in so many milliseconds: the file is changed between two steps of a test.
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
