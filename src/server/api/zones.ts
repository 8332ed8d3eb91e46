import { refuse } from '../errors/errors.ts'
import { apexOf } from '../model/apex.ts'
import { parseHost } from '../model/dns-name.ts'
import { merged } from '../model/tree.ts'
import { isOwner, isWhole } from '../rules/access.ts'
import { badBody, isFaulty, isObject, readMetadata, unknownFields } from './bodies.ts'
import { zoneToChange, zoneToRead } from './locate.ts'
import { all, readPage } from './query.ts'
import { CREATED, DONE, LESS, type RequestContext, refused } from './request-context.ts'
import { showZone } from './show.ts'

/** Spec, "Limits": the zone listing has 50 at most. */
const LIMITS = { fallback: 50, max: 50 } as const

export async function listZones(visit: RequestContext) {
  const read = all({ page: readPage(visit, LIMITS) })
  if ('malformed' in read) return read
  const { page } = read.value
  const { items, total } = await visit.store.zonesOf(visit.caller.account.id, page, visit.caller.zones)
  const { nameservers } = visit.service
  return {
    status: 200 as const,
    data: items.map((zone) => showZone(zone, nameservers)),
    page: { ...page, total },
  }
}

export async function getZone(visit: RequestContext) {
  const zone = await zoneToRead(visit)
  return 'refusals' in zone ? zone : { status: 200 as const, data: showZone(zone, visit.service.nameservers) }
}

/** A zone comes with its apex, where the service keeps its own NS. */
export async function createZone(visit: RequestContext) {
  const { caller, store, now, service } = visit
  const { body } = visit
  const wanted = isObject(body) && typeof body['zone_name'] === 'string' ? body['zone_name'] : ''
  const name = parseHost(wanted)
  if (!isObject(body) || name === undefined || !name.includes('.'))
    return { malformed: [badBody('zone_name is a domain name of two labels or more', '/zone_name')] }
  const metadata = readMetadata(body['metadata'], '/metadata')
  if (isFaulty(metadata)) return { malformed: metadata }
  if (!isWhole(caller)) return { malformed: [LESS] }
  const held = await store.holdingsOf(caller.account.id)
  const { maxNames, maxNameMetadata } = caller.account.plan
  if (held.names + 1 > maxNames)
    return refused(refuse('namesOverLimit', 'a zone has its apex; please contact support'))
  if (Object.keys(merged({}, metadata)).length > maxNameMetadata)
    return refused(refuse('nameMetadataOverLimit'))
  const taken = await store.zoneNamed(name)
  const above = await store.zoneHolding(name)
  if (
    taken !== undefined ||
    (above !== undefined && above.accountId !== caller.account.id) ||
    caller.isReadOnly
  )
    return {
      malformed: [
        {
          status: 409,
          code: '3425',
          title: 'zone cannot be created',
          detail: `${name} is taken, or part of another account's zone`,
          location: 'body',
          pointer: '/zone_name',
        } as const,
      ],
    }
  const zoneId = await store.addZone({ accountId: caller.account.id, name, isShared: false }, now)
  await store.setZoneMetadata(zoneId, merged({}, metadata))
  await store.saveName(apexOf(zoneId, caller.account.id, service.nameservers, now), now)
  return { ...CREATED, warnings: unknownFields(body, ['zone_name', 'metadata']) }
}

/** With everything that is in it. */
export async function deleteZone(visit: RequestContext) {
  const zone = await zoneToChange(visit)
  if ('refusals' in zone) return zone
  if (!isOwner(visit.caller, zone) || visit.caller.isReadOnly)
    return refused(refuse('nameChangeForbidden', 'only its owner deletes a zone', { location: 'path' }))
  if (await visit.store.hasLockedNames(zone.id))
    return refused(refuse('nameChangeProhibited', 'a name in it is locked'))
  await visit.store.removeZone(zone.id)
  return DONE
}

/** The nameservers that zones are served by: read-only. */
export async function listAuthorities(visit: RequestContext) {
  const read = all({ page: readPage(visit, LIMITS) })
  if ('malformed' in read) return read
  const { offset, limit } = read.value.page
  const list = visit.service.nameservers.map((name) => ({ name }))
  return {
    status: 200 as const,
    data: list.slice(offset, offset + limit),
    page: { offset, limit, total: list.length },
  }
}

/** The update clients that were seen: read-only. */
export async function listClients(visit: RequestContext) {
  const read = all({ page: readPage(visit, { fallback: 50, max: 500 }) })
  if ('malformed' in read) return read
  const { page } = read.value
  const { items, total } = await visit.store.clientsOf(visit.caller.account.id, page)
  const data = items.map(({ username, agent, address, reply, usedAt }) => ({
    ddns_key_username: username,
    user_agent: agent,
    last_address: address,
    last_reply: reply,
    last_used_at: new Date(usedAt).toISOString(),
  }))
  return { status: 200 as const, data, page: { ...page, total } }
}

export async function about({ service }: RequestContext) {
  return { status: 200 as const, data: { name: service.name, version: service.version } }
}
