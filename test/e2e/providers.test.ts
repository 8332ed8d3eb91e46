import { describe, expect, it } from 'vitest'
import { oneOfEach } from '../large.ts'
import { holdfast, scratch } from './processes.ts'
import { answering } from './servers.ts'

interface Answer {
  readonly status?: number
  readonly body: string
  readonly headers?: Record<string, string>
}
const GOOD: Answer = { body: 'good' }

/** A service that answers as the sources say, and the requests that it got. */
async function fake(answer: (target: string) => Answer) {
  const targets: string[] = []
  const url = await answering((target) => {
    targets.push(target)
    return { status: 200, ...answer(target) }
  })
  return { server: url.replace(/\/$/, ''), targets }
}

const [V4, V6] = ['192.0.2.1', '2001:db8::1']

interface Update {
  readonly provider: string
  readonly server: string
  readonly myip?: string
  readonly hostnames?: readonly string[]
  readonly more?: readonly string[]
}

async function update({
  provider,
  server,
  myip,
  hostnames = ['home.example.test'],
  more = ['--state-dir', scratch()],
}: Update) {
  const flags = ['--provider', provider, '--server', server, '--username', 'user', ...more]
  const addresses = myip === undefined ? [] : ['--myip', myip]
  const names = hostnames.flatMap((name) => ['--hostname', name])
  return holdfast(['update', ...flags, ...addresses, ...names, '--json'], {
    env: { HOLDFAST_PASSWORD: 'secret' },
  })
}

const HOST = 'hostname=home.example.test'

describe('the requests of a provider', () => {
  // biome-ignore format: a table
  const REQUESTS: readonly (readonly [string, string | undefined, readonly string[]])[] = [
    ['no-ip',         `${V4},${V6}`, [`/nic/update?${HOST}&myip=${V4},${V6}`]],
    ['dyn',           `${V4},${V6}`, [`/v3/update?${HOST}&myip=${V4},${V6}`]],
    ['dynu',          `${V4},${V6}`, [`/nic/update?${HOST}&myip=${V4}&myipv6=${V6}`]],
    ['dynu',          V6,            [`/nic/update?${HOST}&myip=no&myipv6=${V6}`]],
    ['desec',         V4,            [`/?${HOST}&myip=${V4}&myipv6=preserve`]],
    ['desec',         V6,            [`/?${HOST}&myip=preserve&myipv6=${V6}`]],
    ['he',            `${V4},${V6}`, [`/nic/update?${HOST}&myip=${V4}`, `/nic/update?${HOST}&myip=${V6}`]],
    ['ovh',           V4,            [`/nic/update?system=dyndns&${HOST}&myip=${V4}`]],
    ['inwx',          `${V4},${V6}`, [`/nic/update?myip=${V4}&myipv6=${V6}`]],
    ['do',            V4,            [`/?myip=${V4}`]],
    ['freedyn',       V4,            [`/nic/update?${HOST}&myip=${V4}`]],
    ['all-inkl',      `${V4},${V6}`, [`/?myip=${V4}`, `/?myip6=${V6}`]],
    ['dyfi',          undefined,     ['/nic/update?hostname=home.dy.fi']],
    ['nic-ru',        `${V4},${V6}`, [`/dyndns/update?${HOST}&myip=${V4}&ipv6=${V6}`]],
    ['core-networks', `${V4},${V6}`, [`/?${HOST}&myip=${V4}&keepipv6=1`, `/?${HOST}&myip=${V6}&keepipv4=1`]],
    ['ydns',          V4,            [`/api/v1/update/?host=home.example.test&ip=${V4}`]],
    ['domeneshop',    `${V4},${V6}`, [`/v0/dyndns/update?${HOST}&myip=${V4},${V6}`]],
  ]
  it.each(oneOfEach(REQUESTS, ([, myip, targets]) => `${targets.length} for ${myip}`))(
    '%s with %s: %j',
    async (provider, myip, targets) => {
      const at = await fake(() => GOOD)
      const hostnames = provider === 'dyfi' ? ['home.dy.fi'] : undefined
      const { code, stderr } = await update({
        provider,
        server: at.server,
        ...(myip && { myip }),
        ...(hostnames && { hostnames }),
      })
      expect(at.targets, stderr).toEqual(targets)
      expect(code, stderr).toBe(0)
    },
  )

  it('for IPv6 go to the host that the service has for them', async () => {
    const [four, six] = [
      await fake(() => ({ body: `good ${V4}` })),
      await fake(() => ({ body: `good ${V6}` })),
    ]
    const more = ['--ipv6-server', six.server, '--state-dir', scratch()]
    const { code } = await update({ provider: 'nsupdate', server: four.server, myip: `${V4},${V6}`, more })
    expect([code, four.targets, six.targets]).toEqual([
      0,
      [`/nic/update?${HOST}&myip=${V4}`],
      [`/nic/update?${HOST}&myip=${V6}`],
    ])
  })

  it('for two hostnames with both families are one each where the service answers a line for each address', async () => {
    const at = await fake(() => ({ body: `good ${V4}\ngood ${V6}` }))
    const hostnames = ['a.example.test', 'b.example.test']
    const { code } = await update({ provider: 'nic-ru', server: at.server, myip: `${V4},${V6}`, hostnames })
    expect([code, at.targets.toSorted()]).toEqual([
      0,
      hostnames
        .map((name) => `hostname=${name}&myip=${V4}&ipv6=${V6}`)
        .map((query) => `/dyndns/update?${query}`),
    ])
  })

  it('with a label of a network have its blank escaped', async () => {
    const at = await fake(() => ({ body: `good ${V4}` }))
    const { code } = await update({
      provider: 'opendns',
      server: at.server,
      myip: V4,
      hostnames: ['My Home'],
    })
    expect([code, at.targets]).toEqual([0, [`/nic/update?hostname=My%20Home&myip=${V4}`]])
  })

  it('for two hostnames are one each where the service takes one', async () => {
    const at = await fake(() => ({ body: `good ${V4}` }))
    const hostnames = ['a.example.test', 'b.example.test']
    await update({ provider: 'strato', server: at.server, myip: V4, hostnames })
    expect(at.targets).toEqual(hostnames.map((name) => `/nic/update?hostname=${name}&myip=${V4}`))
  })
})

