import { setTimeout as sleep } from 'node:timers/promises'
import type { AddressDetection } from '../app/client/address-detection.ts'
import { addressDetection } from '../app/client/detection.ts'
import { userAgentOf } from '../app/client/jobs.ts'
import { savedState } from '../app/client/saved-state.ts'
import { type ResolvedSettings, readSettings } from '../app/client/settings.ts'
import { type Asker, surveySources } from '../app/client/survey.ts'
import type { Exit } from '../app/exit-codes.ts'
import type { Flags } from '../app/flags.ts'
import { outputGone } from '../app/streams.ts'
import { accountOf, hostOf } from '../client/decide/state.ts'
import { type Conclusion, type Survey, saySurvey } from '../client/report/survey.ts'
import { fail, print, printJson } from './output.ts'
import { askInParallel } from './parallel-questions.ts'
import { onSignals } from './signals.ts'

/** `holdfast detect`: every source by itself, side by side; what they come to; and what would be sent because of it. */
export async function detectCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  const settings = await readSettings(flags, 'nothing')
  if (!settings.ok) return fail(settings.error, asJson)
  const bell = { ring: (): void => undefined }
  const ending = new AbortController()
  const detection = addressDetection(settings.value, {
    userAgent: userAgentOf(settings.value),
    tell: () => undefined,
    wake: () => bell.ring(),
    published: () => [],
    end: ending.signal,
  })
  onSignals(() => ending.abort())
  outputGone.addEventListener('abort', () => ending.abort())
  const show = async (): Promise<Shown> => {
    const shown = await askInParallel(asJson, async ({ ask }) =>
      shownBy(settings.value, detection, { ask, signal: ending.signal }),
    )
    if (asJson) printJson(shown)
    else print(...saySurvey(shown), ...shown.wouldSend.map(({ hostname, says }) => `${hostname}: ${says}`))
    return shown
  }
  let last = await show()
  if (flags['watch'] === true) {
    detection.watch(ending.signal)
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

async function shownBy(
  settings: ResolvedSettings,
  detection: AddressDetection,
  asker: Asker,
): Promise<Shown> {
  const found = await surveySources(settings, detection, asker)
  return { ...found, wouldSend: await wishes(settings, found.conclusions) }
}

/** What a daemon would do about it, from what is remembered. */
async function wishes(
  settings: ResolvedSettings,
  conclusions: readonly Conclusion[],
): Promise<Shown['wouldSend']> {
  if (settings.accounts.length === 0) return []
  const { jobs, memory } = savedState(settings)
  const state = await memory.load().catch(() => undefined)
  if (state === undefined) return []
  return jobs.flatMap(({ desired }) =>
    desired.hostnames.map((hostname) => {
      const { confirmed } = hostOf(accountOf(state, desired.account), hostname)
      const news = conclusions.filter(
        ({ family, address }) =>
          address !== null && desired.families.includes(family) && confirmed[family] !== address,
      )
      const says =
        news.length === 0
          ? 'nothing would be sent; what was found is confirmed, or nothing was found'
          : `${news.map(({ address }) => address).join(' and ')} would be sent, because ${news.map(({ family }) => confirmed[family] ?? 'nothing').join(' and ')} is confirmed`
      return { hostname, says }
    }),
  )
}
