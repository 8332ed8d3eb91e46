import { untilRestart } from './reload.ts'
import { keepMailing } from './event-mails.ts'
import { hostDelegationLooks } from '../publish/delegations.ts'
import { keepProving } from '../publish/proofs.ts'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { err, ok, type Result } from '../../shared/base/result.ts'
import { minutes } from '../../shared/base/time.ts'
import type { ServiceSettings } from '../settings/service-settings.ts'
import { steadyClock, systemClock } from '../../shared/platform/clock/clock.ts'
import { later } from '../../shared/platform/clock/timer.ts'
import type { Log } from '../../shared/ports/log.ts'
import { trackInFlight } from '../http/dispatch.ts'
import type { Audit } from '../model/audit.ts'
import type { OpenListener } from '../http/listen.ts'
import { isPassing } from '../store/errors.ts'
import type { Store } from '../store/store.ts'
import type { StoreTotals } from '../store/totals.ts'
import { parseFaults } from '../update/faults.ts'
import { configurationFailure, type Failure, usageFailure } from '../../shared/program/exit-codes.ts'
import { auditLog } from './audit-log.ts'
import { failureLog } from './failures.ts'
import { type DevSetup, makeDevSetup } from './dev-setup.ts'
import { type FairTurns, fairTurns, keepLoad } from './http/fair-turns.ts'
import { handlerMaker, type HandlerParts } from './http/handlers.ts'
import { healthHandler, type IsReady } from '../http/health.ts'
import { measuredHandler, observedStore, serviceMetrics } from './service-metrics.ts'
import { listenForMetrics, type MetricsParts } from './http/metrics-listener.ts'
import { listenAll, type ListenParts, passedSockets } from './http/listeners.ts'
import { openSecrets } from '../admin/store/open-secrets.ts'
import { openStore, storeFailure } from '../admin/store/open-store.ts'
import type { OpenStore } from '../admin/store/opened-store.ts'
import { placeName, type StorePlace } from '../admin/store/place.ts'
import { logOperatorChanges } from '../admin/operator-changes.ts'
import { type Publishing, startPublishing } from './publishing/publishing.ts'
import { storePlace } from './settings.ts'
import { keepSwept } from '../admin/store/sweeper.ts'
import { databaseGone } from '../admin/store/watch.ts'
import { readTls } from './http/tls-files.ts'
import { clockFault } from '../admin/store/open-postgres.ts'
import { zoneNameFault } from '../rules/zone-names.ts'
import { answererOf } from '../model/publication.ts'
import { zoneNameLimits } from './http/api-service.ts'
import { repeat } from '../../shared/platform/clock/repeat.ts'

/** Names in one line of the log. */
const MAX_NAMED = 20

/**
 * Logs problems at startup: no name server for the zones, and existing accounts and zones that the current rules would
 * refuse. These are kept; the operator decides.
 */
async function tellRemains(store: Store, settings: ServiceSettings, log: Log): Promise<void> {
  const [accounts, zones] = await store.read(async (r) => [await r.collidingAccounts(), await r.zoneNames()])
  if (accounts.length > 0)
    log('warn', 'accounts that differ in capitals alone', {
      fields: { count: accounts.length, accounts: accounts.slice(0, MAX_NAMED) },
      line: `accounts whose names differ in capitals alone; new ones like these are refused: ${listed(accounts)}`,
    })
  tellUnserved(settings, log)
  const limits = zoneNameLimits(settings)
  const special = zones.filter((name) => zoneNameFault(name, limits) !== undefined)
  if (special.length > 0)
    log('warn', 'zones that no tenant can make', {
      fields: { count: special.length, zones: special.slice(0, MAX_NAMED) },
      line: `zones that a tenant could not make today; check that they are yours: ${listed(special)}`,
    })
}

/** Without a name server, names do not resolve although updates succeed. */
function tellUnserved(settings: ServiceSettings, log: Log): void {
  if (answererOf(settings) === 'nobody')
    log('warn', 'no name server answers', {
      line:
        'no name server answers for the zones, so their names do not resolve: ' +
        'set dns_listen, and answer_queries = true or secondaries',
    })
}

const listed = (names: readonly string[]): string =>
  names.slice(0, MAX_NAMED).join(', ') +
  (names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '')

/** In milliseconds: probes of several balancers share one write. */
const MAX_PROBE_AGE = 1000
/** In milliseconds: a disk that takes longer is not ready. */
const TIMEOUT = 2000

/** Writes one row, or reads one, at most once a second each. */
export function readiness(store: Store, ending: AbortSignal): IsReady {
  const probes = { writes: async () => canWrite(store), reads: async () => canRead(store) }
  const last: Partial<
    Record<keyof typeof probes, { readonly at: number; readonly result: Promise<boolean> }>
  > = {}
  return async (kind) => {
    if (ending.aborted) return false
    const now = steadyClock.now()
    const recent = last[kind]
    if (recent !== undefined && now - recent.at <= MAX_PROBE_AGE) return recent.result
    const result = inTime(probes[kind]())
    last[kind] = { at: now, result }
    return result
  }
}

const inTime = async (probed: Promise<boolean>): Promise<boolean> =>
  Promise.race([
    probed.catch(() => false),
    new Promise<boolean>((resolve) => later(TIMEOUT, () => resolve(false))),
  ])

/** Blocks would end at wrong times, for all nodes, where the clock is wrong. */
const canWrite = async (store: Store): Promise<boolean> =>
  clockFault(systemClock.now() - (await store.probe(systemClock.now()))) === undefined

async function canRead(store: Store): Promise<boolean> {
  await store.read(async (r) => r.hasAccounts())
  return true
}

