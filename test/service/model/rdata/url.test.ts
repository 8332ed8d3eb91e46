import { describe, expect, it } from 'vitest'
import { RDATA_TYPES } from '../../../../src/service/model/rdata/types.ts'
import { accepts } from './values.ts'

describe('a redirect is stored as browsers write it', () =>
  accepts('_URL', [
    ['https://A.test', 'https://a.test/'],
    ['http://a.test:80/b?c#d', 'http://a.test/b?c#d'],
  ]))

it.each([
  'http://a.test/\ud800',
  'http://a.test/\0',
  'ftp://a.test/',
  'http://u:p@a.test/',
  '/path',
  'http:a.test',
])('the redirect %j is refused', (url) =>
  expect(RDATA_TYPES['_URL'].parse(url)).toMatchObject({
    ok: false,
    error: { refused: 'urlRedirectMalformed' },
  }),
)
