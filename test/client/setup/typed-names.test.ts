import { describe, expect, it } from 'vitest'
import { draftOfAnswers, needsRecord, type SetupAnswers } from '../../../src/client/setup/answers.ts'
import { draftComplaint } from '../../../src/client/setup/file-complaints.ts'
import { readTypedNames } from '../../../src/client/settings/name-checks.ts'
import { presetServer, PROVIDERS } from '../../../src/client/services/providers/providers.ts'
import { Secret } from '../../../src/shared/base/secret.ts'

/** What a prompt, a flag and a page read; `@` is what a zone calls itself. */
const TYPED = [
  'home',
  'home.example.com',
  '@',
  '@.example.com',
  '*.example.com',
  'HOME.Example.com.',
  'https://home.example.com/path',
  'home.example.com, Home.example.com',
  'hömé.example.com',
  '\u201chome.example.com\u201d',
] as const

function answersFor(provider: string, hostnames: readonly string[]): SetupAnswers {
  const preset = PROVIDERS[provider]
  return {
    provider,
    ...(presetServer(preset) === undefined && {
      server: preset?.protocol === 'rfc2136' ? 'dns://ns1.example.com' : 'https://panel.example.com',
    }),
    ...(preset?.hasNoUsername !== true && { username: 'example.com' }),
    password: new Secret('p'),
    ...(preset?.apiKey !== undefined && { apiKey: new Secret('k') }),
    ...(needsRecord(preset) && { record: '1007' }),
    hostnames,
  }
}

describe('names as they are typed', () => {
  const rows = Object.keys(PROVIDERS).flatMap((provider) => TYPED.map((typed) => [provider, typed] as const))

  it('are 860 cases', () => expect(rows).toHaveLength(860))

  it.each(Object.keys(PROVIDERS))(
    'are taken at %s if a start takes them, and refused if not',
    async (provider) => {
      for (const typed of TYPED) {
        const read = readTypedNames(typed, answersFor(provider, []))
        const written = read.ok ? read.value.names : [typed]
        const complaint = await draftComplaint(draftOfAnswers(answersFor(provider, written)))
        expect([typed, read.ok ? undefined : 'refused']).toEqual([typed, complaint && 'refused'])
        if (!read.ok && !/[ :/\u201c@*]/.test(typed)) expect(complaint).toMatchObject({ key: 'hostnames' })
      }
    },
  )

  // biome-ignore format: a table
  it.each([
    ['duckdns',    'home',                        ['home.duckdns.org'],  ['home is home.duckdns.org']],
    ['duckdns',    'Home.DuckDNS.org.',           ['home.duckdns.org'],  ['Home.DuckDNS.org. is home.duckdns.org']],
    ['freemyip',   '"home" , nas',                ['home.freemyip.com', 'nas.freemyip.com'], ['home is home.freemyip.com', 'nas is nas.freemyip.com']],
    ['desec',      '@ @.example.com',             ['example.com'],       ['@ is example.com', '@.example.com is example.com']],
    ['desec',      'home',                        ['home.example.com'],  ['home is home.example.com']],
    ['strato',     '*.home',                      ['*.home.example.com'], ['*.home is *.home.example.com']],
    ['cloudflare', 'https://Home.Example.com/x, home.example.com', ['home.example.com'], ['https://Home.Example.com/x is home.example.com']],
    ['cloudflare', 'bücher.example.com',          ['xn--bcher-kva.example.com'], ['bücher.example.com is xn--bcher-kva.example.com']],
    ['no-ip',      'all.ddnskey.com group-1',     ['all.ddnskey.com', 'group-1'], []],
    ['opendns',    'My home, Office',             ['My home', 'office'], []],
    ['he-tunnel',  '12345',                       ['12345'],             []],
  ] as const)('at %s: %s', (provider, typed, names, notes) =>
    expect(readTypedNames(typed, { provider, username: 'Example.com' })).toEqual({ ok: true, value: { names, notes } }),
  )

  // biome-ignore format: a table
  it.each([
    ['cloudflare', 'home',               'hostname home has no domain; write the whole name, such as home.example.com'],
    ['dynu',       'home',               /^hostname home has no domain; write the whole name, such as home\.freeddns\.org or home\.mywire\.org/],
    ['cloudflare', '@',                  '@ stands for a zone itself; write the name of the zone, such as example.com'],
    ['duckdns',    'home.example.com',   'hostname home.example.com is not at DuckDNS; write the whole name, such as home.duckdns.org'],
    ['duckdns',    'duckdns.org',        'hostname duckdns.org is the domain of DuckDNS itself; write your name in it, such as home.duckdns.org'],
    ['duckdns',    '*.home.duckdns.org', 'hostname *.home.duckdns.org: DuckDNS takes no wildcards; write home.duckdns.org'],
    ['he',         'a.example.com b.example.com', 'the username belongs to one hostname at he; write an account for each hostname'],
    ['freedns-token', 'a.mooo.com b.mooo.com',    'the token belongs to one hostname at freedns-token; write an account for each hostname'],
    ['no-ip',      ' , ',                'a hostname is needed'],
    ['cloudflare', 'home.',              'hostname home has no domain; write the whole name, such as home.example.com'],
    ['cloudflare', '*.home',             'hostname *.home has no domain; write the whole name, such as *.home.example.com'],
    ['cloudflare', 'me@example.com',     'hostname me@example.com is an e-mail address; write the name of a host'],
    ['cloudflare', 'home.192.0.2.1',     'home.192.0.2.1 ends with a number, as no domain does'],
    ['no-ip',      '*.ddns.net',         'hostname *.ddns.net is the domain of No-IP itself; write your name in it, such as home.ddns.net'],
    ['inwx',       'a.example.com b.example.com', 'the username belongs to one hostname at inwx; write an account for each hostname'],
  ] as const)('at %s, %s is refused with what would be right', (provider, typed, problem) => {
    const read = readTypedNames(typed, { provider })
    expect(read.ok ? undefined : read.error).toEqual(
      typeof problem === 'string' ? problem : expect.stringMatching(problem),
    )
  })
})
