import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { FILES, placeOf } from './sources.ts'

const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm

/** Where each exported name is defined. */
const exported = new Map<string, string[]>()
for (const { path, text } of FILES)
  for (const [, name = ''] of text.matchAll(EXPORT)) exported.set(name, [...(exported.get(name) ?? []), path])

/** A function may have the name of the one file it is in; apart from that, these mean the same thing wherever they stand. */
const GENERIC: readonly string[] = []

it('finds the exported names', () => {
  expect(exported.size).toBeGreaterThan(800)
  expect(exported.get('AgentEvent')).toEqual(['client/agent/events.ts'])
})

it('every exported name has one meaning in the whole package', () => {
  const several = [...exported].filter(([name, where]) => where.length > 1 && !GENERIC.includes(name))

  expect(Object.fromEntries(several)).toEqual({})
})

it('no name differs from another in its case alone, unless it is a value and its type', () => {
  const byLetters = new Map<string, string[]>()
  for (const name of exported.keys())
    byLetters.set(name.toLowerCase(), [...(byLetters.get(name.toLowerCase()) ?? []), name])
  const isPair = (names: readonly string[]): boolean =>
    names.length === 2 && names.filter((name) => /^[A-Z][a-z]/.test(name)).length === 1
  const alike = [...byLetters.values()].filter((names) => names.length > 1 && !isPair(names))

  expect(alike).toEqual([])
})

const PRIVATE =
  /^(?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm
const MAX_DEFINITIONS = 3
/** In `service/store/sql`: `Pick` of an interface, three times, and a page of a listing. */
const SAME_MEANING: readonly string[] = ['Part']

/** Where each name of the top level that is not exported is defined. */
const hidden = new Map<string, string[]>()
for (const { path, text } of FILES)
  for (const [, name = ''] of text.matchAll(PRIVATE)) hidden.set(name, [...(hidden.get(name) ?? []), path])

it('finds the names that are not exported', () => expect(hidden.size).toBeGreaterThan(2000))

it(`no name has more than ${MAX_DEFINITIONS} private definitions: a longer one says which is meant, or they are one`, () => {
  const many = [...hidden].filter(
    ([name, where]) => where.length > MAX_DEFINITIONS && !SAME_MEANING.includes(name),
  )

  expect(Object.fromEntries(many)).toEqual({})
})

/** Words of households, courts and weather, and relative clauses; the field has a word for each (see the decision on names). */
const METAPHORS =
  /^(mandate|heed|obey|gravity|standing|ladder|rung|witness|standpoint|voices?|liar|bench(ed)?|lookout|beside|kept|keeper|wish(es)?|weather|gust|deaf(ness)?|weighty|doubt(s|ed)?|desk|visit(s|ed)?|office|goals?|charges?|patience|courtesy|thrift(y)?|dice|whoami|echo(es)?|stranger|praised|blamed|shelf|bells?|deed|duty|duties)$/i

/** The words of an identifier: `heldByPace` has three. */
const wordsOf = (name: string): readonly string[] =>
  name.split(/(?<=[a-z0-9])(?=[A-Z])|_|-/).filter((word) => word !== '')

const isMetaphor = (name: string): boolean => wordsOf(name).some((word) => METAPHORS.test(word))

it('no exported name is a metaphor', () =>
  expect(
    FILES.flatMap((file) =>
      [...file.text.matchAll(EXPORT)]
        .filter(([, name = '']) => isMetaphor(name))
        .map(({ index }) => placeOf(file, index)),
    ),
  ).toEqual([]))

it('no name of a file is a metaphor', () =>
  expect(FILES.map(({ path }) => path).filter((path) => isMetaphor(basename(path, '.ts')))).toEqual([]))
