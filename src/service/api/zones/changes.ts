import { shownZones } from './zones.ts'
import { type Refusal, refuse } from '../../model/errors.ts'
import { mergeMetadata, type Zone } from '../../model/tree.ts'
import { type Caller, IN_PATH, isOwner, ttlFault } from '../../rules/permission.ts'
import { metadataFault, quotaFault, usageFaults } from '../../rules/quota.ts'
import { isTtl, ttlFaults } from '../../model/draft.ts'
import type { Named } from '../openapi/schemas.ts'
import { ignoredFields, readBody } from '../request/body.ts'
import { ACCEPTED, DONE, refused, refusedWith, type RequestContext } from '../request/context.ts'
import { SCOPE_REFUSED } from '../request/faults.ts'
import { zoneToChange, zoneToRead } from '../request/locate.ts'

/** Only its owner changes a zone; an API key for some names or types is for them alone. */
const ownerFault = (caller: Caller, zone: Zone): Refusal<'nameChangeForbidden'> | undefined =>
  isOwner(caller, zone) && !caller.isReadOnly
    ? undefined
    : refuse(
        'nameChangeForbidden',
        isOwner(caller, zone) ? 'this API key only reads' : 'only the owner can change a zone',
        IN_PATH,
      )

async function zoneOfOwner(context: RequestContext) {
  const zone = await zoneToChange(context)
  if ('refusals' in zone) return zone
  const { names, types } = context.caller
  if (names !== undefined || types !== undefined) return SCOPE_REFUSED
  const fault = ownerFault(context.caller, zone)
  return fault === undefined ? zone : refused(fault)
}

/** Writes are published automatically. This publishes the whole zone, and checks the quotas of everything stored. */
export async function publishZone(context: RequestContext) {
  const zone = await zoneOfOwner(context)
  if ('refusals' in zone || 'malformed' in zone) return zone
  const { account } = context.caller
  const faults = await usageFaults<Refusal<'namesOverLimit' | 'rdataOverLimit'>>(
    context.store,
    account.id,
    ({ names, rdata }) =>
      [quotaFault('names', names, account.plan) ?? [], quotaFault('rdata', rdata, account.plan) ?? []].flat(),
  )
  if (faults.length > 0) return refusedWith(faults)
  context.service.requestFlush()
  return ACCEPTED
}

export async function getZoneMetadata(context: RequestContext) {
  const zone = await zoneToRead(context)
  if ('refusals' in zone) return zone
  const [shown] = await shownZones(context, [zone])
  return { status: 200 as const, data: shown?.metadata ?? {} }
}

/** As for a name: new keys are added, existing ones updated, an empty value removes. */
export async function setZoneMetadata(context: RequestContext<Named<'MetadataChange'>>) {
  const zone = await zoneOfOwner(context)
  if ('refusals' in zone || 'malformed' in zone) return zone
  const body = readBody(context)
  if ('malformed' in body) return body
  const metadata = mergeMetadata(zone.metadata, body.metadata)
  const change = { before: zone.metadata, after: metadata }
  const fault = metadataFault('nameMetadata', change, context.caller.account.plan)
  if (fault !== undefined) return refused(fault)
  await context.store.setZoneMetadata(zone.id, metadata)
  return { ...ACCEPTED, warnings: ignoredFields(context) }
}

/** The description, and the TTL of records that are made without one. What the body leaves out stays. */
export async function changeZone(context: RequestContext<Named<'ZonePatch'>>) {
  const zone = await zoneOfOwner(context)
  if ('refusals' in zone || 'malformed' in zone) return zone
  const { caller, store, now } = context
  const body = readBody(context)
  if ('malformed' in body) return body
  const { description = zone.description, default_ttl: defaultTtl = zone.defaultTtl } = body
  if (!isTtl(defaultTtl)) return refusedWith(ttlFaults(defaultTtl, TTL_POINTER))
  const isOtherTtl = defaultTtl !== zone.defaultTtl
  const fault = isOtherTtl ? ttlFault(defaultTtl, { caller, zone }) : undefined
  if (fault !== undefined) return refused({ ...fault, location: 'body', pointer: TTL_POINTER } as const)
  const warnings = ignoredFields(context)
  const isOtherText = description !== zone.description
  if (!isOtherTtl && !isOtherText) return { ...DONE, warnings }
  await store.changeZone(zone.id, {
    ...(isOtherText && { description }),
    ...(isOtherTtl && { defaultTtl }),
  })
  // An import of records without a TTL that runs meanwhile has read the old one.
  await store.touchZone(zone.id, now)
  return { ...ACCEPTED, warnings }
}

const TTL_POINTER = '/default_ttl'
