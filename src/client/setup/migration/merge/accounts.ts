import { providerCalled } from '../../../services/providers/providers.ts'
import type { ImportedUpdate, Remark } from '../imported.ts'
import { interfaceIn, wayForBoth, wayOf } from './lookups.ts'

/** One family of one hostname, or both where their addresses are found in the same way. */
interface OwnWay {
  readonly update: ImportedUpdate
  readonly families: 'IPv4' | 'IPv6' | 'both'
}

/**
 * The updates of one login, by account: an account has one set of families, and fixed addresses or none. One login is one
 * account, and what does not fit into it is not taken; a token without a username may have several (decision 0039).
 */
export function byAccount(
  group: readonly ImportedUpdate[],
  remarks: Remark[],
): readonly (readonly ImportedUpdate[])[] {
  const accounts = new Map<string, ImportedUpdate[]>()
  const keyOf = ({ families, update: { lookup } }: OwnWay): string =>
    `${families} ${lookup.kind === 'fixed' ? lookup.addresses.join() : ''}`
  const isToken = group.every((one) => one.username === undefined && !needs(one).username)
  const ways = ownWays(group, { remarks, isToken })
  for (const way of ways) {
    const updates = accounts.get(keyOf(way)) ?? []
    updates.push(way.update)
    accounts.set(keyOf(way), updates)
  }
  const [first, ...others] = accounts.values()
  if (first === undefined || others.length === 0 || isToken) return [...accounts.values()]
  for (const { update, families } of ways.filter((one) => keyOf(one) !== keyOf(ways[0] ?? one)))
    remarks.push({
      kind: 'not taken',
      place: update.place,
      text:
        `${update.hostnames.join(', ')}: ${families === 'both' ? 'both families' : `only ${families}`}, ` +
        `by ${wayOf(update.lookup)}, needs an account of its own, and a username can only be in one account`,
    })
  return [first]
}

const isOtherWay = (one: ImportedUpdate, other: ImportedUpdate): boolean =>
  wayForBoth(one.lookup, other.lookup) === undefined ||
  one.suffix !== other.suffix ||
  one.through !== other.through

/** Each hostname with its families; those of several entries are put together where they are found in the same way. */
function ownWays(
  group: readonly ImportedUpdate[],
  { remarks, isToken }: { readonly remarks: Remark[]; readonly isToken: boolean },
): readonly OwnWay[] {
  const parts = group.flatMap((update) =>
    update.hostnames.length === 0
      ? [update]
      : update.hostnames.map((name) => ({ ...update, hostnames: [name] })),
  )
  const nameOf = ({ hostnames: [name = ''] }: ImportedUpdate): string => name
  const families = ['ipv4', 'ipv6'] as const
  // The first of each counts.
  const first = new Map(
    parts
      .toReversed()
      .flatMap((one) =>
        families.flatMap((own) => (one[own] ? [[`${own} ${nameOf(one)}`, one] as const] : [])),
      ),
  )
  const found = (name: string, family: 'ipv4' | 'ipv6'): ImportedUpdate | undefined =>
    first.get(`${family} ${name}`)
  return parts.flatMap((update): readonly OwnWay[] => {
    const [v4, v6] = [found(nameOf(update), 'ipv4'), found(nameOf(update), 'ipv6')]
    const both = v4 === undefined || v6 === undefined ? undefined : wayForBoth(v4.lookup, v6.lookup)
    const own = update.ipv4 ? v4 : v6
    if (own !== undefined && own !== update && isOtherWay(own, update)) {
      remarks.push({
        kind: 'not taken',
        place: update.place,
        text:
          `${nameOf(update)}: line ${own.place.line} finds its address by ${wayOf(own.lookup)}, ` +
          `and this one by ${wayOf(update.lookup)}`,
      })
      return []
    }
    if (both !== undefined) return [{ update: { ...update, lookup: both }, families: 'both' }]
    const lines = isToken ? undefined : twoLines(v4, v6)
    if (lines !== undefined) return [{ update: { ...update, ...lines }, families: 'both' }]
    return [{ update, families: update.ipv4 ? (update.ipv6 ? 'both' : 'IPv4') : 'IPv6' }]
  })
}

/** One login is one account, where only the line of IPv6 is another one (decision 0071). */
function twoLines(
  v4: ImportedUpdate | undefined,
  v6: ImportedUpdate | undefined,
): Pick<ImportedUpdate, 'lookup' | 'ipv6Interface'> | undefined {
  const ipv6Interface = v6 && interfaceIn(v6.lookup)
  return v4 === undefined || ipv6Interface === undefined || v4.lookup.kind === 'fixed'
    ? undefined
    : { lookup: v4.lookup, ipv6Interface }
}

/** A request of a user's own may need neither; some services take no username. */
export function needs({ service, settings }: Pick<ImportedUpdate, 'service' | 'settings'>): {
  readonly username: boolean
  readonly password: boolean
} {
  if (settings['url'] === undefined)
    return { username: providerCalled(service.provider ?? '')?.hasNoUsername !== true, password: true }
  const text = JSON.stringify(settings)
  const isBasic = text.includes('{basic}')
  return {
    username: isBasic || text.includes('{username}'),
    password: isBasic || text.includes('{password}'),
  }
}
