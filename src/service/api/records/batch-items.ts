import { type Refusal, refuse } from '../../model/errors.ts'
import { asciiName } from '../../model/idn.ts'
import { type DnsType, isDnsType } from '../../model/rdata-values.ts'
import {
  badBody,
  type Fields,
  isFaulty,
  isObject,
  readMetadata,
  RRSET_FIELDS,
  unknownFields,
  unknownInRdata,
} from '../request/bodies.ts'
import { MAX_CHANGES } from '../request/limits.ts'
import { type RequestFault, type Refused, refused, type Warning } from '../request/context.ts'

/** One change of a batch: `{name, dns_type, ttl?, rdata?, metadata?}`. */
export interface BatchItem {
  /** In lower case, relative to the zone. */
  readonly name: string
  readonly dnsType: DnsType
  readonly fields: Fields
  /** JSON pointer to the change (RFC 6901). */
  readonly pointer: string
}

/** An empty list of Rdata removes the RRSet. */
export const isRemoval = ({ fields }: Pick<BatchItem, 'fields'>): boolean =>
  Array.isArray(fields['rdata']) && fields['rdata'].length === 0

type TypeFault = 'typeOrRdataMissing' | 'typeUnsupported'
type Malformed = { readonly malformed: readonly RequestFault[] }

/** Parses the list down to the places of its changes, or reports all faults of its form. */
export function readItems(body: unknown): readonly BatchItem[] | Refused<TypeFault> | Malformed {
  if (!Array.isArray(body) || body.length > MAX_CHANGES)
    return {
      malformed: [badBody(`the body is a list of at most ${MAX_CHANGES} changes {"name", "dns_type", …}`)],
    }
  const list = body as unknown[]
  const malformed = list.flatMap((one, n) => formFaults(one, `/${n}`))
  if (malformed.length > 0) return { malformed }
  const read = list.map((one, n) => readItem(isObject(one) ? one : {}, `/${n}`))
  const faults = read.flatMap((one) => ('refused' in one ? [one] : []))
  return faults.length > 0 ? refused(...faults) : read.flatMap((one) => ('refused' in one ? [] : [one]))
}

function formFaults(one: unknown, pointer: string): readonly RequestFault[] {
  if (!isObject(one)) return [badBody('a change is an object', pointer)]
  if (typeof one['name'] !== 'string') return [badBody('name is a string, such as "www"', `${pointer}/name`)]
  const metadata = readMetadata(one['metadata'], `${pointer}/metadata`)
  return isFaulty(metadata) ? metadata : []
}

function readItem(fields: Fields, pointer: string): BatchItem | Refusal<TypeFault> {
  const { name, dns_type: type } = fields
  const place = { location: 'body', pointer: `${pointer}/dns_type` } as const
  if (type === undefined) return refuse('typeOrRdataMissing', undefined, place)
  if (!isDnsType(type)) return refuse('typeUnsupported', undefined, place)
  return { name: asciiName(String(name)).toLowerCase(), dnsType: type, fields, pointer }
}

const ITEM_FIELDS = ['name', ...RRSET_FIELDS] as const

export const unknownInItems = (items: readonly BatchItem[]): readonly Warning[] =>
  items.flatMap(({ fields, pointer }) => [
    ...unknownFields(fields, ITEM_FIELDS, pointer),
    ...(Array.isArray(fields['rdata']) ? unknownInRdata(fields['rdata'], `${pointer}/rdata`) : []),
  ])
