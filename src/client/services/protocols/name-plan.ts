import { addressOfBytes, bytesOf } from '../../../shared/base/address.ts'
import type { DnsResponse } from '../../../shared/dns/response.ts'
import { RR_TYPES } from '../../../shared/dns/types.ts'
import {
  nameIsInUse,
  recordAddition,
  recordExists,
  rrsetDeletion,
  rrsetIsAbsent,
  type UpdateRecord,
} from '../../../shared/dns/update.ts'
import type { LocalWord, ReplyWord } from '../../../shared/protocol/reply.ts'
import type { UpdateRequest } from '../../../shared/protocol/request.ts'
import type { StepOutcome } from './protocol.ts'
import {
  changed,
  current,
  type FoundRecord,
  labelWithin,
  planOf,
  type WantedRecord,
  wantedRecords,
} from './records.ts'
import { refusalBy } from './refusals.ts'
import { notReadable, unreadWord } from './update-response.ts'

/** What the server has at a name. */
interface FoundName {
  readonly name: string
  readonly zone: string | undefined
  /** Why the name could not be read. */
  readonly failed: ReplyWord | LocalWord | undefined
  readonly records: readonly FoundAddress[]
}

interface FoundAddress extends FoundRecord {
  readonly ttl: number
  readonly rdata: Uint8Array
}

/** A name with its outcome, or the change that it needs. */
export type NamePlan = { readonly kind: 'done'; readonly outcome: StepOutcome } | NameUpdate

export interface NameUpdate {
  readonly kind: 'update'
  readonly zone: string
  readonly prerequisites: readonly UpdateRecord[]
  readonly updates: readonly UpdateRecord[]
  readonly outcome: StepOutcome
  /** Where the name is not as it was read: a wildcard may have given it (RFC 4592 §3.3), or others have changed it. */
  readonly otherwise: NamePlan
}

export interface RecordRules {
  /** As it is set. */
  readonly zone: string | undefined
  /** In seconds, of records that are made. */
  readonly ttl: number | undefined
  /** Whether a missing record is made. */
  readonly create: boolean
}

interface PlanContext extends RecordRules {
  /** Else a name that is current is proven by a message that changes nothing: its prerequisites are what was read. */
  readonly isSigned: boolean
}

const DEFAULT_TTL = 300
/** RFC 6672: all names beneath it lead elsewhere. */
const DNAME = 39
const TYPE_NAMES: Readonly<Record<number, string>> = { 1: 'A', 5: 'CNAME', 28: 'AAAA' }
const done = (outcome: StepOutcome): NamePlan => ({ kind: 'done', outcome })

/** The zone is that of the SOA record, in the answer or the authority section (RFC 2308 §2). */
export function foundAt(name: string, all: readonly DnsResponse[]): FoundName {
  const responses = all.filter((one) => one.name === name)
  const records = responses.flatMap(({ type, message, answers }) =>
    answers
      .filter((one) => one.name === name && [type, RR_TYPES.CNAME].includes(one.type))
      .map((one) => {
        const rdata = message.subarray(one.rdataAt, one.end)
        const value = addressOfBytes(rdata) ?? ''
        return { id: '', type: TYPE_NAMES[one.type] ?? '', value, ttl: one.ttl, rdata }
      }),
  )
  const isRenamed = responses.some(({ answers }) => answers.some(({ type }) => type === DNAME))
  const [failed] = isRenamed
    ? (['conflicting-record'] as const)
    : responses.flatMap((one) => unreadWord(one) ?? [])
  const soa = responses.find(({ type }) => type === RR_TYPES.SOA)
  const found = [...(soa?.answers ?? []), ...(soa?.authorities ?? [])]
  return {
    name,
    records: withoutRepeats(records),
    failed,
    zone: found.find(({ type }) => type === RR_TYPES.SOA)?.name,
  }
}

/** An alias stands in the answer to each question. */
const withoutRepeats = (records: readonly FoundAddress[]): readonly FoundAddress[] =>
  records.filter(
    ({ type, value }, at) => records.findIndex((one) => one.type === type && one.value === value) === at,
  )

/** What to change at a name. */
export function planFor(request: UpdateRequest, found: FoundName, rules: PlanContext): NamePlan {
  const { name, failed, records } = found
  const isAlias = records.some(({ type }) => type === 'CNAME')
  // With an alias, the SOA record is that of the zone of its target.
  const isOther =
    !isAlias && rules.zone !== undefined && found.zone !== undefined && found.zone !== rules.zone
  const zone = rules.zone ?? found.zone
  if (failed !== undefined) return done(refusalBy(request, failed))
  if (zone === undefined && isAlias) return done(refusalBy(request, 'conflicting-record'))
  if (zone === undefined || isOther || labelWithin(name, zone) === undefined)
    return done(refusalBy(request, 'no-zone'))
  const isOffline = request.offline === 'YES'
  const inZone = { ...rules, zone }
  return isOffline ? offlinePlan(request, found, inZone) : changePlan(request, found, inZone)
}

