import { listed } from '../../shared/base/address.ts'
import { formatPublication } from '../verify/publication-text.ts'
import type { HostReport } from './report.ts'

type SeenHost = Pick<HostReport, 'confirmed' | 'seen'>

/** What the sources see is not what the service has. */
export const isAtEarlier = ({ confirmed, seen }: SeenHost): boolean =>
  seen.some(
    ({ family, address }) =>
      address !== null && confirmed[family] !== undefined && confirmed[family] !== address,
  )

/** A hostname leads elsewhere if its service, or its name servers, have another address than the sources see. */
export function isElsewhere(host: HostReport): boolean {
  const { different, published, isOffline } = host
  if (isOffline) return false
  const isStale = published?.state === 'stale' || published?.state === 'different'
  return isAtEarlier(host) || isStale || listed(different ?? {}).length > 0
}

/** What the name servers give, as a clause; null where they were not asked. */
export function publicationText(host: HostReport): string | null {
  const { published, confirmed } = host
  if (published === null) return null
  const text = formatPublication(published)
  return published.state === 'published' && isAtEarlier(host)
    ? `the name servers give ${listed(confirmed).join(' and ')}, the earlier address`
    : text
}
