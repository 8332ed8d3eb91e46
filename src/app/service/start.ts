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
import type { OpenListener } from '../../server/http/listen.ts'
import type { Store, StoreTotals } from '../../server/store/store.ts'
import { type FaultRule, parseFaults } from '../../server/update/faults.ts'
import { handleUpdate, isUpdatePath, type UpdateDependencies } from '../../server/update/handle.ts'
import type { Failure } from '../failure.ts'
import { logBug } from '../log.ts'
import { apiOf } from './api.ts'
import { type DevSetup, makeDevSetup } from './dev-setup.ts'
import { listenAll, readTls } from './listeners.ts'
import { openStore } from './open-store.ts'
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

/** Opens the store, then the listeners. After a failure nothing stays open. */
export async function startService(
  settings: ServiceSettings,
  options: StartOptions,
): Promise<Result<StartedService, Failure>> {
  const { isDev, log } = options
  const faults = options.faults === undefined ? ok([]) : parseFaults(options.faults, systemClock.now())
  if (!faults.ok) return err({ exit: 'usage', messages: [`--fault: ${faults.error}`] })
  const tls = await readTls(settings)
  if (!tls.ok) return tls
  const folder = isDev ? mkdtempSync(join(tmpdir(), 'holdfast-dev-')) : await storeFolder(settings)
  const opened = await openStore(folder, { mayMake: isDev || options.mayMake, mayUpgrade: true })
  if (!opened.ok) return opened
  const { store, pepper } = opened.value
  const dev = isDev ? await makeDevSetup(store, pepper, systemClock.now()) : undefined
  const passwords = passwordChecker(pepper)
  const update = updateDependencies(settings, { store, passwords }, { ...options, faults: faults.value })
  const api = apiOf(settings, { store, pepper, passwords, log })
  const parts: readonly PathHandler[] = [
    updatePart(update),
    { matches: isApiPath, handle: api, logFields: ({ method }) => ({ method }) },
  ]
  const { handle, idle } = trackInFlight(
    dispatch(parts, { log, isLogged: isAtLeast('debug', settings.logLevel) }),
  )
  const checkpoints = setInterval(() => store.checkpoint(), CHECKPOINT_INTERVAL).unref()
  options.ending.addEventListener('abort', () => clearInterval(checkpoints))
  const listeners = await listenAll(settings, tls.value, { handle, log })
  if (listeners.ok) {
    const totals = await store.read((r) => r.totals())
    return ok({ listeners: listeners.value, store, folder, totals, dev, idle })
  }
  await store.close()
  return listeners
}

/** In milliseconds. */
const CHECKPOINT_INTERVAL = 60_000

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
  { log, ending, faults }: Pick<StartOptions, 'log' | 'ending'> & { readonly faults: readonly FaultRule[] },
): UpdateDependencies {
  const { allHostnames, strictAgents, blockedAgents, realm } = settings
  return {
    updater: {
      ...updater,
      policy: { limits: limitsOf(settings), allHostnames, strictAgents, blockedAgents },
      now: () => systemClock.now(),
    },
    realm,
    faults,
    pause: async (span) => sleep(span, undefined, { signal: ending }).catch(() => undefined),
    reportError: (error) => logBug(log, 'an update request failed because of an internal error', error),
  }
}
