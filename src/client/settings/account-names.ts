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
    accounts.map(({ name, username, provider, server }, at) => {
      const found = [name, username, provider, hostIn(server)].find((one) => typeof one === 'string')
      return typeof found === 'string' ? found : String(at + 1)
    }),
  )

function hostIn(server: unknown): string | undefined {
  const parsed = typeof server === 'string' ? parseServer(server) : undefined
  return parsed?.ok === true && URL.canParse(parsed.value) ? new URL(parsed.value).hostname : undefined
}
