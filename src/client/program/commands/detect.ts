import type { AddressDetection } from '../../detect/address-detection.ts'
import { detectionBy } from '../../detect/detection.ts'
import { jobsOf, userAgentOf } from '../jobs.ts'
import { confirmedIn, savedStateOf } from '../state/confirmed.ts'
import { type ResolvedSettings, readSoundSettings } from '../../settings/settings.ts'
import { surveySources } from '../../detect/survey-sources.ts'
import { type WouldSend, wouldSend } from '../status/would-send.ts'
import { pause } from '../../../shared/ports/pause.ts'
import type { Exit } from '../../../shared/program/exit-codes.ts'
import { outputGone } from '../../../shared/program/streams.ts'
import { type Survey, formatSurvey } from '../../detect/survey.ts'
import type { State } from '../../decide/state.ts'
import type { Clock } from '../../../shared/ports/clock.ts'
import type { SystemPorts } from '../../../shared/ports/system.ts'
import type { DetectFlags } from './flags.ts'
import { systemPorts } from '../system.ts'
import { fail, printJson, printWrapped } from '../../../shared/program/output.ts'
import { queryInParallel } from './parallel-queries.ts'
import { onStopSignal } from '../../../shared/program/signals.ts'

/** `holdfast detect`: queries every source, and prints the answers, the conclusions and what would be sent. */
export async function detectCommand({ asJson, isWatching, settings: flags }: DetectFlags): Promise<Exit> {
  const settings = await readSoundSettings(flags, 'nothing')
  if (!settings.ok) return fail(settings.error, asJson)
  const system = systemPorts()
  let state: State | undefined
  const changes = changeSignal(system.steady)
  const ending = new AbortController()
  const detection = (await detectionBy(system))(settings.value, {
    userAgent: userAgentOf(settings.value),
    report: () => undefined,
    wake: changes.notify,
    published: (family) => (state === undefined ? [] : confirmedIn(state, family)),
    end: ending.signal,
  })
  onStopSignal(() => ending.abort())
  outputGone.addEventListener('abort', () => ending.abort())
  const show = async (): Promise<Result> => {
    // A daemon may have confirmed another address since the last one.
    state = await savedStateOf(settings.value, system)
    const result = await resultOf(settings.value, detection, { asJson, system, state, signal: ending.signal })
    const { faults } = settings.value
    if (asJson) printJson({ ...result, ...(faults.length > 0 && { notes: faults }) })
    else
      printWrapped(
        ...faults,
        ...(faults.length > 0 ? ['without this, the sources say:'] : []),
        ...formatSurvey(result),
        ...result.wouldSend.map(({ hostname, message }) => `${hostname}: ${message}`),
      )
    return result
  }
  let last = await show()
  if (isWatching) {
    detection.watch(ending.signal)
    while (!ending.signal.aborted) {
      await changes.next(ending.signal)
      last = ending.signal.aborted ? last : await show()
    }
  }
  return last.conclusions.some(({ address }) => address !== null) ? 'settled' : 'unreached'
}

interface Result extends Survey {
  readonly wouldSend: readonly WouldSend[]
}

async function resultOf(
  settings: ResolvedSettings,
  detection: AddressDetection,
  {
    asJson,
    system,
    state,
    signal,
  }: {
    readonly asJson: boolean
    readonly system: SystemPorts
    readonly state: State | undefined
    readonly signal: AbortSignal
  },
): Promise<Result> {
  const [survey, sends] = await Promise.all([
    queryInParallel(asJson, async ({ ask }) =>
      surveySources(settings, detection, { ask, clock: system.steady, signal }),
    ),
    state === undefined ? [] : wouldSend(jobsOf(settings, detection), state, signal),
  ])
  return { ...survey, wouldSend: sends }
}

/** In milliseconds. Hints arrive in bursts, and each survey queries every source. */
const BURST_DELAY = 2000

/** `next` resolves after the next hint, or when the signal fires. */
function changeSignal(clock: Clock) {
  let resolveNext = (): void => undefined
  return {
    notify: (): void => resolveNext(),
    next: async (signal: AbortSignal): Promise<void> => {
      await new Promise<void>((resolve) => {
        resolveNext = resolve
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      await pause(clock, BURST_DELAY, signal)
    },
  }
}
