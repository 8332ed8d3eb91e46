import { lateIds } from '../../publish/status.ts'
import { isAtLeast } from '../../../shared/base/level.ts'
import { after } from '../../../shared/base/time.ts'
import type { ServiceSettings } from '../../settings/service-settings.ts'
import { steadyClock, systemClock } from '../../../shared/platform/clock/clock.ts'
import type { Log } from '../../../shared/ports/log.ts'
import { limitsOf } from '../../auth/limits.ts'
import type { Publishing } from '../publishing/publishing.ts'
import { type InTurn, isApiPath } from '../../api/handle.ts'
import { passwordChecker } from '../../auth/login.ts'
import { dispatch, type PathHandler } from '../../http/dispatch.ts'
import type { RequestHandler } from '../../http/listen.ts'
import type { Audit } from '../../model/audit.ts'
import type { FaultRule } from '../../update/faults.ts'
import {
  handleUpdate,
  isLikeUpdatePath,
  isUpdatePath,
  MISNAMED,
  type UpdateDependencies,
} from '../../update/handle.ts'
import { hostDelegationLooks } from '../../publish/delegations.ts'
import { apiDependencies, apiHandler } from './api.ts'
import { consolePart } from './console.ts'
import type { OpenStore } from '../../admin/store/opened-store.ts'
import { canMail, mailer } from '../mail.ts'
import { withSites } from './sites.ts'

export interface HandlerParts {
  readonly health: PathHandler
  readonly audit: Audit
  readonly reportFailure: (what: string, error: unknown) => void
  readonly publishing: Pick<Publishing, 'wake' | 'whenServed' | 'notifier'>
  readonly inTurn: InTurn
  readonly log: Log
  readonly ending: AbortSignal
  readonly faults: readonly FaultRule[]
}

/** Makes the handler of all requests for some settings. State that lasts over requests, such as counts, is made once. */
export function handlerMaker(
  { store, pepper }: Pick<OpenStore, 'store' | 'pepper'>,
  parts: HandlerParts,
): (settings: ServiceSettings) => RequestHandler {
  const { log, publishing } = parts
  const passwords = passwordChecker(pepper)
  const delegation = hostDelegationLooks()
  return (settings) => {
    const update = updateDependencies(settings, { store, passwords }, parts)
    const api = apiDependencies(settings, {
      store,
      pepper,
      passwords,
      audit: parts.audit,
      requestFlush: publishing.wake,
      whenServed: publishing.whenServed,
      secondaries: (id) => publishing.notifier.zoneAt(id),
      lateZones: () => lateIds(publishing.notifier.status()),
      delegation,
      sendMail: mailer(settings, parts.ending),
      inTurn: parts.inTurn,
      reportFailure: parts.reportFailure,
    })
    const handlers: readonly PathHandler[] = [
      updatePart(update),
      {
        matches: isApiPath,
        handle: apiHandler(settings, api),
        rejectsLongBodies: true,
        logFields: ({ method }) => ({ method }),
      },
      ...(settings.console === undefined
        ? []
        : [consolePart({ origin: settings.console, hasMail: canMail(settings) }, api, parts.reportFailure)]),
      parts.health,
      { matches: isLikeUpdatePath, handle: async () => MISNAMED, logFields: () => ({}) },
    ]
    const handle = dispatch(handlers, { log, isLogged: isAtLeast('debug', settings.logLevel) })
    return settings.redirectAddresses.length === 0 ? handle : withSites(handle, store)
  }
}

/** In characters. */
const MAX_LOGGED_REPLY = 100

const updatePart = (dependencies: UpdateDependencies): PathHandler => ({
  matches: isUpdatePath,
  takesNoHost: true,
  handle: async (request) => handleUpdate(dependencies, request),
  logFields: (_, { body }) => ({ reply: body.slice(0, MAX_LOGGED_REPLY) }),
})

function updateDependencies(
  settings: ServiceSettings,
  updater: Pick<UpdateDependencies['updater'], 'store' | 'passwords'>,
  { ending, faults, audit, reportFailure, inTurn }: HandlerParts,
): UpdateDependencies {
  const { allHostnames, strictAgents, blockedAgents, realm } = settings
  return {
    updater: {
      ...updater,
      policy: { limits: limitsOf(settings), allHostnames, strictAgents, blockedAgents },
      now: () => systemClock.now(),
      audit,
    },
    realm,
    faults,
    pause: async (span) => steadyClock.sleep(after(steadyClock.now(), span), ending),
    inTurn: async (key, work) => inTurn({ kind: 'update', key, isGone: undefined }, work),
    reportError: (error) => reportFailure('an update request', error),
  }
}
