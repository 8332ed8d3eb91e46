import { accountOf, hostOf } from '../../../client/decide/state.ts'
import { type Family, FAMILY_NAMES } from '../../../net/address.ts'
import { isHolding } from '../../../protocol/request-form.ts'
import type { SystemPorts } from '../../../ports/system.ts'
import type { Conclusion } from '../../../client/report/survey.ts'
import { savedState } from '../state/saved-state.ts'
import type { ResolvedSettings } from '../settings/settings.ts'

/** What an update would send for one hostname, as a sentence. */
export interface WouldSend {
  readonly hostname: string
  readonly message: string
}

/**
 * Compares what a survey concludes with what the saved state has
 * confirmed; empty without an account or a readable state.
 */
export async function wouldSend(
  settings: ResolvedSettings,
  conclusions: readonly Conclusion[],
  system: SystemPorts,
): Promise<readonly WouldSend[]> {
  if (settings.accounts.length === 0) return []
  const { jobs, memory } = savedState(settings, system)
  const state = await memory.load().catch(() => undefined)
  if (state === undefined) return []
  return jobs.flatMap(({ desired }) =>
    desired.hostnames.map((hostname) => {
      const { confirmed } = hostOf(accountOf(state, desired.account), hostname)
      const changes = conclusions.filter(
        ({ family, address }) =>
          address !== null && desired.families.includes(family) && confirmed[family] !== address,
      )
      const isFound = conclusions.some(
        ({ family, address }) => address !== null && desired.families.includes(family),
      )
      const unknown = desired.families.filter(
        (family) =>
          confirmed[family] === undefined &&
          !conclusions.some((one) => one.family === family && one.address !== null),
      )
      const isHeld = isHolding(desired.form.absentFamily) && changes.length > 0 && unknown.length > 0
      const message = isFound ? messageFor(changes, confirmed) : NOTHING_FOUND
      return { hostname, message: isHeld ? `${message}; ${heldText(unknown)}` : message }
    }),
  )
}

const heldText = (families: readonly Family[]): string =>
  `but nothing is sent while ${families.map((family) => FAMILY_NAMES[family]).join(' and ')} is unknown, ` +
  'because the service would delete or spoil its record (absent_family)'

const NOTHING_FOUND = 'nothing would be sent: no address was found'

function messageFor(
  changes: readonly Conclusion[],
  confirmed: ReturnType<typeof hostOf>['confirmed'],
): string {
  if (changes.length === 0) return 'nothing would be sent: each address found is already confirmed'
  const found = changes.map(({ address }) => address).join(' and ')
  const before = changes.map(({ family }) => confirmed[family] ?? 'nothing').join(' and ')
  return `${found} would be sent, because ${before} is confirmed`
}
