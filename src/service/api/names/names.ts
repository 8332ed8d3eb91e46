import { type ErrorName, type Refusal, refuse } from '../../model/errors.ts'
import { APEX, asciiName } from '../../model/dns-name.ts'
import type { DraftRRSet } from '../../model/draft.ts'
import { mergeMetadata, type Metadata, type Name } from '../../model/tree.ts'
import { IN_PATH, mayUseGroup, NEW_NAME, type PermissionFault, typesDetail } from '../../rules/permission.ts'
import { type TargetConflict, type ValueConflict, valueConflicts } from '../../rules/conflict.ts'
import type { CreationFault, ParentFault } from '../../rules/creation.ts'
import { type QuotaFault, usageFaults, zoneQuotaFaults } from '../../rules/quota.ts'
import type { StateFault } from '../../rules/state.ts'
import { METADATA } from '../openapi/request-schemas.ts'
import { type Named, SCHEMAS } from '../openapi/schemas.ts'
import { formFaults, ignoredFields, isObject, metadataFaults, readBody } from '../request/body.ts'
import {
  ACCEPTED,
  CREATED,
  groupsOf,
  type HandlerResult,
  refused,
  refusedWith,
  type RequestContext,
} from '../request/context.ts'
import {
  changeWarnings,
  createdLabels,
  firstFault,
  groupFaults,
  labelsOf,
  newName,
  policyFaults,
  removeChecked,
  rrsetFrom,
  save,
  withRRSets,
  writtenRRSets,
} from '../writing/writing.ts'
import { tagOfName } from '../answer/entity-tag.ts'
import { lastUpdatesOf } from '../answer/last-update.ts'
import { nameToChange, nameToRead, wholeNameToChange, zoneToChange } from '../request/locate.ts'
import { creationFaultAt, existingNameFault, parentFaultAt } from './creation.ts'
import { AT_GROUP, type FormFault, type NameDraft, readNameDraft, rrsetLists } from './draft.ts'
import { readExpand } from '../query/query.ts'
import { wordsOfNames } from '../answer/publication.ts'
import { showName } from '../answer/show.ts'

export async function getName(context: RequestContext) {
  const isExpanded = readExpand(context)
  if ('malformed' in isExpanded) return isExpanded
  const place = await nameToRead(context)
  if ('refusals' in place) return place
  const { zone, name } = place
  // The tag is of what a change of the name may depend on, without its last update.
  const headers = { etag: tagOfName(zone, name) }
  const last = await lastUpdatesOf(context, [name.id])
  const word = await wordsOfNames(context, [place])
  const data = {
    ...showName(zone, name, isExpanded.value),
    publication: word(place),
    last_update: last(name.id),
  }
  return { status: 200 as const, data, headers }
}

export async function deleteName(context: RequestContext) {
  const place = await wholeNameToChange(context)
  if ('refusals' in place) return place
  if (place.name.name === APEX)
    return refused(refuse('nameChangeForbidden', 'the apex cannot be deleted', IN_PATH))
  return removeChecked(context, { zone: place.zone, before: place.name })
}

/** Writes are published automatically. This publishes immediately, and checks the quotas of everything stored. */
export async function publishName(context: RequestContext) {
  const place = await nameToChange(context, 'nameChangeForbidden')
  if ('refusals' in place) return place
  const { account } = context.caller
  const faults = await usageFaults(context.store, account.id, (usage) =>
    zoneQuotaFaults(place.name, account.plan, usage),
  )
  if (faults.length > 0) return refusedWith(faults)
  context.service.requestFlush()
  return ACCEPTED
}

type NameCreateFault =
  | Extract<ErrorName, 'zoneNotFound' | 'zoneNotShared' | 'websiteOnly' | 'zoneChangeProhibited'>
  | CreationFault
  | ParentFault
  | 'nameOwned'
  | 'nameExists'
  | FormFault
  | PermissionFault<(typeof NEW_NAME)[number]>
  | 'notAllowed'
  | ValueConflict
  | TargetConflict
  | StateFault
  | QuotaFault

