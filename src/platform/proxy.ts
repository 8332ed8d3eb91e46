import { err, ok, type Result } from '../base/result.ts'
import { parseAddress } from '../net/address.ts'
import { isWithin, parsePrefix } from '../net/prefix.ts'
import { Secret } from '../net/secret.ts'

/** The proxy that a request goes through. */
export interface Proxy {
  /** Without credentials, and so for showing too. */
  readonly url: string
  /** The value of Proxy-Authorization. */
  readonly authorization?: Secret
}

type Environment = Readonly<Record<string, string | undefined>>

/** The first of a variable's two spellings that says something. */
function variable(
  environment: Environment,
  name: string,
): readonly [name: string, value: string] | undefined {
  const found = [name.toLowerCase(), name].find((one) => (environment[one] ?? '') !== '')
  return found === undefined ? undefined : [found, environment[found] ?? '']
}

/** The proxy of the environment for an address, if there is one; an error is what is wrong with the variable. */
export function proxyFor(url: string, environment: Environment): Result<Proxy | undefined, string> {
  const { protocol, hostname, port } = new URL(url)
  const given = variable(environment, protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
  const host = hostname.replaceAll(/[[\]]/g, '')
  const [, exceptions = ''] = variable(environment, 'NO_PROXY') ?? []
  if (given === undefined || isExcepted(exceptions, host, port || (protocol === 'https:' ? '443' : '80')))
    return ok(undefined)
  const [name, value] = given
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`
  if (!URL.canParse(full))
    return err(`${name} is not the address of a proxy, such as http://proxy.example:3128`)
  const proxy = new URL(full)
  if (proxy.protocol !== 'http:' && proxy.protocol !== 'https:')
    return err(
      `${name} names a ${proxy.protocol.slice(0, -1)} proxy; only http and https proxies are supported`,
    )
  const credentials = credentialsOf(proxy)
  if (credentials === undefined) return err(`${name} holds credentials with a broken escape`)
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

/** NO_PROXY as curl and Go read it: names with all below them, addresses, ranges, each with a port or without; "*" is all. */
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
