import { describe, expect, it } from 'vitest'
import { quoteOf } from '../../../src/shared/protocol/said-text.ts'
import { readResponse } from '../../../src/shared/protocol/response.ts'

describe('quoteOf', () => {
  it.each([
    ['dnserr\n', '"dnserr"'],
    ['  two\r\n  lines\t', '"two lines"'],
    [
      '<!DOCTYPE html><html><head><title>Sign in</title><style>p{}</style></head><p>Hotel</p>',
      '"Sign in Hotel"',
    ],
    ['<script>alert(1)', ''],
    ['', ''],
    ['\u001b[31mred\u0007\u009b\u202e', '"[31mred"'],
    ['x'.repeat(200), `"${'x'.repeat(80)}…"`],
    ['x'.repeat(80), `"${'x'.repeat(80)}"`],
    ['a<b>c', '"a c"'],
    ['a<style>p{}</style>b<style>q{}</style>c', '"a b c"'],
  ])('quotes %j as %s', (body, shown) => expect(quoteOf(body)).toBe(shown))

  it('is part of the description of an unrecognized response, after the HTTP status', () => {
    const read = readResponse({ status: 404, body: 'No such page' }, 1)

    expect(read).toMatchObject({
      ok: false,
      error: { because: 'text that is not a reply word (HTTP 404): "No such page"' },
    })
  })
})
