import { showLastUpdate } from '../answer/last-update.ts'
import { err, ok, type Result } from '../../../shared/base/result.ts'
import { formatInstant, type Instant } from '../../../shared/base/time.ts'
import { fqdnOf } from '../../model/dns-name.ts'
import { formatMasterFile } from '../../model/master-file/format.ts'
import type { Name, RRSet, Zone } from '../../model/tree.ts'
import type { TrailPage, TrailPlace } from '../../store/account/trail.ts'
import type { OverviewRow } from '../../store/overview.ts'
import type { SnapshotReads } from '../../store/store.ts'
import { showTsigKey } from '../answer/show.ts'
import type { Named } from '../openapi/schemas.ts'
import { showEntry } from './trail.ts'
import { allNames } from '../zones/zone-file.ts'

/** What an account has, as it is written into a file. Passwords and hashes are not in it. */
export interface AccountContent {
  readonly account: OverviewRow | undefined
  /** With their rules, and as master files. */
  readonly zones: readonly object[]
  /** Those in zones of other accounts too, with what a master file has no place for. */
  readonly names: readonly object[]
  /** DDNS keys with their targets. */
  readonly keys: readonly object[]
  readonly apiKeys: readonly OverviewRow[]
  readonly tsigKeys: readonly Named<'TsigKey'>[]
  /** The newest entries. */
  readonly trail: readonly Named<'TrailEntry'>[]
}

/** What goes with an account. */
interface FoundAccount {
  readonly id: number
  readonly zones: readonly (Zone & { readonly row: OverviewRow })[]
  /** The same again, as long as no zone and no name has changed. */
  readonly version: string
}

interface AccountCondition {
  readonly now: Instant
  /** Zones with names of other accounts are no reason against it: nothing goes. */
  readonly mayHaveGuests?: boolean
}

/** Or why it cannot go. */
export async function accountFound(
  r: SnapshotReads,
  account: string,
  { now, mayHaveGuests = false }: AccountCondition,
): Promise<Result<FoundAccount, string>> {
  const login = await r.login(account)
  if (login?.kind !== 'account') return err(`there is no account ${account}`)
  const id = login.accountId
  const zones: (Zone & { readonly row: OverviewRow })[] = []
  // The publication is not data of the account, and changes without a request.
  for (const { publication: _, ...row } of await r.overview('zones', { filter: { account }, now })) {
    const zone = await r.zoneNamed(String(row['name']))
    if (zone === undefined) continue
    if (!mayHaveGuests && (await r.countNamesOfOthers(zone.id, id)) > 0)
      return err(`zone ${zone.name} has names of other accounts; transfer it first with zone transfer`)
    zones.push({ ...zone, row })
  }
  // Each change of a zone is a change of its time; that it is published changes its serial alone.
  const own = zones.map(({ serial: _, row: { serial: _serial, ...row }, ...zone }) => ({ ...zone, row }))
  const guests = (await allNames(r, { guestId: id })).map((name) => nameIn(String(name.zoneId), name))
  return ok({ id, zones, version: JSON.stringify([id, own, guests]) })
}

/** Everything that the account has. */
export async function contentOf(
  r: SnapshotReads,
  { id, zones }: FoundAccount,
  { account, nameservers, now }: ContentContext,
): Promise<AccountContent> {
  const query = { filter: { account }, now }
  const files: object[] = []
  for (const { row, ...zone } of zones) {
    const lines = formatMasterFile(zone, await allNames(r, { zoneId: zone.id }), nameservers)
    files.push({
      zone: zone.name,
      ...row,
      metadata: zone.metadata,
      description: zone.description,
      file: `${lines.join('\n')}\n`,
    })
  }
  return {
    account: (await r.overview('accounts', { ...query, filter: { name: account } }))[0],
    zones: files,
    names: await namesOfAccount(r, id),
    keys: await keysOf(r, await r.overview('keys', query)),
    apiKeys: await r.overview('apiKeys', query),
    tsigKeys: await tsigKeysOf(r, id),
    trail: await trailOf(r, id),
  }
}

interface ContentContext {
  readonly account: string
  readonly nameservers: readonly string[]
  readonly now: Instant
}

const MAX_KEYS = 10_000

async function tsigKeysOf(r: SnapshotReads, accountId: number): Promise<readonly Named<'TsigKey'>[]> {
  const { items } = await r.tsigKeysOf(accountId, { offset: 0, limit: MAX_KEYS })
  return items.map(showTsigKey)
}

const MAX_ENTRIES = 10_000
const ENTRIES_AT_ONCE = 500

async function trailOf(r: SnapshotReads, accountId: number): Promise<readonly Named<'TrailEntry'>[]> {
  const all: Named<'TrailEntry'>[] = []
  let place: TrailPlace | undefined
  do {
    const query = { filter: {}, limit: ENTRIES_AT_ONCE, ...(place !== undefined && { place }) }
    const { entries, next }: TrailPage = await r.trailPage(accountId, query)
    all.push(...entries.map(showEntry))
    place = next
  } while (place !== undefined && all.length < MAX_ENTRIES)
  return all
}

async function namesOfAccount(r: SnapshotReads, accountId: number): Promise<readonly object[]> {
  const zones = new Map<number, string>()
  const names: object[] = []
  for (const name of await allNames(r, { accountId })) {
    const zone = zones.get(name.zoneId) ?? (await r.zoneRules(name.zoneId))?.name ?? ''
    zones.set(name.zoneId, zone)
    names.push(nameIn(zone, name))
  }
  return names
}

/** In the words of the management API. */
const nameIn = (zone: string, name: Name): object => ({
  name: fqdnOf(name.name, zone),
  zone,
  locked: name.isProhibited,
  blocked: name.isBlocked,
  offline: name.isOffline,
  offline_settings: name.offlineSettings ?? null,
  update_group: name.updateGroup ?? null,
  metadata: name.metadata,
  created_at: formatInstant(name.createdAt),
  updated_at: formatInstant(name.updatedAt),
  rrsets: name.rrsets.map(rrsetOf),
})

const rrsetOf = ({ dnsType, ttl, isSystem, metadata, rdata }: RRSet): object => ({
  dns_type: dnsType,
  ttl,
  system: isSystem,
  metadata,
  rdata: rdata.map(({ label, value, updateGroup }) => ({ label, value, update_group: updateGroup ?? null })),
})

async function keysOf(r: SnapshotReads, rows: readonly OverviewRow[]): Promise<readonly object[]> {
  const keys: object[] = []
  for (const row of rows) {
    const key = await r.keyNamed(String(row['username']))
    const targets = key?.targets ?? []
    keys.push({
      ...row,
      last_update: key === undefined ? null : showLastUpdate(key.username, key.lastUse),
      targets: targets.map(({ zoneName, name, dnsType, label }) => ({
        name: fqdnOf(name, zoneName),
        zone: zoneName,
        dns_type: dnsType ?? null,
        label: label ?? null,
      })),
    })
  }
  return keys
}
