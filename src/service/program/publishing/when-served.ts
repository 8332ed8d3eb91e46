import { after, type Instant, milliseconds } from '../../../shared/base/time.ts'
import { steadyClock } from '../../../shared/platform/clock/clock.ts'
import type { ChangedNames } from '../../api/request/context.ts'
import type { Secondary } from '../../publish/settings.ts'
import { isNewer } from '../../publish/soa.ts'
import type { Store } from '../../store/store.ts'
import { type Served, served } from '../../publish/notify-sender.ts'
import { whenPublished } from './updates.ts'

/** In milliseconds, for all name servers: a certificate authority asks whichever it likes. */
const MAX_WAIT = 20_000
/** In milliseconds: a server that has not answered for as long is not waited for. */
const SILENT_AFTER = 60_000
const ASK_INTERVAL = milliseconds(200)

interface ServedParts {
  readonly store: Store
  readonly secondaries: readonly Secondary[]
  readonly ending: AbortSignal
  /** What a name server serves; undefined without an answer. */
  readonly ask?: (secondary: Secondary, apex: string) => Promise<Served>
}

/**
 * Resolves when our own answers have a change of names, and every secondary serves its serial; or after `MAX_WAIT`. One that
 * signs the zone has serials of its own (decision 0058).
 */
export function servedEverywhere({ store, secondaries, ending, ...parts }: ServedParts) {
  const ask = parts.ask ?? (async (secondary, apex) => served(secondary, apex, { ending }))
  const waited = secondaries.filter(({ signs }) => !signs)
  /** Since when a name server has not answered, by its name. */
  const silentSince = new Map<string, number>()
  const isGivenUp = ({ name }: Secondary): boolean =>
    steadyClock.now() - (silentSince.get(name) ?? Infinity) > SILENT_AFTER
  const untilServed = async (
    secondary: Secondary,
    { apex, serial }: AwaitedSerial,
    until: Instant,
  ): Promise<void> => {
    while (steadyClock.now() < until && !ending.aborted) {
      const isSilent = isGivenUp(secondary)
      const found = await ask(secondary, apex)
      if (found !== undefined) silentSince.delete(secondary.name)
      else if (!silentSince.has(secondary.name)) silentSince.set(secondary.name, steadyClock.now())
      const isThere = found?.serial !== undefined && !isNewer(serial, found.serial)
      if (isThere || (found === undefined && isSilent)) return
      await steadyClock.sleep(after(steadyClock.now(), ASK_INTERVAL), ending)
    }
  }
  return async ({ zoneId, apex, names }: ChangedNames): Promise<void> => {
    await whenPublished({ store, ending }, zoneId, names)
    const zone = await store.read(async (r) => r.publishedZone(apex)).catch(() => undefined)
    if (zone === undefined) return
    const until = after(steadyClock.now(), milliseconds(MAX_WAIT))
    await Promise.all(
      waited.map(async (secondary) => untilServed(secondary, { apex, serial: zone.serial }, until)),
    )
  }
}

interface AwaitedSerial {
  readonly apex: string
  readonly serial: number
}
