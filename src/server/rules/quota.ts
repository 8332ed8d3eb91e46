import { type ErrorName, type Refusal, refuse } from '../errors/errors.ts'
import { type AccountUsage, countRdata, type Name, type Plan } from '../model/tree.ts'

export type QuotaFault = Extract<
  ErrorName,
  'namesOverLimit' | 'rdataOverLimit' | 'rrsetMetadataOverLimit' | 'nameMetadataOverLimit'
>

const over = <R extends QuotaFault>(refused: R, most: number): Refusal<R> =>
  refuse(refused, `the plan has ${most}; please contact support`)

/**
 * What the plan has no room for, counted on the result. Records that are over already may become fewer; metadata must fit
 * before anything else is written there.
 */
export function quotaFaults(
  before: Name | undefined,
  after: Name,
  plan: Plan,
  held: AccountUsage,
): readonly Refusal<QuotaFault>[] {
  const names = held.names + (before === undefined ? 1 : 0)
  const was = before === undefined ? 0 : countRdata(before)
  const rdata = held.rdata - was + countRdata(after)
  const isRRSetOver = after.rrsets.some(
    ({ metadata: own }) => Object.keys(own).length > plan.maxRRSetMetadata,
  )
  return [
    ...(before === undefined && names > plan.maxNames ? [over('namesOverLimit', plan.maxNames)] : []),
    ...(rdata > plan.maxRdata && countRdata(after) > was ? [over('rdataOverLimit', plan.maxRdata)] : []),
    ...(isRRSetOver ? [over('rrsetMetadataOverLimit', plan.maxRRSetMetadata)] : []),
    ...(Object.keys(after.metadata).length > plan.maxNameMetadata
      ? [over('nameMetadataOverLimit', plan.maxNameMetadata)]
      : []),
  ]
}

/** For publishing: what there is must fit, as if it were made now. */
export function zoneQuotaFaults(name: Name, plan: Plan, held: AccountUsage): readonly Refusal<QuotaFault>[] {
  const isRRSetOver = name.rrsets.some(({ metadata }) => Object.keys(metadata).length > plan.maxRRSetMetadata)
  return [
    ...(held.names > plan.maxNames ? [over('namesOverLimit', plan.maxNames)] : []),
    ...(held.rdata > plan.maxRdata ? [over('rdataOverLimit', plan.maxRdata)] : []),
    ...(isRRSetOver ? [over('rrsetMetadataOverLimit', plan.maxRRSetMetadata)] : []),
    ...(Object.keys(name.metadata).length > plan.maxNameMetadata
      ? [over('nameMetadataOverLimit', plan.maxNameMetadata)]
      : []),
  ]
}
