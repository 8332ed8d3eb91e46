import { DE } from './de/de.ts'
import { EN } from './en/en.ts'
import type { Translation } from './words.ts'

/** Each with its own name, as people who read it look for it. */
const TRANSLATIONS = {
  de: { words: DE, name: 'Deutsch' },
} as const satisfies Readonly<Record<string, { readonly words: Translation; readonly name: string }>>
export const LANGUAGES = { en: { words: EN, name: 'English' }, ...TRANSLATIONS } as const
export type Language = keyof typeof LANGUAGES

export const isLanguage = (text: string | undefined): text is Language =>
  text !== undefined && Object.hasOwn(LANGUAGES, text)

/** What a person has chosen, else the best of Accept-Language (RFC 9110 §12.5.4), else English. */
export function languageFor(chosen: string | undefined, accepted = ''): Language {
  if (isLanguage(chosen)) return chosen
  const wanted = accepted.split(',').flatMap((range, at) => {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';')
    const quality = Number(/^\s*q=([\d.]+)\s*$/.exec(parameters.join(';'))?.[1] ?? 1)
    const [language] = tag.split('-')
    return isLanguage(language) && quality > 0 ? [{ language, quality, at }] : []
  })
  const [best] = wanted.toSorted((one, other) => other.quality - one.quality || one.at - other.at)
  return best?.language ?? 'en'
}
