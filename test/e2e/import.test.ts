import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { holdfast, scratch, service } from './processes.ts'

const OLD = `daemon=600
protocol=dyndns2, server=dyn.example.test, login=user, password='pw, "1" #2' \\
home.example.test
`
const MIXED = `${OLD}\nprotocol=nfsn, zone=example.test, login=c, password=token www.example.test\n`

function oldFile(text: string) {
  const folder = scratch()
  const path = join(folder, 'ddclient.conf')
  writeFileSync(path, text)
  return { folder, path, config: join(folder, 'new/holdfast.toml') }
}

describe('import', () => {
  it('prints the configuration, says what differs, and writes nothing', async () => {
    const { path, config } = oldFile(OLD)
    const { code, stdout, stderr } = await holdfast(['import', path, '--output', config])
    expect(code).toBe(0)
    expect(stdout).toContain('server = "https://dyn.example.test"')
    expect(stderr).toContain(`${path}:2: changed: only IPv4 addresses are sent`)
    expect(stderr).toContain('systemctl disable --now ddclient')
    expect(stdout + stderr).not.toContain('pw, ')
    expect(existsSync(config)).toBe(false)
  })

  it('writes with --write, with rights for the owner only, and never over files', async () => {
    const { path, config, folder } = oldFile(OLD)
    const { code, stdout } = await holdfast(['import', path, '--output', config, '--write'])
    expect(code).toBe(0)
    const password = join(folder, 'new/dyn.example.test.password')
    expect(stdout).toContain(`wrote ${password}`)
    expect(stdout).toContain(
      `next: holdfast config check --config ${config}; holdfast update --config ${config} --dry-run`,
    )
    expect(readFileSync(password, 'utf8')).toBe('pw, "1" #2\n')
    expect((statSync(password).mode & 0o777).toString(8)).toBe('600')
    const check = await holdfast(['config', 'check', '--config', config])
    expect(check.code, check.stderr).toBe(0)

    const before = readFileSync(config, 'utf8')
    const again = await holdfast(['import', path, '--output', config, '--write'])
    expect(again.code).toBe(78)
    expect(again.stderr).toContain('exists already; nothing is written')
    expect(readFileSync(config, 'utf8')).toBe(before)
  })

  it('exits with 65 if an account stays behind, with --partial with 0', async () => {
    const { path, config } = oldFile(MIXED)
    const whole = await holdfast(['import', path, '--output', config, '--json'])
    expect(whole.code).toBe(65)
    expect(JSON.parse(whole.stdout)).toMatchObject({
      exit: { code: 65 },
      from: 'ddclient',
      written: [],
      remarks: expect.arrayContaining([expect.objectContaining({ kind: 'not taken' })]),
    })
    expect(whole.stdout).not.toContain('token')
    const partial = await holdfast(['import', path, '--output', config, '--partial'])
    expect(partial.code).toBe(0)
    expect(partial.stderr).toContain('keep using the other client for the rest')
    expect(partial.stderr).not.toContain('systemctl disable')
  })

  it('reads standard input', async () => {
    const { code, stdout } = await holdfast(['import', '-', '--output', '/nonexistent/holdfast.toml'], {
      stdin: 'NOIP_USERNAME=abc1234\nNOIP_PASSWORD=secret\nNOIP_HOSTNAMES=home.example.test\n',
    })
    expect(code).toBe(0)
    expect(stdout).toContain('provider = "no-ip"')
  })

  it.each([
    ['there is no such file', ['import', '/nonexistent/x'], 64],
    ['is not one of', ['import', '--from', 'magic', '/etc/passwd'], 64],
    ['is empty', ['import', '-'], 65],
  ])('says that %s', async (part, args, expected) => {
    const { code, stderr } = await holdfast(args)
    expect(code).toBe(expected)
    expect(stderr).toContain(part)
  })

  it('takes nothing over where nothing can be, and writes no file', async () => {
    const { path, config } = oldFile(
      'provider default@dnsexit.com { username = u password = p hostname = h.example.test }\n',
    )
    const { code, stdout, stderr } = await holdfast(['import', path, '--output', config, '--write'])
    expect({ code, stdout }).toEqual({ code: 65, stdout: '' })
    expect(stderr).toContain('nothing can be taken over')
    expect(existsSync(config)).toBe(false)
  })

  it('writes a file for each secret of a request', async () => {
    const { path, config, folder } = oldFile(
      'custom x { ddns-server = s.example.test ddns-path = "/u?key=first1&secret=second2&ip=%i" hostname = h.example.test }\n',
    )
    const { code, stdout, stderr } = await holdfast(['import', path, '--output', config, '--write'])
    expect(code, stderr).toBe(0)
    expect(stdout + stderr).not.toMatch(/first1|second2/)
    for (const [file, value] of [
      ['x.password', 'first1\n'],
      ['x.password.api-key', 'second2\n'],
    ] as const) {
      expect(readFileSync(join(folder, 'new', file), 'utf8')).toBe(value)
      expect((statSync(join(folder, 'new', file)).mode & 0o777).toString(8)).toBe('600')
    }
    const check = await holdfast(['config', 'check', '--config', config])
    expect(check.code, check.stderr).toBe(0)
  })

  it('reads the YAML of ddns-go, and names the line of a fault', async () => {
    const yaml = (secret: string): string =>
      `dnsconf:\n  - ipv4: {enable: true, gettype: url, domains: [home:example.test]}\n    dns:\n      name: cloudflare\n      secret: ${secret}\n`
    const good = await holdfast(['import', '-'], { stdin: yaml('cf-token') })
    expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('zone = "example.test"')])
    const bad = await holdfast(['import', '-'], { stdin: yaml('"cf-token') })
    expect([bad.code, bad.stdout]).toEqual([65, ''])
    expect(bad.stderr).toMatch(/standard input:\d+: not taken: the YAML cannot be read from here/)
    expect(bad.stderr).not.toContain('cf-token')
  })

  it('gives a configuration that the service accepts', async () => {
    const at = await service()
    const folder = scratch()
    const config = join(folder, 'holdfast.toml')
    writeFileSync(
      join(folder, 'old'),
      `ssl=no\nserver=${at.url}, use=ip, ip=203.0.113.4\nlogin=${at.username}, password='${at.password}'\n${at.hostnames.join(',')}\n`,
    )
    expect((await holdfast(['import', join(folder, 'old'), '--output', config, '--write'])).code).toBe(0)
    // The test service has http only, which the remark says how to set.
    writeFileSync(config, readFileSync(config, 'utf8').replace('https://', 'http://'))
    const updated = await holdfast(['update', '--config', config, '--state-dir', join(folder, 'state')])
    expect(updated.code, updated.stderr).toBe(0)
    expect(updated.stdout).toContain('203.0.113.4')
  })
})

it('an update URL is read without a file', async () => {
  const template = 'https://dyn.example.test/nic/update?hostname=<domain>&myip=<ipaddr>'
  const { code, stdout } = await holdfast(['import', '--url', template])
  expect([code, stdout]).toEqual([65, expect.stringContaining('server = "https://dyn.example.test"')])
  const both = await holdfast(['import', '--url', template, 'file'])
  expect([both.code, both.stderr]).toEqual([64, expect.stringContaining('--url and a file are both given')])
})
