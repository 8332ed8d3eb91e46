import { describe, expect, it } from 'vitest'
import { maskedConfiguration } from '../../../src/client/setup/shown.ts'

const SECRET = 'Zq7SECRET'
const SHOWN = '\u00absecret\u00bb'

describe('a configuration as it is shown', () => {
  // biome-ignore format: a table
  it.each([
    `password = "${SECRET}"`,
    `password = "${SECRET}"\r\nverify = false\r\n`,
    `password = """\n${SECRET}\n"""\nverify = false`,
    `password = "a\u2028${SECRET}"`,
    `pasword = "${SECRET}"`,
    `apikey="${SECRET}"`,
    `webhok = ["https://ntfy.sh/${SECRET}"]`,
    `webhook = [ # my [hook]\n  "https://a.test/x", # [old]\n  "https://a.test/${SECRET}",\n]`,
    `account = [{ provider = "duckdns", password = "${SECRET}" }]`,
    `account.password = "${SECRET}"`,
    `"pass\\u0077ord" = "${SECRET}"`,
    `password = ["${SECRET}"]`,
    `pasword = 12345 # ${SHOWN}`.replace('12345', `"${SECRET}"`),
    `headers = ["X-Auth: ${SECRET}"]`,
    `headers = ["X-Own: ${SECRET}"]`,
    `headers = ["Authorization: Bearer ${SECRET}"]`,
    `server = "https://user:${SECRET}@dyn.test"`,
    `url = "https://a.test/u?host={hostname}&key=${SECRET}"`,
    `url = "https://a.test/u/${SECRET}0123456789abc/{hostname}"`,
    `body = '{"token": "${SECRET}", "ip": "{ip}"}'`,
    `command = ["/bin/x", "--token=${SECRET}"]`,
    `parameters = ["zone=a", 'token=${SECRET} and &${SECRET}']`,
    `# password = "${SECRET}"`,
    `#webhook: ${SECRET}`,
    `# see https://me:${SECRET}@a.test`,
    `password = "${SECRET}`,
  ])('has no secret: %j', (text) => {
    const shown = maskedConfiguration(text)
    expect(shown).not.toContain(SECRET)
    expect(shown).toContain(SHOWN)
  })

  // biome-ignore format: a table
  it.each([
    '\uFEFFprovider = "no-ip" # mine\r\nusername = "abc1234"\r\npassword_file = "/etc/holdfast/password"\r\n',
    'url = "https://a.test/u?host={hostname}&key={password}"\nheaders = ["Authorization: Basic {basic}", "Content-Type: application/json"]\nbody = "token={password}"',
    '[[account]]\nparameters = ["zone=a"]\nhostnames = [\n  "a.test", # one\n  "b.test",\n]\n[[account.host]]\nname = "a.test"\nipv6 = false\n',
    '# password_file = "/etc/holdfast/password"\n# a note on passwords\npage = "127.0.0.1:8246"\n',
  ])('is as it is written where nothing is a secret: %j', (text) => expect(maskedConfiguration(text)).toBe(text))

  it('has as many lines as before', () =>
    expect(maskedConfiguration('password = """\n1\n2\n"""\nverify = false\n').split('\n')[4]).toBe(
      'verify = false',
    ))
})
