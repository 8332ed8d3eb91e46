import { PROVIDERS } from '../../../../src/client/services/providers/providers.ts'
import { type Address, type Addresses, FAMILIES, parseAddress } from '../../../../src/shared/base/address.ts'
import { formatQuery } from '../../../../src/shared/protocol/request.ts'
import { readDialect } from '../../../fakes/service-dialect.ts'

const address = (text: string): Address => parseAddress(text) as Address
const BOTH = { v4: address('192.0.2.1'), v6: address('2001:db8::1') }

/**
 * What is sent for one hostname with both families, as "host/path?query"; without a host where the user sets it.
 * The values are <name>, <v4> and <v6>.
 */
export function requestsOf(provider: string): readonly string[] {
  const { settings } = PROVIDERS[provider] ?? { settings: {} }
  const { path, form } = readDialect(provider, [])
  const { ipv6, myip, server = '', ipv6_server: six = server }: Readonly<Record<string, string>> = settings
  const known: Addresses = ipv6 === 'false' ? { v4: BOTH.v4 } : BOTH
  const addresses: Addresses = myip === 'connection' ? {} : known
  const each = form.isApart
    ? FAMILIES.flatMap((family) => (addresses[family] === undefined ? [] : [{ [family]: addresses[family] }]))
    : [addresses]
  return each.map((one) => {
    const host = (form.isApart && 'v6' in one ? six : server).replace('https://', '')
    const query = formatQuery({ hostnames: ['home.example.test'], addresses: one }, form)
    return `${host}${path}?${query.reveal()}`
      .replace('home.example.test', '<name>')
      .replace('192.0.2.1', '<v4>')
      .replace('2001:db8::1', '<v6>')
  })
}
