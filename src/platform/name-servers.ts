import { Resolver } from 'node:dns/promises'
import { err, ok } from '../base/result.ts'
import type { FindNameServers } from '../ports/network.ts'

/** Per query to one resolver, in milliseconds, and the number of attempts. */
const [QUERY_TIMEOUT, MAX_QUERIES] = [1500, 2]

/** NODATA and NXDOMAIN, as Node names them. */
const NO_ZONE = new Set(['ENODATA', 'ENOTFOUND'])

/** A new resolver each time, because /etc/resolv.conf changes with the network. */
export const findNameServers: FindNameServers = async (zone, signal) => {
  if (signal.aborted) return err('given up')
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT, tries: MAX_QUERIES })
  const cancel = (): void => resolver.cancel()
  signal.addEventListener('abort', cancel)
  try {
    return ok(await resolver.resolveNs(zone))
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return NO_ZONE.has(code) ? ok([]) : err(FAILURES[code] ?? `the resolver of this host failed (${code})`)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

const FAILURES: Readonly<Record<string, string>> = {
  ETIMEOUT: 'the resolver of this host does not answer',
  ECANCELLED: 'the resolver of this host does not answer',
  ECONNREFUSED: 'the resolver of this host cannot be reached',
}
