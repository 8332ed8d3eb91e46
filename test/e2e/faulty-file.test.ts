import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { running } from './daemon.ts'
import { holdfast, scratch, service } from './processes.ts'
import { echo } from './servers.ts'

const TYPO = 'tiemout = "5s"'

/** A daemon with its own file, which then changes. */
async function withFile() {
  const at = await service()
  const folder = scratch()
  const file = join(folder, 'h.toml')
  const source = await echo(() => '8.8.8.8')
  const write = (...more: readonly string[]): void =>
    writeFileSync(
      file,
      [
        `state_dir = "${folder}"`,
        `runtime_dir = "${folder}"`,
        `sources = ["${source}"]`,
        'log_level = "debug"',
        ...more.slice(1),
        '[[account]]',
        `server = "${at.url}"`,
        `username = "${at.username}"`,
        `password = "${at.password}"`,
        'myip = ["192.0.2.1"]',
        `hostnames = ["home.example.test"${more[0] ?? ''}]`,
        '',
      ].join('\n'),
      { mode: 0o600 },
    )
  write()
  const { child, line, ended } = running(['--config', file], {})
  await line('good","addresses":["192.0.2.1"]')
  const ask = async (command: string, ...more: readonly string[]) =>
    holdfast([command, '--config', file, ...more], {})
  return { at, file, write, ask, child, ended, folder, line }
}

describe('while the file has a fault, and the daemon runs with the settings before', () => {
  it('each command that reads shows what runs, and the fault too', async () => {
    const { write, ask, file, child, ended } = await withFile()
    write('', TYPO)
    const fault = `${file}:5: tiemout is not a setting`
    for (const command of ['status', 'explain']) {
      const { code, stdout } = await ask(command)
      expect([command, code, stdout]).toEqual([command, 0, expect.stringContaining('192.0.2.1')])
      expect(stdout).toContain(fault)
      expect(stdout).toContain('the daemon still uses the settings that it read before')
    }
    expect(JSON.parse((await ask('status', '--json')).stdout)).toMatchObject({
      isRunning: true,
      accounts: [{ outcome: 'settled' }],
      notes: [expect.stringContaining(fault), expect.stringContaining('the daemon still uses')],
    })
    expect(await ask('status', '--healthcheck')).toMatchObject({ code: 0 })
    expect(await ask('poke')).toMatchObject({ code: 0 })
    const detected = await ask('detect')
    expect(detected).toMatchObject({ code: 0, stdout: expect.stringContaining('8.8.8.8') as string })
    expect(detected.stdout).toContain(fault)
    const found = await ask('doctor')
    expect(found.code).not.toBe(0)
    expect(found.stdout).toContain(`configuration\n  evidence: ${fault}`)

    child.kill('SIGTERM')
    await ended
    expect(await ask('status')).toMatchObject({ code: 78, stderr: expect.stringContaining(fault) as string })
    expect(await ask('poke')).toMatchObject({ code: 78 })
  })

  it('shows the account that has the fault, and what cannot be parsed', async () => {
    const { write, ask, file, folder } = await withFile()
    write(', "a b"')
    const { code, stdout } = await ask('status')
    expect([code, stdout]).toEqual([0, expect.stringContaining('192.0.2.1')])
    expect(stdout).toContain(`${file}:10: `)
    writeFileSync(file, '[[account')
    const broken = await ask('status')
    expect([broken.code, broken.stdout], broken.stderr).toEqual([0, expect.stringContaining('192.0.2.1')])
    expect(broken.stdout).toContain(`${file}:1: `)
    rmSync(file)
    const unnamed = await ask('status')
    expect([unnamed.code, unnamed.stdout]).toEqual([
      0,
      expect.stringContaining('there is no configuration file'),
    ])
    const gone = await holdfast(['status', '--state-dir', folder], { env: { HOME: folder } })
    expect([gone.code, gone.stdout]).toEqual([0, expect.stringContaining('192.0.2.1')])
    expect(gone.stdout).toContain('there is no configuration file, and the daemon still uses')
  })

  it('a reload is refused with the reason, which stays until one succeeds', async () => {
    const { write, ask, file } = await withFile()
    write('', TYPO)
    expect(await ask('reload')).toMatchObject({
      code: 78,
      stderr: expect.stringMatching(
        /:5: tiemout is not a setting[^]*not reloaded; the daemon still uses/,
      ) as string,
    })
    const refused = await ask('status')
    expect(refused.stdout).toContain('the settings were not reloaded, and the earlier ones stay in use: ')
    expect(refused.stdout.split('tiemout is not a setting')).toHaveLength(2)
    write(', "office.example.test"')
    expect(await ask('reload')).toMatchObject({ code: 0, stdout: 'the daemon has read its settings again\n' })
    await eventually(async () => (await ask('status')).stdout).toContain('office.example.test')
    expect((await ask('status')).stdout).not.toContain('not reloaded')
    expect((await ask('config', 'check')).code, file).toBe(0)
  })

  it('an account that only the file or only the daemon has is shown as such', async () => {
    const { write, ask, file, at } = await withFile()
    write('', 'timeout = "5s"')
    expect((await ask('status')).stdout).not.toContain('has changed')
    writeFileSync(
      file,
      `state_dir = "${file.replace('/h.toml', '')}"\nruntime_dir = "${file.replace('/h.toml', '')}"\n` +
        `provider = "duckdns"\npassword = "x-1"\nhostnames = ["a.duckdns.org"]\n`,
    )
    const { stdout } = await ask('status')
    expect(stdout).toContain('192.0.2.1')
    expect(stdout).toContain(`${file} has changed none@www.duckdns.org; the daemon still uses`)
    expect(stdout).toContain(`${file} has changed ${at.username}@`)
  })
})

it('with an unreadable file no third party is asked: it may forbid them', async () => {
  const folder = scratch()
  const file = join(folder, 'h.toml')
  for (const text of ['[[account', undefined]) {
    rmSync(file, { force: true })
    if (text !== undefined) writeFileSync(file, text)
    const { stdout } = await holdfast(['detect', '--config', file, '--json'], { env: { HOME: folder } })
    const { answers } = JSON.parse(stdout) as { answers: readonly { source: { vantage: string } }[] }
    expect(answers.filter(({ source }) => source.vantage === 'outside')).toEqual([])
  }
})

it('a daemon without its socket is reloaded by a signal from its unit', async () => {
  const { write, file, child, folder, line } = await withFile()
  write(', "office.example.test"')
  const elsewhere = ['reload', '--config', file, '--runtime-dir', join(folder, 'none')]
  expect(await holdfast(elsewhere, { env: { MAINPID: String(child.pid) } })).toMatchObject({
    code: 0,
    stdout: 'the daemon reads its settings again; its log has the result\n',
  })
  await line('"hostname":"office.example.test"')
})

it('a reload without a daemon says that none runs', async () => {
  const folder = scratch()
  expect(await holdfast(['reload', '--state-dir', folder, '--runtime-dir', folder], {})).toMatchObject({
    code: 69,
    stderr: expect.stringContaining('no daemon is running here') as string,
  })
})
