import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { err, ok, type Result } from '../../base/result.ts'
import { type Address, type Family, familyOf, parseAddress } from '../../base/address.ts'
import type { FindAddresses, FindNameServers } from '../../ports/network.ts'

/** Per query to one resolver, in milliseconds, and the number of attempts. */
const [QUERY_TIMEOUT, MAX_QUERIES] = [1500, 2]

/** NODATA and NXDOMAIN, as Node names them. */
const ABSENT = new Set(['ENODATA', 'ENOTFOUND'])

/**
 * One lookup, apart from those of `resolve.ts`: what it finds out about the resolver must not delay updates. A new
 * resolver each time, because /etc/resolv.conf changes with the network. Without getaddrinfo(3), which cannot be
 * cancelled.
 */
async function lookUp<T>(
  work: (resolver: Resolver) => Promise<readonly T[]>,
  signal: AbortSignal,
): Promise<Result<readonly T[], string>> {
  if (signal.aborted) return err(FAILURES.ECANCELLED)
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT, tries: MAX_QUERIES })
  const cancel = (): void => resolver.cancel()
  signal.addEventListener('abort', cancel)
  try {
    return ok(await work(resolver))
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (ABSENT.has(code)) return ok([])
    return err(isKnownFailure(code) ? FAILURES[code] : `the resolver of this host failed (${code})`)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

const FAILURES = {
  ETIMEOUT: 'the resolver of this host does not answer',
  ECANCELLED: 'the resolver of this host does not answer',
  ECONNREFUSED: 'the resolver of this host cannot be reached',
  ESERVFAIL: 'the resolver of this host finds no answer',
  EREFUSED: 'the resolver of this host refuses the question',
} as const

const isKnownFailure = (code: string): code is keyof typeof FAILURES => Object.hasOwn(FAILURES, code)

/** For hosts that no resolver knows. hosts(5): the first word of a line is the address of the names behind it. */
async function addressesInHosts(host: string, family: Family): Promise<readonly Address[]> {
  const text = await readFile(HOSTS, 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const parsed = names.includes(host) ? parseAddress(address) : undefined
    return parsed !== undefined && familyOf(parsed) === family ? [parsed] : []
  })
}
const HOSTS = '/etc/hosts'

export const findNameServers: FindNameServers = async (zone, signal) =>
  lookUp(async (resolver) => resolver.resolveNs(zone), signal)

/** TXT values with their strings joined; empty if there are none or the lookup fails. */
export async function findTexts(name: string, signal: AbortSignal): Promise<readonly string[]> {
  const found = await lookUp(async (resolver) => resolver.resolveTxt(name), signal)
  return found.ok ? found.value.map((parts) => parts.join('')) : []
}

export const findAddresses: FindAddresses = async (host, family, signal) => {
  const found = await lookUp(
    async (resolver) => (family === 'v4' ? resolver.resolve4(host) : resolver.resolve6(host)),
    signal,
  )
  const asked = found.ok ? found.value.flatMap((text) => parseAddress(text) ?? []) : []
  return asked.length > 0 ? asked : addressesInHosts(host, family)
}
