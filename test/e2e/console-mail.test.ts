import { DatabaseSync } from 'node:sqlite'
import { eventually } from '../eventually.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mailServer } from './mail-server.ts'
import { holdfast, NODE, scratch, serveStore, storeWith } from './processes.ts'

const PASSWORD = 'canary of the mail'
const CONSOLE = 'https://dns.example'

async function made() {
  const { folder } = await storeWith('plan add basic', 'account add acme basic')
  const login = join(scratch(), 'mail')
  writeFileSync(login, `${PASSWORD}\n`)
  const admin = async (words: string, ...settings: readonly string[]) =>
    holdfast(['admin', ...words.split(' '), '--store', folder, '--console', CONSOLE, ...settings], {
      node: NODE,
    })
  return { folder, login, admin }
}

/** Confirms the address, as the link does. */
function confirm(folder: string): void {
  const database = new DatabaseSync(join(folder, 'holdfast.db'))
  database.exec(`UPDATE account SET is_email_confirmed = 1 WHERE email = 'acme@example.test'`)
  database.close()
}

describe('a link by mail', () => {
  it('of an invitation and for another password comes from the command, with a login', async () => {
    const server = await mailServer({ login: { user: 'dns', password: PASSWORD } })
    const { admin, folder, login } = await made()
    const by = ['--mail-server', server.at, '--mail-from', 'dns@example.test', '--mail-username', 'dns']
    const settings = [...by, '--mail-password-file', login]
    const invited = await admin('invitation add basic email=new@example.test', ...settings)
    const [link = '', said] = invited.stdout.split('\n')
    expect([invited.code, said]).toEqual([0, 'sent to new@example.test'])
    expect(server.received[0]).toMatchObject({
      from: 'dns@example.test',
      to: ['new@example.test'],
      user: 'dns',
    })
    expect(server.received[0]?.body).toContain(link)

    expect((await admin('account reset-link acme send', ...settings)).stderr).toContain(
      'has no e-mail address',
    )
    expect((await admin('account set acme email=acme@example.test', ...settings)).code).toBe(0)
    expect((await admin('account reset-link acme send', ...settings)).stderr).toContain('is not confirmed')
    confirm(folder)
    const reset = await admin('account reset-link acme send', ...settings)
    expect([reset.code, server.received[1]?.to]).toEqual([0, ['acme@example.test']])
    expect(server.received[1]?.body).toContain(reset.stdout.split('\n')[0])
  })

  it('that the server does not take is shown all the same, and the reason is said without the password', async () => {
    const server = await mailServer({ login: { user: 'dns', password: 'another' } })
    const { admin, login } = await made()
    const by = ['--mail-server', server.at, '--mail-from', 'dns@example.test', '--mail-username', 'dns']
    const { code, stdout, stderr } = await admin(
      'invitation add basic email=new@example.test',
      ...by,
      '--mail-password-file',
      login,
    )
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^https:\/\/dns\.example\/console\/invitation#\S+\nnot sent to new@example\.test: .+\n$/,
    )
    expect(stdout + stderr).not.toContain(PASSWORD)
    expect(server.received).toEqual([])
  })

  it('is refused without a mail server, and the settings of one belong together', async () => {
    const { admin } = await made()
    expect((await admin('invitation add basic email=new@example.test')).stderr).toContain('set mail_server')
    expect((await admin('invitation list', '--mail-server', '127.0.0.1:1')).stderr).toContain(
      'needs mail_from',
    )
    expect((await admin('invitation list', '--mail-from', 'a@b.test')).stderr).toContain('needs mail_server')
    const alone = ['--mail-server', '127.0.0.1:1', '--mail-from', 'a@b.test', '--mail-username', 'u']
    expect((await admin('invitation list', ...alone)).stderr).toContain('must be set together')
  })

  it('comes from the service for who has forgotten the password, and a failure is in the log', async () => {
    const server = await mailServer()
    const { admin, folder } = await made()
    await admin('account set acme email=acme@example.test')
    confirm(folder)
    const at = await serveStore(
      folder,
      '--console',
      'http://localhost',
      '--mail-server',
      server.at,
      '--mail-from',
      'dns@example.test',
    )
    const ask = async (account: string) =>
      fetch(`${at.url}/console/forgotten`, {
        method: 'POST',
        headers: { origin: at.url, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ account }),
      })
    const [known, unknown] = [await ask('acme'), await ask('nobody')]
    expect([known.status, await known.text()]).toEqual([200, await unknown.text()])
    // In addition to the confirmation request.
    const reset = () => server.received.find(({ body }) => body.includes('/console/reset#'))
    await eventually(reset).toBeDefined()
    expect(reset()?.to).toEqual(['acme@example.test'])
    expect(reset()?.body).toMatch(/http:\/\/[\w.:]+\/console\/reset#[\w-]{43}/)
    expect(at.log()).not.toContain('reset#')
  })
})
