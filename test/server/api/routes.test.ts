import { expect, it } from 'vitest'
import { refused } from '../../../src/server/api/request-context.ts'
import { ROUTES, type Route, route } from '../../../src/server/api/routes.ts'
import { ERRORS, refuse } from '../../../src/server/errors/errors.ts'

const ROW = { method: 'GET', path: '/x', says: 'a route', tag: 'meta' } as const

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

it('every error is listed by some route, and every route lists each of its errors once', () => {
  const listed = Object.values(ROUTES).flatMap((one: Route) => one.refuses)

  expect(
    Object.keys(ERRORS).filter((name) => name !== 'unauthorized' && !(listed as string[]).includes(name)),
  ).toEqual([])
})
