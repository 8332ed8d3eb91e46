import { refuse } from '../errors/errors.ts'
import { apexOf } from '../model/apex.ts'
import { parseHost } from '../model/dns-name.ts'
import { mergeMetadata } from '../model/tree.ts'
import { isOwner, hasFullAccess } from '../rules/access.ts'
import { badBody, isFaulty, isObject, readMetadata, unknownFields } from './bodies.ts'
import { zoneToChange, zoneToRead } from './locate.ts'
import { combine, readPage } from './query.ts'
import { CREATED, DONE, INSUFFICIENT_SCOPE, type RequestContext, refused } from './request-context.ts'
import { showZone } from './show.ts'

/** Spec, "Limits": the zone listing has 50 at most. */
const LIMITS = { fallback: 50, max: 50 } as const

export async function listZones(context: RequestContext) {
  const read = combine({ page: readPage(context, LIMITS) })
  if ('malformed' in read) return read
  const { page } = read.value
  const { items, total } = await context.store.zonesOf(context.caller.account.id, page, context.caller.zones)
  const { nameservers } = context.service
  return {
    status: 200 as const,
    data: items.map((zone) => showZone(zone, nameservers)),
    page: { ...page, total },
  }
}

export async function getZone(context: RequestContext) {
  const zone = await zoneToRead(context)
  return 'refusals' in zone
    ? zone
    : { status: 200 as const, data: showZone(zone, context.service.nameservers) }
}

/** A zone comes with its apex, where the service keeps its own NS. */
export async function createZone(context: RequestContext) {
  const { caller, store, now, service } = context
  const { body } = context
  const wanted = isObject(body) && typeof body['zone_name'] === 'string' ? body['zone_name'] : ''
  const name = parseHost(wanted)
  if (!isObject(body) || name === undefined || !name.includes('.'))
    return { malformed: [badBody('zone_name is a domain name of two labels or more', '/zone_name')] }
  const metadata = readMetadata(body['metadata'], '/metadata')
  if (isFaulty(metadata)) return { malformed: metadata }
  if (!hasFullAccess(caller)) return { malformed: [INSUFFICIENT_SCOPE] }
  const held = await store.holdingsOf(caller.account.id)
  const { maxNames, maxNameMetadata } = caller.account.plan
  if (held.names + 1 > maxNames)
    return refused(refuse('namesOverLimit', 'a zone has its apex; please contact support'))
  if (Object.keys(mergeMetadata({}, metadata)).length > maxNameMetadata)
    return refused(refuse('nameMetadataOverLimit'))
  const taken = await store.zoneNamed(name)
  const above = await store.zoneContaining(name)
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
  await store.setZoneMetadata(zoneId, mergeMetadata({}, metadata))
  await store.saveName(apexOf({ zoneId, accountId: caller.account.id }, service.nameservers, now), now)
  return { ...CREATED, warnings: unknownFields(body, ['zone_name', 'metadata']) }
}

/** With everything that is in it. */
export async function deleteZone(context: RequestContext) {
  const zone = await zoneToChange(context)
  if ('refusals' in zone) return zone
  if (!isOwner(context.caller, zone) || context.caller.isReadOnly)
    return refused(refuse('nameChangeForbidden', 'only its owner deletes a zone', { location: 'path' }))
  if (await context.store.hasLockedNames(zone.id))
    return refused(refuse('nameChangeProhibited', 'a name in it is locked'))
  await context.store.removeZone(zone.id)
  return DONE
}

/** The nameservers that zones are served by: read-only. */
export async function listAuthorities(context: RequestContext) {
  const read = combine({ page: readPage(context, LIMITS) })
  if ('malformed' in read) return read
  const { offset, limit } = read.value.page
  const list = context.service.nameservers.map((name) => ({ name }))
  return {
    status: 200 as const,
    data: list.slice(offset, offset + limit),
    page: { offset, limit, total: list.length },
  }
}

/** The update clients that were seen: read-only. */
export async function listClients(context: RequestContext) {
  const read = combine({ page: readPage(context, { fallback: 50, max: 500 }) })
  if ('malformed' in read) return read
  const { page } = read.value
  const { items, total } = await context.store.clientsOf(context.caller.account.id, page)
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
