import type { Account } from '../../model/tree.ts'
import type { AccountCounts } from '../../store/records.ts'
import { existing } from '../../store/select.ts'
import type { Named } from '../openapi/schemas.ts'
import { readBody } from '../request/body.ts'
import { DONE, type RequestContext } from '../request/context.ts'
import { PASSWORD_NEEDED } from '../request/faults.ts'
import { isScoped } from '../../rules/permission.ts'
import { timeOf } from '../answer/show.ts'

/** The account of the caller, with the limits of its plan and what it uses of them; an API key of any scope reads it. */
export async function getAccount({ caller, store }: RequestContext) {
  const { account } = caller
  const [all, apexes] = [await store.holdingsOf(account.id), await store.apexHoldingsOf(account.id)]
  const counts = existing(await store.accountCounts(account.id))
  // As the quotas count.
  const counted = { names: all.names - apexes.names, rdata: all.rdata - apexes.rdata }
  return {
    status: 200 as const,
    data: { ...showAccount(account, isScoped(caller)), ...showUsage(counted, counts) },
  }
}

/** Where links for a new password go. Only a person can set it: a reader of that mail can take the account. */
export async function changeAccount(context: RequestContext<Named<'AccountPatch'>>) {
  const { caller, store, now } = context
  if (caller.apiKeyId !== undefined) return PASSWORD_NEEDED
  const body = readBody(context)
  if ('malformed' in body) return body
  await store.changeAccount(caller.account.id, { email: body.email ?? '' }, now)
  return DONE
}

/** A key with a scope sits on a device, which has no need of the address of a person. */
const showAccount = (
  { name, plan, isWebsiteOnly, isOperator, email, isEmailConfirmed }: Account,
  isOfDevice: boolean,
) => ({
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
    needs_second_factor: plan.needsFactor === true,
  },
  website_only: isWebsiteOnly,
  operator: isOperator === true,
  email: isOfDevice ? null : (email ?? null),
  email_confirmed: !isOfDevice && isEmailConfirmed === true,
})

const showUsage = (
  { names, rdata }: { readonly names: number; readonly rdata: number },
  { createdAt, zones, keys, apiKeys, tsigKeys }: AccountCounts,
) => ({
  usage: { names, rdata, ddns_keys: keys, api_keys: apiKeys, tsig_keys: tsigKeys, zones },
  created_at: timeOf(createdAt),
})
