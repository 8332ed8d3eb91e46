import { after, between, milliseconds, minutes, seconds } from '../../shared/base/time.ts'
import { steadyClock } from '../../shared/platform/clock/clock.ts'
import { isRendered } from './answer.ts'
import type { NotifiedZone } from './notify.ts'
import type { PublishSettings, Secondary } from './settings.ts'
import type { Store } from '../store/store.ts'
import type { Served } from './notify-sender.ts'
import { notifiedZone } from './unnotified.ts'

/** Zones whose serial one secondary is asked for at the same time. */
const AT_ONCE = 32
/** The pause after them, times what they took: requests go first, of which some wait for a start. */
const PAUSE = 8
/** In milliseconds: a lost datagram says nothing about this host. */
const MAX_TOOK = 50
/** Zones that are read together. */
const PAGE_SIZE = 512
/** After all zones were compared: a database may have failed over to an older one. */
const COMPARE_INTERVAL = minutes(10)
/** After a secondary that said nothing. */
const SILENT_INTERVAL = seconds(10)

export interface ComparisonParts {
  readonly store: Store
  readonly settings: () => PublishSettings
  readonly ending: AbortSignal
  readonly ask: (secondary: Secondary, zone: NotifiedZone) => Promise<Served>
  /** What the secondary serves of a zone is not what this service has, or it is one that may be unnotified. */
  readonly onCompared: (secondary: Secondary, zone: NotifiedZone, serial: number | undefined) => void
  /** Called after each pass over all zones. */
  readonly onComparedAll: (secondary: Secondary) => void
}

/**
 * Compares what a secondary serves with what this service has: first the zones that it may not have been told of, and
 * then all of them, now and then. A question for the serial costs both sides less than a NOTIFY does. One that signs
 * serves serials of its own: it is asked whether it has each zone.
 */
export async function keepComparing(
  secondary: Secondary,
  unnotified: readonly NotifiedZone[],
  parts: ComparisonParts,
): Promise<void> {
  const { ending, onCompared } = parts
  // One that answers no question may take NOTIFY all the same.
  if (secondary.signs || !(await compare(secondary, unnotified, parts)))
    unnotified.forEach((zone) => onCompared(secondary, zone, undefined))
  while (!ending.aborted) {
    // A store that cannot be read is compared later.
    const hasAnswered = await compareAll(secondary, parts).catch(() => false)
    if (hasAnswered) parts.onComparedAll(secondary)
    await steadyClock.sleep(
      after(steadyClock.now(), hasAnswered ? COMPARE_INTERVAL : SILENT_INTERVAL),
      ending,
    )
  }
}

/** False if the secondary says nothing. */
async function compareAll(secondary: Secondary, parts: ComparisonParts): Promise<boolean> {
  const { store, settings, ending } = parts
  const differing: ComparisonParts = {
    ...parts,
    onCompared: (one, zone, serial) => {
      const isSame = secondary.signs ? serial !== undefined : serial === zone.serial
      if (!isSame) parts.onCompared(one, zone, serial)
    },
  }
  for (let last = -1; !ending.aborted; ) {
    const page = await store.read(async (r) => r.publishedZones(last, PAGE_SIZE))
    const zones = page.filter(isRendered).map((zone) => notifiedZone(zone, settings()))
    if (!(await compare(secondary, zones, differing))) return false
    const end = page.at(-1)
    if (end === undefined) break
    last = end.id
  }
  return true
}

/** False if the secondary says nothing; the rest of the zones is not compared then. */
async function compare(
  secondary: Secondary,
  zones: readonly NotifiedZone[],
  { ask, onCompared, ending }: ComparisonParts,
): Promise<boolean> {
  for (let at = 0; at < zones.length && !ending.aborted; at += AT_ONCE) {
    const asked = zones.slice(at, at + AT_ONCE)
    const began = steadyClock.now()
    const answers = await Promise.all(asked.map(async (zone) => ask(secondary, zone)))
    if (answers.every((one) => one === undefined)) return false
    // A missing answer counts as a missing zone, so the secondary gets a NOTIFY.
    for (const [n, zone] of asked.entries()) onCompared(secondary, zone, answers[n]?.serial)
    if (at + AT_ONCE >= zones.length) break
    const took = Math.min(between(began, steadyClock.now()), MAX_TOOK)
    await steadyClock.sleep(after(steadyClock.now(), milliseconds(took * PAUSE)), ending)
  }
  return true
}
