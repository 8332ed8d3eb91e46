import { seconds } from '../../../shared/base/time.ts'
import { identityOf, logIdentityOf } from '../../store/sqlite/files.ts'
import type { OpenStore } from './opened-store.ts'
import { repeat } from '../../../shared/platform/clock/repeat.ts'

const CHECK_INTERVAL = seconds(1)

/**
 * Resolves with what happened when the paths do not name the open database and its log any more. What is written to a
 * database that was removed or replaced is lost, and nothing else tells.
 */
export async function databaseGone(
  { folder, identity }: Pick<OpenStore, 'folder' | 'identity'>,
  ending: AbortSignal,
): Promise<string> {
  let log: string | undefined
  return new Promise((resolve) => {
    void repeat(CHECK_INTERVAL, ending, () => {
      const present = presentIdentity(() => identityOf(folder), identity)
      const presentLog = presentIdentity(() => logIdentityOf(folder), log)
      // It is made with the first write.
      log ??= presentLog
      if (present === identity && presentLog === log) return
      const [file, found] =
        present === identity ? ['write-ahead log of the database', presentLog] : ['database', present]
      const what = found === undefined ? 'removed' : 'replaced by another file'
      resolve(
        `the ${file} of the store in ${folder} was ${what} while the service runs; the service ends, ` +
          'because its changes would be lost: stop the service before you change its store, ' +
          'and restore a backup with holdfast admin restore',
      )
    })
  })
}

/** A disk that does not answer now says nothing about the file; requests report the error. */
function presentIdentity(look: () => string | undefined, last: string | undefined): string | undefined {
  try {
    return look()
  } catch {
    return last
  }
}
