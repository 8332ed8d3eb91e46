import { isLate, type ZoneAtSecondary } from './notify.ts'
import type { Secondary } from './secondary.ts'
import type { SecondaryState } from '../api/request/context.ts'

/** What one secondary has of one zone, as far as this process has seen it. Its address is for the operator alone. */
export function secondaryState(
  { name, signs }: Pick<Secondary, 'name' | 'signs'>,
  { zone, isEachCompared }: { readonly zone: ZoneAtSecondary | undefined; readonly isEachCompared: boolean },
): SecondaryState {
  // The queue has no entry for a zone that was up to date in the comparison and has not changed since.
  const isBehindUnseen = isEachCompared ? false : undefined
  const unknown = { server: name, signs, serial: undefined, isBehind: isBehindUnseen, checkedAt: undefined }
  if (zone === undefined) return unknown
  const { wanted, told, fetched, fetchedAt, served, servedAt } = zone
  const isKnown = wanted !== undefined || told !== undefined || fetched !== undefined
  // A signer serves serials of its own.
  const isFetchedLast = !signs && (servedAt === undefined || (fetchedAt ?? servedAt) > servedAt)
  return {
    ...unknown,
    serial: isFetchedLast ? fetched : served,
    checkedAt: isFetchedLast ? fetchedAt : servedAt,
    isBehind: isKnown ? isLate(zone) : isBehindUnseen,
  }
}
