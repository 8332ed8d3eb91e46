import { type Instant, instant, minutes } from '../../shared/base/time.ts'
import { RCODES } from '../../shared/dns/types.ts'
import type { UpdateMessage } from '../../shared/dns/update-request.ts'
import { type ErrorName, ERRORS, type Refusal, refuse } from '../model/errors.ts'
import { APEX, relativeTo } from '../model/dns-name.ts'
import { type Name, type RRSet, rrsetOf, type Zone } from '../model/tree.ts'
import { MAX_CHANGES } from '../api/request/limits.ts'
import { RRSET_CHANGES } from '../api/openapi/request-schemas.ts'
import type { Whole } from '../api/openapi/schemas.ts'
import { changeRRSets } from '../api/records/batch.ts'
import type { ApiService, HandlerResult, RequestContext } from '../api/request/context.ts'
import { trailHead, withTrail } from '../api/writing/recorded.ts'
import type { PublishSettings } from '../publish/settings.ts'
import { soaRecord } from '../publish/soa.ts'
import { storedRecords } from '../publish/stored-records.ts'
import { type Caller, isNameInScope, ttlBounds } from '../rules/permission.ts'
import { nameChangeFault, zoneChangeFault } from '../rules/change.ts'
import type { PublishedZone } from '../store/published.ts'
import type { StoreWrites } from '../store/store.ts'
import { changeFormFault, changesOf, type ChangingName, type ChangingSet } from './changes.ts'
import { prerequisiteFault } from './prerequisites.ts'
import { MAX_TTL } from '../model/draft.ts'
import type { DnsType } from '../model/rdata/types.ts'

/** One change of a PATCH of the zone, as its body has it. */
interface PatchItem {
  readonly name: string
  readonly dns_type: DnsType
  readonly ttl?: number
  readonly rdata: readonly { readonly value: string; readonly label?: string }[]
}

/** TTLs that are allowed, in seconds. */
interface TtlBounds {
  readonly fixed: number | undefined
  readonly min: number
}

/** What differs from the stored name, as changes of a PATCH. */
function patchItems(
  name: string,
  {
    stored,
    sets,
    ttl,
  }: { readonly stored: Name | undefined; readonly sets: ChangingName; readonly ttl: TtlBounds },
): readonly PatchItem[] {
  const removed = (stored?.rrsets ?? []).filter(({ dnsType }) => !sets.has(dnsType))
  const kept = [...sets].flatMap(([dnsType, set]): PatchItem[] => {
    const before = stored && rrsetOf(stored, dnsType)
    const next = { ...set, ttl: allowedTtl(set.ttl, ttl) }
    if (before !== undefined && isSameSet(before, set, next.ttl)) return []
    return [{ name, dns_type: dnsType, ttl: next.ttl, rdata: labelledValues(before, next.values) }]
  })
  return [...removed.map(({ dnsType }): PatchItem => ({ name, dns_type: dnsType, rdata: [] })), ...kept]
}

/** An UPDATE cannot leave the TTL out, so one that is not allowed is a wish: the nearest is stored (decision 0056). */
const allowedTtl = (ttl: number, { fixed, min }: TtlBounds): number =>
  fixed ?? Math.min(MAX_TTL, Math.max(min, ttl))

/** A set that was not changed keeps a TTL that is not allowed any more. */
const isSameSet = (before: RRSet, { ttl, values }: ChangingSet, allowed: number): boolean =>
  (ttl === before.ttl || allowed === before.ttl) &&
  values.length === before.rdata.length &&
  before.rdata.every(({ value }) => values.includes(value))

/** A new value gets the label of one that goes: a DDNS key that may change the record keeps it. */
function labelledValues(before: RRSet | undefined, values: readonly string[]): PatchItem['rdata'] {
  const free = (before?.rdata ?? []).filter(({ value }) => !values.includes(value)).map(({ label }) => label)
  const isStored = (value: string): boolean => before?.rdata.some((one) => one.value === value) === true
  return values.map((value) => {
    const label = isStored(value) ? undefined : free.shift()
    return { value, ...(label !== undefined && { label }) }
  })
}

