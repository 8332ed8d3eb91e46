import { describe, expect, it } from 'vitest'
import { DE } from '../../../src/service/console/words/de/de.ts'
import { EN } from '../../../src/service/console/words/en/en.ts'
import { PASSWORD } from '../api/world.ts'
import { consoleTests, type Shown } from './person.ts'

const { at, person } = consoleTests()
type Person = ReturnType<typeof person>
const GERMAN = { acceptLanguage: 'de' } as const

/** All texts of a language. */
const textsIn = (words: object): readonly string[] =>
  Object.values(words).flatMap((value: unknown) => {
    if (typeof value === 'string') return [value]
    return typeof value === 'object' && value !== null ? textsIn(value) : []
  })

/** In characters: shorter words may be the same in both languages. */
const SENTENCE = 12
const ENGLISH = [...textsIn(EN), ...Object.keys(DE.errors)].filter(
  (text) => text.length >= SENTENCE && text.includes(' ') && !textsIn(DE).includes(text),
)
/** Words that every English sentence of a refusal has some of, and no German one. */
const WORDS = /\b(?:is|are|not|the|of|than|other|this|contains?|characters?|with|must|name of)\b/g

/** What a page says in English: sentences of the tables, and the words around a detail. */
const englishIn = ({ text }: Shown): readonly string[] => [
  ...ENGLISH.filter((sentence) => text.includes(sentence)),
  ...(text.match(WORDS) ?? []),
]

const german = async (): Promise<Person> => {
  const one = person()
  await one.signIn('a', PASSWORD)
  return one
}

/** Forms with something that is refused, and the detail that the page repeats. */
const REFUSALS: readonly (readonly [
  what: string,
  path: string,
  form: Readonly<Record<string, string>>,
  says: string,
])[] = [
  [
    'a name that is not there',
    '/console/keys/new',
    { description: 'Router', hostnames: 'zuhause' },
    'zuhause',
  ],
  [
    'a blank in a name',
    '/console/names/new',
    { hostname: 'a b.example.test', addresses: '192.0.2.1' },
    'a b',
  ],
  [
    'a foreign zone',
    '/console/names/new',
    { hostname: 'x.anderswo.test', addresses: '192.0.2.1' },
    'anderswo',
  ],
]

describe('a German page', () => {
  it('is German: the sentences looked for are on the English one', async () => {
    const one = await german()
    const english = await one.send('/console/keys/new')
    expect(englishIn(english)).not.toEqual([])
    expect(ENGLISH.length).toBeGreaterThan(100)
  })

  it.each(REFUSALS)('says in German why a form is refused: %s', async (_, path, form, says) => {
    const one = await german()
    await one.send(path, { headers: GERMAN })
    const refused = await one.post(path, form, { headers: GERMAN })
    expect([refused.status, refused.html.includes('lang="de"')]).toEqual([422, true])
    expect(refused.html).toContain(says)
    expect(englishIn(refused)).toEqual([])
  })

  it('says in German who changed something, in the trail', async () => {
    const one = await german()
    const { store, ids } = at.world
    const entry = { accountId: ids['a'] ?? 0, isUpdate: false, peer: '198.51.100.1', at: at.now } as const
    const rows = [
      ['account a', 'changePassword', 'a'],
      ['link of a', 'resetPassword', 'a'],
      ['key kkk1111', 'changeKey', 'kkk1111'],
    ] as const
    await store.write(async (w) =>
      w.addTrail(rows.map(([actor, operation, subject]) => ({ ...entry, actor, operation, subject }))),
    )
    const trail = await one.send('/console/trail', { headers: GERMAN })
    expect(trail.html).toContain('kkk1111')
    expect(rows.flatMap(([actor]) => (trail.text.includes(actor) ? [actor] : []))).toEqual([])
    expect(englishIn(trail)).toEqual([])
  })
})
