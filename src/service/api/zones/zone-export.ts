import { refuse } from '../../model/errors.ts'
import { isOwner } from '../../rules/permission.ts'
import { type RequestContext, refused } from '../request/context.ts'
import { SCOPE_REFUSED } from '../request/faults.ts'
import { zoneToRead } from '../request/locate.ts'
import { zoneFileLines } from './zone-file.ts'

/** The media type of a master file (RFC 4027). */
export const ZONE_FILE_TYPE = 'text/dns'

/** The zone as a master file: all of it, or nothing, because half of it is another zone. */
export async function exportZone(context: RequestContext) {
  const { caller, store, service } = context
  const zone = await zoneToRead(context)
  if ('refusals' in zone) return zone
  if (caller.names !== undefined) return SCOPE_REFUSED
  if (!isOwner(caller, zone))
    return refused(
      refuse('notAllowed', 'only the owner of a shared zone sees all of its names', { location: 'path' }),
    )
  const lines = await zoneFileLines(store, { zone, nameservers: service.nameservers }, service.pause)
  const headers = { 'content-type': `${ZONE_FILE_TYPE}; charset=utf-8` }
  return { status: 200 as const, text: lines.join('\n'), headers }
}
