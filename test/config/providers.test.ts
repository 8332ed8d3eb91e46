import { GRADE_A } from '../../src/config/providers/grade-a.ts'
import { describe, expect, it } from 'vitest'
import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from '../../src/config/client-settings.ts'
import { ENDED_SERVICES, parseProvider, PROVIDERS } from '../../src/config/providers/providers.ts'
import { parseDocument } from '../../src/config/document.ts'
import { readClientConfig } from '../../src/config/read-client.ts'
import { fileKeyOf, formatComplaint, fromEnvironment, fromFlags } from '../../src/config/setting.ts'
import { DIALECTS } from '../../src/protocol/dialect.ts'

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

const CREDENTIALS = 'username = "u"\npassword = "p"\nhostnames = ["a.example.test"]\n'

describe('every preset', () => {
  const rows = Object.entries(PROVIDERS)

  it('is one of 54 services', () => expect(rows).toHaveLength(54))

  it.each(rows)('%s needs nothing but credentials and a hostname', (name, { settings }) => {
    const server = 'server' in settings ? '' : 'server = "panel.example.test"\n'
    expect(readAccount(`provider = "${name}"\n${server}${CREDENTIALS}`)).toMatchObject({ provider: name })
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

describe('the name of a service', () => {
  it.each([
    ['no-ip', { ok: true, value: 'no-ip' }],
    [' No-IP ', { ok: true, value: 'no-ip' }],
    [
      'noip',
      {
        ok: false,
        error:
          'is not a known service (did you mean no-ip?); holdfast providers lists them; for another service set server',
      },
    ],
    ['google-domains', { ok: false, error: 'is Google Domains, which ended its dynamic DNS on 2024-07-10' }],
    ['constructor', { ok: false, error: expect.stringContaining('is not a known service') as string }],
  ])('%j', (text, result) => expect(parseProvider(text)).toEqual(result))

  it('of an ended service is no name of a living one', () =>
    expect(Object.keys(ENDED_SERVICES).filter((name) => Object.hasOwn(PROVIDERS, name))).toEqual([]))

  it('that is wrong is reported with its line', () =>
    expect(readAccount(`provider = "twodns"\nserver = "x.example"\n${CREDENTIALS}`)).toEqual([
      'h.toml:1: provider is TwoDNS, which ended on 2024-12-20',
    ]))
})

it('dy.fi is refreshed before it deletes names, by the address of the connection', () =>
  expect(GRADE_A.dyfi.settings).toMatchObject({ refresh: '5d12h', myip: 'connection', ipv6: 'false' }))
