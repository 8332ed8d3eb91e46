import { err, ok, type Result } from '../../shared/base/result.ts'
import { KEY_NAME } from '../../shared/dns/tsig.ts'
import { type Address, parseAddress } from '../../shared/base/address.ts'
import { parseHostname } from '../../shared/base/hostname.ts'
import { parseDnsServer } from '../../shared/settings/dns-endpoint.ts'

/** A secondary name server, with the name of the key that it signs with. */
interface SecondarySetting {
  readonly name: string
  readonly address: Address
  readonly port: number
  readonly keyName: string
  readonly signs: boolean
}

/** Parses "ns1=192.0.2.1:53 key ns1-key". */
export function parseSecondary(value: string): Result<SecondarySetting, string> {
  const [, name, place, keyName, signs] = /^([\w.-]{1,64})=(\S+) key (\S+)( signs)?$/.exec(value.trim()) ?? []
  const endpoint = place === undefined ? undefined : parseDnsServer(place)
  const key = keyName?.toLowerCase().replace(/\.$/, '') ?? ''
  if (name === undefined || endpoint === undefined || !KEY_NAME.test(key))
    return err(
      'must be NAME=ADDRESS:PORT key KEYNAME, such as "ns1=192.0.2.1:53 key ns1-key", and signs at the end if it signs',
    )
  return endpoint.ok
    ? ok({
        name,
        address: endpoint.value.host,
        port: endpoint.value.port,
        keyName: key,
        signs: signs !== undefined,
      })
    : endpoint
}

/** A mailbox as the domain name of a SOA, in which dots of the local part are escaped (RFC 1035 §8). */
export function parseContact(value: string): Result<string, string> {
  const [, local = '', domain = ''] = /^([A-Za-z0-9_-]{1,63})@([^@]+)$/.exec(value.trim()) ?? []
  const host = parseHostname(domain)
  return local === '' || host === undefined
    ? err('must be an e-mail address without a dot before the @, such as hostmaster@example.net')
    : ok(`${local.toLowerCase()}.${host}`)
}

export function parseRedirectAddress(value: string): Result<Address, string> {
  const address = parseAddress(value)
  return address === undefined ? err('is not an IPv4 or IPv6 address') : ok(address)
}