describe('the replies of a provider', () => {
  const outcome = async (provider: string, answer: Answer, hostnames?: readonly string[]) => {
    const at = await fake(() => answer)
    const state = ['--state-dir', scratch()]
    const request = { provider, server: at.server, myip: V4, more: state, ...(hostnames && { hostnames }) }
    const { code, stdout } = await update(request)
    const { accounts } = JSON.parse(stdout) as { accounts: readonly { outcome: string }[] }
    await update(request)
    return [code, accounts[0]?.outcome, at.targets.length]
  }

  // biome-ignore format: a table
  const REPLIES: readonly (readonly [string, string, Answer, readonly unknown[]])[] = [
    ['one bare good',            'desec',      GOOD,                                                     [0, 'settled', 1]],
    ['404 with nohost',          'desec',      { status: 404, body: 'nohost' },                          [77, 'stopped', 1]],
    ['401 without a word',       'desec',      { status: 401, body: '' },                                [77, 'stopped', 1]],
    ['badsys with HTTP 200',     'ovh',        { body: 'badsys' },                                       [77, 'stopped', 1]],
    ['badauth with HTTP 400',    'infomaniak', { status: 400, body: 'badauth' },                         [77, 'stopped', 1]],
    ['204 without a body',       'domeneshop', { status: 204, body: '' },                                [0, 'settled', 1]],
    ['a word in a page',         'easydns',    { body: '<html><body><b>NOERROR</b></body></html>' },     [0, 'settled', 1]],
    ['too early',                'easydns',    { body: 'TOOSOON' },                                       [75, 'waiting', 1]],
    ['numhost with HTTP 400',    'do',         { status: 400, body: 'numhost' },                         [77, 'stopped', 1]],
    ['911 with a reason',        'do',         { status: 500, body: '911 ddns down' },                   [75, 'waiting', 1]],
    ['429 without a word',       'desec',      { status: 429, body: 'slow down' },                       [75, 'waiting', 1]],
    ['good with loopback',       'dyn',        { body: 'good 127.0.0.1' },                               [77, 'stopped', 1]],
    ['another word of success',  'no-ip',      { body: 'OK' },                                           [75, 'waiting', 1]],
    ['!yours of an address',     'opendns',    { body: '!yours' },                                        [75, 'waiting', 1]],
    ['204 of an unchanged one',  'selfhost',   { status: 204, body: '' },                                [0, 'settled', 1]],
    ['412',                      'selfhost',   { status: 412, body: '' },                                [75, 'waiting', 1]],
    ['a number and a sentence',  'changeip',   { body: '200 Successful Update' },                         [0, 'settled', 1]],
    ['another number',           'changeip',   { body: '422: The hostname supplied is incorrect.' },      [77, 'stopped', 1]],
    ['a page with a remark',     'easydns',    { body: '<HTML><BODY><FONT FACE="sans-serif" SIZE="-1">OK<br />\n<hr noshade size="1">\nno update required for xxx.yyy to x.y.z.zz<br />\n</FONT></BODY></HTML>' }, [0, 'settled', 1]],
    ['an underscore',            'easydns',    { body: 'NO_SERVICE<br />An invalid hostname was provided: example.com' }, [77, 'stopped', 1]],
    ['ok',                       'ydns',       { body: 'ok' },                                            [0, 'settled', 1]],
    ['404 of a hostname',        'ydns',       { status: 404, body: 'not found' },                       [77, 'stopped', 1]],
    ['Validation failed',        'infomaniak', { status: 400, body: 'Validation failed' },               [75, 'waiting', 1]],
    ['a redirect elsewhere',     'infomaniak', { status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } }, [75, 'waiting', 1]],
  ]
  it.each(oneOfEach(REPLIES, ([, , , [code]]) => code))('%s (%s)', async (_, provider, answer, expected) => {
    expect(await outcome(provider, answer)).toEqual(expected)
  })

  it('one bare good for two hostnames settles both only where the service answers so', async () => {
    const names = ['a.example.test', 'b.example.test']
    expect(await outcome('desec', GOOD, names)).toEqual([0, 'settled', 1])
    expect(await outcome('no-ip', GOOD, names)).toEqual([75, 'waiting', 1])
  })

  it('a line for each family of one hostname', async () => {
    const at = await fake(() => ({ body: `good ${V4}\nnochg ${V6}` }))
    const { code } = await update({ provider: 'dyn', server: at.server, myip: `${V4},${V6}` })
    expect(code).toBe(0)
  })
})