export async function createName(
  context: RequestContext<Named<'NewName'>>,
): Promise<HandlerResult<NameCreateFault>> {
  const zone = await zoneToChange(context)
  if ('refusals' in zone) return zone
  const body = readBody(context)
  if ('malformed' in body) return body
  const given = typeof body.name === 'string' ? asciiName(body.name) : body.name
  const name = typeof given === 'string' ? given.toLowerCase() : ''
  const fault =
    (await creationFaultAt(context, zone, { name: given })) ??
    (await existingNameFault(context, zone, name)) ??
    (await parentFaultAt(context, zone, name))
  if (fault !== undefined) return refused(fault)
  const lists = rrsetLists(body)
  const { metadata: sent = {} } = body
  const malformed = [
    ...formFaults(METADATA, sent, '/metadata'),
    ...metadataFaults(lists, '/rrsets'),
    ...(isObject(body.offline_settings)
      ? formFaults(SCHEMAS.NewOfflineSettings, body.offline_settings, '/offline_settings')
      : []),
  ]
  if (malformed.length > 0) return { malformed }
  const metadata = mergeMetadata({}, sent as Metadata)
  const draft = readNameDraft(body)
  const faults = await firstFault<Refusal<NameCreateFault>>(
    () => draft.faults,
    async () => groupFaults(context, draft.rrsets),
    async () => nameGroupFaults(context, draft.group),
    async () => policyFaults(context, draft.rrsets, { zone, name, existing: undefined, rules: NEW_NAME }),
    () => partFaults(context, { ...draft, metadata }),
    async () => groupPermission(context, draft.group),
    () => offlineFaults(context, draft),
    () => duplicateTypes(draft.rrsets),
    () => draft.rrsets.flatMap((rrset) => valueConflicts(rrset, [])),
  )
  if (faults.length > 0) return refusedWith(faults)
  const at = { existing: undefined, zone, now: context.now }
  const rrsets = draft.rrsets.map((rrset) => rrsetFrom(rrset, [], at))
  const after: Name = {
    ...withRRSets(newName(context, zone, name), rrsets),
    metadata,
    isOffline: draft.isOffline,
    ...(draft.offline !== undefined && { offlineSettings: draft.offline }),
    ...(draft.group !== undefined && { updateGroup: draft.group }),
  }
  const violations = await save(context, { zone, before: undefined, after })
  if (violations.length > 0) return refusedWith(violations)
  return {
    ...CREATED,
    ...createdLabels(labelsOf(draft.rrsets, rrsets)),
    warnings: [
      ...ignoredFields(context),
      ...(await changeWarnings(context, { zone, name: after, isNew: true, written: writtenRRSets(lists) })),
    ],
  }
}

const offlineFaults = (
  { caller }: RequestContext,
  { isOffline, offline }: NameDraft,
): readonly Refusal<'notAllowed'>[] =>
  (isOffline || offline !== undefined) && !caller.account.plan.hasOffline
    ? [refuse('notAllowed', 'the plan does not include offline settings')]
    : []

/** An API key for some types creates names with their records, and nothing else. */
const partFaults = (
  { caller }: RequestContext,
  { rrsets, metadata, isOffline, offline, group }: NameDraft & Pick<Name, 'metadata'>,
): readonly Refusal<'nameCreateForbidden'>[] =>
  caller.types !== undefined &&
  (rrsets.length === 0 ||
    isOffline ||
    offline !== undefined ||
    group !== undefined ||
    Object.keys(metadata).length > 0)
    ? [refuse('nameCreateForbidden', typesDetail(caller.types))]
    : []

async function nameGroupFaults(
  { store }: RequestContext,
  group: string | undefined,
): Promise<readonly Refusal<'updateGroupInvalid'>[]> {
  const { [group ?? '']: existing } = await groupsOf(store, [group])
  return group === undefined || existing !== undefined
    ? []
    : [refuse('updateGroupInvalid', 'unknown update group', AT_GROUP)]
}

async function groupPermission(
  { store, caller }: RequestContext,
  group: string | undefined,
): Promise<readonly Refusal<'updateGroupForbidden'>[]> {
  const { [group ?? '']: existing } = await groupsOf(store, [group])
  return group === undefined || mayUseGroup(caller, existing)
    ? []
    : [refuse('updateGroupForbidden', undefined, AT_GROUP)]
}

type DuplicateFault = TargetConflict | 'dnsRulesViolated'

/** A name has one RRSet per type. Duplicates with update groups get the errors of targets. */
function duplicateTypes(drafts: readonly DraftRRSet[]): readonly Refusal<DuplicateFault>[] {
  const types = drafts.map(({ dnsType }) => dnsType)
  const duplicates = drafts.filter(({ dnsType }, n) => types.indexOf(dnsType) < n)
  return duplicates.flatMap((draft) => {
    const earlier = drafts.filter(({ dnsType }) => dnsType === draft.dnsType)[0]
    const groups = new Set(earlier?.rdata.flatMap(({ updateGroup }) => updateGroup ?? []))
    const own = draft.rdata.flatMap(({ updateGroup }) => updateGroup ?? [])
    const at = { location: 'body', pointer: `${draft.pointer}/dns_type` } as const
    if (own.some((group) => groups.has(group))) return [refuse<DuplicateFault>('targetExists', undefined, at)]
    if (own.length > 0 && groups.size > 0)
      return [refuse<DuplicateFault>('groupTargetConflicts', undefined, at)]
    return [refuse<DuplicateFault>('dnsRulesViolated', 'a name has one RRSet per type', at)]
  })
}
