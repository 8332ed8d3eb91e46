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
import type { Audit } from '../../server/model/audit.ts'
import { apiOf } from './api.ts'
import { auditLog } from './audit-log.ts'
import { failureLog } from './failures.ts'
import { type DevSetup, makeDevSetup } from './dev-setup.ts'
import { healthHandler } from '../../server/http/health.ts'
import { serviceMetrics } from '../../server/metrics/service-metrics.ts'
import { listenForMetrics, type MetricsParts } from './metrics-listener.ts'
import { measuredHandler, measuredStore } from './measured.ts'
import { readiness } from './readiness.ts'
import { listenAll, type ListenParts, passedSockets } from './listeners.ts'
import { openStore, type OpenStore } from './open-store.ts'
import { logOperatorChanges } from './operator-changes.ts'
import { storeFolder } from './settings.ts'
import { databaseGone } from './store-watch.ts'
import { readTls } from './tls-files.ts'

export interface StartedService {
  readonly listeners: readonly OpenListener[]
  /** Of the setting `metrics`. */
  readonly metrics: OpenListener | undefined
  readonly store: Store
  readonly folder: string
  readonly totals: StoreTotals
  /** What --dev made for this run. */
  readonly dev: DevSetup | undefined
  /** Resolves when no request is in progress. */
  readonly idle: () => Promise<void>
  /** Resolves, with what happened, when the database was removed or replaced: the service must end. */
  readonly lost: Promise<string>
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
  /** Aborted at the stop signal: the service is not ready any more. */
  readonly stopping: AbortSignal
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
  const metrics = serviceMetrics()
  const { pepper } = opened.value
  const store = measuredStore(opened.value.store, metrics)
  const dev = isDev ? await makeDevSetup(store, pepper, systemClock.now()) : undefined
  const health = healthHandler(readiness(store, options.stopping))
  const audit = auditLog(log, () => performance.now())
  const handling = handlerMaker(
    { store, pepper },
    {
      log,
      ending,
      faults: faults.value,
      audit,
      reportFailure: failureLog(log, () => performance.now()),
      health,
    },
  )
  let current = settings
  let handleCurrent = handling(settings)
  const { handle, idle } = trackInFlight(measuredHandler(async (request) => handleCurrent(request), metrics))
  const sockets = await openSockets(() => current, { handle, tls: tls.value, log, metrics, store, health })
  if (!sockets.ok) {
    await store.close()
    return sockets
  }
  const { listeners } = sockets.value
  const checkpoints = setInterval(() => store.checkpoint(), CHECKPOINT_INTERVAL).unref()
  ending.addEventListener('abort', () => clearInterval(checkpoints))
  logOperatorChanges(store, audit, ending)
  const totals = await store.read((r) => r.totals(systemClock.now()))
  return ok({
    ...sockets.value,
    store,
    folder,
    totals,
    dev,
    idle,
    lost: databaseGone(opened.value, ending),
    reload: async (next) => {
      const changed = await changeCertificate(listeners, next)
      if (changed.ok) {
        current = next
        handleCurrent = handling(next)
      }
      return changed
    },
  })
}

/** The public listeners, and the one for metrics. If one fails, the others are closed again. */
async function openSockets(
  current: () => ServiceSettings,
  parts: Omit<ListenParts, 'current' | 'passed'> & Omit<MetricsParts, 'listeners'>,
): Promise<Result<Pick<StartedService, 'listeners' | 'metrics'>, Failure>> {
  const passed = passedSockets(process.env, process.pid)
  const listeners = await listenAll({ ...parts, current, passed })
  if (!listeners.ok) return listeners
  const metrics = await listenForMetrics(current(), { ...parts, listeners: listeners.value })
  if (metrics.ok) return ok({ listeners: listeners.value, metrics: metrics.value })
  await Promise.all(listeners.value.map(async (one) => one.close(0)))
  return metrics
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
  readonly health: PathHandler
  readonly audit: Audit
  readonly reportFailure: (what: string, error: unknown) => void
  readonly log: Log
  readonly ending: AbortSignal
  readonly faults: readonly FaultRule[]
}

/** Makes the handler of all requests for some settings. What counts over requests is made once. */
function handlerMaker(
  { store, pepper }: Pick<OpenStore, 'store' | 'pepper'>,
  parts: HandlerParts,
): (settings: ServiceSettings) => RequestHandler {
  const { log } = parts
  const passwords = passwordChecker(pepper)
  return (settings) => {
    const update = updateDependencies(settings, { store, passwords }, parts)
    const api = apiOf(settings, {
      store,
      pepper,
      passwords,
      audit: parts.audit,
      reportFailure: parts.reportFailure,
    })
    const handlers: readonly PathHandler[] = [
      updatePart(update),
      { matches: isApiPath, handle: api, logFields: ({ method }) => ({ method }) },
      parts.health,
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
  { ending, faults, audit, reportFailure }: HandlerParts,
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
    reportError: (error) => reportFailure('an update request', error),
  }
}
