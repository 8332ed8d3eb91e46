import type { Words } from '../words/words.ts'

/** A scope as a sentence: `type:TXT` is "may change TXT records only". Another one is shown as it is. */
export function scopeSentence(words: Words, scope: string): string {
  const t = words.scopes
  const [word = '', value = ''] = scope.split(':')
  if (scope === 'read') return t.read
  if (word === 'zone') return t.zone(value)
  if (word === 'name') return t.name(value)
  return word === 'type' ? t.type(value) : scope
}

/** The fields of a form that limit a key, and the scope that each value of a field is. */
export const SCOPE_FIELDS = { zones: 'zone', names: 'name', types: 'type' } as const

/** The scopes that a form has. */
export const scopesIn = (sent: URLSearchParams): readonly string[] => [
  ...(sent.get('read') === 'yes' ? ['read'] : []),
  ...Object.entries(SCOPE_FIELDS).flatMap(([field, word]) =>
    (sent.get(field) ?? '')
      .split(/[\s,]+/)
      .filter((one) => one !== '')
      .map((one) => `${word}:${one}`),
  ),
]
