import { existing } from '../../store/select.ts'
import { refuse } from '../../model/errors.ts'
import { apexOf } from '../../model/apex.ts'
import { asciiName, parentOf, parseTarget } from '../../model/dns-name.ts'
import { mergeMetadata, type Zone } from '../../model/tree.ts'
import { hasFullAccess, isOwner, isScoped, recordScopeOf } from '../../rules/permission.ts'
import { lacksMembership } from '../../rules/creation.ts'
import { zoneNameFault } from '../../rules/zone-names.ts'
import { countKeys, quotaFault } from '../../rules/quota.ts'
import type { Named } from '../openapi/schemas.ts'
import { ignoredFields, readBody } from '../request/body.ts'
import { CREATED, DONE, refused, type RequestContext } from '../request/context.ts'
import { zoneToChange, zoneToRead } from '../request/locate.ts'
import { readListing, readPage } from '../query/query.ts'
import { badBody, faulty, SCOPE_REFUSED } from '../request/faults.ts'
import { wordOfZone } from '../answer/publication.ts'
import { showZone } from '../answer/show.ts'
import { listResult, pageOfRows } from '../answer/list.ts'

/** Own zones; with filter[is_shared]=true, the shared zones of all accounts. */
export async function listZones(context: RequestContext) {
  const listing = readListing(context, ['text'])
  if ('malformed' in listing) return listing
  const { page, filter } = listing
  const { isShared, search } = filter
  const { caller, store } = context
  const { items, ...place } = await store.zonesOf(caller.account.id, {
    page,
    scope: recordScopeOf(caller),
    ...(isShared !== undefined && { isShared }),
    ...(search !== undefined && { search: asciiName(search).toLowerCase() }),
  })
  const rows = await shownZones(context, items)
  return listResult(context, { page, ...place }, rows)
}

/** What the caller sees. */
export async function shownZones({ caller, store, service }: RequestContext, zones: readonly Zone[]) {
  const states = await store.zoneStatesOf(zones.map(({ id }) => id))
  return Promise.all(
    zones.map(async (zone) => {
      const isOwn = isOwner(caller, zone)
      const isMember = !isOwn && (await store.isMember(zone.id, caller.account.id))
      return showZone(zone, {
        nameservers: service.nameservers,
        isOwn,
        isMember,
        takesNames: !zone.isClosedToNewNames && !lacksMembership(caller, zone, isMember),
        publication: wordOfZone(service, zone.id, states.get(zone.id)),
        proof: zone.awaitsProof === true && isOwn ? service.zoneProof.value(zone) : undefined,
      })
    }),
  )
}

export async function getZone(context: RequestContext) {
  const zone = await zoneToRead(context)
  if ('refusals' in zone) return zone
  const data = existing((await shownZones(context, [zone]))[0])
  return { status: 200 as const, data }
}

/** Creates the zone with its apex, which has the NS of the service. */
export async function createZone(context: RequestContext<Named<'NewZone'>>) {
  const { caller, store, now, service } = context
  const body = readBody(context)
  if ('malformed' in body) return body
  const name = existing(parseTarget(asciiName(body.zone_name)))
  if (!name.includes('.'))
    return { malformed: [badBody(`zone_name has two labels or more: ${name} has one`, '/zone_name')] }
  const metadata = mergeMetadata({}, body.metadata ?? {})
  if (!hasFullAccess(caller)) return SCOPE_REFUSED
  const { plan } = caller.account
  const { names: zones } = await store.apexHoldingsOf(caller.account.id)
  // An apex is no name of a plan, but there are no more zones than names.
  const overLimit =
    quotaFault('names', zones + 1, plan) ?? quotaFault('nameMetadata', countKeys(metadata), plan)
  if (overLimit !== undefined) return refused(overLimit)
  const conflict = await zoneConflict(context, name)
  if (conflict !== undefined)
    return faulty('zoneNotCreatable', { detail: conflict, location: 'body', pointer: '/zone_name' })
  const zoneId = await store.addZone({ accountId: caller.account.id, name, isShared: false }, now)
  await store.setZoneMetadata(zoneId, metadata)
  await store.saveName(apexOf({ zoneId, accountId: caller.account.id }, service.nameservers, now), now)
  if (service.zoneProof.isNeeded && !(await isInOwn(context, name)))
    await store.changeZone(zoneId, { awaitsProof: true })
  return { ...CREATED, warnings: ignoredFields(context) }
}

