import { nearest } from '../../../shared/base/nearest.ts'
import { err, ok, type Result } from '../../../shared/base/result.ts'
import { GRADE_A } from './grade-a.ts'
import { GRADE_B } from './grade-b.ts'
import { GRADE_C } from './grade-c.ts'
import { NOT_SERVED } from './not-served.ts'
import { RECORD_SERVICES } from './record-services.ts'
import { TEMPLATES } from './templates.ts'
import type { UnservedService, Provider } from './provider.ts'

/** Every service that is known by name. */
export const PROVIDERS: Readonly<Record<string, Provider>> = {
  ...GRADE_A,
  ...GRADE_B,
  ...RECORD_SERVICES,
  ...TEMPLATES,
  ...GRADE_C,
}
export const UNSERVED_SERVICES: Readonly<Record<string, UnservedService>> = NOT_SERVED

export const PROVIDER_NAMES: readonly string[] = Object.keys(PROVIDERS)

export const providerCalled = (name: string): Provider | undefined =>
  Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined
/** Other names that people type. */
// biome-ignore format: a table
const ALIASES: Readonly<Record<string, string>> = {
  noip: 'no-ip', dyndns: 'dyn', cf: 'cloudflare', afraid: 'freedns', dd24: 'key-systems', domaindiscount24: 'key-systems', moniker: 'key-systems', rrpproxy: 'key-systems',
  pdns: 'powerdns', bind: 'rfc2136', knot: 'rfc2136', nsupdate: 'rfc2136', tsig: 'rfc2136', 'digital-ocean': 'digitalocean', 'hetzner-cloud': 'hetzner',
}
export const aliasedProvider = (name: string): string | undefined =>
  Object.hasOwn(ALIASES, name) ? ALIASES[name] : providerOfDomain(name.replace(/^www\./, ''))

/** Other clients name services by their domains: that of the preset's name, else of its zone or host. */
function providerOfDomain(domain: string): string | undefined {
  const [label = '', ...rest] = domain.split('.')
  if (rest.length === 0) return undefined
  const called = Object.hasOwn(ALIASES, label) ? ALIASES[label] : label
  if (rest.length === 1 && called !== undefined && providerCalled(called) !== undefined) return called
  return PROVIDER_NAMES.find((key) => {
    const provider = PROVIDERS[key]
    const server = presetServer(provider)
    const host = server !== undefined && URL.canParse(server) ? new URL(server).hostname : ''
    return provider?.settings['zone'] === domain || host === domain || host.endsWith(`.${domain}`)
  })
}

/** Scheme and host of the service; undefined where the program runs on a user's own host. */
export const presetServer = (provider: Provider | undefined): string | undefined =>
  provider?.settings['server'] ?? /^https:\/\/[^/]+/.exec(provider?.settings['url'] ?? '')?.[0]
/** By its key, a host of it, or its name in another client. */
export const unservedServiceCalled = (name: string): UnservedService | undefined =>
  Object.hasOwn(UNSERVED_SERVICES, name)
    ? UNSERVED_SERVICES[name]
    : Object.values(UNSERVED_SERVICES).find(({ aliases }) =>
        [name, name.replace(/^www\./, '')].some((one) => aliases?.includes(one)),
      )

/** Why a service is not served, and what to use instead. */
export const unservedText = ({ name, what, instead }: UnservedService): string =>
  `${name} ${what}${instead === undefined ? '' : `; ${instead}`}`

/** What to write in the place of a server that does not speak `/nic/update`; undefined for any other host. */
export function insteadOfServer(server: string): string | undefined {
  const { hostname } = new URL(server)
  const unserved = unservedServiceCalled(hostname)
  if (unserved !== undefined) return unservedText(unserved)
  const isThere = ([, one]: readonly [string, Provider]): boolean =>
    (one.protocol ?? one.replies) !== undefined &&
    URL.canParse(presetServer(one) ?? '') &&
    new URL(presetServer(one) ?? '').hostname === hostname
  const isAlsoUpdate = Object.values(PROVIDERS).some(
    (one) => one.protocol === undefined && one.replies === undefined && presetServer(one) === server,
  )
  const found = isAlsoUpdate ? undefined : Object.entries(PROVIDERS).find(isThere)
  return found && `${found[1].name} has another protocol; write provider = "${found[0]}" instead of server`
}

/** What happens at this service to the record of a family that is off; undefined where nothing does. */
export function deletionRemark(
  { name, settings: { absent_family: kind = '', ipv6: isIpv6 } }: Provider,
  { ipv4, ipv6 }: { readonly ipv4: boolean; readonly ipv6: boolean },
): string | undefined {
  const deletes = kind === 'hold' || kind === 'hold-ipv4'
  if (!deletes || isIpv6 === 'false' || ipv4 === ipv6) return undefined
  const record = ipv6 ? 'IPv4 address (A record)' : 'IPv6 address (AAAA record)'
  return (
    `${name} deletes the ${record} of a hostname, because only the other family is sent; to keep both, ` +
    `remove ${ipv6 ? 'ipv4' : 'ipv6'} = false`
  )
}

/** The preset that a file names, which may do so by its domain. */
export function providerWritten(value: unknown): Provider | undefined {
  const parsed = typeof value === 'string' ? parseProvider(value) : undefined
  return parsed?.ok === true ? providerCalled(parsed.value) : undefined
}

/** The name of a provider, which may be given by its domain; the error is a predicate. */
export function parseProvider(value: string): Result<string, string> {
  const name = value.trim().toLowerCase()
  if (providerCalled(name) !== undefined) return ok(name)
  const ended = unservedServiceCalled(name)
  if (ended !== undefined) return err(`is not served: ${unservedText(ended)}`)
  const alias = aliasedProvider(name)
  if (alias !== undefined) return ok(alias)
  const closest = nearest(name, PROVIDER_NAMES)
  const remark = closest === undefined ? '' : ` (did you mean ${closest}?)`
  return err(`is not a known service${remark}; holdfast providers lists them; for another service set server`)
}
