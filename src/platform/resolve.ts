import type { LookupAddress, LookupOptions } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { type Address, type Family, familyOf, parseAddress } from '../net/address.ts'
import type { Resolve } from '../ports/network.ts'

/** Two tries at each name server. Names are answered in milliseconds, or not at all. */
const [TIMEOUT, TRIES] = [1500, 2]
/** In all, for a host with several name servers that stay silent. */
const LONGEST = 5000

interface Found {
  readonly addresses: readonly Address[]
  /** For how long that holds, in milliseconds. */
  readonly ttl: number
}

/**
 * The addresses of a name, by DNS, with its TTL. getaddrinfo(3), which also knows the hosts file, is asked only where a name
 * server answered that there is no such name: it cannot be broken off, and keeps a process from ending while it waits. Throws
 * as Node's own look-up does. A new resolver each time, because /etc/resolv.conf changes with the network.
 */
async function found(host: string, family: Family): Promise<Found> {
  const local = await localOf(host, family)
  if (local !== undefined) return local
  if (silence !== undefined && performance.now() < silence.until) throw silence.error
  const resolver = new Resolver({ timeout: TIMEOUT, tries: TRIES })
  const late = setTimeout(() => resolver.cancel(), LONGEST)
  try {
    const records = await (family === 'v4'
      ? resolver.resolve4(host, { ttl: true })
      : resolver.resolve6(host, { ttl: true }))
    const addresses = records.flatMap(({ address }) => parseAddress(address) ?? [])
    return { addresses, ttl: Math.min(...records.map(({ ttl }) => ttl)) * 1000 }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (SILENT.has(code)) silence = { error, until: performance.now() + SILENT_FOR }
    if (!MAY_BE_LOCAL.has(code)) throw error
    return bySystem(host, family)
  } finally {
    clearTimeout(late)
  }
}

/** No name server said anything: who asks for another name right after that need not wait for as long. */
let silence: { readonly error: unknown; readonly until: number } | undefined
const SILENT = new Set(['ETIMEOUT', 'ECANCELLED'])
const SILENT_FOR = 1500

/** Each address once: getaddrinfo(3) gives 127.0.0.1 for every line of /etc/hosts that names localhost, that of ::1 too. */
async function bySystem(host: string, family: Family): Promise<Found> {
  const records = await lookup(host, { all: true, family: family === 'v4' ? 4 : 6 })
  return { addresses: [...new Set(records.flatMap(({ address }) => parseAddress(address) ?? []))], ttl: 0 }
}

/** What no name server need be asked for: a name of the hosts file (hosts(5)), of one label, or of the link (RFC 6762). */
async function localOf(host: string, family: Family): Promise<Found | undefined> {
  if (!host.includes('.') || /\.(localhost|local)\.?$/i.test(host)) return bySystem(host, family)
  const table = await readFile('/etc/hosts', 'utf8').catch(() => '')
  const lines = table.split('\n').map((line) => (line.split('#')[0] ?? '').trim().split(/\s+/))
  const named = lines.filter(([, ...names]) =>
    names.some((name) => name.toLowerCase() === host.toLowerCase()),
  )
  if (named.length === 0) return undefined
  const addresses = named.flatMap(([text = '']) => parseAddress(text) ?? [])
  return { addresses: addresses.filter((address) => familyOf(address) === family), ttl: 0 }
}

/** The name server says that it has no such name, or there is none to ask. */
const MAY_BE_LOCAL = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'EBADNAME', 'EFORMERR'])

/** No look-up is repeated sooner, whatever a TTL says; and what is long known is looked up again, whatever it says. */
const [LEAST_TTL, MOST_TTL] = [1000, 300_000]

/** A resolver that remembers: what was last known is used at once, and looked up again beside when its TTL is over. */
export interface RememberingResolve {
  readonly resolve: Resolve
  /** What is asked there does not answer: the name is looked up again before it is asked again. */
  readonly forget: (host: string, family: Family) => void
}

export function rememberingResolve(now: () => number): RememberingResolve {
  const known = new Map<string, { readonly addresses: readonly Address[]; readonly until: number }>()
  const keyOf = (host: string, family: Family): string => `${family} ${host}`
  const ask = async (host: string, family: Family): Promise<readonly Address[]> => {
    const { addresses, ttl } = await found(host, family).catch((): Found => ({ addresses: [], ttl: 0 }))
    const until = now() + Math.min(MOST_TTL, Math.max(LEAST_TTL, ttl))
    if (addresses.length > 0) known.set(keyOf(host, family), { addresses, until })
    return addresses
  }
  return {
    forget: (host, family) => void known.delete(keyOf(host, family)),
    resolve: async (host, family) => {
      const last = known.get(keyOf(host, family))
      if (last === undefined) return ask(host, family)
      if (now() > last.until) void ask(host, family)
      return last.addresses
    },
  }
}

type Callback = (error: Error | null, addresses: LookupAddress[] | string, family?: number) => void

/** In the words of getaddrinfo(3): the name does not exist, or no name server could tell. */
function failureOf(host: string, reason: unknown): Error {
  const isMissing = (reason as NodeJS.ErrnoException | undefined)?.code === 'ENOTFOUND'
  const says = isMissing ? `there is no name ${host}` : `no name server could tell the address of ${host}`
  return Object.assign(new Error(says), {
    code: isMissing ? 'ENOTFOUND' : 'EAI_AGAIN',
    syscall: 'getaddrinfo',
  })
}

/** The same for Node's HTTP client, in the form of dns.lookup. */
export const lookUp = (host: string, options: LookupOptions, callback: Callback): void =>
  void answer(host, options, callback)

async function answer(host: string, { all, family }: LookupOptions, callback: Callback): Promise<void> {
  const found = await allOf(host, FAMILIES_OF[String(family)] ?? ['v4', 'v6']).catch((error: Error) => error)
  if (found instanceof Error) callback(found, [])
  else if (all) callback(null, found)
  else callback(null, found[0].address, found[0].family)
}

const FAMILIES_OF: Readonly<Record<string, readonly Family[]>> = {
  4: ['v4'],
  IPv4: ['v4'],
  6: ['v6'],
  IPv6: ['v6'],
}

async function allOf(
  host: string,
  families: readonly Family[],
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const outcomes = await Promise.allSettled(families.map(async (family) => found(host, family)))
  const [first, ...others] = outcomes.flatMap((outcome, at) =>
    outcome.status === 'fulfilled'
      ? outcome.value.addresses.map((address) => ({ address, family: families[at] === 'v4' ? 4 : 6 }))
      : [],
  )
  if (first !== undefined) return [first, ...others]
  const failure = outcomes.find((outcome) => outcome.status === 'rejected')
  throw failureOf(host, failure?.reason)
}
