import { type Refusal, refuse } from '../../errors/errors.ts'
import { mergeMetadata, type Zone } from '../../model/tree.ts'
import { type Caller, IN_PATH, isOwner } from '../../rules/access.ts'
import { metadataFault, quotaFault, usageFaults } from '../../rules/quota.ts'
import { readMetadataBody } from '../request/bodies.ts'
import { zoneToChange, zoneToRead } from '../request/locate.ts'
import { ACCEPTED, INSUFFICIENT_SCOPE, type RequestContext, refused } from '../request/context.ts'

/** Only its owner changes a zone; an API key for some names or types is for them alone. */
const ownerFault = (caller: Caller, zone: Zone): Refusal<'nameChangeForbidden'> | undefined =>
  isOwner(caller, zone) && !caller.isReadOnly
    ? undefined
    : refuse('nameChangeForbidden', 'only the owner can change a zone', IN_PATH)

async function zoneOfOwner(context: RequestContext) {
  const zone = await zoneToChange(context)
  if ('refusals' in zone) return zone
  const { names, types } = context.caller
  if (names !== undefined || types !== undefined) return { malformed: [INSUFFICIENT_SCOPE] }
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
  if (faults.length > 0) return refused(...faults)
  context.service.requestFlush()
  return ACCEPTED
}

export async function getZoneMetadata(context: RequestContext) {
  const zone = await zoneToRead(context)
  return 'refusals' in zone ? zone : { status: 200 as const, data: zone.metadata }
}

/** As for a name: new keys are added, existing ones updated, an empty value removes. */
export async function setZoneMetadata(context: RequestContext) {
  const zone = await zoneOfOwner(context)
  if ('refusals' in zone || 'malformed' in zone) return zone
  const parsed = readMetadataBody(context.body)
  if ('malformed' in parsed) return parsed
  const metadata = mergeMetadata(zone.metadata, parsed.metadata)
  const change = { before: zone.metadata, after: metadata }
  const fault = metadataFault('nameMetadata', change, context.caller.account.plan)
  if (fault !== undefined) return refused(fault)
  await context.store.setZoneMetadata(zone.id, metadata)
  return { ...ACCEPTED, warnings: parsed.warnings }
}
