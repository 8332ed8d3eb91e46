import type { AddressDetection } from '../../detect/address-detection.ts'
import { detectionBy } from '../../detect/detection.ts'
import { jobsOf, userAgentOf } from '../jobs.ts'
import { confirmedIn, savedStateOf } from '../state/confirmed.ts'
import { readSoundSettings, type ResolvedSettings } from '../../settings/settings.ts'
import { surveySources } from '../../detect/survey-sources.ts'
import { type Clock, pause } from '../../../shared/ports/clock.ts'
import type { Exit } from '../../../shared/program/exit-codes.ts'
import { outputGone } from '../../../shared/program/streams.ts'
import { formatSurvey, type Survey } from '../../detect/survey.ts'
import { accountOf, hostOf, type State } from '../../decide/state.ts'
import type { SystemPorts } from '../../../shared/ports/system.ts'
import type { DetectFlags } from './flags.ts'
import { systemPorts } from '../system.ts'
import { fail, printJson, printWrapped } from '../../../shared/program/output.ts'
import { queryInParallel } from './parallel-queries.ts'
import { onStopSignal } from '../../../shared/program/signals.ts'
import type { AccountJob } from '../../agent/agent.ts'
import { type Address, type Family, FAMILY_NAMES } from '../../../shared/base/address.ts'
import type { Sighting } from '../../../shared/base/sighting.ts'
import { isHolding } from '../../../shared/protocol/request.ts'

/** What an update would send for one hostname, as a sentence. */
interface WouldSend {
  readonly hostname: string
  readonly message: string
}

/** Looks as an update does, and compares with what the state has confirmed. */
async function wouldSend(
  jobs: readonly AccountJob[],
  state: State,
  signal: AbortSignal,
): Promise<readonly WouldSend[]> {
  const ofJobs = jobs.map(async ({ desired, source, sources }) =>
    Promise.all(
      desired.hostnames.map(async (hostname) => {
        const { confirmed } = hostOf(accountOf(state, desired.account), hostname)
        const looks = await Promise.all(
          desired.families.map(async (family): Promise<Look> => {
            const sighting = await (sources?.[hostname] ?? source).look(family, signal)
            return { family, sighting, confirmed: confirmed[family] }
          }),
        )
        return { hostname, message: messageFor(looks, isHolding(desired.form.absentFamily)) }
      }),
    ),
  )
  return (await Promise.all(ofJobs)).flat()
}

interface Look {
  readonly family: Family
  readonly sighting: Sighting
  readonly confirmed: Address | undefined
}

const addressIn = ({ sighting }: Look): Address | undefined =>
  sighting.kind === 'seen' ? sighting.address : undefined

function messageFor(looks: readonly Look[], mustHaveAll: boolean): string {
  const seen = looks.filter((look) => addressIn(look) !== undefined)
  if (seen.length === 0) return `nothing would be sent: no address was found${reasonIn(looks)}`
  const changes = seen.filter((look) => addressIn(look) !== look.confirmed)
  if (changes.length === 0) return 'nothing would be sent: each address found is already confirmed'
  const before = changes.flatMap(({ confirmed }) => confirmed ?? [])
  const was = before.length === 0 ? 'nothing is confirmed' : `${before.join(' and ')} is confirmed`
  const message = `${changes.map(addressIn).join(' and ')} would be sent, because ${was}`
  const unknown = looks.filter((look) => addressIn(look) === undefined && look.confirmed === undefined)
  return mustHaveAll && unknown.length > 0 ? `${message}; ${heldText(unknown)}` : message
}

function reasonIn(looks: readonly Look[]): string {
  const [because] = looks.flatMap(({ sighting }) => (sighting.kind === 'unknown' ? sighting.because : []))
  return because === undefined ? '' : `; ${because}`
}

const heldText = (looks: readonly Look[]): string =>
  `but nothing is sent while ${looks.map(({ family }) => FAMILY_NAMES[family]).join(' and ')} is unknown, ` +
  'because the service would delete its record or make it wrong (absent_family)'

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
    remembered: async (family) => Promise.resolve(state?.lines?.[family]),
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
