import { between, seconds } from '../../shared/base/time.ts'
import { quorumOf } from './agree.ts'
import { type SourceAnswer, type Survey, survey, type SurveyRule } from './survey.ts'
import type { AddressSource } from './sources/source.ts'
import type { Family } from '../../shared/base/address.ts'
import type { AddressDetection } from './address-detection.ts'
import type { DetectionSettings } from './detection-settings.ts'
import type { Clock } from '../../shared/ports/clock.ts'

/** Longer than the limit of any source. */
const SOURCE_TIMEOUT = seconds(10)

/** Runs parallel queries with one time limit for all of them. */
export interface Asker {
  /** The answer, or `otherwise` after the time limit. `of` names the query for display. */
  readonly ask: <T>(of: string, answer: Promise<T>, otherwise: () => T) => Promise<T>
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Queries every source in parallel. */
export async function surveySources(
  settings: DetectionSettings,
  detection: AddressDetection,
  asker: Asker,
): Promise<Survey & { readonly answers: readonly SourceAnswer[] }> {
  const sources = detection.sourcesFor(settings.accounts[0]?.server ?? '')
  const { families } = settings.config
  const answers = await Promise.all(
    sources.flatMap((source) =>
      families
        .filter((family) => source.families.includes(family))
        .map(async (family) => answerOf(source, family, asker)),
    ),
  )
  const isOneEnough = settings.config.agreement === 'one'
  const rules = await Promise.all(
    families.map(async (family): Promise<SurveyRule> => {
      const { uplink } = (await detection.uplink(family)) ?? {}
      return { family, quorum: isOneEnough ? 1 : quorumOf(sources, family), ...(uplink && { uplink }) }
    }),
  )
  return { ...survey(answers, rules), answers }
}

async function answerOf(
  source: AddressSource,
  family: Family,
  { ask, clock, signal }: Asker,
): Promise<SourceAnswer> {
  const start = clock.now()
  const look = source.look(family, AbortSignal.any([signal, clock.deadline(SOURCE_TIMEOUT)]))
  const sighting = await ask(source.name, look, () => TIMED_OUT)
  return { source, family, sighting, took: between(start, clock.now()) }
}

const TIMED_OUT = { kind: 'unknown', because: 'it did not answer in time' } as const
