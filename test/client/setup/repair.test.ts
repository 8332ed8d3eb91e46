import { describe, expect, it } from 'vitest'
import { complaintsIn } from '../../../src/client/setup/file-complaints.ts'
import { repairsOf, withTyped } from '../../../src/client/setup/repair.ts'

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
      const [repair] = await repairsOf(text, complaint)
      expect(repair, JSON.stringify(complaint)).toBeDefined()
      text = repair?.text ?? text
    }
    expect(await complaintsIn(text)).toEqual([])
    expect(await complaintsIn(before)).not.toEqual([])
    expect(text).toContain(after)
  })

  const offered = async (text: string): Promise<readonly (readonly [id: string, text: string])[]> => {
    const [complaint] = await complaintsIn(text)
    const repairs = complaint === undefined ? [] : await repairsOf(text, complaint)
    return repairs.map(({ id, text: after }) => [id, after])
  }
  const duck = (names: string): string => TOKEN.replace('["home.duckdns.org"]', names)

  it('keeps the other hostnames and their comments, and takes no word of the sentence for a value', async () => {
    expect(await offered(duck('["home", # mine\n "b.duckdns.org" # hers\n]'))).toEqual([
      ['name1', duck('["home.duckdns.org", # mine\n "b.duckdns.org" # hers\n]')],
    ])
    expect(await offered(duck('["*.home.duckdns.org", # mine\n "b.duckdns.org" # hers\n]'))).toEqual([
      ['item', duck('["home.duckdns.org", # mine\n "b.duckdns.org" # hers\n]')],
    ])
    for (const names of ['["duckdns.org", "home.duckdns.org"]', '["home.example.org", "b.duckdns.org"]'])
      expect(await offered(duck(names))).toEqual([])
    const he =
      'provider = "he"\nusername = "a.example.org"\npassword = "p"\nhostnames = ["a.example.org", "b.example.org"]\n'
    expect(await offered(he)).toEqual([])
    expect(
      await offered('account = [{ provider = "duckdns", passwd = "t", hostnames = ["home.duckdns.org"] }]\n'),
    ).toEqual([])
  })

  it('mends the same mistake of two accounts one after the other', async () => {
    const account = (name: string): string =>
      `[[account]]\nname = "${name}"\n${KEY.replace('username = "abc1234"', `usernam = "${name}"`)}`
    let text = `${account('a')}${account('b')}`
    for (let nth = 0; nth < 2; nth++) text = (await offered(text))[0]?.[1] ?? ''
    expect(await complaintsIn(text)).toEqual([])
  })

  it('moves a setting below the comments that the file begins with', async () => {
    const text = `\uFEFF# mine\n\n[[account]]\n${KEY}interval = "5m" # often\n`
    expect((await offered(text))[0]).toEqual([
      'move',
      `\uFEFF# mine\n\ninterval = "5m" # often\n[[account]]\n${KEY}`,
    ])
  })

  // biome-ignore format: a table
  it.each([
    [`${KEY}interval = "soon" # mine\r\n`,          '5m',             'interval = "5m" # mine\r\n'],
    [KEY.replace('"abc1234"', '12345'),              '012345',         'username = "012345"'],
    [KEY.replace('"p"', '["p"]'),                    'q',              'password = "q"'],
    [`${KEY}batch = "many"\n`,                       '20',             'batch = "20"'],
    [`${KEY}verify = "maybe"\n`,                     'false',          'verify = "false"'],
    [duck('["home"]'),                               'Home, nas',      'hostnames = ["home.duckdns.org", "nas.duckdns.org"]'],
    [`${KEY}sources = ["banana"]\n`,                 'router, https://a.test/', 'sources = "router, https://a.test/"'],
    [`${KEY}interval = "soon"\n`,                    'later',          undefined],
  ] as const)('takes a value that is typed, as its setting has it: %j', async (text, typed, after) => {
    const [complaint = { line: 1, problem: '' }] = await complaintsIn(text)
    const changed = await withTyped(text, complaint, typed)
    if (after === undefined) return expect(changed).toBeUndefined()
    expect(changed).toContain(after)
    return expect(await complaintsIn(changed ?? '')).toEqual([])
  })
})