/** A signed message, and what it is applied with. */
interface SignedUpdate {
  readonly message: UpdateMessage
  /** Of its signature: a message is applied once. */
  readonly mac: Uint8Array
  readonly caller: Caller
  readonly peer: string
  readonly now: Instant
  readonly service: ApiService
  readonly settings: PublishSettings
}

/** `because`: for people, such as the title of an error. */
export interface UpdateResult {
  readonly rcode: number
  readonly because?: string
  /** What was changed, and is to be published. */
  readonly changed?: { readonly zoneId: number; readonly zone: string; readonly names: readonly string[] }
}

/** The operation of the trail and of the log. */
export const UPDATE_OPERATION = 'UPDATE'

/**
 * How long a message is known: it is valid for its fudge before and after its time, of which at most `MAX_FUDGE` counts
 * (RFC 8945 §5.2.3), and clocks differ.
 */
export const MAX_FUDGE = minutes(5)
const KNOWN_FOR = minutes(15)

/** A message in the transaction: each phase adds what the later ones need. */
interface Applying extends SignedUpdate {
  readonly w: StoreWrites
  /** A change of the zone waits for this one: what is read from here on stays. */
  readonly zone: Zone
  readonly published: PublishedZone
  /** Of the changes, relative to the zone. */
  readonly names: readonly string[]
  stored: ReadonlyMap<string, Name>
}

/** What ends a message in its zone; undefined where it goes on. */
type ZonePhase = (applying: Applying) => UpdateResult | undefined | Promise<UpdateResult | undefined>

/** The checks of a message in its zone, in their order. */
// biome-ignore format: a table
const ZONE_PHASES: readonly (readonly [name: string, phase: ZonePhase])[] = [
  ['the zone: locked, of others (REFUSED, NOTAUTH)',                               checkZone],
  ['the prerequisites, by what would be published (RFC 2136 §3.2)',                checkPrerequisites],
  ['the form of the changes (RFC 2136 §3.4.1)',                                    checkChanges],
  ['the names: an answer after this would tell of names of others (REFUSED)',      checkNames],
  ['the change, by the rules of /v1 (REFUSED)',                                    change],
]

/** Applies a message, all of it or nothing (RFC 2136 §3.4.2.7), and notes it; one that was noted before changes nothing. */
export async function applyUpdate(w: StoreWrites, update: SignedUpdate): Promise<UpdateResult> {
  const { mac, now, message } = update
  const known = await w.handledUpdate(mac)
  if (known !== undefined) return { rcode: known }
  const result = await appliedTo(w, update)
  // Without a change to make it has nothing to do another time.
  if (message.updates.length > 0)
    await w.noteUpdate({ mac, rcode: result.rcode }, { now, oldest: instant(now - KNOWN_FOR) })
  return result
}

async function appliedTo(w: StoreWrites, update: SignedUpdate): Promise<UpdateResult> {
  const { question, updates } = update.message
  const zone = await w.zoneNamed(question.name)
  const published = zone && (await w.publishedZone(question.name))
  if (zone === undefined || published === undefined)
    return { rcode: RCODES.NOTAUTH, because: 'this service has no such zone' }
  const names = [...new Set(updates.map(({ name }) => relativeTo(name, question.name) ?? APEX))]
  const applying: Applying = { ...update, w, zone, published, names, stored: new Map() }
  for (const [, phase] of ZONE_PHASES) {
    const end = await phase(applying)
    if (end !== undefined) return end
  }
  return { rcode: RCODES.NOERROR }
}

function checkZone({ caller, zone }: Applying): UpdateResult | undefined {
  const refusal = zoneChangeFault(caller, zone)
  return refusal && refusedBy([refusal])
}

/** A client asks the name server before it sends an UPDATE. */
async function checkPrerequisites({ w, message, settings, published: zone }: Applying) {
  const { prerequisites } = message
  if (prerequisites.length === 0) return undefined
  const { apex } = zone
  const names = [...new Set(prerequisites.flatMap(({ name }) => relativeTo(name, apex) ?? []))]
  const records = await storedRecords(w, { zone, names, settings })
  return codeAlone(
    prerequisiteFault(apex, prerequisites, (fqdn) => {
      const name = relativeTo(fqdn, apex) ?? APEX
      const own = records.get(name) ?? []
      return name === APEX ? [soaRecord(zone, settings), ...own] : own
    }),
  )
}

