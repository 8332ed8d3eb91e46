import type { Account } from '../../model/tree.ts'
import type { AccountCounts } from '../../store/records.ts'
import { existing } from '../../store/select.ts'
import type { RequestContext } from '../request/context.ts'
import { timeOf } from '../answer/show.ts'

/** The account of the caller, with the limits of its plan and what it uses of them; an API key of any scope reads it. */
export async function getAccount({ caller: { account }, store }: RequestContext) {
  const [all, apexes] = [await store.holdingsOf(account.id), await store.apexHoldingsOf(account.id)]
  const counts = existing(await store.accountCounts(account.id))
  // As the quotas count.
  const counted = { names: all.names - apexes.names, rdata: all.rdata - apexes.rdata }
  return { status: 200 as const, data: { ...showAccount(account), ...showUsage(counted, counts) } }
}

const showAccount = ({ name, plan, isWebsiteOnly }: Account) => ({
  name,
  plan: {
    name: plan.name,
    max_names: plan.maxNames,
    max_rdata: plan.maxRdata,
    max_ddns_keys: plan.maxKeys,
    max_name_metadata: plan.maxNameMetadata,
    max_rrset_metadata: plan.maxRRSetMetadata,
    min_ttl: plan.minTtl,
    fixed_ttl: plan.fixedTtl ?? null,
    dns_types: plan.types ?? null,
    has_offline: plan.hasOffline,
    has_wildcards: plan.hasWildcards,
  },
  website_only: isWebsiteOnly,
})

const showUsage = (
  { names, rdata }: { readonly names: number; readonly rdata: number },
  { createdAt, zones, keys, apiKeys, tsigKeys }: AccountCounts,
) => ({
  usage: { names, rdata, ddns_keys: keys, api_keys: apiKeys, tsig_keys: tsigKeys, zones },
  created_at: timeOf(createdAt),
})