describe('holdfast providers', () => {
  it('lists all, and explains one', async () => {
    const all = await holdfast(['providers'])
    expect([all.code, all.stdout]).toEqual([0, expect.stringMatching(/\n {2}no-ip +No-IP\n/)])
    const one = await holdfast(['providers', 'inwx'])
    expect([one.code, one.stdout]).toEqual([0, expect.stringContaining('    absent_family = hold-ipv4\n')])
    const json = JSON.parse((await holdfast(['providers', '--json'])).stdout) as { providers: object }
    expect(Object.keys(json.providers)).toHaveLength(86)
  })

  it('says what became of a service that has ended, and what is near to a wrong name', async () => {
    const ended = await holdfast(['providers', 'google-domains'])
    expect([ended.code, ended.stderr]).toEqual([
      64,
      expect.stringMatching(
        /^holdfast: google-domains is not served: Google Domains ended its dynamic DNS on 2024-07-10; /,
      ),
    ])
    const wrong = await holdfast(['providers', 'no-ipp'])
    expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining('did you mean no-ip?')])
  })

  it('config show says which values come from the preset', async () => {
    const flags = [
      '--provider',
      'desec',
      '--username',
      'u',
      '--hostname',
      'a.example.test',
      '--refresh',
      '7d',
    ]
    const { stdout } = await holdfast(['config', 'show', ...flags], { env: { HOLDFAST_PASSWORD: 'p' } })
    expect(stdout).toContain('path = "/" # from the preset desec\n')
    expect(stdout).toContain('refresh = "7d"\n')
    expect(stdout).toContain('min_gap = "1m" # from the preset desec\n')
  })
})
