import { milliseconds } from '../../base/time.ts'
import { quorumOf } from '../../client/detect/agree.ts'
import { type SourceAnswer, type Survey, survey } from '../../client/report/survey.ts'
import type { AddressSource } from '../../client/sources/source.ts'
import type { Family } from '../../net/address.ts'
import type { AddressDetection } from './address-detection.ts'
import type { ResolvedSettings } from './settings.ts'

/** Longer than any source may take, in milliseconds. */
const SOURCE_TIMEOUT = 10_000

/** Asks one of several questions that are asked side by side, and bounds the time for all of them. */
export interface Asker {
  /** The answer, or what stands for it when time is up. */
  readonly ask: <T>(of: string, answer: Promise<T>, otherwise: () => T) => Promise<T>
  readonly signal: AbortSignal
}

/** Asks every source at once. */
export async function surveySources(
  settings: ResolvedSettings,
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
  const quorum = Object.fromEntries(
    families.map((family) => [family, settings.config.agreement === 'one' ? 1 : quorumOf(sources, family)]),
  )
  return { ...survey(answers, quorum), answers }
}

async function answerOf(
  source: AddressSource,
  family: Family,
  { ask, signal }: Asker,
): Promise<SourceAnswer> {
  const start = performance.now()
  const looked = source.look(family, AbortSignal.any([signal, AbortSignal.timeout(SOURCE_TIMEOUT)]))
  const sighting = await ask(source.name, looked, () => TOO_LATE)
  return { source, family, sighting, took: milliseconds(performance.now() - start) }
}

const TOO_LATE = { kind: 'unknown', because: 'it did not answer in time' } as const
