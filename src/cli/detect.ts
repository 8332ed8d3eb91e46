import { setTimeout as sleep } from 'node:timers/promises'
import { milliseconds } from '../base/time.ts'
import { voicesOf } from '../client/detect/agree.ts'
import { type Answer, type Conclusion, type Survey, saySurvey, survey } from '../client/report/survey.ts'
import type { Witness } from '../client/sources/witness.ts'
import { accountOf, hostOf } from '../client/decide/state.ts'
import type { Family } from '../net/address.ts'
import { userAgentOf } from './client.ts'
import type { Exit } from './exit-codes.ts'
import { keptBy } from './kept.ts'
import { detectingLookout } from './detecting.ts'
import type { Lookout } from './lookout.ts'
import type { Flags } from './commands.ts'
import { fail, print, printJson } from './output.ts'
import { type Questions, asking } from './questions.ts'
import { type Settings, readSettings } from './settings.ts'
import { onSignals } from './signals.ts'
import { outputGone } from './streams.ts'

/** Longer than any source may take. */
const PATIENCE = 10_000

/** `holdfast detect`: every source by itself, side by side; what they come to; and what would be sent because of it. */
export async function detectCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await readSettings(flags, 'nothing')
  if (!settings.ok) return fail(settings.error, asJson)
  const bell = { ring: (): void => undefined }
  const ending = new AbortController()
  const lookout = detectingLookout(settings.value, {
    agent: userAgentOf(settings.value),
    tell: () => undefined,
    ring: () => bell.ring(),
    published: () => [],
    end: ending.signal,
  })
  onSignals(() => ending.abort())
  outputGone.addEventListener('abort', () => ending.abort())
  const show = async (): Promise<Shown> => {
    const shown = await asking(asJson, async ({ ask }) =>
      shownBy(settings.value, lookout, { ask, signal: ending.signal }),
    )
    if (asJson) printJson(shown)
    else print(...saySurvey(shown), ...shown.wouldSend.map(({ hostname, says }) => `${hostname}: ${says}`))
    return shown
  }
  let last = await show()
  if (flags['watch'] === true) {
    lookout.watch(ending.signal)
    while (!ending.signal.aborted) {
      await rung(bell, ending.signal)
      if (!ending.signal.aborted) last = await show()
    }
  }
  return last.conclusions.some(({ address }) => address !== null) ? 'settled' : 'unreached'
}

/** Hints come in bursts, and each survey asks everybody. */
const BURST = 2000

async function rung(bell: { ring: () => void }, signal: AbortSignal): Promise<void> {
  await new Promise<void>((done) => {
    bell.ring = done
    signal.addEventListener('abort', () => done(), { once: true })
  })
  await sleep(BURST, undefined, { signal }).catch(() => undefined)
}

interface Shown extends Survey {
  readonly wouldSend: readonly { readonly hostname: string; readonly says: string }[]
}

async function shownBy(settings: Settings, lookout: Lookout, asker: Asker): Promise<Shown> {
  const found = await surveyed(settings, lookout, asker)
  return { ...found, wouldSend: await wishes(settings, found.conclusions) }
}

interface Asker extends Questions {
  readonly signal: AbortSignal
}

/** Asks every source at once. */
export async function surveyed(
  settings: Settings,
  lookout: Lookout,
  asker: Asker,
): Promise<Survey & { readonly answers: readonly Answer[] }> {
  const witnesses = lookout.witnessesOf(settings.accounts[0]?.server ?? '')
  const { families } = settings.config
  const answers = await Promise.all(
    witnesses.flatMap((witness) =>
      families
        .filter((family) => witness.families.includes(family))
        .map(async (family) => answerOf(witness, family, asker)),
    ),
  )
  const voices = Object.fromEntries(
    families.map((family) => [family, settings.config.agreement === 'one' ? 1 : voicesOf(witnesses, family)]),
  )
  return { ...survey(answers, voices), answers }
}

async function answerOf(witness: Witness, family: Family, { ask, signal }: Asker): Promise<Answer> {
  const start = performance.now()
  const looked = witness.look(family, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]))
  const sighting = await ask(witness.name, looked, () => TOO_LATE)
  return { witness, family, sighting, took: milliseconds(performance.now() - start) }
}

const TOO_LATE = { kind: 'unknown', because: 'it did not answer in time' } as const

/** What a daemon would do about it, from what is remembered. */
async function wishes(settings: Settings, conclusions: readonly Conclusion[]): Promise<Shown['wouldSend']> {
  if (settings.accounts.length === 0) return []
  const { charges, memory } = keptBy(settings)
  const state = await memory.load().catch(() => undefined)
  if (state === undefined) return []
  return charges.flatMap(({ plan }) =>
    plan.hostnames.map((hostname) => {
      const { confirmed } = hostOf(accountOf(state, plan.account), hostname)
      const news = conclusions.filter(
        ({ family, address }) =>
          address !== null && plan.families.includes(family) && confirmed[family] !== address,
      )
      const says =
        news.length === 0
          ? 'nothing would be sent; what was found is confirmed, or nothing was found'
          : `${news.map(({ address }) => address).join(' and ')} would be sent, because ${news.map(({ family }) => confirmed[family] ?? 'nothing').join(' and ')} is confirmed`
      return { hostname, says }
    }),
  )
}
