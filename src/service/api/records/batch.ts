import { type ErrorName, type Refusal, refuse } from '../../model/errors.ts'
import { asciiName, canonicalName, parentOf } from '../../model/dns-name.ts'
import { readReplacement, type ShapeFault } from '../../model/draft.ts'
import { type Name, rrsetOf, type Zone } from '../../model/tree.ts'
import { typeFault } from '../../rules/permission.ts'
import { type CreationFault, type ParentFault, parentFault } from '../../rules/creation.ts'
import type { QuotaFault } from '../../rules/quota.ts'
import type { StateFault } from '../../rules/state.ts'
import type { Named } from '../openapi/schemas.ts'
import { ignoredFields, isText, readBody } from '../request/body.ts'
import {
  ACCEPTED,
  DONE,
  type HandlerResult,
  refusedWith,
  type Refused,
  type RequestContext,
} from '../request/context.ts'
import { zoneToChange } from '../request/locate.ts'
import { creationFaultAt } from '../names/creation.ts'
import { changeFault } from './rrsets.ts'
import {
  isMissing,
  isSame,
  missing,
  replaced,
  type ReplacementFault,
  replacementFaults,
} from './replacement.ts'
import { groupedBy } from '../../store/values.ts'
import {
  changeWarnings,
  eachOf,
  firstFault,
  implicitName,
  isQuotaFault,
  saveAllChecked,
  warningReads,
  writtenRRSets,
} from '../writing/writing.ts'
import { type DnsType, isDnsType } from '../../model/rdata/types.ts'

type RRSetPatch = Named<'RRSetPatch'>

/** One change of a batch: `{name, dns_type, ttl?, rdata?, metadata?}`. */
interface BatchItem {
  /** In lower case, relative to the zone. */
  readonly name: string
  readonly dnsType: DnsType
  readonly fields: RRSetPatch
  /** JSON pointer to the change (RFC 6901). */
  readonly pointer: string
}

/** An empty list of Rdata removes the RRSet. */
const isRemoval = ({ fields }: Pick<BatchItem, 'fields'>): boolean =>
  Array.isArray(fields.rdata) && fields.rdata.length === 0

type TypeFault = 'typeOrRdataMissing' | 'typeUnsupported'

/** The places of the changes, or all faults in their types. */
function readItems(list: readonly RRSetPatch[]): readonly BatchItem[] | Refused<TypeFault> {
  const read = list.map((one, n) => readItem(one, `/${n}`))
  const faults = read.flatMap((one) => ('refused' in one ? [one] : []))
  return faults.length > 0 ? refusedWith(faults) : read.flatMap((one) => ('refused' in one ? [] : [one]))
}

function readItem(fields: RRSetPatch, pointer: string): BatchItem | Refusal<TypeFault> {
  const { name, dns_type: type } = fields
  const place = { location: 'body', pointer: `${pointer}/dns_type` } as const
  if (type === undefined) return refuse('typeOrRdataMissing', undefined, place)
  if (!isDnsType(type)) return refuse('typeUnsupported', undefined, place)
  return { name: asciiName(name).toLowerCase(), dnsType: type, fields, pointer }
}

type PlaceFault = CreationFault | ParentFault | 'nameOwned' | 'nameChangeForbidden' | 'nameChangeProhibited'
type BatchFault =
  | Extract<ErrorName, 'zoneNotFound' | 'zoneNotShared' | 'websiteOnly' | 'zoneChangeProhibited'>
  | PlaceFault
  | Extract<ErrorName, 'rrsetExists' | 'rrsetNotFound' | 'rrsetChangeForbidden'>
  | ShapeFault
  | ReplacementFault
  | StateFault
  | QuotaFault

/** PATCH of a zone changes RRSets of several names in one transaction, all or none; 200 if nothing changes. */
export async function changeRRSets(
  context: RequestContext<readonly RRSetPatch[]>,
): Promise<HandlerResult<BatchFault>> {
  const zone = await zoneToChange(context)
  if ('refusals' in zone) return zone
  const body = readBody(context)
  if ('malformed' in body) return body
  const items = readItems(body)
  if ('refusals' in items) return items
  const batch = batchOf(zone, await groupsOf(context, zone, items))
  const itemsOf = new Map(batch.groups.map((group) => [group.name, group.items]))
  const changes = batch.groups.map((group) => replacementOf(context, zone, group))
  const faults = await firstFault<Refusal<BatchFault>>(
    async () => eachOf(batch.groups, async (group) => placeFaults(context, batch, group)),
    () => repeated(items),
    () => batch.groups.flatMap((group) => pathFaults(context, group)),
    () => items.flatMap((item) => draftOf(item).faults),
    async () => replacementFaults(context, changes),
  )
  if (faults.length > 0) return refusedWith(faults)
  const changed = changes
    .map((change) => ({ before: change.before, name: change.name, after: replaced(change, context) }))
    .filter(({ name, after }) => !isSame(name, after))
  const violations = await saveAllChecked(context, { zone, changes: changed }, isQuotaFault)
  if (violations.length > 0) return refusedWith(violations)
  const reads = warningReads(context.store, zone)
  const warnings = [
    ...ignoredFields(context),
    ...(await eachOf(changed, async ({ before, after, name }) =>
      changeWarnings(
        context,
        {
          zone,
          name: after,
          isNew: before === undefined,
          written: writtenRRSets((itemsOf.get(name.name) ?? []).map(writtenIn)),
        },
        reads,
      ),
    )),
  ]
  return { ...(changed.length > 0 ? ACCEPTED : DONE), warnings }
}

