import type { Provider } from './provider.ts'

/** What a service calls the secret of an account: the noun that its preset begins with. */
export function secretNoun({ password }: Pick<Provider, 'password'>): string {
  const noun = password.replace(/^(an?|the|its) /, '')
  return noun.startsWith(PLAIN)
    ? PLAIN
    : noun.replace(/[,;(].*| (with|of|that|which|from|as|in|or|there|for)\b.*/, '').trim()
}

const PLAIN = 'password of the DDNS key'
