import { type ErrorName, type Refusal, refuse } from '../errors/errors.ts'
import { type DnsType, RDATA_TYPES, isDnsType } from './rdata-values.ts'
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

/** What can be wrong with the form of one Rdata whose label is given. */
export type RdataValueFault = Extract<
  ErrorName,
  | 'groupTargetTypeInvalid'
  | 'updateGroupInvalid'
  | 'rdataMalformed'
  | 'cnameInvalid'
  | 'nsInvalid'
  | 'ptrInvalid'
  | 'aliasInvalid'
  | 'urlRedirectMalformed'
>

/** The same for the Rdata of one RRSet, with their labels. */
export type RdataShapeFault =
  | RdataValueFault
  | Extract<
      ErrorName,
      'rdataLabelInvalid' | 'rdataLabelsNotUnique' | 'groupTargetNeedsLabel' | 'updateGroupsDuplicated'
    >

/** The same for a whole RRSet. */
export type ShapeFault =
  | RdataShapeFault
  | Extract<ErrorName, 'typeOrRdataMissing' | 'typeUnsupported' | 'ttlInvalid'>

export interface DraftResult<T, R extends ErrorName = ShapeFault> {
  readonly value: T
  readonly faults: readonly Refusal<R>[]
}

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const at = (pointer: string) => ({ location: 'body', pointer }) as const

/** RFC 2181 §8 allows 31 bits; nobody needs more than a week. */
const MAX_TTL = 604_800

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
  const isTtl = typeof ttl === 'number' && Number.isInteger(ttl) && ttl >= 0 && ttl <= MAX_TTL
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
        : [refuse('ttlInvalid' as const, `not a whole number from 0 to ${MAX_TTL}`, at(`${pointer}/ttl`))]),
      ...read.faults,
    ],
  }
}

/** The Rdata of one RRSet. */
export function readRdata(
  type: DnsType,
  list: readonly unknown[],
  pointer: string,
): DraftResult<readonly DraftRdata[], RdataShapeFault> {
  const faults: Refusal<RdataShapeFault>[] = []
  const seen = { labels: new Set<string>(), groups: new Set<string>() }
  const rdata = list.map((one, n): DraftRdata => {
    const place = `${pointer}/${n}`
    const read = readRdataItem(type, one, place)
    faults.push(...labelFaults(fieldsOf(one), place, seen), ...read.faults)
    return read.value
  })
  return { value: rdata, faults }
}

/** One Rdata; its label is not looked at. */
export function readRdataItem(
  type: DnsType,
  one: unknown,
  pointer: string,
): DraftResult<DraftRdata, RdataValueFault> {
  const { value: text, label, update_group: group } = fieldsOf(one)
  const parsed =
    typeof text === 'string' && text !== ''
      ? RDATA_TYPES[type].parse(text)
      : ({
          ok: false,
          error: { refused: 'rdataMalformed', detail: 'value is missing, or no text' },
        } as const)
  const value = {
    value: parsed.ok ? parsed.value : '',
    pointer,
    ...(typeof label === 'string' && { label }),
    ...(typeof group === 'string' && { updateGroup: group }),
  }
  const faults: Refusal<RdataValueFault>[] = []
  const say = (refused: RdataValueFault, field: string, detail?: string): void =>
    void faults.push(refuse(refused, detail, at(`${pointer}/${field}`)))
  if (group !== undefined && !RDATA_TYPES[type].isTarget) say('groupTargetTypeInvalid', 'update_group')
  if (group !== undefined && !isGroupName(group)) say('updateGroupInvalid', 'update_group', GROUP_RULE)
  if (!parsed.ok) say(parsed.error.refused, 'value', parsed.error.detail)
  return { value, faults }
}

interface Seen {
  readonly labels: Set<string>
  readonly groups: Set<string>
}

function labelFaults(
  { label, update_group: group }: Fields,
  place: string,
  { labels, groups }: Seen,
): readonly Refusal<RdataShapeFault>[] {
  const faults: Refusal<RdataShapeFault>[] = []
  const say = (refused: RdataShapeFault, field: string, detail?: string): void =>
    void faults.push(refuse(refused, detail, at(`${place}/${field}`)))
  if (label !== undefined && !isRdataLabel(label)) say('rdataLabelInvalid', 'label', LABEL_RULE)
  if (typeof label === 'string') {
    if (labels.has(label.toLowerCase())) say('rdataLabelsNotUnique', 'label')
    labels.add(label.toLowerCase())
  }
  if (group !== undefined && label === undefined) say('groupTargetNeedsLabel', 'label')
  if (!isGroupName(group)) return faults
  if (groups.has(group)) say('updateGroupsDuplicated', 'update_group')
  groups.add(group)
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
