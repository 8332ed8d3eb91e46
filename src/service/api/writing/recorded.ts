import { fqdnOf } from '../../model/dns-name.ts'
import type { Name, Zone } from '../../model/tree.ts'
import { type TrailChange, type TrailEntry, trailOf } from '../../model/trail.ts'
import type { ZonePolicy } from '../../store/records.ts'
import type { StoreReads, StoreWrites } from '../../store/store.ts'
import type { Instant } from '../../../shared/base/time.ts'
import type { ErrorName } from '../../model/errors.ts'
import type { Caller } from '../../rules/permission.ts'
import type { HandlerResult, RequestContext, Success } from '../request/context.ts'
import type { RequestFaultName } from '../request/faults.ts'

/** What was changed through a recording store. */
interface Recording {
  readonly store: StoreWrites
  /** Each changed RRSet, and names and zones that come and go; `subject` stands for a change of anything else. */
  changes(subject: string): readonly TrailChange[]
}

/** Writes that have no RRSets; the operation and its subject tell what was changed. */
// biome-ignore format: a list
const OTHERS = [
  'addZone', 'setZoneMetadata', 'addKey', 'changeKey', 'removeKey', 'setTargets', 'addApiKey', 'changeApiKey',
  'removeApiKey', 'addTsigKey', 'changePassword', 'removeTsigKey', 'removeSession', 'addFactor', 'useFactor',
  'removeFactor', 'removeAccount', 'changeAccount', 'changePlan', 'addPlan', 'addCode', 'removeCode',
  'removeFactors', 'blockKey', 'blockName', 'unblock', 'putFailures', 'needFactor', 'removeOtherSessions',
] as const

/** Writes whose RRSets, names and zones are noted: the methods below. */
type Noted = 'saveName' | 'renameName' | 'removeName' | 'changeZone' | 'removeZone'
/** Members of the writes that change nothing. */
// biome-ignore format: a list
type Reads =
  | 'accountNamed' | 'accountOfSanction' | 'aliased' | 'aliasesOf' | 'allTsigKeys' | 'countNames'
  | 'countPasswordUpdaters' | 'countUnpublished' | 'databaseIdentity' | 'dirtyNames' | 'factOr'
  | 'flushedZone' | 'lockOfDraft' | 'namesFrom' | 'planNamed' | 'planOf' | 'publishedOf' | 'sealedFactors'
  | 'storedStates' | 'zonesBeneath'
/** Writes that `holdfast admin`, an update or a link makes; they record their own entries. */
// biome-ignore format: a list
type OfOtherDoors =
  | 'addAccount' | 'addName' | 'attach' | 'confirmEmail' | 'liftSanctions' | 'lockKey' | 'lockName'
  | 'setAccountPassword' | 'setApexNameservers' | 'setMember' | 'setOffline' | 'setSingleValue' | 'setValue'
  | 'transferZone' | 'unlockSanctions'
/** What the service notes for itself: sessions, counts, publishing, drafts, the trail. */
// biome-ignore format: a list
type Internal =
  | 'addDraft' | 'addEvent' | 'addOperatorChange' | 'addSession' | 'addSignIn' | 'addStep' | 'addTrail'
  | 'changeDraft' | 'coverSanctions' | 'deferAliases' | 'deferNamesFrom' | 'endProofs' | 'fillDraft'
  | 'forgetSanctions' | 'growDraft' | 'noteUpdate' | 'passBlock' | 'pruneJournal' | 'pruneTrail'
  | 'putNochgs' | 'putSanction' | 'putUsage' | 'raiseLostSerials' | 'raiseSerial' | 'raiseSerialsAfter'
  | 'rehashApiKey' | 'removeCodesOf' | 'removeFact' | 'removeOperatorChanges' | 'renewSession'
  | 'replaceByDraft' | 'replacePublished' | 'resealFactor' | 'resealTsigKey' | 'retryStuck' | 'setDirty'
  | 'setFact' | 'setMailed' | 'setProved' | 'setPublished' | 'setStuck' | 'sweepHidden' | 'takeCode'
  | 'touchApiKey' | 'touchSession' | 'touchTsigKey' | 'touchZone'
