import { refuse } from '../errors/errors.ts'
import { canonicalName } from '../model/dns-name.ts'
import { readOffline } from '../model/offline.ts'
import { isAccessible, canManageName, IN_PATH } from '../rules/access.ts'
import { isObject, unknownFields } from './bodies.ts'
import { nameToChange } from './locate.ts'
import { ACCEPTED, DONE, type RequestContext, refused } from './request-context.ts'

const NONE = { action: 'none' } as const

/** Spec: this one has no code for a zone that is not shared, nor for one that is for the website; such a zone is not there. */
export async function getOffline({ caller, params, store }: RequestContext) {
  const zone = await store.zoneNamed(canonicalName(params['zone_name'] ?? ''))
  if (zone === undefined || !isAccessible(caller, zone))
    return refused(refuse('zoneNotFound', undefined, IN_PATH))
  const name = await store.nameAt(zone.id, (params['name'] ?? '').toLowerCase())
  return name === undefined || !canManageName(caller, zone, name)
    ? refused(refuse('nameNotFound', undefined, IN_PATH))
    : { status: 200 as const, data: name.offlineSettings ?? NONE }
}

export async function setOffline(context: RequestContext) {
  const place = await nameToChange(context, 'nameChangeForbidden')
  if ('refusals' in place) return place
  const read = readOffline(context.body, '')
  if ('faults' in read) return refused(...read.faults)
  if (!context.caller.account.plan.hasOffline)
    return refused(refuse('notAllowed', 'the plan has no offline options'))
  await context.store.saveName({ ...place.name, offlineSettings: read.settings }, context.now)
  return { ...ACCEPTED, warnings: isObject(context.body) ? unknownFields(context.body, FIELDS) : [] }
}

const FIELDS = ['action', 'dns_type', 'rdata', 'url', 'title', 'message', 'logo_url', 'email'] as const

/** The name has no settings any more; one that is offline comes back. */
export async function deleteOffline(context: RequestContext) {
  const place = await nameToChange(context, 'nameChangeForbidden')
  if ('refusals' in place) return place
  const { offlineSettings: _, ...name } = place.name
  await context.store.saveName({ ...name, isOffline: false }, context.now)
  return DONE
}
