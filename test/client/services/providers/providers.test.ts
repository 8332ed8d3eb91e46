import type { Provider } from '../../../../src/client/services/providers/provider.ts'
import { GRADE_A } from '../../../../src/client/services/providers/grade-a.ts'
import { describe, expect, it } from 'vitest'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from '../../../../src/client/settings/client-settings.ts'
import {
  UNSERVED_SERVICES,
  parseProvider,
  presetServer,
  providerCalled,
  PROVIDERS,
} from '../../../../src/client/services/providers/providers.ts'
import { endedAt } from '../../../../src/client/setup/migration/services/service-names.ts'
import { parseDocument } from '../../../../src/shared/settings/document.ts'
import { readClientConfig } from '../../../../src/client/settings/read-client.ts'
import {
  fileKeyOf,
  formatComplaint,
  fromEnvironment,
  fromFlags,
} from '../../../../src/shared/settings/setting.ts'
import { DIALECTS } from '../../../../src/shared/protocol/dialect.ts'
import { EARLIER_REQUESTS } from './earlier-requests.ts'
import { requestsOf } from './preset-requests.ts'
import { PRESET_SOURCES } from './preset-sources.ts'

const TABLE = { ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS }

const readAccount = (toml: string) => {
  const config = readClientConfig({
    flags: fromFlags(TABLE, {}),
    environment: fromEnvironment(TABLE, {}),
    chosen: [],
    file: { name: 'h.toml', document: parseDocument(toml, 'h.toml') },
  })
  return config.ok ? config.value.accounts[0] : config.error.map(formatComplaint)
}

const serverOf = (provider: Provider | undefined): string =>
  provider?.protocol === 'rfc2136' ? 'dns://ns1.example.test' : 'panel.example.test'
/** What an account needs in addition to username and password. */
const lacking = (provider: Provider | undefined): string =>
  (presetServer(provider) === undefined ? `server = "${serverOf(provider)}"\n` : '') +
  (provider?.apiKey === undefined ? '' : 'api_key = "k"\n')
const CREDENTIALS = 'username = "u"\npassword = "p"\nhostnames = ["a.example.test"]\n'
/** With a hostname that the service has. */
const credentialsFor = (name: string): string =>
  CREDENTIALS.replace('a.example.test', `a.${PROVIDERS[name]?.names?.suffixes?.[0] ?? 'example.test'}`)

