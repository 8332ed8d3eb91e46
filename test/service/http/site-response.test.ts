import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../runs.ts'
import { createHash } from 'node:crypto'
import { pageResponse, redirectResponse } from '../../../src/service/http/site-response.ts'

const bodyOf = (texts: Parameters<typeof pageResponse>[0]): string => pageResponse(texts).body
const policyOf = (texts: Parameters<typeof pageResponse>[0]): readonly string[] =>
  (pageResponse(texts).headers?.['content-security-policy'] ?? '').split('; ')

describe('a redirect', () => {
  // biome-ignore format: a table
  it.each([
    ['GET',    302],
    ['HEAD',   302],
    ['POST',   307],
    ['PUT',    307],
    ['DELETE', 307],
  ])('of %s is %i', (method, status) => {
    const { headers, body, ...rest } = redirectResponse(method, 'https://away.test/x?y=1')
    expect([rest.status, body]).toEqual([status, ''])
    expect(headers).toEqual({
      location: 'https://away.test/x?y=1',
      'cache-control': 'max-age=60',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
  })
})

describe('an offline page', () => {
  it('is not there now, and is not kept', () => {
    const { status, headers } = pageResponse({ title: 'Away' })
    expect(status).toBe(503)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'retry-after': '60',
      'x-content-type-options': 'nosniff',
    })
  })

  it('has its title, and what else there is', () => {
    const whole = bodyOf({
      title: 'Away',
      message: 'Soon\nback',
      logo_url: 'https://a.test/l.png',
      email: 'a@b.test',
    })
    expect(whole).toContain('<title>Away</title>')
    expect(whole).toContain('<h1>Away</h1>')
    expect(whole).toContain('<p>Soon\nback</p>')
    expect(whole).toContain('<img src="https://a.test/l.png" alt="">')
    expect(whole).toContain('<a href="mailto:a@b.test">a@b.test</a>')
    expect(bodyOf({ title: 'Away' })).not.toMatch(/<p>|<img|<a /)
  })

  // biome-ignore format: a table
  it.each([
    ['a script',          '<script>alert(1)</script>',       '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['the end of a title', '</title><script src=x>',         '&lt;/title&gt;&lt;script src=x&gt;'],
    ['quotes',            '" onload="x\' y',                 '&quot; onload=&quot;x&#39; y'],
    ['an entity',         '&lt;',                            '&amp;lt;'],
    ['a new line',        'a\r\nSet-Cookie: b',              'a\r\nSet-Cookie: b'],
    ['other directions',  'a\u202Egnp.exe',                  'a\u202Egnp.exe'],
    ['a comment',         '<!-- -->',                        '&lt;!-- --&gt;'],
  ])('shows %s as text, and puts none of it in a header', (_, text, is) => {
    const { headers, body } = pageResponse({ title: text, message: text })
    expect(body).toContain(`<title>${is}</title>`)
    expect(body).toContain(`<h1>${is}</h1>`)
    expect(body).toContain(`<p>${is}</p>`)
    expect(headers).toEqual(pageResponse({ title: 'Away' }).headers)
  })

  it('has no markup but its own, whatever the texts are', () => {
    const own = bodyOf({ title: 'Away', message: 'x' })
      .match(/<[^>]*>/g)
      ?.join('')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), (title, message) => {
        const tags = bodyOf({ title, message }).match(/<[^>]*>/g)
        expect(tags?.join('')).toBe(own)
      }),
      { numRuns: runs(100) },
    )
  })

  it.each([`"><script>@b.test`, `'x@b.test`, 'a&b@b.test', 'ü@b.test'])(
    'has the address %s in its link and as text',
    (email) => {
      const link = /<a href="mailto:([^"]*)">([^<]*)<\/a>/.exec(bodyOf({ title: 'Away', email })) ?? []
      const text = (escaped = '') =>
        escaped
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&amp;', '&')
      expect([decodeURI(text(link[1])), text(link[2])]).toEqual([email, email])
    },
  )

  it('loads nothing, with the style that it has', () => {
    const [style = ''] = /(?<=<style>).*(?=<\/style>)/s.exec(bodyOf({ title: 'Away' })) ?? []
    expect(style).not.toBe('')
    expect(policyOf({ title: 'Away' })).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
  })

  it('loads its logo from the origin of that alone', () => {
    const logo = 'https://a.test:8443/x.png?y="><script>'
    expect(policyOf({ title: 'Away', logo_url: logo })).toContain('img-src https://a.test:8443')
    expect(bodyOf({ title: 'Away', logo_url: logo })).toContain(
      '<img src="https://a.test:8443/x.png?y=&quot;&gt;&lt;script&gt;" alt="">',
    )
  })

  it.each(['http://a;script-src/', "http://a;default-src'*'/", 'http://a,b/'])(
    'keeps its policy with the logo %s',
    (logo) => {
      const [first, , ...rest] = policyOf({ title: 'Away', logo_url: logo })
      expect(first).toBe("default-src 'none'")
      expect(rest.slice(-3)).toEqual(["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"])
      expect(policyOf({ title: 'Away', logo_url: logo })).toHaveLength(6)
      expect(rest[0]).toMatch(/^img-src [a-z]+:\/\/[^;, ]+$/)
    },
  )
})