const codeAlone = (rcode: number | undefined): UpdateResult | undefined =>
  rcode === undefined ? undefined : { rcode }

function checkChanges({ zone, message }: Applying): UpdateResult | undefined {
  return codeAlone(changeFormFault(zone.name, message.updates))
}

async function checkNames(applying: Applying): Promise<UpdateResult | undefined> {
  const { w, caller, zone, names } = applying
  applying.stored = new Map((await w.namesAt(zone.id, names)).map((one) => [one.name, one]))
  const faults = names.flatMap((name) => accessFault(caller, zone, applying.stored.get(name) ?? name) ?? [])
  return faults.length > 0 ? refusedBy(faults) : undefined
}

async function change({
  w,
  zone,
  published,
  stored,
  ...update
}: Applying): Promise<UpdateResult | undefined> {
  const { caller, message } = update
  const zoneBefore = { apex: zone.name, serial: published.serial, nameAt: (name: string) => stored.get(name) }
  const changes = changesOf(zoneBefore, message.updates)
  if ('refusal' in changes) return refusedBy([changes.refusal])
  const ttl = ttlBounds({ caller, zone })
  const items = [...changes.names].flatMap(([name, sets]) =>
    patchItems(name, { stored: stored.get(name), sets, ttl }),
  )
  return items.length > 0 ? patched(w, update, { zone, items }) : undefined
}

/** A message that changes nothing may prove a key: it is refused where a change would be. */
const accessFault = (caller: Caller, zone: Zone, name: Name | string): Refusal | undefined => {
  const forbidden = 'nameChangeForbidden'
  if (typeof name !== 'string') return nameChangeFault(caller, zone, { name, forbidden })
  return caller.isReadOnly || !isNameInScope(caller, zone, name)
    ? refuse('nameCreateForbidden', 'the key is for other names, or for reading')
    : undefined
}

interface Patch {
  readonly zone: Zone
  readonly items: ReturnType<typeof patchItems>
}

/** By the rules, quotas and locks of `/v1`, and into its trail. */
async function patched(w: StoreWrites, update: SignedUpdate, { zone, items }: Patch): Promise<UpdateResult> {
  const { caller, now, service, peer } = update
  const context: Omit<RequestContext<Whole<typeof RRSET_CHANGES>>, 'store'> = {
    caller,
    operation: UPDATE_OPERATION,
    parameters: {},
    params: { zone_name: zone.name },
    query: {},
    body: items,
    form: RRSET_CHANGES,
    now,
    service,
  }
  const { result } = await withTrail<HandlerResult<ErrorName>>(w, {
    entry: trailHead(caller, { at: now, peer, operation: UPDATE_OPERATION }),
    work: async (store) => changeRRSets({ ...context, store }),
    subjectOf: () => zone.name,
  })
  if ('refusals' in result) return refusedBy(result.refusals)
  if ('malformed' in result)
    return {
      rcode: RCODES.REFUSED,
      because:
        items.length > MAX_CHANGES
          ? `the message changes ${items.length} RRsets; one may change ${MAX_CHANGES}`
          : (result.malformed[0]?.detail ?? 'refused'),
    }
  const names = [...new Set(items.map(({ name }) => name))]
  return { rcode: RCODES.NOERROR, changed: { zoneId: zone.id, zone: zone.name, names } }
}

/** Of what is refused, people are told the first title of the table of errors, with its detail. */
function refusedBy([first]: readonly Refusal[]): UpdateResult {
  const { meaning = 'refused' } = first === undefined ? {} : ERRORS[first.refused]
  const because = first?.detail === undefined ? meaning : `${meaning}: ${first.detail}`
  return { rcode: first?.refused === 'zoneNotFound' ? RCODES.NOTAUTH : RCODES.REFUSED, because }
}
