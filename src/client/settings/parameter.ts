import { err, ok, type Result } from '../../shared/base/result.ts'
import { Secret } from '../../shared/base/secret.ts'
import { ADDRESS_PARAMETERS, type FixedParameter, IPV6_PARAMETERS } from '../../shared/protocol/request.ts'
import { isSecretName } from '../../shared/settings/secret-names.ts'

/** Parameters that Holdfast writes itself. */
const OWN_PARAMETERS: ReadonlySet<string> = new Set([
  ...IPV6_PARAMETERS,
  ...ADDRESS_PARAMETERS,
  'hostname',
  'host',
  'offline',
])

/** The value that stands for the password of the account. */
export const PASSWORD_PLACE = '{password}'

/** "NAME=VALUE", in characters that need no escape. */
export function parseParameter(text: string): Result<FixedParameter, string> {
  const [, name, value] = /^([A-Za-z0-9_.-]+)=([A-Za-z0-9_.~:@/-]*|\{password\})$/.exec(text) ?? []
  if (name === undefined || value === undefined)
    return err(`must be NAME=VALUE, such as system=dyndns, or NAME=${PASSWORD_PLACE}`)
  if (OWN_PARAMETERS.has(name)) return err(`sets ${name}, which each request sets itself`)
  return ok([name, isSecretName(name) && value !== PASSWORD_PLACE ? new Secret(value) : value])
}
