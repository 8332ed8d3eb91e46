import type { RequestContext, SecondaryState } from '../request/context.ts'
import { zoneToRead } from '../request/locate.ts'
import { MAX_PENDING } from '../request/limits.ts'
import { wordOfZone } from '../answer/publication.ts'
import { timeOf } from '../answer/show.ts'

/** How far the published zone is behind the stored one, and the name servers behind the published one. */
export async function getPublication(context: RequestContext) {
  const zone = await zoneToRead(context)
  if ('refusals' in zone) return zone
  const { at, pending } = await context.store.publicationOf(zone.id, MAX_PENDING)
  const states = await context.store.zoneStatesOf([zone.id])
  const nameservers = context.service.secondaries(zone.id).map(showSecondary)
  const data = {
    publication: wordOfZone(context.service, zone.id, states.get(zone.id)),
    serial: zone.serial,
    published_at: timeOf(at),
    pending,
    nameservers,
  }
  return { status: 200 as const, data }
}

const showSecondary = ({ server, serial, isBehind, checkedAt, signs }: SecondaryState) => ({
  server,
  serial: serial ?? null,
  behind: isBehind ?? null,
  checked_at: timeOf(checkedAt),
  signs,
})
