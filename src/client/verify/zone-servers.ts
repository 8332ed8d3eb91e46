import { err, ok, type Result } from '../../shared/base/result.ts'
import { type Address, FAMILIES } from '../../shared/base/address.ts'
import type { VerifyContext } from './ports.ts'

/** A name server with the addresses at which it is asked, in this order. */
export interface ZoneServer {
  readonly name: string
  readonly addresses: readonly Address[]
  readonly port: number
}

const DNS_PORT = 53
const MAX_SERVERS = 4
/** A second address is for a server whose first one cannot be reached from here. */
const MAX_ADDRESSES = 2

/** A hostname of a service is a few labels below its zone. */
const MAX_PARENTS = 10

/**
 * The name servers of the zone of a hostname: those of the longest name with NS records. The zones of registries (one label)
 * hold no hostname of a user.
 */
export async function findZoneServers(
  hostname: string,
  context: VerifyContext,
): Promise<Result<readonly ZoneServer[], string>> {
  const labels = hostname.split('.')
  for (let depth = 0; depth <= MAX_PARENTS && labels.length - depth >= 2; depth++) {
    const found = await context.ports.nameServers(labels.slice(depth).join('.'), context.signal)
    if (!found.ok) return found
    // The root as a name server means that there is none.
    const names = found.value.filter((name) => name !== '')
    if (names.length > 0) return withAddresses(names, context)
  }
  return err(`no zone with name servers was found for ${hostname}`)
}

async function withAddresses(
  names: readonly string[],
  { ports, signal }: VerifyContext,
): Promise<Result<readonly ZoneServer[], string>> {
  const servers = await Promise.all(
    names
      .toSorted()
      .slice(0, MAX_SERVERS)
      .map(async (name) => {
        const found = await Promise.all(FAMILIES.map(async (family) => ports.addresses(name, family, signal)))
        return { name, addresses: found.map(([first]) => first).filter(isAddress), port: DNS_PORT }
      }),
  )
  const reachable = servers.filter(({ addresses }) => addresses.length > 0)
  return reachable.length === 0
    ? err(`the addresses of ${names.toSorted().slice(0, MAX_SERVERS).join(', ')} were not found`)
    : ok(reachable.map((server) => ({ ...server, addresses: server.addresses.slice(0, MAX_ADDRESSES) })))
}

const isAddress = (address: Address | undefined): address is Address => address !== undefined
