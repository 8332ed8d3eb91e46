import { err, ok, type Result } from '../../base/result.ts'
import { parseAddress } from '../../base/address.ts'
import { isWithin, parsePrefix } from '../../base/prefix.ts'
import { Secret } from '../../base/secret.ts'

/** The proxy that a request goes through. */
export interface Proxy {
  /** Without credentials, so it can be logged. */
  readonly url: string
  /** The value of Proxy-Authorization. */
  readonly authorization?: Secret
}

type Environment = Readonly<Record<string, string | undefined>>

/** A variable in lower case or upper case, the first that is not empty, with its name. */
function variable(
  environment: Environment,
  name: string,
): readonly [name: string, value: string] | undefined {
  const spelling = [name.toLowerCase(), name].find((one) => (environment[one] ?? '') !== '')
  return spelling === undefined ? undefined : [spelling, environment[spelling] ?? '']
}

/**
 * The proxy for a URL (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), if there is one. The error says what is wrong with the
 * variable.
 */
export function proxyFor(url: string, environment: Environment): Result<Proxy | undefined, string> {
  const { protocol, hostname, port } = new URL(url)
  const setting = variable(environment, protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
  const host = hostname.replaceAll(/[[\]]/g, '')
  const [, exceptions = ''] = variable(environment, 'NO_PROXY') ?? []
  if (setting === undefined || isExcepted(exceptions, host, port || (protocol === 'https:' ? '443' : '80')))
    return ok(undefined)
  const [name, value] = setting
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`
  if (!URL.canParse(full))
    return err(`${name} must be the address of a proxy, such as http://proxy.example:3128`)
  const proxy = new URL(full)
  if (proxy.protocol !== 'http:' && proxy.protocol !== 'https:')
    return err(
      `${name} names a ${proxy.protocol.slice(0, -1)} proxy; only http and https proxies are supported`,
    )
  const credentials = credentialsOf(proxy)
  if (credentials === undefined)
    return err(`${name} contains credentials with an invalid percent escape; write % as %25`)
  return ok({
    url: proxy.origin,
    ...(credentials !== ':' && {
      authorization: new Secret(`Basic ${Buffer.from(credentials).toString('base64')}`),
    }),
  })
}

function credentialsOf({ username, password }: URL): string | undefined {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  } catch {
    return undefined
  }
}

/**
 * NO_PROXY, as in curl and Go: names with their subdomains, addresses and ranges, names and addresses with an optional
 * port; "*" matches all.
 */
function isExcepted(exceptions: string, host: string, port: string): boolean {
  const address = parseAddress(host)
  return exceptions
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true
      const range = entry.includes('/') ? parsePrefix(entry) : undefined
      if (range !== undefined) return range.ok && address !== undefined && isWithin(address, range.value)
      const [, bracketed, plain, only] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? []
      const name = (bracketed ?? plain ?? entry).toLowerCase().replace(/^\*?\./, '')
      if (only !== undefined && only !== port) return false
      return address === undefined
        ? host === name || host.endsWith(`.${name}`)
        : parseAddress(name) === address
    })
}
