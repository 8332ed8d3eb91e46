import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { holdfast, scratch } from './processes.ts'

const CANARY = 'canary-of-a-token'

/** A service with a form of its own, which answers what it is told. */
async function strange(...answers: readonly string[]) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request
      .on('data', (chunk: Buffer) => (body += chunk.toString()))
      .on('end', () => {
        asked.push(`${request.method} ${request.url} ${body}`)
        response.end(answers[asked.length - 1] ?? answers.at(-1))
      })
  }).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  onTestFinished(() => void server.close())
  return { asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

function configured(origin: string, more = '') {
  const folder = scratch()
  const file = join(folder, 'holdfast.toml')
  writeFileSync(
    file,
    `url = "${origin}/update?host={hostname}&ip={ipv4}&ip6={ipv6}&key={password}"
success = ["^OK"]
unchanged = ["^SAME"]
stop = ["bad key=badauth", "no such host=nohost"]
hostnames = ["home.example.test"]
state_dir = "${folder}/state"
${more}`,
  )
  const run = async (...line: readonly string[]) =>
    holdfast([...line, '--config', file], { env: { HOLDFAST_PASSWORD: CANARY } })
  return { folder, run }
}

describe('a service by its own address', () => {
  it('gets one request for one change, and none when nothing changed', async () => {
    const { asked, origin } = await strange('OK')
    const { run } = configured(origin)
    expect(await run('update', '--myip', '192.0.2.1')).toMatchObject({ code: 0 })
    expect(asked).toEqual([`GET /update?host=home.example.test&ip=192.0.2.1&key=${CANARY} `])
    expect(await run('update', '--myip', '192.0.2.1')).toMatchObject({ code: 0 })
    expect(asked).toHaveLength(1)
    expect(await run('update', '--myip', '192.0.2.2,2001:db8::2')).toMatchObject({ code: 0 })
    expect(asked[1]).toBe(
      `GET /update?host=home.example.test&ip=192.0.2.2&ip6=2001%3Adb8%3A%3A2&key=${CANARY} `,
    )
  })

  it('is obeyed where it stops, by every later run', async () => {
    const { asked, origin } = await strange(`bad key ${CANARY}`)
    const { run } = configured(origin)
    const first = await run('update', '--myip', '192.0.2.1', '--log-level', 'trace')
    expect([first.code, first.stdout + first.stderr]).toEqual([77, expect.not.stringContaining(CANARY)])
    expect(await run('update', '--myip', '192.0.2.3')).toMatchObject({ code: 77 })
    expect(asked).toHaveLength(1)
  })

  it.each([
    ['a page', '<html>OK</html>'],
    ['a page after its text', 'OK <body>sign in</body>'],
    ['an answer of more than 4 KiB', `OK${' '.repeat(4096)}bad key`],
  ])('is waited for after %s, which confirms nothing', async (_, answer) => {
    const { asked, origin } = await strange(answer)
    const { run } = configured(origin)
    expect(await run('update', '--myip', '192.0.2.1')).toMatchObject({ code: 75 })
    expect(await run('update', '--myip', '192.0.2.1')).toMatchObject({ code: 75 })
    expect(asked).toHaveLength(1)
  })

  it('needs no password where its request has no place for one', async () => {
    const { asked, origin } = await strange('OK')
    const { folder } = configured(origin)
    const file = join(folder, 'plain.toml')
    writeFileSync(
      file,
      `url = "${origin}/u?h={hostname}&ip={ipv4}"\nsuccess = ["^OK"]\nhostnames = ["a.example.test"]\nstate_dir = "${folder}/s"\n`,
    )
    expect(await holdfast(['update', '--myip', '192.0.2.1', '--config', file], { env: {} })).toMatchObject({
      code: 0,
    })
    expect(asked).toEqual(['GET /u?h=a.example.test&ip=192.0.2.1 '])
  })

  it.each([
    [
      'headers = ["X-Address: {ipv4}"]\n',
      '{ipv4} cannot be left out where it is, and a host may lack that address',
    ],
    [
      'url = "http://127.0.0.1:9/u/{password}?ip={ip}"\nhostnames = ["a.example.test", "b.example.test"]\n',
      'there are several, and requests name none of them; write {hostname} into url',
    ],
  ])('cannot say what it is for with %s', async (lines, problem) => {
    const { folder } = configured('http://127.0.0.1:9')
    const file = join(folder, 'less.toml')
    const rest = lines.startsWith('url')
      ? ''
      : 'url = "http://127.0.0.1:9/u/{password}?h={hostname}&ip={ipv4}&ip6={ipv6}"\nhostnames = ["a.example.test"]\n'
    writeFileSync(file, `${lines}${rest}success = ["^OK"]\n`)
    const { code, stderr } = await holdfast(['config', 'check', '--config', file], {
      env: { HOLDFAST_PASSWORD: CANARY },
    })
    expect([code, stderr]).toEqual([78, expect.stringContaining(problem)])
  })

  it('--dry-run shows the request without the secret; --reply says what a saved answer means', async () => {
    const { asked, origin } = await strange('OK')
    const { folder, run } = configured(origin, 'method = "POST"\nbody = "again={password}"\n')
    const dry = await run('update', '--dry-run', '--myip', '192.0.2.1')
    expect(dry.stdout).toContain('POST /update?host=home.example.test&ip=192.0.2.1&key=«secret» HTTP/1.1')
    expect(dry.stdout).toContain('again=«secret»')
    const reply = join(folder, 'reply')
    const meant = async (text: string) => {
      writeFileSync(reply, text)
      return run('update', '--dry-run', '--reply', reply, '--myip', '192.0.2.1')
    }
    expect(await meant('OK')).toMatchObject({ code: 0 })
    expect(
      await meant('HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\n\r\nno such host'),
    ).toMatchObject({ code: 77 })
    expect(await meant('HTTP/1.1 429 Too Many Requests\r\nretry-after: 120\r\n\r\n')).toMatchObject({
      code: 75,
    })
    expect(await meant('what?')).toMatchObject({ code: 75 })
    expect(await run('update', '--dry-run', '--reply', '/nonexistent')).toMatchObject({ code: 64 })
    expect(asked).toEqual([])
  })

  it('an API key on the command line is told, and sent in its place', async () => {
    const { asked, origin } = await strange('OK')
    const { run } = configured(origin, 'headers = ["X-Key: {api_key}"]\n')
    const { code, stderr } = await run('update', '--myip', '192.0.2.1', '--api-key', 'canary-of-a-key')
    expect([code, asked.length, stderr]).toEqual([
      0,
      1,
      expect.stringContaining(
        'an API key on the command line is visible to every user of this host; use --api-key-file',
      ),
    ])
    expect(stderr).not.toContain('canary-of-a-key')
  })

  it('a pattern that would hold up the client is refused', async () => {
    const { run } = configured('http://127.0.0.1:9', 'wait = ["^x+x*x*x*x*x*x*y$"]\n')
    const { code, stderr } = await run('config', 'check')
    expect([code, stderr]).toEqual([
      78,
      expect.stringContaining('wait has a pattern that takes too long on some answers: ^x+x*x*x*x*x*x*y$'),
    ])
  })

  it('config show prints a file with the same meaning', async () => {
    const { folder, run } = configured(
      'https://ddns.example',
      'headers = ["X-Key: {password}"]\nttl = "5m"\n',
    )
    const { stdout } = await run('config', 'show')
    const shown = join(folder, 'shown.toml')
    writeFileSync(shown, stdout.replace(/^password = .*$/m, ''))
    const again = await holdfast(['config', 'show', '--config', shown], {
      env: { HOLDFAST_PASSWORD: CANARY },
    })
    expect([again.code, again.stdout]).toEqual([0, stdout])
    expect(stdout).toContain(
      'url = "https://ddns.example/update?host={hostname}&ip={ipv4}&ip6={ipv6}&key={password}"',
    )
    expect(readFileSync(shown, 'utf8')).not.toContain(CANARY)
  })
})