const writtenIn = ({ dnsType, fields }: BatchItem) => ({ dns_type: dnsType, rdata: fields.rdata })

/** The changes of one name. */
interface NameChanges {
  readonly name: string
  /** As stored. */
  readonly before: Name | undefined
  readonly items: readonly BatchItem[]
}

interface Batch {
  readonly zone: Zone
  readonly groups: readonly NameChanges[]
  /** The names that have records afterwards. */
  readonly filled: readonly string[]
}

const batchOf = (zone: Zone, groups: readonly NameChanges[]): Batch => ({
  zone,
  groups,
  filled: groups.flatMap((one) => (one.items.every(isRemoval) ? [] : [one.name])),
})

/** By name, in the order of the list. Removals at a missing name have nothing to do: a repeated batch succeeds. */
async function groupsOf(
  { store }: RequestContext,
  zone: Zone,
  items: readonly BatchItem[],
): Promise<readonly NameChanges[]> {
  const byName = groupedBy(items, ({ name }) => name)
  const stored = new Map(
    (await store.namesAt(zone.id, [...byName.keys()].filter(isText))).map((one) => [one.name, one]),
  )
  const groups = Array.from(byName, ([name, own]) => ({ name, before: stored.get(name), items: own }))
  return groups.filter((group) => group.before !== undefined || !group.items.every(isRemoval))
}

/** The first fault of a name, as for POST of Rdata, which creates missing names too. */
async function placeFaults(
  context: RequestContext,
  { zone, filled: others }: Batch,
  { name, before, items }: NameChanges,
): Promise<readonly Refusal<PlaceFault>[]> {
  const parent = parentOf(name)
  const fault =
    before === undefined
      ? ((await creationFaultAt(context, zone, { name, others })) ??
        (others.includes(parent)
          ? undefined
          : parentFault(name, await context.store.nameAt(zone.id, parent))))
      : changeFault(context, zone, before)
  return fault === undefined
    ? []
    : [{ ...fault, location: 'body', pointer: `${items[0]?.pointer ?? ''}/name` }]
}

/** The list names an RRSet once: the result does not depend on its order. */
function repeated(items: readonly BatchItem[]): readonly Refusal<'rrsetExists'>[] {
  const known = new Set<string>()
  return items.flatMap(({ name, dnsType, pointer }) => {
    const key = `${name} ${dnsType}`
    const isRepeated = known.has(key)
    known.add(key)
    return isRepeated
      ? [refuse('rrsetExists' as const, 'the list names this RRSet twice', atType(pointer))]
      : []
  })
}

const atType = (pointer: string) => ({ location: 'body', pointer: `${pointer}/dns_type` }) as const

const pathFaults = (
  { caller }: RequestContext,
  group: NameChanges,
): readonly Refusal<'rrsetChangeForbidden' | 'rrsetNotFound'>[] =>
  group.items.flatMap((item): Refusal<'rrsetChangeForbidden' | 'rrsetNotFound'>[] => {
    const { before } = group
    if (before !== undefined && rrsetOf(before, item.dnsType)?.isSystem === true)
      return [refuse('rrsetChangeForbidden', 'the service manages this RRSet', atType(item.pointer))]
    const outOfScope = isRemoval(item) ? typeFault(caller, item.dnsType, 'rrsetChangeForbidden') : undefined
    if (outOfScope !== undefined) return [{ ...outOfScope, ...atType(item.pointer) }]
    const needsOne = !isRemoval(item) && item.fields.rdata === undefined
    return needsOne && (before === undefined || isMissing({ dnsType: item.dnsType, pointer: '' }, before))
      ? [missing(atType(item.pointer))]
      : []
  })

/** A removal has no records, but the form of its TTL is checked. */
const draftOf = ({ dnsType, fields, pointer }: BatchItem) =>
  isRemoval({ fields })
    ? { value: undefined, faults: readReplacement(dnsType, { ttl: fields.ttl }, pointer).faults }
    : readReplacement(dnsType, fields, pointer)

function replacementOf(context: RequestContext, zone: Zone, { name, before, items }: NameChanges) {
  return {
    zone,
    before,
    name: before ?? implicitName(context, zone, canonicalName(name)),
    drafts: items.flatMap((item) => draftOf(item).value ?? []),
    removed: items.filter(isRemoval).map(({ dnsType }) => dnsType),
  }
}
