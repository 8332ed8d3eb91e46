import { type ErrorName, type Refusal, refuse } from '../model/errors.ts'
import {
  type AccountUsage,
  countRdata,
  isLeftover,
  type Metadata,
  type Name,
  type Plan,
} from '../model/tree.ts'

export type QuotaFault = Extract<
  ErrorName,
  'namesOverLimit' | 'rdataOverLimit' | 'rrsetMetadataOverLimit' | 'nameMetadataOverLimit'
>

interface Quota {
  readonly refused: QuotaFault
  readonly limit: (plan: Plan) => number
}

/** Each quota once, in the order of the response. */
const QUOTAS = {
  names: { refused: 'namesOverLimit', limit: (plan) => plan.maxNames },
  rdata: { refused: 'rdataOverLimit', limit: (plan) => plan.maxRdata },
  rrsetMetadata: { refused: 'rrsetMetadataOverLimit', limit: (plan) => plan.maxRRSetMetadata },
  nameMetadata: { refused: 'nameMetadataOverLimit', limit: (plan) => plan.maxNameMetadata },
} as const satisfies Readonly<Record<string, Quota>>

type QuotaName = keyof typeof QUOTAS

/** The refusal of one quota, if `count` exceeds it. */
export function quotaFault<Q extends QuotaName>(
  quota: Q,
  count: number,
  plan: Plan,
): Refusal<(typeof QUOTAS)[Q]['refused']> | undefined {
  const { refused, limit }: { refused: (typeof QUOTAS)[Q]['refused']; limit: (plan: Plan) => number } =
    QUOTAS[quota]
  const max = limit(plan)
  return count > max ? refuse(refused, `the plan allows ${max}; contact support for more`) : undefined
}

interface HoldingReads {
  holdingsOf(accountId: number): Promise<AccountUsage>
  apexHoldingsOf(accountId: number): Promise<AccountUsage>
}

/**
 * The faults of what an account holds, without the apexes of its zones and their name servers. There may be thousands, so
 * they are read only where they decide.
 */
export async function usageFaults<F>(
  reads: HoldingReads,
  accountId: number,
  faultsIn: (usage: AccountUsage) => readonly F[],
): Promise<readonly F[]> {
  const all = await reads.holdingsOf(accountId)
  const faults = faultsIn(all)
  if (faults.length === 0) return faults
  const { names, rdata } = await reads.apexHoldingsOf(accountId)
  return faultsIn({ names: all.names - names, rdata: all.rdata - rdata })
}

type Counts = Readonly<Record<QuotaName, number>>

const faultsOf = (counts: Counts, plan: Plan): readonly Refusal<QuotaFault>[] =>
  (Object.keys(QUOTAS) as QuotaName[]).flatMap((quota) => quotaFault(quota, counts[quota], plan) ?? [])

export const countKeys = (metadata: Metadata): number => Object.keys(metadata).length

const metadataCounts = ({ rrsets, metadata }: Name): Pick<Counts, 'rrsetMetadata' | 'nameMetadata'> => ({
  rrsetMetadata: Math.max(0, ...rrsets.map((rrset) => countKeys(rrset.metadata))),
  nameMetadata: countKeys(metadata),
})

/** An import changes more names than a call can have arguments. */
const greatest = <T>(items: readonly T[], countOf: (item: T) => number): number =>
  items.reduce((most, item) => Math.max(most, countOf(item)), 0)

/** A change of one name; `before` is undefined for a new one. */
export interface NameChange {
  readonly before: Name | undefined
  readonly after: Name
}

/**
 * The quotas that the changes of a request exceed. Above a quota of names or Rdata, changes that do not add any are
 * allowed; metadata must be within its quotas before the name can be changed in any other way.
 */
export function quotaFaults(
  changes: readonly NameChange[],
  plan: Plan,
  usage: AccountUsage,
): readonly Refusal<QuotaFault>[] {
  const addedNames =
    changes.filter(({ before }) => before === undefined).length -
    changes.filter(({ before, after }) => before !== undefined && isLeftover(after)).length
  const addedRdata = changes
    .map(({ before, after }) => countRdata(after) - (before === undefined ? 0 : countRdata(before)))
    .reduce((sum, added) => sum + added, 0)
  const metadata = changes.map(({ after }) => metadataCounts(after))
  const counts = {
    names: addedNames > 0 ? usage.names + addedNames : 0,
    rdata: addedRdata > 0 ? usage.rdata + addedRdata : 0,
    rrsetMetadata: greatest(metadata, ({ rrsetMetadata }) => rrsetMetadata),
    nameMetadata: greatest(metadata, ({ nameMetadata }) => nameMetadata),
  }
  return faultsOf(counts, plan)
}

/** For publishing: everything stored must be within the quotas. */
export const zoneQuotaFaults = (
  name: Name,
  plan: Plan,
  usage: AccountUsage,
): readonly Refusal<QuotaFault>[] => faultsOf({ ...usage, ...metadataCounts(name) }, plan)

/** For a change of metadata: above the quota, keys may be removed. */
export function metadataFault<Q extends 'rrsetMetadata' | 'nameMetadata'>(
  quota: Q,
  { before, after }: { readonly before: Metadata; readonly after: Metadata },
  plan: Plan,
): Refusal<(typeof QUOTAS)[Q]['refused']> | undefined {
  const count = countKeys(after)
  return count > countKeys(before) ? quotaFault(quota, count, plan) : undefined
}
