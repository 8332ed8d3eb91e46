import { describe, expect, it } from 'vitest'
import { REQUEST_FAULTS } from '../../../src/service/api/request/faults.ts'
import { ROUTES } from '../../../src/service/api/routes.ts'
import { LINK_OPERATIONS } from '../../../src/service/auth/links.ts'
import { EN } from '../../../src/service/console/words/en/en.ts'
import { type Language, LANGUAGES, languageFor } from '../../../src/service/console/words/languages.ts'
import { ERRORS } from '../../../src/service/model/errors.ts'

/** The words of a language, by their place. */
function wordsIn(words: object, place = ''): readonly (readonly [string, unknown])[] {
  return Object.entries(words).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null && key !== 'errors'
      ? wordsIn(value, `${place}${key}.`)
      : [[`${place}${key}`, value] as const],
  )
}

const OTHER_LANGUAGES = (Object.keys(LANGUAGES) as Language[]).filter((language) => language !== 'en')

describe('the words of the console', () => {
  it.each(OTHER_LANGUAGES)('are all there in %s, and are not the English ones', (language) => {
    const [english, translated] = [new Map(wordsIn(EN)), new Map(wordsIn(LANGUAGES[language].words))]
    expect([...translated.keys()]).toEqual([...english.keys()])
    const same = [...translated].filter(
      ([place, word]) => typeof word === 'string' && word === english.get(place),
    )
    const both = [
      'App',
      'Code',
      'Delegation',
      'Domain',
      'Name',
      'Passkey',
      'Plan',
      'Server',
      'TTL',
      'Zone',
      '/nic/update',
      'offline',
      'of',
      'Text',
    ]
    expect(same.filter(([, word]) => !both.includes(String(word)))).toEqual([])
  })

  it('have each operation that the trail names', () => {
    const writes = Object.entries(ROUTES).flatMap(([name, { method }]) => (method === 'GET' ? [] : [name]))
    const links = Object.values(LINK_OPERATIONS)
    expect(Object.keys(EN.trail.operations).toSorted()).toEqual(
      [...writes, ...links, 'update', 'UPDATE'].toSorted(),
    )
  })

  it.each(OTHER_LANGUAGES)('have each error of the API in %s', (language) => {
    const titles = [
      ...Object.values(ERRORS).map(({ meaning }) => meaning),
      ...Object.values(REQUEST_FAULTS).map(({ title }) => title),
    ]
    expect(Object.keys(LANGUAGES[language].words.errors).toSorted()).toEqual([...new Set(titles)].toSorted())
  })
})

describe('the language', () => {
  it.each([
    [undefined, undefined, 'en'],
    [undefined, 'de', 'de'],
    [undefined, 'de-AT,de;q=0.9,en;q=0.8', 'de'],
    [undefined, 'en-US,en;q=0.9,de;q=0.8', 'en'],
    [undefined, 'fr,de;q=0.5,en;q=0.4', 'de'],
    [undefined, 'de;q=0,en;q=0.1', 'en'],
    [undefined, 'fr, *;q=0.5', 'en'],
    [undefined, ';;,,q=', 'en'],
    ['de', 'en', 'de'],
    ['en', 'de', 'en'],
    ['toString', 'de', 'de'],
  ] as const)('chosen %s, accepted %s: %s', (chosen, accepted, language) =>
    expect(languageFor(chosen, accepted)).toBe(language),
  )
})
