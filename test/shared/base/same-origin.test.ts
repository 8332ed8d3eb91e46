import { expect, it } from 'vitest'
import { isSameOrigin, type RequestOrigin } from '../../../src/shared/base/same-origin.ts'

const HOST = 'localhost:8246'
it.each<[Partial<RequestOrigin>, boolean]>([
  [{ fetchSite: 'same-origin' }, true],
  [{ fetchSite: 'same-site', origin: 'http://localhost:8246' }, false],
  [{ fetchSite: 'cross-site' }, false],
  [{ fetchSite: 'none' }, false],
  [{ origin: 'http://localhost:8246' }, true],
  [{ origin: 'http://localhost:9999' }, false],
  [{ origin: 'null' }, false],
  [{}, false],
])('a request that acts, of %j', (headers, isSame) =>
  expect(isSameOrigin({ host: HOST, origin: undefined, fetchSite: undefined, ...headers })).toBe(isSame),
)
