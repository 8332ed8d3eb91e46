import { err, ok, type Result } from '../../../shared/base/result.ts'
import { type Address, parseAddress } from '../../../shared/base/address.ts'

/** A line as people write it. */
export interface LineSpec {
  readonly interface: string
  readonly gateway?: Address
}

export const LINE_FORMS = 'INTERFACE, or INTERFACE via GATEWAY'

/** Such as "wan1" or "eth0 via 192.168.1.1". */
export function parseLineSpec(value: string): Result<LineSpec, string> {
  const [, name, via] = /^(\S+)(?:\s+via\s+(\S+))?$/.exec(value) ?? []
  if (name === undefined) return err(`must be ${LINE_FORMS}, such as eth0 via 192.168.1.1`)
  if (via === undefined) return ok({ interface: name })
  const gateway = parseAddress(via)
  return gateway === undefined
    ? err('names a gateway that is no address; it must be like eth0 via 192.168.1.1')
    : ok({ interface: name, gateway })
}

export const formatLineSpec = ({ interface: name, gateway }: LineSpec): string =>
  gateway === undefined ? name : `${name} via ${gateway}`
