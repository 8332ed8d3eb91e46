import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/** How many slow hashes are computed while the work runs, by whatever part of the program. */
export async function slowHashesOf(work: () => Promise<unknown>): Promise<number> {
  const { scrypt } = crypto
  let count = 0
  const counting = (...given: Parameters<typeof scrypt>): void => {
    count++
    scrypt(...given)
  }
  crypto.scrypt = counting as typeof scrypt
  // What other modules have imported by name is this one now.
  syncBuiltinESMExports()
  try {
    await work()
    return count
  } finally {
    crypto.scrypt = scrypt
    syncBuiltinESMExports()
  }
}
