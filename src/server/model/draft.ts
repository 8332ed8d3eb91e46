import { type ErrorName, type Refusal, refuse } from '../errors/errors.ts'
import { type DnsType, isDnsType, RDATA_TYPES } from './rdata-values.ts'
import type { Metadata } from './tree.ts'

/** An RRSet as a request asks for it: read and in canonical form, but not yet allowed. */
export interface DraftRRSet {
  readonly dnsType: DnsType
  readonly ttl?: number
  readonly metadata: Metadata
  readonly rdata: readonly DraftRdata[]
  readonly pointer: string
}

export interface DraftRdata {
  readonly value: string
  readonly label?: string
  readonly updateGroup?: string
  readonly pointer: string
}

export type ShapeFault = Extract<
  ErrorName,
  | 'typeOrRdataMissing'
  | 'typeUnsupported'
  | 'ttlInvalid'
  | 'rdataLabelInvalid'
  | 'rdataLabelsNotUnique'
  | 'groupTargetNeedsLabel'
  | 'groupTargetTypeInvalid'
  | 'updateGroupsDuplicated'
  | 'updateGroupInvalid'
  | 'rdataMalformed'
  | 'cnameInvalid'
  | 'nsInvalid'
  | 'ptrInvalid'
  | 'aliasInvalid'
  | 'urlRedirectMalformed'
>

export interface DraftResult<T> {
  readonly value: T
  readonly faults: readonly Refusal<ShapeFault>[]
}

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const at = (pointer: string) => ({ location: 'body', pointer }) as const

/** RFC 2181 §8 allows 31 bits; nobody needs more than a week. */
const LONGEST_TTL = 604_800

/** All that is wrong with an RRSet, in the order in which it is told. */
export function readRRSet(value: unknown, pointer: string): DraftResult<DraftRRSet> | DraftResult<undefined> {
  const { dns_type: type, rdata, ttl, metadata } = fieldsOf(value)
  if (type === undefined || !Array.isArray(rdata) || rdata.length === 0)
    return {
      value: undefined,
      faults: [
        refuse(
          'typeOrRdataMissing',
          undefined,
          at(`${pointer}/${type === undefined ? 'dns_type' : 'rdata'}`),
        ),
      ],
    }
  if (!isDnsType(type))
    return {
      value: undefined,
      faults: [
        refuse(
          'typeUnsupported',
          typeof type === 'string' ? type.slice(0, 20) : undefined,
          at(`${pointer}/dns_type`),
        ),
      ],
    }
  const isTtl = typeof ttl === 'number' && Number.isInteger(ttl) && ttl >= 0 && ttl <= LONGEST_TTL
  const read = readRdata(type, rdata, `${pointer}/rdata`)
  return {
    value: {
      dnsType: type,
      ...(isTtl && { ttl }),
      metadata: metadataOf(metadata),
      rdata: read.value,
      pointer,
    },
    faults: [
      ...(ttl === undefined || isTtl
        ? []
        : [
            refuse(
              'ttlInvalid' as const,
              `not a whole number from 0 to ${LONGEST_TTL}`,
              at(`${pointer}/ttl`),
            ),
          ]),
      ...read.faults,
    ],
  }
}

/** The Rdata of one RRSet. */
export function readRdata(
  type: DnsType,
  list: readonly unknown[],
  pointer: string,
): DraftResult<readonly DraftRdata[]> {
  const faults: Refusal<ShapeFault>[] = []
  const seen = { labels: new Set<string>(), groups: new Set<string>() }
  const rdata = list.map((one, n): DraftRdata => {
    const fields = fieldsOf(one)
    const place = `${pointer}/${n}`
    faults.push(...labelFaults(fields, type, place, seen))
    const text = fields['value']
    const parsed =
      typeof text === 'string' && text !== ''
        ? RDATA_TYPES[type].parse(text)
        : ({
            ok: false,
            error: { refused: 'rdataMalformed', detail: 'value is missing, or no text' },
          } as const)
    if (!parsed.ok) faults.push(refuse(parsed.error.refused, parsed.error.detail, at(`${place}/value`)))
    const { label, update_group: group } = fields
    return {
      value: parsed.ok ? parsed.value : '',
      pointer: place,
      ...(typeof label === 'string' && { label }),
      ...(typeof group === 'string' && { updateGroup: group }),
    }
  })
  return { value: rdata, faults }
}

interface Seen {
  readonly labels: Set<string>
  readonly groups: Set<string>
}

function labelFaults(
  { label, update_group: group }: Fields,
  type: DnsType,
  place: string,
  { labels, groups }: Seen,
): readonly Refusal<ShapeFault>[] {
  const faults: Refusal<ShapeFault>[] = []
  const say = (refused: ShapeFault, field: string, detail?: string): void =>
    void faults.push(refuse(refused, detail, at(`${place}/${field}`)))
  if (label !== undefined && !isRdataLabel(label)) say('rdataLabelInvalid', 'label', LABEL_RULE)
  if (typeof label === 'string') {
    if (labels.has(label.toLowerCase())) say('rdataLabelsNotUnique', 'label')
    labels.add(label.toLowerCase())
  }
  if (group === undefined) return faults
  if (label === undefined) say('groupTargetNeedsLabel', 'label')
  if (!RDATA_TYPES[type].isTarget) say('groupTargetTypeInvalid', 'update_group')
  if (!isGroupName(group)) say('updateGroupInvalid', 'update_group', GROUP_RULE)
  else if (groups.has(group)) say('updateGroupsDuplicated', 'update_group')
  else groups.add(group)
  return faults
}

const LABEL_RULE = 'a label is 1 to 63 of letters, digits, hyphens and underscores'
export const isRdataLabel = (label: unknown): label is string =>
  typeof label === 'string' && /^[A-Za-z0-9_-]{1,63}$/.test(label)

/** A group is the username of a DDNS key. */
export const GROUP_RULE = 'an update group is the username of a DDNS key'
export const isGroupName = (group: unknown): group is string =>
  typeof group === 'string' && /^[a-z0-9]{7}$/.test(group)

/** Whatever is not text was refused before. */
export const metadataOf = (value: unknown): Metadata =>
  Object.fromEntries(
    Object.entries(fieldsOf(value)).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])),
  )
