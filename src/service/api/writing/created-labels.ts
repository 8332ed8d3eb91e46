import type { DraftRRSet } from '../../model/draft.ts'
import type { RRSet } from '../../model/tree.ts'
import type { Success } from '../request/context.ts'

/** The labels that the service generated for the Rdata of a draft: the last Rdata of the RRSet, in the same order. */
export const generatedLabels = (draft: Pick<DraftRRSet, 'rdata'>, { rdata }: RRSet): readonly string[] =>
  rdata
    .slice(rdata.length - draft.rdata.length)
    .flatMap(({ label }, n) => (draft.rdata[n]?.label === undefined ? [label] : []))

export interface CreatedLabels {
  readonly dnsType: string
  readonly labels: readonly string[]
}

/** The same for several new RRSets. */
export const labelsOf = (drafts: readonly DraftRRSet[], rrsets: readonly RRSet[]): readonly CreatedLabels[] =>
  rrsets.map((rrset, n) => ({
    dnsType: rrset.dnsType,
    labels: generatedLabels(drafts[n] ?? { rdata: [] }, rrset),
  }))

/** Clients and proxies limit the size of a header; a part of the list would mislead. */
const MAX_HEADER_BYTES = 4096

/** Created-Labels, a list of strings with the type as a parameter (RFC 9651 §3.1): `"_1";type="A", "_2";type="A"`. */
export function createdLabels(list: readonly CreatedLabels[]): Pick<Success, 'headers'> {
  const items = list.flatMap(({ dnsType, labels }) => labels.map((label) => `"${label}";type="${dnsType}"`))
  const value = items.join(', ')
  return value === '' || value.length > MAX_HEADER_BYTES ? {} : { headers: { 'created-labels': value } }
}
