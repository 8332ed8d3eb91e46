import type { Address } from '../../../../shared/base/address.ts'
import { SecretText } from '../../../../shared/base/secret.ts'
import { memberList, memberText } from '../json.ts'
import type { ServiceAccount } from '../protocol.ts'
import { isSameAddress } from '../records.ts'
import type { ListedZone, RecordRow, RowRecord } from '../record-rows.ts'

export const bearer = ({ password }: Pick<ServiceAccount, 'password'>) => ({
  authorization: new SecretText('Bearer ', password),
})
export const ttlIn = (document: unknown, member: string): number | undefined => {
  const text = memberText(document, member)
  return text === undefined ? undefined : Number(text)
}
/** All values of a name and type, which have one TTL. */
export const valuesIn =
  (member: string, ttl: string): RecordRow['recordsIn'] =>
  (document, { type }) =>
    memberList(document, member)?.map((value) => ({
      id: '',
      type,
      value: String(value),
      ttl: ttlIn(document, ttl),
    }))
/** By the members of a record: its identifier, type, value and TTL. */
export const recordBy =
  (...[id, type, value, ttl]: readonly [id: string, type: string, value: string, ttl: string]) =>
  (one: unknown): RowRecord => ({
    id: memberText(one, id) ?? '',
    type: memberText(one, type) ?? '',
    value: memberText(one, value) ?? '',
    ttl: ttlIn(one, ttl),
    whole: one,
  })
/** A zone that is known by its name. */
export const named = (name = ''): ListedZone => ({ id: name, name })
export const zoneBy =
  (id: string, name: string) =>
  (one: unknown): ListedZone => ({ id: memberText(one, id) ?? '', name: memberText(one, name) ?? '' })
export const isNotFound = ({ status }: { readonly status: number }): boolean => status === 404
/** Where a service has no name for the zone itself. */
export const labelIn = (label: string): string => (label === '@' ? '' : label)
export const encoded = encodeURIComponent
/** Whether the answer to a write repeats the address. */
export const shows =
  (address: Address, ...at: readonly (string | number)[]) =>
  (document: unknown): boolean =>
    isSameAddress(memberText(document, ...at) ?? '', address)
export const isDisabled = (record: RowRecord | undefined): boolean =>
  memberText(record?.whole, 'disabled') === 'true'
/** Undefined for a part of a list: what is not in it may be on another page. */
export const wholeList = (
  list: readonly unknown[] | undefined,
  total: string | undefined,
): readonly unknown[] | undefined =>
  list !== undefined && Number(total ?? 0) > list.length ? undefined : list
/** Where a service says only that there is another page: one more than it lists. */
export const moreIn =
  (member: string) =>
  (document: unknown): string | undefined =>
    memberText(document, 'pagination', 'next') === undefined
      ? undefined
      : String((memberList(document, member)?.length ?? 0) + 1)
