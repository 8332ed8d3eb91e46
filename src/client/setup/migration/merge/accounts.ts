import { providerCalled } from '../../../services/providers/providers.ts'
import type { ImportedUpdate, Lookup, Remark } from '../imported.ts'
import { interfaceIn, networkIn, wayForBoth, wayOf } from './lookups.ts'

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
  return parts.flatMap((part): readonly OwnWay[] => {
    const lines = lineOrder(part, parts)
    const update = lines === undefined ? part : { ...part, lines }
    const [v4, v6] = [found(nameOf(update), 'ipv4'), found(nameOf(update), 'ipv6')]
    const both = v4 === undefined || v6 === undefined ? undefined : wayForBoth(v4.lookup, v6.lookup)
    const own = update.ipv4 ? v4 : v6
    if (own !== undefined && own !== part && isOtherWay(own, part)) {
      const { place, lookup } = part
      const text =
        lines === undefined
          ? `finds its address by ${wayOf(own.lookup)}, and this one by ${wayOf(lookup)}${orderOf(own.lookup, lookup)}`
          : `and this one become one order of lines: ${lines.join(', then ')}`
      const kind = lines === undefined ? 'not taken' : 'changed'
      remarks.push({ kind, place, text: `${nameOf(part)}: line ${own.place.line} ${text}` })
      return []
    }
    if (both !== undefined) return [{ update: { ...update, lookup: both }, families: 'both' }]
    const two = isToken ? undefined : twoLines(v4, v6)
    if (two !== undefined) return [{ update: { ...update, ...two }, families: 'both' }]
    return [{ update, families: update.ipv4 ? (update.ipv6 ? 'both' : 'IPv4') : 'IPv6' }]
  })
}

/** What to write for two networks whose devices are not in the file. */
const orderOf = (first: Lookup, second: Lookup): string =>
  networkIn(first) === undefined || networkIn(second) === undefined
    ? ''
    : '; for both, write interface = ["DEVICE", "DEVICE"] with their devices'

/** The interfaces of all entries for this hostname, if each has its own: the hostname moves from one line to the next. */
function lineOrder(update: ImportedUpdate, parts: readonly ImportedUpdate[]): readonly string[] | undefined {
  const { hostnames, suffix } = update
  const same = parts.filter((one) => one.hostnames[0] === hostnames[0])
  const lines = (family: 'ipv4' | 'ipv6'): readonly (string | undefined)[] =>
    same.filter((one) => one[family]).map(({ lookup, through }) => interfaceIn(lookup) ?? through)
  const [v4, v6] = [lines('ipv4'), lines('ipv6')]
  const order = v4.length > 0 ? v4 : v6
  const isOrder =
    hostnames.length > 0 &&
    order.length > 1 &&
    new Set(order).size === order.length &&
    !order.includes(undefined)
  const isOne = v4.length === 0 || v6.length === 0 || v4.join() === v6.join()
  return isOrder && isOne && same.every((one) => one.suffix === suffix)
    ? (order as readonly string[])
    : undefined
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