type Listed = (typeof OTHERS)[number] | Noted | Reads | OfOtherDoors | Internal
type Unlisted = Exclude<Exclude<keyof StoreWrites, keyof StoreReads>, Listed>
/** A new write that is in none of the lists does not compile, so that none passes the trail by accident. */
export const ALL_WRITES_ARE_LISTED: [Unlisted] extends [never] ? true : Unlisted = true
/** The same store; what is changed through it is noted, so that no operation can forget it. */
function recorded(store: StoreWrites): Recording {
  const noted: TrailChange[] = []
  const zoneNames = new Map<number, string>()
  let hasOthers = false
  const note = async (zoneId: number, before: Name | undefined, after: Name | undefined): Promise<void> => {
    const zoneName = zoneNames.get(zoneId) ?? (await store.zoneRules(zoneId))?.name ?? ''
    zoneNames.set(zoneId, zoneName)
    const changes = trailOf(zoneName, before, after)
    noted.push(...changes)
    const name = after ?? before
    if (changes.length === 0 && name !== undefined && stateOf(before) !== stateOf(after))
      noted.push({ subject: fqdnOf(name.name, zoneName) })
  }
  const methods: Partial<StoreWrites> = {
    async saveName(name, now, before) {
      const stored =
        before ?? (name.id === undefined ? undefined : await store.nameAt(name.zoneId, name.name))
      await store.saveName(name, now, before)
      await note(name.zoneId, stored, name)
    },
    async renameName(name, to, now) {
      await store.renameName(name, to, now)
      await note(name.zoneId, name, undefined)
      await note(name.zoneId, undefined, { ...name, name: to })
    },
    async removeName(name, now) {
      await store.removeName(name, now)
      await note(name.zoneId, name, undefined)
    },
    async changeZone(zoneId, values) {
      const rules = await store.zoneRules(zoneId)
      const zone = rules && (await store.zoneNamed(rules.name))
      await store.changeZone(zoneId, values)
      const isOwners = values.description !== undefined || values.defaultTtl !== undefined
      if (zone !== undefined && isOwners) noted.push(zoneChanged(zone, values))
    },
    async removeZone(zoneId) {
      const [zone, names] = [await store.zoneRules(zoneId), await store.countNames(zoneId)]
      const stored = zone && (await store.zoneNamed(zone.name))
      await store.removeZone(zoneId)
      if (stored !== undefined) noted.push(zoneGone(stored, names))
    },
  }
  const others = OTHERS.map((method): [string, unknown] => [
    method,
    (...args: readonly unknown[]): unknown => {
      hasOthers = true
      return (store[method] as (...all: readonly unknown[]) => unknown)(...args)
    },
  ])
  return {
    store: { ...store, ...(Object.fromEntries(others) as Partial<StoreWrites>), ...methods },
    changes: (subject) => (noted.length > 0 ? noted : hasOthers ? [{ subject }] : []),
  }
}

/** A removal of a zone, with all of its names, is one entry. */
const zoneGone = ({ name, serial }: Zone, names: number): TrailChange => ({
  subject: name,
  before: `${names} names, serial ${serial}`,
})

/** What its owner sets of a zone. */
function zoneChanged(zone: Zone, values: Partial<ZonePolicy>): TrailChange {
  const textOf = ({ description, defaultTtl }: Partial<ZonePolicy>): string =>
    JSON.stringify({
      ...(values.description !== undefined && { description }),
      ...(values.defaultTtl !== undefined && { default_ttl: defaultTtl }),
    })
  return { subject: zone.name, before: textOf(zone), after: textOf(values) }
}

/** What a name has besides its records. */
const stateOf = (name: Name | undefined): string =>
  JSON.stringify([
    name === undefined,
    name?.isOffline,
    name?.offlineSettings,
    name?.metadata,
    name?.updateGroup,
    name?.rrsets.map(({ dnsType, metadata, rdata }) => [dnsType, metadata, rdata]),
  ])

interface TrailedWork<R> {
  readonly entry: Omit<TrailEntry, 'subject'>
  readonly work: (store: StoreWrites) => Promise<R>
  /** What a change is of that has no RRSets. */
  readonly subjectOf: (done: Pick<Success, 'data'>) => string
}

/** Does a change in the transaction, and notes what it changed in the trail; nothing where it was refused. */
export async function withTrail<R extends HandlerResult<ErrorName, RequestFaultName>>(
  w: StoreWrites,
  { entry, work, subjectOf }: TrailedWork<R>,
): Promise<{ readonly result: R; readonly changes: readonly TrailChange[] }> {
  const recording = recorded(w)
  const result = await work(recording.store)
  if (!('status' in result)) return { result, changes: [] }
  const changes = recording.changes(subjectOf(result))
  await w.addTrail(changes.map((change) => ({ ...entry, ...change })))
  return { result, changes }
}

/** Who made a change, from where. */
export const trailHead = (
  { account, apiKeyId, tsigKey }: Pick<Caller, 'account' | 'apiKeyId' | 'tsigKey'>,
  { at, peer, operation }: { readonly at: Instant; readonly peer: string; readonly operation: string },
): Omit<TrailEntry, 'subject'> => ({
  at,
  accountId: account.id,
  isUpdate: false,
  actor: actorOf(account.name, apiKeyId, tsigKey),
  peer,
  operation,
})

function actorOf(account: string, apiKeyId: number | undefined, tsigKey: string | undefined): string {
  if (tsigKey !== undefined) return `TSIG key ${tsigKey}`
  return apiKeyId === undefined ? `account ${account}` : `API key ${apiKeyId}`
}

/** What a request changed: the values of its path, else what it made, else the account. */
export function requestSubject(
  { caller, params, body }: Pick<RequestContext, 'caller' | 'params' | 'body'>,
  data: unknown,
): string {
  const made = { ...(body as object | undefined), ...(data as object | undefined) } as Readonly<
    Record<string, unknown>
  >
  const named = [made['zone_name'], made['name'], made['username']].filter((one) => typeof one === 'string')
  const all = [...Object.values(params), ...named]
  if (all.length > 0) return all.join(' ')
  // An API key has no name.
  return typeof made['id'] === 'number' ? String(made['id']) : caller.account.name
}
