import { nearest } from '../../base/nearest.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { GRADE_A } from './grade-a.ts'
import { GRADE_B } from './grade-b.ts'
import { ENDED, GRADE_C } from './grade-c.ts'
import { RECORD_SERVICES } from './record-services.ts'
import { TEMPLATES } from './templates.ts'
import type { EndedService, Provider } from './provider.ts'

/** Every service that is known by name. */
export const PROVIDERS: Readonly<Record<string, Provider>> = {
  ...GRADE_A,
  ...GRADE_B,
  ...RECORD_SERVICES,
  ...TEMPLATES,
  ...GRADE_C,
}
export const ENDED_SERVICES: Readonly<Record<string, EndedService>> = ENDED

export const PROVIDER_NAMES: readonly string[] = Object.keys(PROVIDERS)

export const providerCalled = (name: string): Provider | undefined =>
  Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined
/** Scheme and host of the service; undefined where the program runs on a user's own host. */
export const presetServer = (provider: Provider | undefined): string | undefined =>
  provider?.settings['server'] ?? /^https:\/\/[^/]+/.exec(provider?.settings['url'] ?? '')?.[0]
/** By its key, a host of it, or its name in another client. */
export const endedServiceCalled = (name: string): EndedService | undefined =>
  Object.hasOwn(ENDED_SERVICES, name)
    ? ENDED_SERVICES[name]
    : Object.values(ENDED_SERVICES).find(({ aliases }) => aliases?.includes(name.replace(/^www\./, '')))

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

/** The name of a provider; the error is a predicate. */
export function parseProvider(value: string): Result<string, string> {
  const name = value.trim().toLowerCase()
  if (providerCalled(name) !== undefined) return ok(name)
  const ended = endedServiceCalled(name)
  if (ended !== undefined) return err(`is ${ended.name}, which ${ended.what}`)
  const closest = nearest(name, PROVIDER_NAMES)
  const remark = closest === undefined ? '' : ` (did you mean ${closest}?)`
  return err(`is not a known service${remark}; holdfast providers lists them; for another service set server`)
}
