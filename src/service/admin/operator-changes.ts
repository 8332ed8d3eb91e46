import { userInfo } from 'node:os'
import { type Instant, seconds } from '../../shared/base/time.ts'
import type { Audit, OperatorChange } from '../model/audit.ts'
import type { Store } from '../store/store.ts'
import { repeat } from '../../shared/platform/clock/repeat.ts'

const READ_INTERVAL = seconds(2)
/** In characters. */
const MAX_SUBJECT = 200

/** Who runs this program: behind sudo the user who called it. A user without a name is shown by number. */
function operatorName(env: NodeJS.ProcessEnv): string {
  const caller = env['SUDO_USER'] ?? ''
  if (process.getuid?.() === 0 && caller !== '') return caller
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}

/** What the store keeps of an operation of `holdfast admin`, until the log of the service has it. */
export const operatorChange = (operation: string, args: readonly string[], at: Instant): OperatorChange => ({
  at,
  operator: operatorName(process.env),
  operation,
  subject: args.join(' ').slice(0, MAX_SUBJECT),
})

/**
 * Moves changes of the operator from the store into the log, until the signal. A crash in the middle writes a line twice,
 * and never loses one.
 */
export function logOperatorChanges(store: Store, audit: Audit, ending: AbortSignal): void {
  // If the store cannot be written, the changes stay there; this number keeps them from a second line.
  let lastLogged = 0
  const move = async (): Promise<void> => {
    const changes = await store.read(async (r) => r.operatorChanges())
    const last = changes.at(-1)
    if (last === undefined) return
    for (const { id, ...change } of changes) if (id > lastLogged) audit({ kind: 'operated', ...change })
    lastLogged = last.id
    await store.write(async (w) => w.removeOperatorChanges(last.id))
  }
  void repeat(READ_INTERVAL, ending, move)
}
