import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Route, refusalsOf, route } from '../../../src/service/api/route.ts'
import { item, type Named } from '../../../src/service/api/openapi/schemas.ts'
import { ROUTES } from '../../../src/service/api/routes.ts'
import { ERRORS, type ErrorName, refuse } from '../../../src/service/model/errors.ts'
import { ref } from '../../../src/service/api/openapi/schema.ts'
import { readBody } from '../../../src/service/api/request/body.ts'
import { refused, type RequestContext } from '../../../src/service/api/request/context.ts'
import { faulty } from '../../../src/service/api/request/faults.ts'
import { NO_REFUSALS, REFUSALS } from '../../spec/refusals.ts'

const ROW = {
  method: 'GET',
  path: '/x',
  tag: 'meta',
  summary: 'A route',
  response: item('About'),
  statuses: [200],
} as const

it('a refusal that its route does not list does not compile', () => {
  const listed = route({
    ...ROW,
    refuses: ['zoneNotFound'],
    handle: async () => refused(refuse('zoneNotFound')),
  })
  const unlisted = route({
    ...ROW,
    refuses: ['zoneNotFound'],
    // @ts-expect-error the type checker is the test
    handle: async () => refused(refuse('nameNotFound')),
  })

  expect([listed.refuses, unlisted.refuses]).toEqual([['zoneNotFound'], ['zoneNotFound']])
})

it('a route that lists a refusal its handler never returns does not compile', () => {
  const handle = async () => refused(refuse('zoneNotFound'))
  // @ts-expect-error the type checker is the test
  const excessive = route({ ...ROW, refuses: ['zoneNotFound', 'nameNotFound'], handle })

  expect(excessive.refuses).toEqual(['zoneNotFound', 'nameNotFound'])
})

it('an answer that its schema does not describe does not compile', () => {
  const row = { ...ROW, refuses: [] } as const
  const described = route({
    ...row,
    handle: async () => ({ status: 200, data: { name: 'x', version: '1' } }),
  })
  const renamed = route({
    ...row,
    // @ts-expect-error the type checker is the test
    handle: async () => ({ status: 200, data: { name: 'x', release: '1' } }),
  })

  expect([described.statuses, renamed.statuses]).toEqual([[200], [200]])
})

it('a fault that its route does not list, and one that its handler never has, do not compile', () => {
  const row = { ...ROW, refuses: [] } as const
  const handle = async () => faulty('keyNotFound')
  const listed = route({ ...row, faults: ['keyNotFound'], handle })
  // @ts-expect-error the type checker is the test
  const unlisted = route({ ...row, handle })
  // @ts-expect-error the type checker is the test
  const excessive = route({ ...row, faults: ['keyNotFound', 'codeWrong'], handle })
  const late = async () => ({ status: 200 as const, later: async () => faulty('codeWrong') })
  // @ts-expect-error the type checker is the test
  const unlistedLater = route({ ...row, handle: late })

  expect([listed, unlisted, excessive, unlistedLater].map(({ faults }) => faults?.length)).toEqual([
    1,
    undefined,
    2,
    undefined,
  ])
})

it('a body of another form than its handler reads does not compile', () => {
  const row = { ...ROW, refuses: [] } as const
  const handle = async (context: RequestContext<Named<'FactorCode'>>) => {
    const body = readBody(context)
    return 'malformed' in body ? body : { status: 200 as const, data: { name: body.code, version: '1' } }
  }
  const described = route({ ...row, request: ref('FactorCode'), handle })
  // @ts-expect-error the type checker is the test
  const another = route({ ...row, request: ref('NewInvitation'), handle })
  // @ts-expect-error the type checker is the test
  const none = route({ ...row, handle })

  expect([described, another, none].map(({ request }) => request !== undefined)).toEqual([true, true, false])
})

const NAMES = Object.keys(ERRORS) as readonly ErrorName[]

/** For example `4809 nameNotFound`. */
const readable = (code: string): string =>
  `${code} ${NAMES.find((name) => String(ERRORS[name].code) === code) ?? 'is not in the table of errors'}`
const codesOf = (one: Route): readonly string[] => refusalsOf(one).map((name) => String(ERRORS[name].code))

describe('the routes and the specified refusals are the same', () => {
  it.each(Object.entries<Route>(ROUTES))('%s: has exactly the refusals of refusals.tsv', (id, one) => {
    const specified = REFUSALS.flatMap(({ operation, code }) => (operation === id ? [code] : []))
    const listed = codesOf(one)

    expect({
      'in routes.ts alone': listed.filter((code) => !specified.includes(code)).map(readable),
      'in refusals.tsv alone': specified.filter((code) => !listed.includes(code)).map(readable),
    }).toEqual({ 'in routes.ts alone': [], 'in refusals.tsv alone': [] })
  })

  it.each(Object.entries<Route>(ROUTES))('%s: lists no refusal twice', (_, one) => {
    const codes = codesOf(one)

    expect(codes.filter((code, n) => codes.indexOf(code) < n).map(readable)).toEqual([])
  })

  it('refusals.tsv has each pair of operation and code once, with the status of the code', () => {
    const pairs = REFUSALS.map(({ operation, code }) => `${operation} ${code}`)
    const statuses = new Map(NAMES.map((name) => [String(ERRORS[name].code), ERRORS[name].status as number]))

    expect(pairs.filter((pair, n) => pairs.indexOf(pair) < n)).toEqual([])
    expect(REFUSALS.filter(({ code, status }) => statuses.get(code) !== status)).toEqual([])
  })

  it('refusals.tsv has all 87 operations, and marks those without refusals', () => {
    const without = Object.entries<Route>(ROUTES).flatMap(([id, one]) =>
      refusalsOf(one).length === 0 ? [id] : [],
    )

    const operations = new Set([...REFUSALS, ...NO_REFUSALS].map(({ operation }) => operation))
    expect([operations.size, operations]).toEqual([87, new Set(Object.keys(ROUTES))])
    expect(NO_REFUSALS.map(({ operation }) => operation)).toEqual(without)
  })

  it('every error of the table is refused by some operation', () => {
    const codes = new Set(REFUSALS.map(({ code }) => code))

    expect(NAMES.map((name) => String(ERRORS[name].code)).filter((code) => !codes.has(code))).toEqual([])
  })
})

it('no line of the tables of operations is wider than 125 columns', () => {
  const folder = join(import.meta.dirname, '../../../src/service/api/contract')
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))

  expect(lines.length).toBeGreaterThan(400)
  expect(lines.filter((line) => line.length > 125)).toEqual([])
})