export interface StartedService {
  readonly listeners: readonly OpenListener[]
  /** Of the setting `metrics`. */
  readonly metrics: OpenListener | undefined
  readonly store: Store
  readonly publishing: Publishing
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

interface StartOptions {
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

const CHECKPOINT_INTERVAL = minutes(1)

/** Opens the store, then the listeners. After a failure nothing stays open. */
export async function startService(
  settings: ServiceSettings,
  options: StartOptions,
): Promise<Result<StartedService, Failure>> {
  const { isDev } = options
  const faults = options.faults === undefined ? ok([]) : parseFaults(options.faults, systemClock.now())
  if (!faults.ok) return usageFailure(`--fault: ${faults.error}`)
  const tls = await readTls(settings)
  if (!tls.ok) return tls
  const place = isDev ? mkdtempSync(join(tmpdir(), 'holdfast-dev-')) : await storePlace(settings)
  for (const warning of await openSecrets(place)) options.log('warn', warning)
  const warn = (message: string): void => options.log('warn', message)
  const opened = await openStore(place, { mayMake: isDev || options.mayMake, mayUpgrade: true, warn })
  if (!opened.ok) return opened
  const started = await startOn(opened.value, settings, {
    ...options,
    faults: faults.value,
    tls: tls.value,
  }).catch((error: unknown) => unreadable(place, error))
  if (!started.ok) await opened.value.store.close()
  return started
}

/** A damaged database can be open, and is noticed when its pages are read; one of another host may go away. */
function unreadable(place: StorePlace, error: unknown): Result<never, Failure> {
  if (!isPassing(error) && (error as NodeJS.ErrnoException).code !== 'ERR_SQLITE_ERROR') throw error
  return err(storeFailure(placeName(place), error))
}

interface StoreOptions extends Omit<StartOptions, 'faults'> {
  readonly faults: HandlerParts['faults']
  readonly tls: ListenParts['tls']
}

/** Starts everything on an open store, which stays open after a failure. */
async function startOn(
  open: OpenStore,
  settings: ServiceSettings,
  { isDev, log, ending, stopping, faults, tls }: StoreOptions,
): Promise<Result<StartedService, Failure>> {
  const { pepper, folder } = open
  let current = settings
  let publishing: Publishing | undefined
  const wake = (): void => publishing?.wake()
  const metrics = serviceMetrics()
  const failures = failureLog(log, () => steadyClock.now())
  const onWrite = (): void => {
    failures.stored()
    wake()
  }
  const store = observedStore(open.store, { metrics, onWrite })
  const turns = fairTurns({ store, metrics, log, current: () => current })
  const audit = auditLog(log, () => steadyClock.now())
  const parts = { log, ending, reportFailure: failures.report, audit, inTurn: turns.inTurn }
  const dev = isDev ? await makeDevSetup({ ...settings, store, pepper }, systemClock.now()) : undefined
  const health = healthHandler(readiness(store, stopping))
  const started = await startPublishing({ ...parts, store, pepper, tls, metrics, current: () => current })
  if (!started.ok) return started
  publishing = started.value
  const { notifier } = publishing
  const handling = handlerMaker({ store, pepper }, { ...parts, faults, health, publishing })
  let handleCurrent = handling(settings)
  const { handle, idle } = trackInFlight(measuredHandler(async (request) => handleCurrent(request), metrics))
  const shown = { secondaries: () => notifier.status(), current: () => current }
  const listening = { handle, tls, log, metrics, store, health, ...shown, ...turns }
  const sockets = await openSockets(() => current, listening)
  if (!sockets.ok) {
    await publishing.close()
    return sockets
  }
  await tellRemains(store, settings, log)
  keepJobs({ store, turns, audit, ending })
  keepMailing({ ...parts, store, current: shown.current })
  keepProving({ store, pepper, current: shown.current, look: hostDelegationLooks(), onProved: wake, ending })
  const listeners = [...sockets.value.listeners, ...publishing.listeners]
  return ok({
    ...sockets.value,
    store,
    publishing,
    folder,
    totals: await store.read((r) => r.totals(systemClock.now())),
    dev,
    idle,
    // Only a file can be replaced while it is open.
    lost: open.identity === undefined ? new Promise<string>(() => undefined) : databaseGone(open, ending),
    reload: async (next) => {
      const changed = await changeSecrets(open, listeners, next)
      if (changed.ok) {
        current = untilRestart(current, next)
        handleCurrent = handling(current)
        await started.value.reload()
      }
      return changed
    },
  })
}

/** The certificate, and the credentials of the database: both change, or neither. */
async function changeSecrets(
  open: OpenStore,
  listeners: Parameters<typeof changeCertificate>[0],
  next: ServiceSettings,
): Promise<Result<undefined, Failure>> {
  const renewed = (await open.renew?.()) ?? ok(() => undefined)
  if (!renewed.ok) return configurationFailure(renewed.error)
  const changed = await changeCertificate(listeners, next)
  if (changed.ok) renewed.value()
  return changed
}

interface KeptJobs {
  readonly store: Store
  readonly turns: FairTurns
  readonly audit: Audit
  readonly ending: AbortSignal
}

/** What is done again and again. */
function keepJobs({ store, turns, audit, ending }: KeptJobs): void {
  void repeat(CHECKPOINT_INTERVAL, ending, () => store.checkpoint())
  void keepLoad(store, turns, ending)
  void keepSwept(store, ending)
  logOperatorChanges(store, audit, ending)
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
  listeners: readonly Pick<OpenListener, 'setTls'>[],
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
    return configurationFailure(
      `${settings.tlsCert} and ${settings.tlsKey} cannot be used: ${(error as Error).message}`,
    )
  }
}
