import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { holdfast, scratch, service } from '../e2e/processes.ts'
import { echo } from '../e2e/servers.ts'
import { inTerminal, KEY } from '../e2e/terminal.ts'

const OLD_CLIENTS = [
  'ddclient.conf',
  'ddclient',
  'inadyn.conf',
  'default/noip-duc',
  'sysconfig/noip-duc',
  'noip-duc.env',
  'config/ddns',
]

/** The command that starts another one with a copy of /etc, which has one file of another client. */
function withEtc(name: string, text: string): { readonly etc: string; readonly within: readonly string[] } {
  const etc = join(scratch(), 'etc')
  cpSync('/etc', etc, { recursive: true, verbatimSymlinks: true })
  for (const other of OLD_CLIENTS) rmSync(join(etc, other), { recursive: true, force: true })
  rmSync(join(etc, 'holdfast'), { recursive: true, force: true })
  mkdirSync(join(etc, name, '..'), { recursive: true })
  writeFileSync(join(etc, name), text, { mode: 0o600 })
  const mount = `mount --bind ${etc} /etc && exec "$@"`
  return { etc, within: ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', mount, 'sh'] }
}

describe('init on a host with another client, as root', () => {
  it('takes its settings over, asks only for what is missing, and sends the first update', async () => {
    const at = await service()
    const { host } = new URL(at.url)
    const old = `daemon=600\nssl=yes\nserver=${host}, login=${at.username}\n${at.hostnames[0]}\n`
    const { etc, within } = withEtc('ddclient.conf', old)
    const env = {
      HOLDFAST_STATE_DIR: join(etc, '../state'),
      HOLDFAST_SOURCES: await echo(() => '203.0.113.9'),
      HOLDFAST_AGREEMENT: 'one',
      HOLDFAST_ALLOW: 'documentation',
    }
    const person = inTerminal(['init'], { env, within })
    await person.answer('Take over its settings?', KEY.enter)
    await person.answer('only IPv4 addresses are sent')
    await person.answer('Password', at.password, KEY.enter)
    await person.answer('cannot be reached')
    await person.answer('/etc/holdfast/holdfast.toml')
    await person.answer('/etc/holdfast/password')
    await person.answer('Write this?', KEY.down, KEY.enter)
    await person.answer('How should Holdfast run')
    for (let count = 0; count < 5; count += 1) await person.answer('', KEY.down)
    await person.answer('', KEY.enter)
    expect(await person.ended, person.shown()).toBe(0)

    expect(person.shown()).not.toContain(at.password)
    const text = readFileSync(join(etc, 'holdfast/holdfast.toml'), 'utf8')
    expect(text).toContain(`server = "https://${host}"`)
    expect(text).toContain('ipv6 = false')
    expect(text).toContain('interval = "10m"')
    expect(readFileSync(join(etc, 'holdfast/password'), 'utf8')).toBe(`${at.password}\n`)
    // The test service has http only.
    const config = join(etc, '../holdfast.toml')
    writeFileSync(config, text.replace('https://', 'http://').replace('/etc/holdfast/', `${etc}/holdfast/`))
    const updated = await holdfast(['update', '--config', config], { env })
    expect([updated.code, updated.stdout]).toEqual([0, expect.stringContaining('good 203.0.113.9')])
  })

  it('starts afresh where the person says no', async () => {
    const { etc, within } = withEtc(
      'inadyn.conf',
      'provider no-ip.com { username = u password = p hostname = a.example.test }\n',
    )
    const person = inTerminal(['init'], { env: { HOLDFAST_SOURCES: 'http://127.0.0.1:9/' }, within })
    await person.answer('/etc/inadyn.conf', KEY.right, KEY.enter)
    await person.answer('Which service hosts your hostname?', KEY.escape)
    expect(await person.ended).toBe(130)
    expect(existsSync(join(etc, 'holdfast'))).toBe(false)
  })
})

it('import without a file takes the only one of this host', async () => {
  const { within } = withEtc(
    'default/noip-duc',
    "NOIP_USERNAME=abc1234\nNOIP_PASSWORD='canary secret'\nNOIP_HOSTNAMES=home.example.test\n",
  )
  const person = inTerminal(['import'], { within })
  expect(await person.ended, person.shown()).toBe(0)
  expect(person.shown()).toContain('provider = "no-ip"')
  expect(person.shown()).toContain('stop the other client before Holdfast runs')
  expect(person.shown()).not.toContain('canary secret')
})
