import { type Duration, milliseconds } from '../base/time.ts'
import type { Secret } from '../base/secret.ts'

/** Names of the parameter that services take an IPv6 address in. */
export const IPV6_PARAMETERS = ['myip', 'myipv6', 'ipv6', 'myip6', 'ip6', 'myip2'] as const
type Ipv6Parameter = (typeof IPV6_PARAMETERS)[number]

/** Names of the parameter for hostnames; `none`: the credentials stand for the hostname. */
export const HOSTNAME_PARAMETERS = ['hostname', 'host', 'none'] as const
type HostnameParameter = (typeof HOSTNAME_PARAMETERS)[number]

export const ADDRESS_PARAMETERS = ['myip', 'ip'] as const
type AddressParameter = (typeof ADDRESS_PARAMETERS)[number]

/**
 * What a request says about a family that it has no address of. Some services delete the record of a family that is not
 * named. `omit`: nothing. `repeat`: the address that was confirmed last. `hold`: the same, and without one no request
 * is sent while the family is unknown. `hold-ipv4`: the same, and no request without an IPv4 address at all.
 * `preserve`, `no`: that word in the place of the address. `keep`: keepipv4=1 or keepipv6=1.
 */
export const ABSENT_FAMILY = ['omit', 'repeat', 'hold', 'hold-ipv4', 'preserve', 'no', 'keep'] as const
export type AbsentFamily = (typeof ABSENT_FAMILY)[number]
export const isHolding = (one: AbsentFamily): boolean => one === 'hold' || one === 'hold-ipv4'

export type FixedParameter = readonly [name: string, value: string | Secret]

/** How the requests of one service look, as far as services of this protocol differ. */
export interface RequestForm {
  readonly hostnameParameter: HostnameParameter
  readonly addressParameter: AddressParameter
  /** `myip`: both addresses in one list. */
  readonly ipv6Parameter: Ipv6Parameter
  /** Each family has a request of its own. */
  readonly isApart: boolean
  readonly absentFamily: AbsentFamily
  /** Fixed parameters. A secret is percent-encoded where it is sent, any other value needs no escape. */
  readonly parameters: readonly FixedParameter[]
  /** The least time between two requests; zero: none. */
  readonly minGap: Duration
}

/** The form of the specification. */
export const PLAIN_FORM: RequestForm = {
  hostnameParameter: 'hostname',
  addressParameter: 'myip',
  ipv6Parameter: 'myip',
  isApart: false,
  absentFamily: 'omit',
  parameters: [],
  minGap: milliseconds(0),
}
