import { parseHost, parseTarget, relativeTo } from '../model/dns-name.ts'
import { asciiName } from '../model/idn.ts'
import { isDnsType } from '../model/rdata-values.ts'
import type { Caller } from './access.ts'

/** What the scopes of an API key leave of the permissions of its account. Lists of different kinds apply together. */
type Restrictions = Pick<Caller, 'isReadOnly' | 'zones' | 'names' | 'types'>

interface ScopeKind {
  readonly field: Exclude<keyof Restrictions, 'isReadOnly'>
  readonly form: string
  /** The value in the form in which it is stored and compared; undefined if it is invalid. */
  readonly parse: (value: string) => string | undefined
}

/** The scopes with a value. Several of one kind allow each of their values. */
// biome-ignore format: a table
const KINDS: Readonly<Record<string, ScopeKind>> = {
  zone: { field: 'zones', form: 'zone:NAME', parse: parseHost },
  name: { field: 'names', form: 'name:FQDN', parse: parseTarget },
  type: { field: 'types', form: 'type:TYPE', parse: (value) => isDnsType(value.toUpperCase()) ? value.toUpperCase() : undefined },
}
const READ = 'read'

export const SCOPE_FORMS: string = [READ, ...Object.values(KINDS).map(({ form }) => form)].join(', ')

/** A scope in its canonical form; undefined if it is none. */
export function parseScope(text: string): string | undefined {
  const [word = '', ...rest] = text.split(':')
  if (text === READ) return READ
  const value = Object.hasOwn(KINDS, word) ? KINDS[word]?.parse(asciiName(rest.join(':'))) : undefined
  return value === undefined ? undefined : `${word}:${value}`
}

/** An unknown scope, as a later version may have stored it, allows nothing: no zone is accessible. */
export function restrictionsOf(scopes: readonly string[]): Restrictions {
  const lists: { zones?: string[]; names?: string[]; types?: string[] } = {}
  for (const scope of scopes.map(parseScope)) {
    if (scope === READ) continue
    const [word = '', value = ''] = scope?.split(':') ?? []
    const kind = KINDS[word]
    if (kind === undefined) return { isReadOnly: true, zones: [] }
    lists[kind.field] = [...(lists[kind.field] ?? []), value]
  }
  return { isReadOnly: scopes.includes(READ), ...lists }
}

/** What scopes would allow that other ones do not. */
export interface WiderScopes {
  /** The new scopes that no present one of their kind covers. */
  readonly uncovered: readonly string[]
  /** The kinds of present scopes without which less is limited, such as `read` and `zone`. */
  readonly missing: readonly string[]
}

const wordOf = (scope: string): string => scope.split(':', 1)[0] ?? ''

/** Compares scopes in canonical form. Without present scopes, all are narrower. */
export function widerScopes(present: readonly string[], next: readonly string[]): WiderScopes {
  const words = new Set(present.map(wordOf))
  return {
    uncovered: next.filter(
      (scope) => words.has(wordOf(scope)) && !present.some((one) => coversScope(one, scope)),
    ),
    missing: [...words].filter((word) => !next.some((scope) => wordOf(scope) === word)),
  }
}

/** A name covers the names beneath it; a zone covers none inside it, which is another zone. */
const coversScope = (present: string, next: string): boolean =>
  present === next ||
  (wordOf(present) === 'name' &&
    wordOf(next) === 'name' &&
    relativeTo(next.slice('name:'.length), present.slice('name:'.length)) !== undefined)