describe('every preset', () => {
  const rows = Object.entries(PROVIDERS)

  it('is one of 86 services', () => expect(rows).toHaveLength(86))

  it.each(rows)('%s needs nothing but credentials and a hostname', (name, provider) => {
    expect(readAccount(`provider = "${name}"\n${lacking(provider)}${credentialsFor(name)}`)).toMatchObject({
      provider: name,
    })
  })

  it.each(rows)('%s uses https and names only settings of an account', (_, { settings }) => {
    const known = Object.keys(ACCOUNT_SETTINGS).map(fileKeyOf)
    expect(Object.keys(settings).filter((key) => !known.includes(key))).toEqual([])
    expect(settings['server'] ?? 'https://').toMatch(/^https:\/\//)
  })

  it.each(rows)('%s says what to enter', (_, { username, password }) => {
    expect(username).not.toBe('')
    expect(password).not.toBe('')
  })
})

describe('the request of a preset', () => {
  const proven = Object.entries(PROVIDERS).filter(
    ([, { grade, replies, protocol }]) => grade !== 'C' && (replies ?? protocol) === undefined,
  )

  it.each(proven.map(([name]) => name))('%s is like that of its source', (name) => {
    const [first = '', ...more] = requestsOf(name)
    const [endpoint, query = ''] = first.split('?')
    const sent = [query, ...more.map((one) => one.split('?')[1] ?? '')].join('&')
    const parameters = new Set(sent.split('&').map((pair) => pair.split('=')[0] ?? ''))
    const { endpoint: host = '', parameters: known = '' } = PRESET_SOURCES[name] ?? {}
    expect(endpoint).toBe(host)
    expect(
      [...parameters].filter((one) => !known.split(' ').includes(one) && !one.startsWith('keep')),
    ).toEqual([])
  })

  it('has a source where the grade says so', () =>
    expect(Object.keys(PRESET_SOURCES).toSorted()).toEqual(proven.map(([name]) => name).toSorted()))

  /** The request of version 0.2.0 was wrong, by the sources. */
  const CORRECTED: Readonly<Record<string, readonly string[]>> = {
    dnshome: ['www.dnshome.de/dyndns.php?hostname=<name>&ip=<v4>&ip6=<v6>'],
    loopia: ['dyndns.loopia.se/?hostname=<name>&myip=<v4>', 'dyndns.loopia.se/?hostname=<name>&myip=<v6>'],
    'nic-ru': ['api.nic.ru/dyndns/update?hostname=<name>&myip=<v4>&ipv6=<v6>'],
    poweradmin: ['/dynamic_update.php?hostname=<name>&myip=<v4>&myip6=<v6>'],
  }

  it.each(Object.entries(EARLIER_REQUESTS))('%s is that of version 0.2.0, or corrected', (name, requests) =>
    expect(requestsOf(name)).toEqual(CORRECTED[name] ?? requests),
  )
})

describe('offline', () => {
  const refused = Object.entries(PROVIDERS).flatMap(([name, { hasOffline }]) => (hasOffline ? [] : [name]))

  it.each(refused)('is refused at %s, where no source knows it', (name) => {
    const server = lacking(PROVIDERS[name])
    const inFile = readAccount(`provider = "${name}"\n${server}offline = true\n${credentialsFor(name)}`)
    expect(inFile).toContain(
      `h.toml:${server.split('\n').length + 1}: offline is set, and no source confirms that ${name} supports it: ` +
        'it may publish the address of the connection instead; remove it',
    )
    expect(
      readAccount(`provider = "${name}"\n${server}offline_on_stop = true\n${credentialsFor(name)}`),
    ).toMatchObject([expect.stringContaining(`offline_on_stop is set, and no source confirms that ${name}`)])
  })

  it.each(['provider = "no-ip"', 'server = "dyn.example.test"'])('is taken with %s', (service) => {
    const text = `${service}\noffline = true\noffline_on_stop = true\n${CREDENTIALS}`
    expect(readAccount(text)).toMatchObject({ offline: true })
  })
})

it('replies of their own are those of services with a preset', () =>
  expect(Object.keys(DIALECTS).filter((name) => !Object.hasOwn(PROVIDERS, name))).toEqual([]))

describe('a setting that is written', () => {
  it('wins over the preset, in the account and at the top of the file', () => {
    const inAccount = readAccount(`provider = "desec"\npath = "/other"\n${CREDENTIALS}`)
    expect(inAccount).toMatchObject({ path: '/other', ipv6Parameter: 'myipv6', absentFamily: 'preserve' })
    const atTop = readAccount(`refresh = "7d"\n${CREDENTIALS}[[account]]\nprovider = "desec"`)
    expect(atTop).toMatchObject({ refresh: 604_800_000, server: 'https://update.dedyn.io' })
  })

  it('has its own place, and one of the preset has the name of the preset', () => {
    const account = readAccount(`provider = "desec"\npath = "/other"\n${CREDENTIALS}`)
    expect(account).toMatchObject({ places: { path: 'h.toml:2', server: 'the preset desec' } })
  })
})

describe('services of records', () => {
  const account = (provider: string, more: string) =>
    readAccount(`provider = "${provider}"\n${lacking(providerCalled(provider))}${CREDENTIALS}${more}`)

  // biome-ignore format: a table
  it.each([
    ['vultr',      'zone = "other.test"',           /hostname a\.example\.test is not in the zone other\.test/],
    ['rfc2136',    'zone = "xample.test"',          /not in the zone/],
    ['cloudflare', 'tsig_algorithm = "hmac-sha256"', /tsig_algorithm is for provider rfc2136/],
    ['netcup',     'path = "/x"',                   /path is for services that speak/],
  ])('%s refuses %s', (provider, more, said) =>
    expect(account(provider, more)).toMatchObject([expect.stringMatching(said)]),
  )

  it.each([
    ['dns://', /name server, as dns/],
    ['dns://h:0', /name server, as dns/],
    ['dns://h/x', /name server, as dns/],
    ['https://h', /not a name server; write dns/],
  ])('a name server is not %s', (server, said) =>
    expect(readAccount(`provider = "rfc2136"\nserver = "${server}"\n${CREDENTIALS}`)).toMatchObject([
      expect.stringMatching(said),
    ]),
  )

  it.each([
    ['dns://NS1.example.test', 'dns://ns1.example.test'],
    ['dns://mü.test:53', 'dns://xn--m-eha.test:53'],
    ['dns://[2001:db8::53]', 'dns://[2001:db8::53]'],
  ])('%s is %s', (server, normal) =>
    expect(readAccount(`provider = "rfc2136"\nserver = "${server}"\n${CREDENTIALS}`)).toMatchObject({
      server: normal,
    }),
  )

  it('a server of another service is named with its provider', () =>
    expect(readAccount(`server = "api.cloudflare.com"\n${CREDENTIALS}`)).toMatchObject([
      expect.stringContaining('write provider = "cloudflare" instead of server'),
    ]))
})

describe('the name of a service', () => {
  it.each([
    ['no-ip', { ok: true, value: 'no-ip' }],
    [' No-IP ', { ok: true, value: 'no-ip' }],
    ['noip', { ok: true, value: 'no-ip' }],
    [
      'no-ipp',
      {
        ok: false,
        error:
          'is not a known service (did you mean no-ip?); holdfast providers lists them; for another service set server',
      },
    ],
    [
      'google-domains',
      {
        ok: false,
        error: expect.stringMatching(
          /^is not served: Google Domains ended its dynamic DNS on 2024-07-10; /,
        ) as string,
      },
    ],
    ['route53', { ok: false, error: expect.stringContaining('; point a CNAME in its zone') as string }],
    ['cf', { ok: true, value: 'cloudflare' }],
    ['constructor', { ok: false, error: expect.stringContaining('is not a known service') as string }],
  ])('%j', (text, result) => expect(parseProvider(text)).toEqual(result))

  it.each([
    ['duckdns.org', 'duckdns'],
    ['WWW.No-IP.com', 'no-ip'],
    ['dynv6.com', 'dynv6'],
    ['cloudflare.com', 'cloudflare'],
    ['hetzner.com', 'hetzner'],
    ['desec.io', 'desec'],
    ['dedyn.io', 'desec'],
    ['dns.he.net', 'he'],
    ['freedns.afraid.org', 'freedns'],
    ['ddnss.de', 'ddnss'],
    ['moniker.com', 'key-systems'],
  ])('may be a domain, as for other clients: %s', (domain, key) =>
    expect(parseProvider(domain)).toEqual({ ok: true, value: key }),
  )

  it('of an ended service is no name of a living one', () =>
    expect(Object.keys(UNSERVED_SERVICES).filter((name) => Object.hasOwn(PROVIDERS, name))).toEqual([]))

  it('that is wrong is reported with its line', () =>
    expect(readAccount(`provider = "twodns"\nserver = "x.example"\n${CREDENTIALS}`)).toEqual([
      'h.toml:1: provider is not served: TwoDNS ended on 2024-12-20',
    ]))
})

// Where another client, or a habit, names a service: providers, init and import by its name, and a server by its host.
describe('a service that does not speak the update protocol', () => {
  // biome-ignore format: a table
  it.each([
    ['duckdns',        'www.duckdns.org',                     undefined],
    ['cloudflare',     'api.cloudflare.com',                  undefined],
    ['freedns-token',  'sync.afraid.org',                     undefined],
    ['namecheap',      'dynamicdns.park-your-domain.com',     undefined],
    ['porkbun',        'api.porkbun.com',                     undefined],
    ['gandi',          'api.gandi.net',                       undefined],
    ['hetzner',        'api.hetzner.cloud',                   undefined],
    ['google-domains', 'domains.google.com',                  'Google Domains ended'],
    ['aliyun',         'alidns.aliyuncs.com',                 'Alibaba Cloud DNS'],
    ['route53',        'route53.amazonaws.com',               'Amazon Route 53 needs each request signed'],
    ['hetzner-dns',    'dns.hetzner.com',                     'ended in May 2026; use provider hetzner'],
  ])('%s is served, or named', (name, host, why) => {
    const named = parseProvider(name)
    if (why === undefined) expect(named).toEqual({ ok: true, value: name })
    else expect(named).toMatchObject({ ok: false, error: expect.stringContaining(why) as string })
    expect(endedAt(name)).toEqual(why === undefined ? undefined : expect.stringContaining(why))
    expect(readAccount(`server = "${host}"\n${CREDENTIALS}`)).toMatchObject([
      expect.stringContaining(why ?? `write provider = "${name}" instead of server`),
    ])
  })
})

it('dy.fi is refreshed before it deletes names, by the address of the connection', () =>
  expect(GRADE_A.dyfi.settings).toMatchObject({ refresh: '5d12h', myip: 'connection', ipv6: 'false' }))
