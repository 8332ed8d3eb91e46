import { isBehind, type ZoneAtSecondary } from '../../../server/publish/notify.ts'
import type { Secondary } from '../../../server/publish/secondary.ts'
import type { SecondaryState } from '../../../server/api/request/context.ts'

/** What one secondary has of one zone, as far as this process has seen it. Its address is for the operator alone. */
export function secondaryState(
  { name, signs }: Pick<Secondary, 'name' | 'signs'>,
  zone: ZoneAtSecondary | undefined,
): SecondaryState {
  const unknown = { server: name, signs, serial: undefined, isBehind: undefined, checkedAt: undefined }
  if (zone === undefined) return unknown
  const { told, fetched, fetchedAt, served, servedAt } = zone
  const isKnown = told !== undefined || fetched !== undefined
  // A signer serves serials of its own.
  const isFetchedLast = !signs && (servedAt === undefined || (fetchedAt ?? servedAt) > servedAt)
  return {
    ...unknown,
    serial: isFetchedLast ? fetched : served,
    checkedAt: isFetchedLast ? fetchedAt : servedAt,
    isBehind: isKnown ? isBehind(zone) : undefined,
  }
}
