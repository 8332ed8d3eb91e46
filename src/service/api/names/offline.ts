import { refuse } from '../../model/errors.ts'
import { readOffline } from '../../model/offline.ts'
import { canManageName, IN_PATH, isAccessible } from '../../rules/permission.ts'
import type { Named } from '../openapi/schemas.ts'
import { ignoredFields, readBody } from '../request/body.ts'
import { ACCEPTED, DONE, refused, refusedWith, type RequestContext } from '../request/context.ts'
import { nameInPath, wholeNameToChange, zoneInPath } from '../request/locate.ts'

const NO_SETTINGS = { action: 'none' } as const

/** Spec: this operation has no errors for zones that are not shared; they are reported as not found. */
export async function getOffline(context: RequestContext) {
  const { caller, store } = context
  const zone = await zoneInPath(context)
  if (zone === undefined || !isAccessible(caller, zone))
    return refused(refuse('zoneNotFound', undefined, IN_PATH))
  const name = await store.nameAt(zone.id, nameInPath(context))
  return name === undefined || !canManageName(caller, zone, name)
    ? refused(refuse('nameNotFound', undefined, IN_PATH))
    : { status: 200 as const, data: name.offlineSettings ?? NO_SETTINGS }
}

export async function setOffline(context: RequestContext<Named<'NewOfflineSettings'>>) {
  const place = await wholeNameToChange(context)
  if ('refusals' in place) return place
  const body = readBody(context)
  if ('malformed' in body) return body
  const parsed = readOffline(body, '')
  if ('faults' in parsed) return refusedWith(parsed.faults)
  if (!context.caller.account.plan.hasOffline)
    return refused(refuse('notAllowed', 'the plan does not include offline settings'))
  await context.store.saveName({ ...place.name, offlineSettings: parsed.settings }, context.now)
  return { ...ACCEPTED, warnings: ignoredFields(context) }
}

/** Deletes the settings; an offline name becomes online. */
export async function deleteOffline(context: RequestContext) {
  const place = await wholeNameToChange(context)
  if ('refusals' in place) return place
  const { offlineSettings: _, ...name } = place.name
  await context.store.saveName({ ...name, isOffline: false }, context.now)
  return DONE
}
