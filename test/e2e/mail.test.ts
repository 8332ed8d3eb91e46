import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mailServer } from './mail-server.ts'
import { holdfast, scratch } from './processes.ts'
import { accountAt, answering, certificate } from './servers.ts'

const PASSWORD = 'canary of the mail'

/** An update at a service that answers with these lines, one a request, and tells by this mail server. */
async function telling(at: string, lines: readonly string[], more: readonly string[] = [], env: object = {}) {
  const folder = scratch()
  const rest = [...lines]
  const url = await answering(() => ({ status: 200, body: `${rest.length > 1 ? rest.shift() : rest[0]}\n` }))
  writeFileSync(join(folder, 'mail'), `${PASSWORD}\n`)
  const settings = [
    ...accountAt(url, folder),
    '--mail-server',
    at,
    '--mail-to',
    'ann@example.test',
    ...more.map((one) => one.replace('PASSWORD_FILE', join(folder, 'mail'))),
  ]
  const environment = { HOLDFAST_PASSWORD: 'p', HOLDFAST_IPV6: 'no', HOME: folder, ...env }
  const run = async (command: string, ...args: readonly string[]) =>
    holdfast([command, ...settings, ...args], { env: environment })
  return { folder, run, update: async (address: string) => run('update', '--myip', address) }
}

const LOGIN = ['--mail-username', 'ann', '--mail-password-file', 'PASSWORD_FILE']

describe('a mail', () => {
  it('has all fields, says what happened, and asks for no automatic reply', async () => {
    const server = await mailServer()
    const more = ['--mail-to', 'böb@example.test'.replace('ö', 'o'), '--mail-from', 'holdfast@example.test']
    const { update } = await telling(server.at, ['good 192.0.2.1', 'badauth'], more)
    expect((await update('192.0.2.1')).code).toBe(0)
    const stopped = await update('192.0.2.2')
    expect([stopped.code, stopped.stderr]).toEqual([77, expect.not.stringContaining('not delivered')])

    const [first, second] = server.received.filter(({ to }) => to.includes('ann@example.test'))
    expect([first?.from, first?.to]).toEqual(['holdfast@example.test', ['ann@example.test']])
    expect(server.received.filter(({ to }) => to.includes('bob@example.test'))).toHaveLength(2)
    expect(first?.fields.get('subject')).toBe('Holdfast: home.example.test: address changed')
    expect(first?.body).toContain('Address: 192.0.2.1')
    expect(Date.parse(first?.fields.get('date') ?? '')).toBeGreaterThan(Date.now() - 60_000)
    expect(first?.fields.get('message-id')).toMatch(/^<[0-9a-f]{32}@example\.test>$/)
    expect(first?.fields.get('auto-submitted')).toBe('auto-generated')
    expect(first?.fields.get('content-type')).toMatch(/^text\/plain; charset=utf-8/i)
    expect(second?.body).toMatch(/badauth[^]*What to do: correct the username/)
  })

  it('is sent over TLS with a login, where the server has it; the password is shown nowhere', async () => {
    const { cert, key } = certificate('IP:127.0.0.1')
    const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
    const server = await mailServer({ tls, login: { user: 'ann', password: PASSWORD } })
    const known = await telling(server.at, ['good 192.0.2.1'], LOGIN, { NODE_EXTRA_CA_CERTS: cert })
    const { code, stderr } = await known.update('192.0.2.1')
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('not delivered')])
    expect(server.received).toMatchObject([{ isEncrypted: true, user: 'ann' }])

    const unknown = await telling(server.at, ['good 192.0.2.1'], LOGIN)
    expect((await unknown.update('192.0.2.1')).stderr).toMatch(
      /mail to ann@example\.test by 127\.0\.0\.1:\d+: .*not delivered \(.*self-signed/,
    )
    expect(server.received).toHaveLength(1)

    const wrong = await mailServer({ login: { user: 'ann', password: 'another' } })
    const refused = await telling(wrong.at, ['good 192.0.2.1'], LOGIN)
    const { stderr: said } = await refused.update('192.0.2.1')
    expect(said).toMatch(
      /not delivered \(.*535 5\.7\.8 Authentication credentials invalid: «secret»; AUTH PLAIN «secret»/,
    )
    expect(said).not.toContain(PASSWORD)
  })

  it.each<[string, readonly string[], string | undefined, string, number]>([
    [
      'a mailbox that does not exist',
      ['--mail-to', 'nobody@example.test'],
      undefined,
      '550 5.1.1 no such mailbox',
      0,
    ],
    ['a message that the server refuses', [], '554 5.7.1 spam', '554 5.7.1 spam', 0],
    ['a server that asks for later', [], '451 4.3.0 later', '451 4.3.0 later', 1],
  ])(
    'of %s the log says why, and it is kept only where another attempt can help',
    async (_, more, answer, why, kept) => {
      const server = await mailServer(answer === undefined ? {} : { answer })
      const { folder, update } = await telling(server.at, ['good 192.0.2.1'], more)
      const { code, stderr } = await update('192.0.2.1')
      expect([code, stderr]).toEqual([0, expect.stringContaining(`was not delivered (`)])
      expect(stderr).toContain(why)
      const { pending } = JSON.parse(readFileSync(join(folder, 'state/notified.json'), 'utf8')) as {
        pending: readonly object[]
      }
      expect(pending).toHaveLength(kept)
      // The other recipient has received it.
      if (more.length > 0) expect(server.received.map(({ to }) => to)).toEqual([['ann@example.test']])
    },
  )

  it('is tried by notify --test, and shown by notify', async () => {
    const server = await mailServer()
    const { run } = await telling(server.at, ['good 192.0.2.1'])
    expect((await run('notify')).stdout).toContain('mail to ann@example.test: changed')
    const tested = await run('notify', '--test')
    expect([tested.code, tested.stdout]).toEqual([
      0,
      expect.stringMatching(/mail to ann@example\.test by 127\.0\.0\.1:\d+ .*: delivered/),
    ])
    expect(server.received).toHaveLength(1)
  })

  it.each([
    [['--mail-username', 'u'], /mail_username and mail_password_file belong together/],
    [['--mail-to', 'nobody'], /which must be an e-mail address/],
  ])('with %j is refused with a reason', async (more, why) => {
    const { update } = await telling('127.0.0.1:1', ['good'], more)
    const { code, stderr } = await update('192.0.2.1')
    expect([code, stderr]).toEqual([64, expect.stringMatching(why)])
  })

  it.each(['x y', '127.0.0.1:0', 'a%0d%0ab:25'])('by a server %s is refused with a reason', async (at) => {
    const { update } = await telling(at, ['good'])
    const { code, stderr } = await update('192.0.2.1')
    expect([code, stderr]).toEqual([
      64,
      expect.stringMatching(/^holdfast: --mail-server: mail_server must be a host, with its port.*\n$/),
    ])
  })
})
