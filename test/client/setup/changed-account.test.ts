import { describe, expect, it } from 'vitest'
import { withHostnames, withSetting, writtenAccounts } from '../../../src/client/setup/changed-account.ts'

const WANTED = { provider: 'no-ip', username: 'u' }

/** The text with a hostname and a password file for the account. */
function changed(text: string): string {
  const [account] = writtenAccounts(text, WANTED)
  if (account === undefined) return 'no such account'
  return withSetting(withHostnames(text, account, ['new.test']), account, ['password_file', '/p'])
}

describe('an account of a configuration that exists', () => {
  // biome-ignore format: a table
  it.each([
    ['at the top',
      'provider = "no-ip"\nusername = "u" # me\npassword_file = "/old" # here\nhostnames = ["a.test"]\n',
      'provider = "no-ip"\nusername = "u" # me\npassword_file = "/p" # here\nhostnames = ["a.test", "new.test"]\n'],
    ['with a comment behind each name',
      'provider = "no-ip"\nusername = "u"\npassword_file = "/old"\nhostnames = [\n  "a.test", # one\n  "b.test" # two\n]\n',
      'provider = "no-ip"\nusername = "u"\npassword_file = "/p"\nhostnames = [\n  "a.test", # one\n  "b.test", # two\n  "new.test"\n]\n'],
    ['with a bracket behind the last name',
      'provider = "no-ip"\nusername = "u"\npassword_file = "/old"\nhostnames = ["a.test",\n  "b.test"]\n',
      'provider = "no-ip"\nusername = "u"\npassword_file = "/p"\nhostnames = ["a.test",\n  "b.test",\n  "new.test"]\n'],
    ['with a byte order mark, a name on each line, and a comma at the end',
      '\uFEFFprovider = "no-ip"\nusername = "u"\nhostnames = [\n  "a.test", # one\n  "b.test", # two\n]\n',
      '\uFEFFprovider = "no-ip"\nusername = "u"\npassword_file = "/p"\nhostnames = [\n  "a.test", # one\n  "b.test", # two\n  "new.test",\n]\n'],
    ['with its hostnames in one text',
      'provider = "no-ip"\nusername = "u"\nhostnames = "a.test, b.test"\npassword_file = "/old"',
      'provider = "no-ip"\nusername = "u"\nhostnames = ["a.test", "b.test", "new.test"]\npassword_file = "/p"'],
    ['in the second table, under another spelling of its server',
      '[[account]]\nserver = "https://other.test"\nusername = "u"\nhostnames = ["a.test"]\n[[account]]\nserver = "https://DYNUPDATE.no-ip.com:443/"\nusername = "u"\nhostnames = ["b.test"]\n[[account.host]]\nname = "b.test"\n',
      '[[account]]\nserver = "https://other.test"\nusername = "u"\nhostnames = ["a.test"]\n[[account]]\nserver = "https://DYNUPDATE.no-ip.com:443/"\nusername = "u"\npassword_file = "/p"\nhostnames = ["b.test", "new.test"]\n[[account.host]]\nname = "b.test"\n'],
    ['that shares what stands at the top with another one',
      'provider = "no-ip"\nhostnames = ["a.test"]\npassword_file = "/old"\n[[account]]\nusername = "v"\n[[account]]\nusername = "u"\n',
      'provider = "no-ip"\nhostnames = ["a.test"]\npassword_file = "/old"\n[[account]]\nusername = "v"\n[[account]]\nusername = "u"\npassword_file = "/p"\nhostnames = ["a.test", "new.test"]\n'],
  ])('%s', (_, text, expected) => expect(changed(text)).toBe(expected))

  it.each([
    ['of another username', 'provider = "no-ip"\nusername = "v"\nhostnames = ["a.test"]\n'],
    ['of another service', 'provider = "dynu"\nusername = "u"\nhostnames = ["a.test"]\n'],
    ['in a text that is not TOML', 'provider = \n'],
  ])('is not one %s', (_, text) => expect(writtenAccounts(text, WANTED)).toEqual([]))

  it('names the password of this account alone', () => {
    const shared =
      'provider = "no-ip"\npassword_file = "/all"\n[[account]]\nusername = "u"\n[[account]]\nusername = "v"\n'
    expect(writtenAccounts(shared, WANTED)[0]).toMatchObject({ name: 'u', table: 0, passwordFile: undefined })
    const own = 'provider = "no-ip"\nusername = "u"\nname = "mine"\npassword = "p"\n'
    expect(writtenAccounts(own, WANTED)[0]).toMatchObject({
      name: 'mine',
      table: undefined,
      hasPassword: true,
    })
  })
})
