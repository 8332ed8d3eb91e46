import { describe, expect, it } from 'vitest'
import { proxyFor } from '../../../../src/shared/platform/http/proxy.ts'

const chosen = (url: string, environment: Record<string, string>): string | undefined => {
  const proxy = proxyFor(url, environment)
  return proxy.ok ? proxy.value?.url : proxy.error
}

const BOTH = { HTTP_PROXY: 'http://one.test:3128', HTTPS_PROXY: 'http://two.test:3128' }

// biome-ignore format: a table
it.each<[string, Record<string, string>, string | undefined]>([
  ['http://dyn.test/',  {},                                                  undefined],
  ['http://dyn.test/',  BOTH,                                                'http://one.test:3128'],
  ['https://dyn.test/', BOTH,                                                'http://two.test:3128'],
  ['https://dyn.test/', { HTTP_PROXY: 'http://one.test:3128' },              undefined],
  ['https://dyn.test/', { https_proxy: 'http://small.test:1', ...BOTH },     'http://small.test:1'],
  ['https://dyn.test/', { HTTPS_PROXY: '' },                                 undefined],
  ['https://dyn.test/', { HTTPS_PROXY: 'two.test:3128' },                    'http://two.test:3128'],
  ['https://dyn.test/', { HTTPS_PROXY: 'https://user:pass@two.test' },       'https://two.test'],
  ['https://dyn.test/', { HTTPS_PROXY: 'socks5://two.test:1080' },           'HTTPS_PROXY names a socks5 proxy; only http and https proxies are supported'],
  ['https://dyn.test/', { https_proxy: 'http://:swordfish@' },               'https_proxy must be the address of a proxy, such as http://proxy.example:3128'],
  ['https://dyn.test/', { HTTPS_PROXY: 'http://a:%zz@two.test' },            'HTTPS_PROXY contains credentials with an invalid percent escape; write % as %25'],
])('the proxy for %s with %j is %s', (url, environment, proxy) => expect(chosen(url, environment)).toBe(proxy))

describe('NO_PROXY', () => {
  // biome-ignore format: a table
  it.each<[string, string, boolean]>([
    ['*',                          'https://dyn.test/',            true],
    ['dyn.test',                   'https://dyn.test/',            true],
    ['DYN.test',                   'https://dyn.test/',            true],
    ['dyn.test',                   'https://a.dyn.test/',          true],
    ['.dyn.test',                  'https://a.dyn.test/',          true],
    ['*.dyn.test',                 'https://a.dyn.test/',          true],
    ['dyn.test',                   'https://other-dyn.test/',      false],
    ['other.test, dyn.test',       'https://dyn.test/',            true],
    ['other.test dyn.test:443',    'https://dyn.test/',            true],
    ['dyn.test:8443',              'https://dyn.test/',            false],
    ['dyn.test:8443',              'https://dyn.test:8443/',       true],
    ['192.0.2.1',                  'https://192.0.2.1/',           true],
    ['192.0.2.0/24',               'https://192.0.2.1/',           true],
    ['192.0.2.0/24',               'https://198.51.100.1/',        false],
    ['192.0.2.0/24',               'https://dyn.test/',            false],
    ['2001:db8::/32',              'https://[2001:db8::1]/',       true],
    ['[2001:db8::1]',              'https://[2001:db8::1]/',       true],
    ['2.1',                        'https://192.0.2.1/',           false],
    ['',                           'https://dyn.test/',            false],
  ])('%j excepts %s: %s', (exceptions, url, isExcepted) => {
    expect(chosen(url, { ...BOTH, NO_PROXY: exceptions }) === undefined).toBe(isExcepted)
    expect(chosen(url, { ...BOTH, no_proxy: exceptions }) === undefined).toBe(isExcepted)
  })
})

it('the credentials of a proxy do not print', () => {
  const proxy = proxyFor('https://dyn.test/', { HTTPS_PROXY: 'http://me:sword%40fish@two.test:3128' })

  expect(JSON.stringify(proxy)).not.toMatch(/me|sword/)
  expect(proxy.ok && proxy.value?.authorization?.reveal()).toBe(
    `Basic ${Buffer.from('me:sword@fish').toString('base64')}`,
  )
})
