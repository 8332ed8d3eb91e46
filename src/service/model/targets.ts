import { canonicalName } from './dns-name.ts'
import type { DnsType } from './rdata/types.ts'
import type { Name } from './tree.ts'

/** The types whose value ends with the domain name of a target. */
export const POINTER_TYPES = [
  'ALIAS',
  'CNAME',
  'MX',
  'NS',
  'PTR',
  'SRV',
] as const satisfies readonly DnsType[]
export type PointerType = (typeof POINTER_TYPES)[number]

/** A name with records of one type that point to another name of its zone. */
export interface Pointer {
  readonly name: string
  readonly accountId: number
  readonly dnsType: PointerType
}

export const isPointerType = (type: string): type is PointerType =>
  (POINTER_TYPES as readonly string[]).includes(type)

/** The domain name in a value of these types, as it is written: the last field. */
export const targetField = (value: string): string => value.slice(value.lastIndexOf(' ') + 1)

/** The targets of one type at a name: fully qualified, without the trailing dot; the root is empty. */
export const targetsOf = ({ rrsets }: Pick<Name, 'rrsets'>, type: PointerType): readonly string[] =>
  rrsets
    .filter(({ dnsType }) => dnsType === type)
    .flatMap(({ rdata }) => rdata.map(({ value }) => canonicalName(targetField(value))))
