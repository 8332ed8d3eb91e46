import type { NameView } from '../query/parameters.ts'
import { challengeName } from '../../model/delegation/proof.ts'
import { formatInstant, type Instant } from '../../../shared/base/time.ts'
import type { ZonePublication } from '../../model/publication.ts'
import type { TrailChange } from '../../model/trail.ts'
import type { Name, RRSet, Zone } from '../../model/tree.ts'
import type { ListedApiKey, NameSummary } from '../../store/records.ts'
import type { StoredTsigKey } from '../../store/account/tsig-keys.ts'

/** Rows as the API shows them: times are RFC 3339, missing values are null. */
export const timeOf = <T extends Instant | undefined>(at: T) =>
  (at === undefined ? null : formatInstant(at)) as T extends Instant ? string : string | null

export const showRRSet = ({ dnsType, ttl, rdata, metadata, createdAt, updatedAt }: RRSet) => ({
  dns_type: dnsType,
  ttl,
  rdata: rdata.map(({ label, value, updateGroup }) => ({ label, value, update_group: updateGroup ?? null })),
  metadata,
  created_at: timeOf(createdAt),
  updated_at: timeOf(updatedAt),
})

const summary = ({ zone, name, dnsTypes }: NameSummary) => ({
  zone_name: zone.name,
  name: name.name,
  zone_is_shared: zone.isShared,
  offline: name.isOffline,
  update_group: name.updateGroup ?? null,
  dns_types: dnsTypes,
  created_at: timeOf(name.createdAt),
  updated_at: timeOf(name.updatedAt),
  published_at: timeOf(name.publishedAt),
})

export function showName(zone: Pick<Zone, 'id' | 'name' | 'isShared'>, name: Name, isExpanded: boolean) {
  const { dns_types: _, ...fields } = summary({ zone, name, dnsTypes: [] })
  return {
    ...fields,
    metadata: name.metadata,
    rrsets: name.rrsets.map(showRRSet),
    ...(isExpanded && { offline_settings: name.offlineSettings ?? null }),
  }
}

export function showSummary(listed: NameSummary, view: Exclude<NameView, 'detail'>, isExpanded: boolean) {
  const { zone, name } = listed
  const settings = isExpanded ? { offline_settings: name.offlineSettings ?? null } : {}
  return view === 'name_only'
    ? { zone_name: zone.name, name: name.name, ...settings }
    : { ...summary(listed), ...settings }
}

/** What an account may do in a zone. */
interface ZoneView {
  readonly nameservers: readonly string[]
  readonly isOwn: boolean
  readonly isMember: boolean
  readonly takesNames: boolean
  readonly publication: ZonePublication
  /** The TXT value that proves ownership; undefined if the zone is proved. */
  readonly proof?: string | undefined
}

export const showZone = (
  zone: Zone,
  { nameservers, isOwn, isMember, takesNames, publication, proof }: ZoneView,
) => ({
  name: zone.name,
  is_shared: zone.isShared,
  is_own: isOwn,
  takes_names: takesNames,
  created_at: timeOf(zone.createdAt),
  updated_at: timeOf(zone.updatedAt),
  // What the owner notes is for those who work with it: any account can see a shared zone.
  description: isOwn || isMember ? zone.description : '',
  default_ttl: zone.defaultTtl,
  serial: zone.serial,
  publication,
  proof: proof === undefined ? null : { name: challengeName(zone.name), value: proof },
  nameservers,
  metadata: isOwn || isMember ? zone.metadata : {},
})

/** Of a preview. */
export const showChange = ({ subject, dnsType, before, after }: TrailChange) => ({
  subject,
  dns_type: dnsType ?? null,
  before: before ?? null,
  after: after ?? null,
})

export const showApiKey = ({ id, description, scopes, createdAt, expiresAt, lastUsedAt }: ListedApiKey) => ({
  id,
  description,
  scopes,
  created_at: timeOf(createdAt),
  expires_at: timeOf(expiresAt),
  last_used_at: timeOf(lastUsedAt),
})

export const showTsigKey = (key: Omit<StoredTsigKey, 'accountId' | 'sealed'>) => ({
  name: key.name,
  algorithm: key.algorithm,
  description: key.description,
  scopes: key.scopes,
  created_at: timeOf(key.createdAt),
  expires_at: timeOf(key.expiresAt),
  last_used_at: timeOf(key.lastUsedAt),
})
