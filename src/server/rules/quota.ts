import { type ErrorName, type Refusal, refuse } from '../errors/errors.ts'
import { type Holdings, type Name, type Plan, countRdata } from '../model/tree.ts'

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
  held: Holdings,
): readonly Refusal<QuotaFault>[] {
  const names = held.names + (before === undefined ? 1 : 0)
  const was = before === undefined ? 0 : countRdata(before)
  const rdata = held.rdata - was + countRdata(after)
  const isRRSetOver = after.rrsets.some(
    ({ metadata: own }) => Object.keys(own).length > plan.mostRRSetMetadata,
  )
  return [
    ...(before === undefined && names > plan.mostNames ? [over('namesOverLimit', plan.mostNames)] : []),
    ...(rdata > plan.mostRdata && countRdata(after) > was ? [over('rdataOverLimit', plan.mostRdata)] : []),
    ...(isRRSetOver ? [over('rrsetMetadataOverLimit', plan.mostRRSetMetadata)] : []),
    ...(Object.keys(after.metadata).length > plan.mostNameMetadata
      ? [over('nameMetadataOverLimit', plan.mostNameMetadata)]
      : []),
  ]
}

/** For publishing: what there is must fit, as if it were made now. */
export function standingFaults(name: Name, plan: Plan, held: Holdings): readonly Refusal<QuotaFault>[] {
  const isRRSetOver = name.rrsets.some(
    ({ metadata }) => Object.keys(metadata).length > plan.mostRRSetMetadata,
  )
  return [
    ...(held.names > plan.mostNames ? [over('namesOverLimit', plan.mostNames)] : []),
    ...(held.rdata > plan.mostRdata ? [over('rdataOverLimit', plan.mostRdata)] : []),
    ...(isRRSetOver ? [over('rrsetMetadataOverLimit', plan.mostRRSetMetadata)] : []),
    ...(Object.keys(name.metadata).length > plan.mostNameMetadata
      ? [over('nameMetadataOverLimit', plan.mostNameMetadata)]
      : []),
  ]
}
