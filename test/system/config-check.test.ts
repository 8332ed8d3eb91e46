import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ROOT, scratch } from '../e2e/processes.ts'
import { canLab } from '../lab/lab.ts'
import { inside, ip } from '../lab/run.ts'

const HOST = `hf-rules-${process.pid}`

/** Two interfaces with a carrier, and the default route by the first. */
async function twoLines(): Promise<void> {
  execFileSync('ip', ['netns', 'add', HOST])
  onTestFinished(() => void execFileSync('ip', ['netns', 'del', HOST]))
  const line = (name: string, net: string): readonly string[] => [
    `link add ${name} type veth peer name far-${name}`,
    `link set far-${name} up`,
    `link set ${name} up`,
    `addr add ${net}.20/24 dev ${name}`,
  ]
  await ip(HOST, [...line('wan1', '192.168.1'), ...line('wan2', '192.168.2')])
  await ip(HOST, ['route add default via 192.168.1.1'])
}

async function checked(lines = '["wan1", "wan2"]'): Promise<string> {
  const folder = scratch()
  const [file, password] = [join(folder, 'h.toml'), join(folder, 'password')]
  writeFileSync(password, 'secret\n', { mode: 0o600 })
  writeFileSync(
    file,
    `server = "https://dyn.example.test"\nusername = "u"\npassword_file = "${password}"\n` +
      `hostnames = ["home.example.test"]\ninterface = ${lines}\n`,
  )
  const program = [process.execPath, join(ROOT, 'bin/holdfast.js'), 'config', 'check', '--json']
  return inside(HOST, [...program, '--config', file, '--state-dir', folder])
}

describe.skipIf(canLab() !== undefined)('config check', () => {
  it('warns of a line whose questions leave by another one', async () => {
    await twoLines()

    expect(JSON.parse(await checked())).toMatchObject({
      warnings: [
        expect.stringContaining(
          ':5: interface: what this host sends from 192.168.2.20 on wan2 leaves by wan1; add a routing rule',
        ),
      ],
    })

    await ip(HOST, ['rule add from 192.168.2.20 table 102', 'route add default via 192.168.2.1 table 102'])
    expect(JSON.parse(await checked())).toMatchObject({ warnings: [] })
    expect(JSON.parse(await checked('"wan1 via 192.168.1.66"'))).toMatchObject({
      warnings: [
        expect.stringContaining('192.168.1.20 on wan1 leaves by 192.168.1.1 on wan1; add a routing rule'),
      ],
    })
  })
})
