import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { holdfast, ROOT, scratch, service, start } from './processes.ts'
import { contents, formsOf, leaksIn as leaks } from './leaks.ts'
import { answering } from './servers.ts'

/** Contains characters that every encoding changes differently. */
const PASSWORD = 'cAn4ry/+ swörd&fish=%25"x'
const USERNAME = 'abc1234'

/** In characters that a fixed parameter may have. */
const TOKEN = 'cAn4ry-t0ken.of_12345'

const FORMS = [...formsOf(TOKEN), ...formsOf(PASSWORD, USERNAME)]

const leaksIn = (text: string): readonly string[] => leaks(text, FORMS)

const always = async (status: number, body: string): Promise<string> => {
  const url = await answering(() => ({ status, body, headers: { location: 'http://elsewhere.test/' } }))
  return url.replace(/\/$/, '')
}

it('the search finds every encoding', () => {
  for (const form of FORMS) expect(leaksIn(`… ${form} …`)).not.toEqual([])
})

it('no output, log or file of any command or failure contains the password, at trace level', async () => {
  const folder = scratch()
  const file = join(folder, 'h.toml')
  mkdirSync(join(folder, 'state'))
  const toml = (server: string, more = ''): void =>
    writeFileSync(
      file,
      `server = "${server}"\nusername = "${USERNAME}"\npassword = ${JSON.stringify(PASSWORD)}\nhostnames = ["a.test"]\nlog_level = "trace"\nstate_dir = "${folder}/state"\nmyip = ["192.0.2.1"]\nparameters = ["token=${TOKEN}", "key={password}", "system=x"]\n${more}`,
      { mode: 0o600 },
    )
  const outputs: string[] = []
  const run = async (...args: readonly string[]): Promise<void> => {
    for (const json of [[], ['--json']]) {
      const { stdout, stderr, code } = await holdfast([...args, '--config', file, ...json])
      expect(code).not.toBe(70)
      outputs.push(stdout, stderr)
    }
  }
  const answers = [
    [200, 'good 192.0.2.1'],
    [200, 'abuse'],
    [500, '911'],
    [302, ''],
    [200, '<html>'],
    [401, 'badauth'],
    [429, ''],
  ] as const
  for (const [status, body] of answers) {
    toml(await always(status, body), `name = "n"\n`)
    await run('update', '--force')
  }
  let sent = ''
  const echo = await answering((url) => {
    sent = url
    return { status: 200, body: `you sent ${url} and ${decodeURIComponent(url)}` }
  })
  toml(echo.replace(/\/$/, ''))
  await run('update', '--force')
  const at = await service('--log-level', 'trace')
  toml(at.url)
  for (const args of [
    ['update', '--dry-run'],
    ['update'],
    ['run'],
    ['resume'],
    ['status'],
    ['explain'],
    ['poke'],
    ['config', 'show'],
    ['config', 'check'],
  ])
    await run(...args)
  toml('http://127.0.0.1:1')
  await run('update')
  for (const wrong of [
    'interval = 1\n',
    'colour = 1\n',
    '[[account]]\nx=1\n',
    `user_agent = ${JSON.stringify(PASSWORD)}\n`,
    'hostnames = [\n',
    'password_file = "/nonexistent"\n',
    '[[account]]\nname = "n"\nparameters = ["token=' + TOKEN + ',' + TOKEN.slice(3) + '"]\n',
  ]) {
    toml(at.url, wrong)
    for (const command of [['update'], ['run'], ['config', 'show'], ['config', 'check']])
      await run(...command)
  }
  for (const env of [{ HOLDFAST_PASSWORD: PASSWORD }, { HOLDFAST_PASSWORD: `${PASSWORD}\n\u0001` }]) {
    const flags = [
      '--server',
      at.url,
      '--username',
      USERNAME,
      '--hostname',
      'a.test',
      '--myip',
      '192.0.2.1',
      '--state-dir',
      join(folder, 'state'),
      '--log-level',
      'trace',
    ]
    const { stdout, stderr } = await holdfast(['update', ...flags], { env })
    outputs.push(stdout, stderr)
  }
  outputs.push((await holdfast(['update', '--passwrd', PASSWORD.slice(0, 3)])).stderr, at.stderr())

  writeFileSync(file, '')
  // They are sent, and only there they are in clear text.
  expect(sent).toContain(`?token=${TOKEN}&key=${encodeURIComponent(PASSWORD)}&system=x&`)
  expect(outputs.join('\n')).toContain('/nic/update?token=«secret»&key=«secret»&system=x&hostname=a.test')
  expect(outputs.join('\n')).toContain('write parameters = ["token={password}"]')
  expect(outputs.join('\n').length).toBeGreaterThan(5000)
  expect(leaksIn(outputs.join('\n'))).toEqual([])
  expect(leaksIn(contents(folder))).toEqual([])
})

it('a truncated response that contains the password leaks nothing at trace level', async () => {
  const server = createServer(({ headers: { authorization = '' } }, response) => {
    const password = Buffer.from(authorization.slice(6), 'base64')
      .toString()
      .slice(USERNAME.length + 1)
    response.writeHead(200, { 'content-length': 500, 'x-sent': authorization })
    response.write(`${authorization} ${encodeURIComponent(password)} ${password}`)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void (server.close(), server.closeAllConnections()))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const account = ['--server', url, '--username', USERNAME, '--hostname', 'a.test', '--myip', '192.0.2.1']
  const folder = scratch()

  const { stdout, stderr } = await holdfast(
    ['update', ...account, '--state-dir', folder, '--log-level', 'trace', '--response-timeout', '1s'],
    { env: { HOLDFAST_PASSWORD: PASSWORD } },
  )

  expect(stderr).toMatch(/http outcome .*status=200/)
  expect(stderr).not.toContain('x-sent')
  expect(leaksIn(stdout + stderr + contents(folder))).toEqual([])
})

it('the service stores and logs neither a right nor a wrong password', async () => {
  const folder = scratch()
  const child = start([
    'serve',
    '--init',
    '--store',
    folder,
    '--listen',
    '127.0.0.1:0',
    '--log-level',
    'trace',
    '--json',
  ])
  const output: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => output.push(chunk.toString()))
  const url = await new Promise<string>((found) =>
    child.stdout?.once('data', (line: Buffer) => found((JSON.parse(line.toString()) as { url: string }).url)),
  )
  const authorization = `Basic ${Buffer.from(`${USERNAME}:${PASSWORD}`).toString('base64')}`

  const replies = await Promise.all(
    ['hostname=a.test', `hostname=a.test&password=${encodeURIComponent(PASSWORD)}`].map(async (query) =>
      (
        await fetch(`${url}/nic/update?${query}`, {
          headers: { authorization, 'user-agent': 'A b/1-1 c@d.test' },
        })
      ).text(),
    ),
  )
  child.kill('SIGTERM')
  await new Promise((done) => child.on('close', done))

  expect(replies).toEqual(['911\n', '911\n'])
  expect(output.join('')).toContain('answered')
  expect(leaksIn(output.join('') + contents(folder))).toEqual([])
})

it('no source file contains the canary', () => expect(contents(join(ROOT, 'src'))).not.toContain(PASSWORD))