const valuesOf = ({ records }: FoundName, type: 'A' | 'AAAA'): readonly FoundAddress[] =>
  records.filter((one) => one.type === type)

/** RFC 2136 §2.4.2, §2.4.3: what was read is still there. */
const asRead = (found: FoundName, type: 'A' | 'AAAA'): readonly UpdateRecord[] => {
  const values = valuesOf(found, type)
  return values.length === 0
    ? [rrsetIsAbsent(found.name, RR_TYPES[type])]
    : values.map(({ rdata }) => recordExists(found.name, RR_TYPES[type], rdata))
}

type ZoneContext = PlanContext & { readonly zone: string }

const currentPlan = (
  request: UpdateRequest,
  { zone, isSigned }: ZoneContext,
  prerequisites: readonly UpdateRecord[],
): NamePlan =>
  isSigned
    ? done(current(request))
    : {
        kind: 'update',
        zone,
        prerequisites,
        updates: [],
        outcome: current(request),
        otherwise: done(CHANGED),
      }

const CHANGED = notReadable('the records of the name were changed by another client at the same time')

const ADDRESSES = ['A', 'AAAA'] as const

function offlinePlan(request: UpdateRequest, found: FoundName, context: ZoneContext): NamePlan {
  const { name } = found
  const noAlias = rrsetIsAbsent(name, RR_TYPES.CNAME)
  /** Only a wildcard gives what was read, so there is nothing to take away. */
  const nothingOwn = (otherwise: StepOutcome): NamePlan => ({
    kind: 'update',
    zone: context.zone,
    prerequisites: [noAlias, ...ADDRESSES.map((type) => rrsetIsAbsent(name, RR_TYPES[type]))],
    updates: [],
    outcome: current(request),
    otherwise: done(otherwise),
  })
  if (found.records.some(({ type }) => type === 'CNAME'))
    return nothingOwn(refusalBy(request, 'conflicting-record'))
  const there = ADDRESSES.filter((type) => valuesOf(found, type).length > 0)
  if (there.some((type) => valuesOf(found, type).length > 1))
    return nothingOwn(refusalBy(request, 'several-records'))
  const prerequisites = ADDRESSES.flatMap((type) => asRead(found, type))
  if (there.length === 0) return currentPlan(request, context, prerequisites)
  return {
    kind: 'update',
    zone: context.zone,
    outcome: changed(request),
    prerequisites,
    updates: there.map((type) => rrsetDeletion(name, RR_TYPES[type])),
    otherwise: nothingOwn(CHANGED),
  }
}

function changePlan(request: UpdateRequest, found: FoundName, context: ZoneContext): NamePlan {
  const { zone, ttl = DEFAULT_TTL, create } = context
  const { name } = found
  const plan = planOf(request, found.records, { create })
  if (plan.kind === 'current')
    return currentPlan(
      request,
      context,
      wantedRecords(request).flatMap(({ type }) => asRead(found, type)),
    )
  const addition = ({ type, address }: WantedRecord): UpdateRecord => ({
    ...recordAddition({ name, type: RR_TYPES[type], ttl, rdata: bytesOf(address) }),
  })
  const noAlias = rrsetIsAbsent(name, RR_TYPES.CNAME)
  /** As at a name that has nothing of its own. */
  const asNew = (wanted: readonly WantedRecord[], otherwise: StepOutcome): NameUpdate => ({
    kind: 'update',
    zone,
    outcome: changed(request),
    prerequisites: [noAlias, ...wanted.map(({ type }) => rrsetIsAbsent(name, RR_TYPES[type]))],
    updates: wanted.map(addition),
    otherwise: done(otherwise),
  })
  if (plan.kind === 'refused')
    return create ? asNew(wantedRecords(request), plan.outcome) : done(plan.outcome)
  return {
    kind: 'update',
    zone,
    outcome: changed(request),
    prerequisites: [
      noAlias,
      ...(create ? [] : [nameIsInUse(name)]),
      // Of both families: where a wildcard gives one, the name hides it as soon as it has the other.
      ...wantedRecords(request).flatMap(({ type }) => asRead(found, type)),
    ],
    updates: plan.changes.flatMap((change) => {
      const [before] = valuesOf(found, change.type)
      return [rrsetDeletion(name, RR_TYPES[change.type]), { ...addition(change), ttl: before?.ttl ?? ttl }]
    }),
    otherwise: create ? asNew(wantedRecords(request), CHANGED) : done(CHANGED),
  }
}
