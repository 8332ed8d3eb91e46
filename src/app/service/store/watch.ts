import { seconds } from '../../../base/time.ts'
import { repeat } from '../../../platform/clock/repeat.ts'
import { identityOf } from '../../../server/store/sqlite/files.ts'
import type { OpenStore } from './opened-store.ts'

const CHECK_INTERVAL = seconds(1)

/**
 * Resolves with what happened when the path does not name the open database any more. What is written to a database that was
 * removed or replaced is lost, and nothing else tells.
 */
export async function databaseGone(
  { folder, identity }: Pick<OpenStore, 'folder' | 'identity'>,
  ending: AbortSignal,
): Promise<string> {
  return new Promise((resolve) => {
    void repeat(CHECK_INTERVAL, ending, () => {
      const present = presentIdentity(folder, identity)
      if (present === identity) return
      const what = present === undefined ? 'removed' : 'replaced by another file'
      resolve(
        `the database of the store in ${folder} was ${what} while the service runs; the service ends, ` +
          'because its changes would be lost: stop the service before you change its store, ' +
          'and restore a backup with holdfast admin restore',
      )
    })
  })
}

/** A disk that does not answer now says nothing about the file; requests report the error. */
function presentIdentity(folder: string, last: string | undefined): string | undefined {
  try {
    return identityOf(folder)
  } catch {
    return last
  }
}
