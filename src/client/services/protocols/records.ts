import { FAMILIES, type Address, type Family, parseAddress } from '../../../shared/base/address.ts'
import type { UpdateRequest } from '../../../shared/protocol/request.ts'
import { MEANINGS } from '../../../shared/protocol/reply.ts'
import { answeredAll } from './answers.ts'
import type { StepOutcome } from './protocol.ts'

/** A family that an update is about. */
export interface WantedRecord {
  readonly family: Family
  readonly type: 'A' | 'AAAA'
  readonly address: Address
}

export const wantedRecords = ({ addresses }: UpdateRequest): readonly WantedRecord[] =>
  FAMILIES.flatMap((family) => {
    const address = addresses[family]
    return address === undefined ? [] : [{ family, type: family === 'v4' ? 'A' : 'AAAA', address }]
  })

/** A record that a service has at the hostname. */
export interface FoundRecord {
  readonly id: string
  readonly type: string
  readonly value: string
  /** The DNS gives addresses of the service in its place. */
  readonly isProxied?: true
}

export type RecordPlan =
  /** `replaced`: the record that has another address; without one, it is made. */
  | {
      readonly kind: 'write'
      readonly changes: readonly (WantedRecord & { readonly replaced: FoundRecord | undefined })[]
    }
  | { readonly kind: 'refused'; readonly outcome: StepOutcome }
  | { readonly kind: 'current' }

const EXCLUDING = ['CNAME', 'ALIAS', 'ANAME']

/** Addresses as two spellings of one may differ. */
export const isSameAddress = (value: string, address: Address): boolean => parseAddress(value) === address

/**
 * What to write, from what is there: one record with another value is changed, and a missing one is made. A name with
 * several addresses of a family, or with an alias, is left alone.
 */
export function planOf(
  request: UpdateRequest,
  found: readonly FoundRecord[],
  { create }: { readonly create: boolean },
): RecordPlan {
  const refusalBy = (word: 'conflicting-record' | 'several-records' | 'no-record'): RecordPlan => ({
    kind: 'refused',
    outcome: answeredAll(request, 'nohost', word),
  })
  if (found.some(({ type }) => EXCLUDING.includes(type))) return refusalBy('conflicting-record')
  const changes: (WantedRecord & { readonly replaced: FoundRecord | undefined })[] = []
  for (const wanted of wantedRecords(request)) {
    const [replaced, ...others] = found.filter(({ type }) => type === wanted.type)
    if (others.length > 0) return refusalBy('several-records')
    if (replaced === undefined && !create) return refusalBy('no-record')
    if (replaced === undefined || !isSameAddress(replaced.value, wanted.address))
      changes.push({ ...wanted, replaced })
  }
  return changes.length === 0 ? { kind: 'current' } : { kind: 'write', changes }
}

/** What a service has at a hostname, for a person. */
export function foundText(hostname: string, zone: string, records: readonly FoundRecord[]): string {
  const texts = records.map(({ type, value }) => `${type} ${value}`.trim())
  return `${hostname} in the zone ${zone}: ${texts.join(', ') || 'no address'}`
}

export const withFound = (outcome: StepOutcome, found: string): StepOutcome =>
  outcome.kind === 'answered' ? { ...outcome, found } : outcome

/** The addresses of the service are those that the DNS gives for these hostnames. */
export const proxied = (outcome: StepOutcome): StepOutcome =>
  outcome.kind === 'answered'
    ? {
        ...outcome,
        replies: outcome.replies.map((reply) =>
          'addresses' in reply ? { ...reply, isProxied: true } : reply,
        ),
      }
    : outcome

export const current = (request: UpdateRequest): StepOutcome => answeredAll(request, MEANINGS.current)
export const changed = (request: UpdateRequest): StepOutcome => answeredAll(request, MEANINGS.changed)

/** The hostname without the zone: empty for the zone itself, undefined for a hostname that is not in it. */
export function labelWithin(hostname: string, zone: string): string | undefined {
  if (hostname === zone) return ''
  return hostname.endsWith(`.${zone}`) ? hostname.slice(0, -zone.length - 1) : undefined
}

/** The zone that is set, for a hostname in it: at any other, a write would be one of the zone itself. */
export const ownZone = (
  { zone }: { readonly zone: string | undefined },
  hostname: string,
): string | undefined => (zone !== undefined && labelWithin(hostname, zone) !== undefined ? zone : undefined)

/** The zone that a hostname is in: the longest of these names. */
export const zoneAmong = <Z extends { readonly name: string }>(
  hostname: string,
  zones: readonly Z[],
): Z | undefined =>
  zones
    .filter(({ name }) => labelWithin(hostname, name) !== undefined)
    .toSorted((one, other) => other.name.length - one.name.length)[0]
