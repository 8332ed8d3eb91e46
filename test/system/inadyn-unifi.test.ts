import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Ended, scratch, service } from '../e2e/processes.ts'
import { answering } from '../e2e/servers.ts'
import { lacks } from '../lacks.ts'
import { run } from './run.ts'

interface Account {
  readonly host: string
  readonly username: string
  readonly password: string
  readonly hostname: string
}

/** The path as UniFi gateways write it into the file of their inadyn, and what it asks for. */
const WRITTEN = '/\\/nic/update?hostname=%h&myip=%i'
const ASKED = '//nic/update?hostname=home.example.test&myip=192.0.2.50'

/** One update by inadyn. */
async function inadyn({ host, username, password, hostname }: Account): Promise<Ended> {
  const folder = scratch()
  const cache = join(folder, 'cache')
  mkdirSync(cache)
  // Without one it asks the DNS for its last address.
  writeFileSync(join(cache, `${hostname}.cache`), '198.51.100.1\n')
  const file = join(folder, 'inadyn.conf')
  const lines = [
    'iterations = 1',
    'allow-ipv6 = false',
    'verify-address = false',
    `custom ${host} {`,
    '    ssl = false',
    `    hostname = "${hostname}"`,
    `    username = "${username}"`,
    `    password = "${password}"`,
    `    ddns-server = "${host}"`,
    `    ddns-path = "${WRITTEN}"`,
    '    checkip-command = "/bin/echo 192.0.2.50"',
    '}',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  return run('inadyn', ['-n', '-1', '--force', '--no-pidfile', `--cache-dir=${cache}`, '-f', file])
}

describe.skipIf(lacks('inadyn'))('inadyn with the file of a UniFi gateway', () => {
  it('asks with a doubled slash', async () => {
    const targets: string[] = []
    const url = await answering((target) => {
      targets.push(target)
      return { status: 200, body: 'good 192.0.2.50\n' }
    })
    const account = { username: 'abc1234', password: 'x', hostname: 'home.example.test' }
    await inadyn({ host: new URL(url).host, ...account })

    expect(targets).toEqual([ASKED])
  })

  it('updates its hostname', async () => {
    const { url, username, password, hostnames } = await service()
    const [hostname = ''] = hostnames
    const ended = await inadyn({ host: new URL(url).host, username, password, hostname })

    expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining(`Updating cache for ${hostname}`)])
    // Asked in its own protocol, with the same address.
    const answer = await fetch(`${url}/nic/update?hostname=${hostname}&myip=192.0.2.50`, {
      headers: {
        'user-agent': 'Acme check/1-1 me@example.test',
        authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      },
    })
    expect(await answer.text()).toBe('nochg 192.0.2.50\n')
  })
})
