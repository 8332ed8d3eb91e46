import { describe, expect, it } from 'vitest'
import { accountNamesIn, withAddedAccount } from '../../../src/client/setup/added-account.ts'
import { draftOfAnswers, missingAnswers } from '../../../src/client/setup/answers.ts'
import { diffLines } from '../../../src/client/setup/diff.ts'
import { accountSlug } from '../../../src/client/setup/draft.ts'
import { distinctNames } from '../../../src/client/settings/account-names.ts'
import { fileComplaints } from '../../../src/client/setup/file-complaints.ts'
import { draftText } from '../../../src/client/setup/toml.ts'
import { suggestedHostname } from '../../../src/client/settings/name-checks.ts'
import { presetServer, PROVIDERS } from '../../../src/client/services/providers/providers.ts'
import { Secret } from '../../../src/shared/base/secret.ts'

const PATH = (): string => '/p'
const ANSWERS = {
  provider: 'no-ip',
  username: 'u',
  password: new Secret('p'),
  hostnames: ['a.example.test'],
} as const

describe('a draft from answers', () => {
  it.each(Object.keys(PROVIDERS))('for %s is a valid configuration', async (provider) => {
    const own = provider === 'rfc2136' ? 'dns://ns1.example.test' : 'https://dyn.example.test'
    const server = presetServer(PROVIDERS[provider]) !== undefined ? undefined : own
    const draft = draftOfAnswers({
      ...ANSWERS,
      provider,
      server,
      record: provider === 'dnsmadeeasy' ? '1007' : undefined,
      hostnames: [`a.${PROVIDERS[provider]?.names?.suffixes?.[0] ?? 'example.test'}`],
    })
    expect(await fileComplaints(draftText(draft, PATH))).toEqual([])
  })
  it.each([
    ['both', ''],
    ['ipv4', 'ipv6 = false\n'],
    ['ipv6', 'ipv4 = false\n'],
  ] as const)('publishes %s', (families, line) =>
    expect(draftText(draftOfAnswers({ ...ANSWERS, families }), PATH)).toBe(
      `name = "no-ip"\nprovider = "no-ip"\nusername = "u"\npassword_file = "/p"\nhostnames = ["a.example.test"]\n${line}`,
    ),
  )
  it('does not switch off what the preset switches off', () =>
    expect(
      draftText(draftOfAnswers({ ...ANSWERS, provider: 'dynv6', families: 'ipv4' }), PATH),
    ).not.toContain('ipv6'))
  it('has a contact only if there is one', () => {
    expect(draftText(draftOfAnswers({ ...ANSWERS, contact: '' }), PATH)).not.toContain('contact')
    expect(draftText(draftOfAnswers({ ...ANSWERS, contact: 'a@example.test' }), PATH)).toContain(
      'contact = "a@example.test"',
    )
  })
  it('names all that is missing', () => {
    expect(missingAnswers({}).map(({ flag }) => flag)).toEqual([
      '--provider NAME or --server ADDRESS',
      '--username NAME',
      '--password-file FILE',
      '--hostname NAME',
    ])
    expect(missingAnswers({ ...ANSWERS, provider: 'poweradmin' }).map(({ flag }) => flag)).toEqual([
      '--server ADDRESS',
    ])
    expect(missingAnswers(ANSWERS)).toEqual([])
  })
  it('suggests a hostname', () => {
    expect(suggestedHostname({ provider: 'no-ip' })).toBe('all.ddnskey.com')
    expect(suggestedHostname({ provider: 'he', username: 'h.example.test' })).toBe('h.example.test')
    expect(suggestedHostname({ provider: 'dyn', username: 'x' })).toBeUndefined()
  })
})

describe('one more account', () => {
  const account = {
    name: 'new',
    settings: { provider: 'no-ip', username: 'n', hostnames: ['n.example.test'] },
    password: undefined,
    comments: [],
  }
  const added = (text: string): string => {
    const result = withAddedAccount(text, account, PATH)
    return result.ok ? result.value : `error: ${result.error}`
  }
  const NEW =
    '[[account]]\nname = "new"\nprovider = "no-ip"\nusername = "n"\npassword_file = "/p"\nhostnames = ["n.example.test"]\n'

  it('follows the tables that are there', () =>
    expect(added('interval = "5m"\n[[account]]\nusername = "a"\n')).toBe(
      `interval = "5m"\n[[account]]\nusername = "a"\n\n${NEW}`,
    ))
  it('moves the account at the top into a table, with values of several lines, and leaves the rest', () =>
    expect(
      added(
        '# top\nusername = "a" # the key\nhostnames = [\n  "x.example.test",\n]\n\ninterval = "5m"\nserver = "https://s.example.test"\npassword = """\np"""\n',
      ),
    ).toBe(
      `# top\n\ninterval = "5m"\n\n[[account]]\nname = "a"\nusername = "a" # the key\nhostnames = [\n  "x.example.test",\n]\nserver = "https://s.example.test"\npassword = """\np"""\n\n${NEW}`,
    ))
  it('ends lines as the file does', () => {
    const text = added('# mine\r\nprovider = "duckdns"\r\nusername = "a"\r\n')
    expect(text.replaceAll('\r\n', '')).not.toContain('\n')
  })
  it('keeps a name that is there', () =>
    expect(added('name = "mine"\nusername = "a"\n')).toContain('[[account]]\nname = "mine"\nusername = "a"'))
  it('leaves settings at the top that are for all accounts', () =>
    expect(added('verify = false\n')).toBe(`verify = false\n\n${NEW}`))
  it('refuses a text that is not TOML', () => expect(added('= 1')).toMatch(/^error: line 1/))
  it('knows the names that are taken', () =>
    expect(
      accountNamesIn('[[account]]\nname = "x"\nusername = "u"\n[[account]]\nprovider = "dyn"\n'),
    ).toEqual(['x', 'u', 'dyn']))
})

describe('names', () => {
  it('differ', () => expect(distinctNames(['a', 'b', 'a', 'a'])).toEqual(['a', 'b', 'a-2', 'a-3']))
  it.each([
    ['My Key/1', 'my-key-1'],
    ['../..', 'account'],
    ['a@b.example', 'a-b.example'],
  ])('of %s is %s in a file name', (name, slug) => expect(accountSlug(name)).toBe(slug))
})

describe('the difference of two texts', () => {
  it('is empty where there is none', () => expect(diffLines('a\nb\n', 'a\nb\n')).toEqual([]))
  it('has what is near it', () =>
    expect(diffLines('1\n2\n3\n4\n5\n6\n7\n', '1\n2\n3\n4\nfive\n6\n7\n8\n')).toEqual([
      '  3',
      '  4',
      '- 5',
      '+ five',
      '  6',
      '  7',
      '+ 8',
    ]))
  it('leaves out what is far from it', () => {
    const middle = Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n')
    const lines = diffLines(`a\n${middle}\nz\n`, `b\n${middle}\ny\n`)
    expect(lines).toContain('  ...')
    expect(lines).not.toContain('  line 10')
  })
  it('is all of a new text', () => expect(diffLines('', 'a\n')).toEqual(['+ a']))
})
