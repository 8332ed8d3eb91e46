import { parseServer } from './client-settings.ts'

/** Names that differ: the second `no-ip` is `no-ip-2`. */
export function distinctNames(names: readonly string[]): readonly string[] {
  const used = new Set<string>()
  return names.map((name) => {
    let number = 1
    let candidate = name
    while (used.has(candidate)) candidate = `${name}-${(number += 1)}`
    used.add(candidate)
    return candidate
  })
}

/**
 * What each account of a file is called, in messages and for `--account`: its name, its username, its service or the host of
 * its server; else its number.
 */
export const namesOfAccounts = (accounts: readonly Readonly<Record<string, unknown>>[]): readonly string[] =>
  distinctNames(
    accounts.map(({ name, username, provider, server, url }, at) => {
      const found = [name, username, provider, hostIn(server), hostIn(url)].find(
        (one) => typeof one === 'string',
      )
      return typeof found === 'string' ? found : String(at + 1)
    }),
  )

/** Of a server, or of the address of a request, in which there may be places. */
function hostIn(address: unknown): string | undefined {
  if (typeof address !== 'string') return undefined
  const [origin = address] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#{]+/i.exec(address) ?? []
  const parsed = parseServer(origin)
  return parsed.ok && URL.canParse(parsed.value) ? new URL(parsed.value).hostname : undefined
}
