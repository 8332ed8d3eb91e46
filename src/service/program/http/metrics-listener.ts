import { answererOf, zonesByPublication } from '../../model/publication.ts'
import { ok, type Result } from '../../../shared/base/result.ts'
import { parseListener, type ServiceSettings } from '../../settings/service-settings.ts'
import { systemClock } from '../../../shared/platform/clock/clock.ts'
import { dispatch, type PathHandler, textResponse } from '../../http/dispatch.ts'
import { listen, type OpenListener } from '../../http/listen.ts'
import { CONTENT_TYPE } from '../../../shared/base/exposition.ts'
import type { OutgoingResponse } from '../../http/request.ts'
import type { ServiceMetrics } from '../service-metrics.ts'
import type { Store } from '../../store/store.ts'
import { ABOUT } from '../../../shared/program/about.ts'
import { configurationFailure, type Failure } from '../../../shared/program/exit-codes.ts'
import { lateIds, publishingStatus, type NotifiedSecondary } from '../../publish/status.ts'
import type { FairTurns } from './fair-turns.ts'
import { listenProblem } from './listeners.ts'

export interface MetricsParts {
  readonly metrics: ServiceMetrics
  readonly store: Store
  readonly listeners: readonly OpenListener[]
  readonly health: PathHandler
  readonly secondaries: () => readonly NotifiedSecondary[]
  readonly current: () => ServiceSettings
  readonly heaviest: FairTurns['heaviest']
}

/** The listener of the setting `metrics`; undefined without it. Its own, because the public ones show no numbers. */
export async function listenForMetrics(
  settings: ServiceSettings,
  parts: MetricsParts,
): Promise<Result<OpenListener | undefined, Failure>> {
  const parsed = settings.metrics === undefined ? undefined : parseListener(settings.metrics)
  if (parsed?.ok !== true) return ok(undefined)
  const handle = dispatch(
    [
      { matches: (path) => path === '/metrics', handle: async () => metricsOf(parts), logFields: () => ({}) },
      {
        matches: (path) => path === '/heaviest',
        handle: async () => jsonResponse(parts.heaviest()),
        logFields: () => ({}),
      },
      parts.health,
    ],
    { log: () => undefined, isLogged: false },
  )
  return listen(parsed.value, () => settings, handle).then(ok, (error: Error) =>
    configurationFailure(listenProblem(parsed.value, error)),
  )
}

const jsonResponse = (value: unknown): OutgoingResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: `${JSON.stringify(value)}\n`,
})

async function metricsOf({ metrics, store, listeners, secondaries: told, current }: MetricsParts) {
  const totals = await store.read((r) => r.totals(systemClock.now()))
  const counts = await Promise.all(listeners.map(async (listener) => listener.connections()))
  const connections = counts.reduce((sum, count) => sum + count, 0)
  const answerer = answererOf(current())
  const { secondaries } = publishingStatus(told(), { answerer, now: systemClock.now() })
  const zones = zonesByPublication(await store.read((r) => r.zoneTotals()), {
    answerer,
    late: lateIds(told()),
  })
  const text = metrics.text({ totals, zones, connections, secondaries, version: ABOUT.version })
  return { ...textResponse(200, text), headers: { 'content-type': CONTENT_TYPE } }
}