/** Whether the new zone is inside a proved zone of the account, which delegates it. */
async function isInOwn({ caller, store }: RequestContext, name: string): Promise<boolean> {
  const outer = await store.zoneContaining(parentOf(name))
  return outer !== undefined && outer.accountId === caller.account.id && outer.awaitsProof !== true
}

/** Why this zone cannot be made: zones of different accounts must not contain each other. */
async function zoneConflict(
  { caller, store, service }: RequestContext,
  name: string,
): Promise<string | undefined> {
  const { id } = caller.account
  const parent = await store.zoneContaining(name)
  if (parent?.name === name) return `${name} exists`
  const fault = zoneNameFault(name, service.zoneNames)
  if (fault !== undefined) return fault
  if (parent !== undefined && parent.accountId !== id) return `${name} is inside a zone of another account`
  // It would take the place of what the operator has stopped.
  if (parent !== undefined && (await store.hasLockedNames(parent.id, name)))
    return `the operator has locked or blocked a name at or beneath ${name}`
  return (await store.hasOthersBeneath(name, id))
    ? `there are zones or names of other accounts beneath ${name}`
    : undefined
}

/** Deletes the zone and everything in it. Names of other accounts must be confirmed by their number. */
export async function deleteZone(context: RequestContext) {
  const zone = await zoneToChange(context)
  if ('refusals' in zone) return zone
  if (isScoped(context.caller)) return SCOPE_REFUSED
  if (!isOwner(context.caller, zone) || context.caller.isReadOnly)
    return refused(refuse('nameChangeForbidden', 'only the owner can delete a zone', { location: 'path' }))
  if (await context.store.hasLockedNames(zone.id))
    return refused(refuse('nameChangeProhibited', 'the operator has locked or blocked a name of the zone'))
  const others = await context.store.countNamesOfOthers(zone.id, zone.accountId)
  const { confirm = '0' } = context.query
  if (confirm !== String(others)) return unconfirmed(zone.name, others)
  await context.store.removeZone(zone.id)
  return DONE
}

const unconfirmed = (zone: string, others: number) =>
  faulty('deletionNotConfirmed', {
    detail:
      others === 0
        ? `${zone} holds no names of other accounts; repeat without confirm`
        : `${zone} holds ${others === 1 ? '1 name' : `${others} names`} of other accounts; to delete them too, ` +
          `repeat with ?confirm=${others}`,
    location: 'query',
  })

/** The name servers of all zones. */
export async function listAuthorities(context: RequestContext) {
  const parsed = readPage(context, ['number'])
  if ('malformed' in parsed) return parsed
  const page = parsed.value
  const { items, ...place } = pageOfRows([...context.service.nameservers.entries()], page, {
    isAfter: ([n], [last]) => n > Number(last),
    positionOf: ([n]) => [n],
  })
  const rows = items.map(([, name]) => ({ name }))
  return listResult(context, { page, ...place }, rows)
}

/** The update clients of the account whose DDNS key has a target that the caller may see, with their last requests. */
export async function listClients(context: RequestContext) {
  const listing = readListing(context, ['number', 'text'])
  if ('malformed' in listing) return listing
  const { page, filter } = listing
  const { caller, store } = context
  const { items, ...place } = await store.clientsOf(caller.account.id, page, {
    ...recordScopeOf(caller),
    ...(filter.usernames && { usernames: filter.usernames.map((name) => name.toLowerCase()) }),
  })
  const rows = items.map(({ username, agent, address, reply, usedAt }) => ({
    ddns_key_username: username,
    user_agent: agent,
    last_address: address,
    last_reply: reply,
    last_used_at: new Date(usedAt).toISOString(),
  }))
  return listResult(context, { page, ...place }, rows)
}

export async function getAbout({ service }: RequestContext) {
  return { status: 200 as const, data: { name: service.name, version: service.version } }
}
