import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAtLeast } from '../../base/level.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { ServiceSettings } from '../../config/service-settings.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Log } from '../../ports/log.ts'
import { limitsOf } from '../../server/abuse/limits.ts'
import { isApiPath } from '../../server/api/handle.ts'
import { passwordChecker } from '../../server/auth/login.ts'
import { trackInFlight, dispatch, type PathHandler } from '../../server/http/dispatch.ts'
import type { OpenListener, RequestHandler } from '../../server/http/listen.ts'
import type { Store, StoreTotals } from '../../server/store/store.ts'
import { type FaultRule, parseFaults } from '../../server/update/faults.ts'
import { handleUpdate, isUpdatePath, type UpdateDependencies } from '../../server/update/handle.ts'
import type { Failure } from '../failure.ts'
import { logBug } from '../log.ts'
import type { Audit } from '../../server/model/audit.ts'
import { apiOf } from './api.ts'
import { auditLog } from './audit-log.ts'
import { type DevSetup, makeDevSetup } from './dev-setup.ts'
import { listenAll, passedSockets, readTls } from './listeners.ts'
import { openStore, type OpenStore } from './open-store.ts'
import { storeFolder } from './settings.ts'

export interface StartedService {
  readonly listeners: readonly OpenListener[]
  readonly store: Store
  readonly folder: string
  readonly totals: StoreTotals
  /** What --dev made for this run. */
  readonly dev: DevSetup | undefined
  /** Resolves when no request is in progress. */
  readonly idle: () => Promise<void>
  /** Uses other settings from the next request on, and the certificate of the files. After a failure nothing has changed. */
  readonly reload: (settings: ServiceSettings) => Promise<Result<undefined, Failure>>
}

export interface StartOptions {
  readonly isDev: boolean
  /** Makes the store if there is none. */
  readonly mayMake: boolean
  /** The value of --fault. */
  readonly faults: string | undefined
  readonly log: Log
  /** Ends injected delays early. */
  readonly ending: AbortSignal
}

/** In milliseconds. */
const CHECKPOINT_INTERVAL = 60_000

/** Opens the store, then the listeners. After a failure nothing stays open. */
export async function startService(
  settings: ServiceSettings,
  options: StartOptions,
): Promise<Result<StartedService, Failure>> {
  const { isDev, log, ending } = options
  const faults = options.faults === undefined ? ok([]) : parseFaults(options.faults, systemClock.now())
  if (!faults.ok) return err({ exit: 'usage', messages: [`--fault: ${faults.error}`] })
  const tls = await readTls(settings)
  if (!tls.ok) return tls
  const folder = isDev ? mkdtempSync(join(tmpdir(), 'holdfast-dev-')) : await storeFolder(settings)
  const opened = await openStore(folder, { mayMake: isDev || options.mayMake, mayUpgrade: true })
  if (!opened.ok) return opened
  const { store, pepper } = opened.value
  const dev = isDev ? await makeDevSetup(store, pepper, systemClock.now()) : undefined
  const handling = handlerMaker(opened.value, {
    log,
    ending,
    faults: faults.value,
    audit: auditLog(log, () => performance.now()),
  })
  let current = settings
  let handleCurrent = handling(settings)
  const { handle, idle } = trackInFlight(async (request) => handleCurrent(request))
  const passed = passedSockets(process.env, process.pid)
  const listeners = await listenAll({ handle, current: () => current, tls: tls.value, passed, log })
  if (!listeners.ok) {
    await store.close()
    return listeners
  }
  const checkpoints = setInterval(() => store.checkpoint(), CHECKPOINT_INTERVAL).unref()
  ending.addEventListener('abort', () => clearInterval(checkpoints))
  const totals = await store.read((r) => r.totals())
  return ok({
    listeners: listeners.value,
    store,
    folder,
    totals,
    dev,
    idle,
    reload: async (next) => {
      const changed = await changeCertificate(listeners.value, next)
      if (changed.ok) {
        current = next
        handleCurrent = handling(next)
      }
      return changed
    },
  })
}

async function changeCertificate(
  listeners: readonly OpenListener[],
  settings: ServiceSettings,
): Promise<Result<undefined, Failure>> {
  const tls = await readTls(settings)
  if (!tls.ok) return tls
  const { value: pem } = tls
  if (pem === undefined) return ok(undefined)
  try {
    for (const listener of listeners) listener.setTls(pem)
    return ok(undefined)
  } catch (error) {
    return err({
      exit: 'configuration',
      messages: [`${settings.tlsCert} and ${settings.tlsKey} cannot be used: ${(error as Error).message}`],
    })
  }
}

interface HandlerParts {
  readonly audit: Audit
  readonly log: Log
  readonly ending: AbortSignal
  readonly faults: readonly FaultRule[]
}

/** Makes the handler of all requests for some settings. What counts over requests is made once. */
function handlerMaker(
  { store, pepper }: OpenStore,
  parts: HandlerParts,
): (settings: ServiceSettings) => RequestHandler {
  const { log } = parts
  const passwords = passwordChecker(pepper)
  return (settings) => {
    const update = updateDependencies(settings, { store, passwords }, parts)
    const api = apiOf(settings, { store, pepper, passwords, log, audit: parts.audit })
    const handlers: readonly PathHandler[] = [
      updatePart(update),
      { matches: isApiPath, handle: api, logFields: ({ method }) => ({ method }) },
    ]
    return dispatch(handlers, { log, isLogged: isAtLeast('debug', settings.logLevel) })
  }
}

/** In characters. */
const MAX_LOGGED_REPLY = 100

const updatePart = (dependencies: UpdateDependencies): PathHandler => ({
  matches: isUpdatePath,
  handle: async (request) => handleUpdate(dependencies, request),
  logFields: (_, { body }) => ({ reply: body.slice(0, MAX_LOGGED_REPLY) }),
})

function updateDependencies(
  settings: ServiceSettings,
  updater: Pick<UpdateDependencies['updater'], 'store' | 'passwords'>,
  { log, ending, faults, audit }: HandlerParts,
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
    pause: async (span) => sleep(span, undefined, { signal: ending }).catch(() => undefined),
    reportError: (error) => logBug(log, 'an update request failed because of an internal error', error),
  }
}
