import { type ErrorName, type Refusal, refuse } from './errors.ts'
import { type DnsType, RDATA_TYPES, isDnsType } from './rdata/types.ts'
import { mergeMetadata, type Metadata } from './tree.ts'

/** An RRSet of a request, parsed and in canonical form, before the rules are checked. */
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

/** Faults in the form of one Rdata whose label is in the path. */
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

/** Faults in the form of a list of Rdata with labels. */
export type RdataShapeFault =
  | RdataValueFault
  | Extract<
      ErrorName,
      'rdataLabelInvalid' | 'rdataLabelsNotUnique' | 'groupTargetNeedsLabel' | 'updateGroupsDuplicated'
    >

/** Faults in the form of an RRSet. */
export type ShapeFault =
  | RdataShapeFault
  | Extract<ErrorName, 'typeOrRdataMissing' | 'typeUnsupported' | 'ttlInvalid'>

interface DraftResult<T, R extends ErrorName = ShapeFault> {
  readonly value: T
  readonly faults: readonly Refusal<R>[]
}

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const at = (pointer: string) => ({ location: 'body', pointer }) as const

/** One week. RFC 2181 §8 allows 31 bits. */
export const MAX_TTL = 604_800
/** Name servers refuse a zone with larger RRSets: BIND by max-records-per-type, which is 100. */
export const MAX_RRSET_RECORDS = 100

/** Parses an RRSet; reports all of its faults. */
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
  const list = readRdata(type, rdata, `${pointer}/rdata`)
  return {
    value: {
      dnsType: type,
      ...(isTtl(ttl) && { ttl }),
      metadata: metadataOf(metadata),
      rdata: list.value,
      pointer,
    },
    faults: [...ttlFaults(ttl, `${pointer}/ttl`), ...list.faults],
  }
}

export const isTtl = (ttl: unknown): ttl is number =>
  typeof ttl === 'number' && Number.isInteger(ttl) && ttl >= 0 && ttl <= MAX_TTL

/** `pointer` is that of the TTL. */
export const ttlFaults = (ttl: unknown, pointer: string): readonly Refusal<'ttlInvalid'>[] =>
  ttl === undefined || isTtl(ttl)
    ? []
    : [refuse('ttlInvalid', `not a whole number from 0 to ${MAX_TTL}`, at(pointer))]

/** What an RRSet is to become. What is left out stays as it is stored. */
export interface DraftReplacement {
  readonly dnsType: DnsType
  readonly ttl?: number
  readonly metadata?: Metadata
  readonly rdata?: readonly DraftRdata[]
  readonly pointer: string
}

/** Parses `{ttl, rdata, metadata}` for the RRSet of a type; reports all of its faults. */
export function readReplacement(
  type: DnsType,
  value: unknown,
  pointer: string,
): DraftResult<DraftReplacement, Exclude<ShapeFault, 'typeUnsupported'>> {
  const { rdata, ttl, metadata } = fieldsOf(value)
  const isList = Array.isArray(rdata) && rdata.length > 0
  const list = isList ? readRdata(type, rdata, `${pointer}/rdata`) : undefined
  return {
    value: {
      dnsType: type,
      ...(isTtl(ttl) && { ttl }),
      ...(metadata !== undefined && { metadata: mergeMetadata({}, metadataOf(metadata)) }),
      ...(list !== undefined && { rdata: list.value }),
      pointer,
    },
    faults: [
      ...(rdata === undefined || isList
        ? []
        : [refuse('typeOrRdataMissing' as const, 'rdata is a list with an item', at(`${pointer}/rdata`))]),
      ...ttlFaults(ttl, `${pointer}/ttl`),
      ...(list?.faults ?? []),
    ],
  }
}

/** Parses the Rdata of one RRSet. */
export function readRdata(
  type: DnsType,
  list: readonly unknown[],
  pointer: string,
): DraftResult<readonly DraftRdata[], RdataShapeFault> {
  const faults: Refusal<RdataShapeFault>[] = []
  const seen = { labels: new Set<string>(), groups: new Set<string>() }
  const rdata = list.map((one, n): DraftRdata => {
    const itemPointer = `${pointer}/${n}`
    const item = readRdataItem(type, one, itemPointer)
    faults.push(...labelFaults(fieldsOf(one), itemPointer, seen), ...item.faults)
    return item.value
  })
  return { value: rdata, faults }
}

/** Parses one Rdata; its label is not checked. */
export function readRdataItem(
  type: DnsType,
  one: unknown,
  pointer: string,
): DraftResult<DraftRdata, RdataValueFault> {
  const { value: text, label, update_group: shown } = fieldsOf(one)
  const group = shown ?? undefined
  const parsed =
    typeof text === 'string' && text !== ''
      ? RDATA_TYPES[type].parse(text)
      : ({
          ok: false,
          error: { refused: 'rdataMalformed', detail: 'value is missing or not a string' },
        } as const)
  const value = {
    value: parsed.ok ? parsed.value : '',
    pointer,
    ...(typeof label === 'string' && { label }),
    ...(typeof group === 'string' && { updateGroup: group }),
  }
  const faults: Refusal<RdataValueFault>[] = []
  const report = (refused: RdataValueFault, field: string, detail?: string): void =>
    void faults.push(refuse(refused, detail, at(`${pointer}/${field}`)))
  if (group !== undefined && !RDATA_TYPES[type].isTarget) report('groupTargetTypeInvalid', 'update_group')
  if (group !== undefined && !isGroupName(group)) report('updateGroupInvalid', 'update_group', GROUP_RULE)
  if (!parsed.ok) report(parsed.error.refused, 'value', parsed.error.detail)
  return { value, faults }
}

interface Seen {
  readonly labels: Set<string>
  readonly groups: Set<string>
}

function labelFaults(
  { label, update_group: shown }: Fields,
  pointer: string,
  { labels, groups }: Seen,
): readonly Refusal<RdataShapeFault>[] {
  // GET shows null where there is none.
  const group = shown ?? undefined
  const faults: Refusal<RdataShapeFault>[] = []
  const report = (refused: RdataShapeFault, field: string, detail?: string): void =>
    void faults.push(refuse(refused, detail, at(`${pointer}/${field}`)))
  if (label !== undefined && !isRdataLabel(label)) report('rdataLabelInvalid', 'label', LABEL_RULE)
  if (typeof label === 'string') {
    if (labels.has(label.toLowerCase())) report('rdataLabelsNotUnique', 'label')
    labels.add(label.toLowerCase())
  }
  if (group !== undefined && label === undefined) report('groupTargetNeedsLabel', 'label')
  if (!isGroupName(group)) return faults
  if (groups.has(group)) report('updateGroupsDuplicated', 'update_group')
  groups.add(group)
  return faults
}

const LABEL_RULE = 'a label has 1 to 63 letters, digits, hyphens and underscores'
export const isRdataLabel = (label: unknown): label is string =>
  typeof label === 'string' && /^[A-Za-z0-9_-]{1,63}$/.test(label)

export const GROUP_RULE = 'an update group is the username of a DDNS key'
export const isGroupName = (group: unknown): group is string =>
  typeof group === 'string' && /^[a-z0-9]{7}$/.test(group)

/** Values that are not strings were reported before. */
const metadataOf = (value: unknown): Metadata =>
  Object.fromEntries(
    Object.entries(fieldsOf(value)).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])),
  )
