import { describe, expect, it } from 'vitest'
import { complaintsIn } from '../../../src/client/setup/file-complaints.ts'
import { typedValue, withTyped } from '../../../src/client/setup/repair.ts'
import { usefulRepairs } from '../../../src/client/program/commands/init/repair.ts'

const TOKEN = 'provider = "duckdns"\npassword = "t"\nhostnames = ["home.duckdns.org"]\n'
const KEY =
  'server = "dyn.example"\nusername = "abc1234"\npassword = "p"\nhostnames = ["home.example.test"]\n'

/** A file with one mistake or several, and the first line that mends it. */
// biome-ignore format: a table
const MISTAKES: readonly (readonly [text: string, after: string])[] = [
  [TOKEN.replace('duckdns"\n', 'duckdnss"\n'),          'provider = "duckdns"'],
  [TOKEN.replace('hostnames', 'hostname'),              'hostnames = ["home.duckdns.org"]'],
  [TOKEN.replace('hostnames', 'hosts'),                 'hostnames = ["home.duckdns.org"]'],
  [KEY.replace('username', 'user'),                     'username = "abc1234"'],
  [KEY.replace('username', 'login'),                    'username = "abc1234"'],
  [KEY.replace('password', 'passwd'),                   'password = "p"'],
  [`${KEY}intervall = "5m"\n`,                          'interval = "5m"'],
  [`${KEY}interval = 300\n`,                            'interval = "300s"'],
  [`${KEY}interval = "300"\n`,                          'interval = "300s"'],
  [`${KEY}interval = 5\n`,                              'interval = "5m"'],
  [`${KEY}refresh = 28\n`,                              'refresh = "28d"'],
  [`${KEY}refresh = "28 days"\n`,                       'refresh = "28d"'],
  [`${KEY}interval = "2 Hours, 5 minutes"\n`,           'interval = "2h5m"'],
  [`${KEY}interval = "soon"\n`,                         ''],
  [`${KEY}interval = true\n`,                           ''],
  [`${KEY}banana = 1\n`,                                ''],
  [`${KEY}sources = ["rooter", "https://a.test/"]\n`,   'sources = ["router", "https://a.test/"]'],
  [`${KEY}sources = ["eth0", "router"]\n`,              'sources = ["interface:eth0", "router"]'],
  [`${KEY}myip = "192.168.1.1"\n`,                      ''],
  [`${KEY}zone = "example.test"\n`,                     ''],
  [`${KEY}api_key = "k"\n`,                             ''],
  [`${KEY}ttl = "5m"\n`,                                ''],
  [`${KEY}method = "POST"\n`,                           ''],
  [`${KEY}suffix = "::1"\n`,                            ''],
  [`${KEY}password_file = "/p"\n`,                      ''],
  [`${KEY}page = "0.0.0.0:8246"\n`,                     ''],
  [`${KEY}mail_server = "smtp.example:587"\n`,          ''],
  [`${KEY}when_stopped = "never"\n`,                    ''],
  [`${KEY}families = "both"\n`,                         ''],
  [`[[account]]\n${KEY}interval = "5m"\n`,              'interval = "5m"'],
  [`${KEY}ipv4 = false\nipv6 = false\n`,                ''],
  [`${KEY}intervall = "300"\nlogin = "x"\n`,            'interval = "300s"'],
]

describe('a configuration with mistakes', () => {
  it('is one of 32', () => expect(MISTAKES).toHaveLength(32))

  it.each(MISTAKES)('is valid after the first repair of each: %j', async (before, after) => {
    let text = before
    for (let nth = 0; nth < 5; nth++) {
      const [complaint] = await complaintsIn(text)
      if (complaint === undefined) break
      const [repair] = await usefulRepairs(text, complaint)
      expect(repair, JSON.stringify(complaint)).toBeDefined()
      text = repair?.text ?? text
    }
    expect(await complaintsIn(text)).toEqual([])
    expect(await complaintsIn(before)).not.toEqual([])
    expect(text).toContain(after)
  })

  it('takes a value that is typed, in the form of its setting', () => {
    expect(withTyped('\uFEFFinterval = "soon" # mine\r\n', 1, '5m')).toBe('\uFEFFinterval = "5m" # mine\r\n')
    expect(withTyped('[[account]]\nhostnames = [\n "a",\n]\n', 3, 'a.test, B.test')).toBe(
      '[[account]]\nhostnames = ["a.test", "b.test"]\n',
    )
    expect(withTyped('# nothing here\n', 1, 'x')).toBe('# nothing here\n')
    expect([typedValue('ipv6', 'false'), typedValue('batch', '20'), typedValue('name', ' x ')]).toEqual([
      false,
      20,
      'x',
    ])
  })
})
