import { after, instant, type Instant, milliseconds, seconds } from '../../../shared/base/time.ts'
import type { ZoneReplacement } from '../../api/request/context.ts'
import { mergedName } from '../../api/zones/merged-names.ts'
import type { Name, Zone } from '../../model/tree.ts'
import type { DraftChange } from '../../store/bulk.ts'
import type { Store, StoreWrites } from '../../store/store.ts'
import { type BulkClocks, StepPace } from './sweeper.ts'

/** An import that does not renew it is given up after this. */
const LEASE = seconds(60)
const lease = ({ day }: BulkClocks): Instant => after(day.now(), LEASE)

const LOOK_INTERVAL = milliseconds(100)
/** Looks without progress: no service runs that renders names, and one that starts later does it; or it has stopped. */
const MAX_IDLE_LOOKS = { first: 15, later: 50 } as const

/** Why the content of a zone was not replaced; nothing was changed then. `gone`: the zone is. */
export type NotReplaced = 'gone' | 'locked' | 'another import' | 'not rendered'

/** How many times concurrent changes are rendered before the zone is replaced. */
const MAX_CATCH_UPS = 5

interface DraftOptions {
  readonly clocks: BulkClocks
  /** Does one step, when it is its turn. */
  readonly inTurn?: <T>(step: () => Promise<T>) => Promise<T>
  /** In the transaction in which readers see the new content: the zone as it is then. */
  readonly record: (w: StoreWrites, replaced: Zone) => Promise<void>
}

/**
 * Makes the names the content of the zone, at one moment, in steps that are short: a service goes on meanwhile (decision
 * 0050).
 */
export async function replaceContent(
  store: Store,
  replacement: Pick<ZoneReplacement, 'zone' | 'stored' | 'names' | 'prints'>,
  { clocks, inTurn = async (step) => step(), record }: DraftOptions,
): Promise<'replaced' | NotReplaced> {
  const { zone, names } = replacement
  const draft = await inTurn(async () =>
    store.write(async (w) => w.addDraft(zone.id, lease(clocks), clocks.day.now())),
  )
  if (draft === undefined) return 'another import'
  const giveUp = async (): Promise<unknown> =>
    store.write(async (w) => w.fillDraft(draft, [], instant(0))).catch(() => false)
  const replace = async (): Promise<'replaced' | NotReplaced> => {
    if (!(await isFilled(store, { draft, names }, { clocks, inTurn }))) return 'gone'
    const meanwhile = new Meanwhile(replacement)
    for (let nth = 1; ; nth++) {
      if (!(await isRendered(store, draft, clocks))) return 'not rendered'
      const outcome = await inTurn(async () =>
        store.write(async (w): Promise<'replaced' | DraftChanges | NotReplaced> => {
          if ((await w.lockOfDraft(draft)) === undefined) return 'gone'
          const late = await meanwhile.takenInto(w, draft, lease(clocks))
          if (typeof late === 'string') return late
          // Where others change the zone all the time, the last names are rendered a moment after the others.
          if (late.count > 0 && nth <= MAX_CATCH_UPS) return late
          await w.replaceByDraft(draft, clocks.day.now())
          const replaced = await w.zoneNamed(zone.name)
          if (replaced !== undefined) await record(w, replaced)
          return 'replaced'
        }),
      )
      if (typeof outcome === 'string') return outcome
      outcome.end()
    }
  }
  try {
    const outcome = await replace()
    if (outcome !== 'replaced') await giveUp()
    return outcome
  } catch (error) {
    await giveUp()
    throw error
  }
}

interface DraftChanges {
  /** Of names that have changed. */
  readonly count: number
  readonly end: () => void
}

/**
 * What others change in the zone while its draft is filled. A zone that lives would never be replaced if an import began
 * again for each change, so only the names that changed are planned again.
 */
class Meanwhile {
  readonly #zoneId: number
  readonly #before: ReadonlyMap<string, Name>
  readonly #planned: ReadonlyMap<string, Name>
  #prints: ReadonlyMap<string, string>

  constructor({
    zone,
    stored,
    names,
    prints,
  }: Pick<ZoneReplacement, 'zone' | 'stored' | 'names' | 'prints'>) {
    this.#zoneId = zone.id
    this.#before = new Map(stored.map((name) => [name.name, name]))
    this.#planned = new Map(names.map((name) => [name.name, name]))
    this.#prints = prints
  }

  /** Takes what has changed since the last look into the draft. `end` ends the look when the changes are durable. */
  async takenInto(w: StoreWrites, draft: number, until: Instant): Promise<DraftChanges | 'gone' | 'locked'> {
    const prints = await w.zonePrints(this.#zoneId)
    const names = new Set([...prints.keys(), ...this.#prints.keys()])
    const changed = [...names].filter((name) => prints.get(name) !== this.#prints.get(name))
    if (changed.length === 0) return { count: 0, end: () => undefined }
    const current = new Map((await w.namesAt(this.#zoneId, changed)).map((name) => [name.name, name]))
    const changes: DraftChange[] = []
    for (const name of changed) {
      const [before, planned] = [this.#before.get(name), this.#planned.get(name)]
      const merged = mergedName({ before, planned, current: current.get(name) })
      if ('refused' in merged) return 'locked'
      changes.push({ name, to: merged.name })
    }
    if (!(await w.changeDraft(draft, changes, until))) return 'gone'
    // The transaction may run again.
    return { count: changed.length, end: () => (this.#prints = prints) }
  }
}

interface StoredDraft extends Pick<ZoneReplacement, 'names'> {
  readonly draft: number
}

/** False if the draft was given up, or its zone is gone. */
async function isFilled(
  store: Store,
  { draft, names }: StoredDraft,
  { clocks, inTurn }: Required<Pick<DraftOptions, 'clocks' | 'inTurn'>>,
): Promise<boolean> {
  const pace = new StepPace(store, clocks.steady)
  for (let at = 0; at < names.length; ) {
    const added = await inTurn(async () =>
      pace.take(async (rows) => {
        const part = names.slice(at, at + rows)
        return (await store.write(async (w) => w.fillDraft(draft, part, lease(clocks)))) ? part.length : 0
      }),
    )
    if (added === 0) return false
    at += added
  }
  return true
}

/**
 * Waits until the service has rendered the names, so that name servers get all of them at one moment too. False if it began,
 * and has stopped.
 */
async function isRendered(store: Store, draft: number, clocks: BulkClocks): Promise<boolean> {
  let [least, maxIdle]: [number, number] = [Infinity, MAX_IDLE_LOOKS.first]
  for (let idle = 0; idle < maxIdle; idle++) {
    const left = await store.write(async (w) => {
      // The replacement fails then.
      if (!(await w.fillDraft(draft, [], lease(clocks)))) return 0
      return w.countUnpublished(draft)
    })
    if (left === 0) return true
    if (left < least && least !== Infinity) [idle, maxIdle] = [0, MAX_IDLE_LOOKS.later]
    least = Math.min(least, left)
    await clocks.steady.sleep(after(clocks.steady.now(), LOOK_INTERVAL))
  }
  return maxIdle === MAX_IDLE_LOOKS.first
}
