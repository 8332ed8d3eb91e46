import type { LookupAddress, LookupOptions } from 'node:dns'
import { seconds } from '../../base/time.ts'
import { type Family, familyOf, parseAddress } from '../../base/address.ts'
import type { LookUpName, LookupResult } from '../../ports/network.ts'
import { readAll } from '../files/promises.ts'

/** Loaded for the first name: it reads /etc/resolv.conf at once. */
const dns = () => process.getBuiltinModule('node:dns/promises')

/** Per query to one name server, in milliseconds, and the number of attempts. */
const [QUERY_TIMEOUT, MAX_QUERIES] = [1500, 2]
/** For the whole lookup with several unresponsive name servers, in milliseconds. */
const MAX_LOOKUP_DURATION = 5000

/**
 * The addresses of a name, by DNS. getaddrinfo(3) only follows where a name server has no such name, because it cannot be
 * cancelled and keeps the process alive. Rejects with the errors of Node's resolver. A new resolver each time, because
 * /etc/resolv.conf changes with the network (decision 0027).
 */
export const lookUpName: LookUpName = async (host, family) => {
  const local = await lookUpLocally(host, family)
  if (local !== undefined) return local
  if (outage !== undefined && performance.now() < outage.until) throw outage.error
  const resolver = new (dns().Resolver)({ timeout: QUERY_TIMEOUT, tries: MAX_QUERIES })
  const timer = setTimeout(() => resolver.cancel(), MAX_LOOKUP_DURATION)
  try {
    const records = await (family === 'v4'
      ? resolver.resolve4(host, { ttl: true })
      : resolver.resolve6(host, { ttl: true }))
    const addresses = records.flatMap(({ address }) => parseAddress(address) ?? [])
    return { addresses, ttl: seconds(Math.min(...records.map(({ ttl }) => ttl))) }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (TIMEOUT_CODES.has(code)) outage = { error, until: performance.now() + OUTAGE_DURATION }
    if (!MAY_BE_LOCAL.has(code)) throw error
    return getAddrInfo(host, family)
  } finally {
    clearTimeout(timer)
  }
}

/** After a timeout of all name servers, lookups fail immediately for a short time instead of waiting again. */
let outage: { readonly error: unknown; readonly until: number } | undefined
const TIMEOUT_CODES = new Set(['ETIMEOUT', 'ECANCELLED'])
const OUTAGE_DURATION = 1500

/**
 * Without duplicates: getaddrinfo(3) returns 127.0.0.1 for every line of /etc/hosts that names localhost, even the one of
 * ::1.
 */
async function getAddrInfo(host: string, family: Family): Promise<LookupResult> {
  const records = await dns().lookup(host, { all: true, family: family === 'v4' ? 4 : 6 })
  return {
    addresses: [...new Set(records.flatMap(({ address }) => parseAddress(address) ?? []))],
    ttl: NO_TTL,
  }
}

const NO_TTL = seconds(0)

/** Names that need no name server: those with one label, of the link (RFC 6762), and in the hosts file (hosts(5)). */
async function lookUpLocally(host: string, family: Family): Promise<LookupResult | undefined> {
  if (!host.includes('.') || /\.(localhost|local)\.?$/i.test(host)) return getAddrInfo(host, family)
  const table = await readAll('/etc/hosts', 'utf8').catch(() => '')
  const lines = table.split('\n').map((line) => (line.split('#')[0] ?? '').trim().split(/\s+/))
  const matching = lines.filter(([, ...names]) =>
    names.some((name) => name.toLowerCase() === host.toLowerCase()),
  )
  if (matching.length === 0) return undefined
  const addresses = matching.flatMap(([text = '']) => parseAddress(text) ?? [])
  return { addresses: addresses.filter((address) => familyOf(address) === family), ttl: NO_TTL }
}

/** The name server has no such name, or no name server is configured. */
const MAY_BE_LOCAL = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'EBADNAME', 'EFORMERR'])

type Callback = (error: Error | null, addresses: LookupAddress[] | string, family?: number) => void

/** An error like those of getaddrinfo(3): the name does not exist, or the lookup failed. */
function lookupError(host: string, reason: unknown): Error {
  const isMissing = (reason as NodeJS.ErrnoException | undefined)?.code === 'ENOTFOUND'
  const message = isMissing ? `there is no name ${host}` : `no name server answered for ${host}`
  return Object.assign(new Error(message), {
    code: isMissing ? 'ENOTFOUND' : 'EAI_AGAIN',
    syscall: 'getaddrinfo',
  })
}

/** A replacement for dns.lookup, for Node's HTTP client. */
export const lookUp = (host: string, options: LookupOptions, callback: Callback): void =>
  void callBack(host, options, callback)

async function callBack(host: string, { all, family }: LookupOptions, callback: Callback): Promise<void> {
  const families = FAMILIES_OF[String(family)] ?? ['v4', 'v6']
  const addresses = await lookUpFamilies(host, families).catch((error: Error) => error)
  if (addresses instanceof Error) callback(addresses, [])
  else if (all) callback(null, addresses)
  else callback(null, addresses[0].address, addresses[0].family)
}

const FAMILIES_OF: Readonly<Record<string, readonly Family[]>> = {
  4: ['v4'],
  IPv4: ['v4'],
  6: ['v6'],
  IPv6: ['v6'],
}

/** The addresses of all families in their order; rejects where no family has one. */
async function lookUpFamilies(
  host: string,
  families: readonly Family[],
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const outcomes = await Promise.allSettled(families.map(async (family) => lookUpName(host, family)))
  const [first, ...others] = outcomes.flatMap((outcome, at) =>
    outcome.status === 'fulfilled'
      ? outcome.value.addresses.map((address) => ({ address, family: families[at] === 'v4' ? 4 : 6 }))
      : [],
  )
  if (first !== undefined) return [first, ...others]
  const failure = outcomes.find((outcome) => outcome.status === 'rejected')
  throw lookupError(host, failure?.reason)
}
