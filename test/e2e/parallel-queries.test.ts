import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { shortTimers } from '../lab/short-timers.ts'
import { type Ended, holdfast, type Options, ROOT, scratch } from './processes.ts'
import { echo } from './servers.ts'

const NODE = process.env['HOLDFAST_TEST_NODE'] ?? process.execPath

async function ended(program: string, args: readonly string[], env: Options['env'] = {}): Promise<Ended> {
  const child = spawn(program, args, {
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      NODE_DISABLE_COMPILE_CACHE: '1',
      TERM: 'xterm',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const code = await new Promise<number | null>((done) => child.on('close', done))
  return { code, stdout, stderr }
}

const can = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0
const line = (...words: readonly string[]): string =>
  [NODE, join(ROOT, 'bin/holdfast.js'), ...words].map((word) => `'${word}'`).join(' ')

/** A slow source, and the same with a fast one. */
async function sources(): Promise<{ readonly slow: string; readonly both: string }> {
  const server = createServer((_, response) => void setTimeout(() => response.end('8.8.8.8'), 700))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void (server.close(), server.closeAllConnections()))
  const slow = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { slow, both: `${slow},${await echo(() => '8.8.8.8')}` }
}

describe.each(['detect', 'doctor'])('%s', (command) => {
  const PTY = ['-qec']
  // script(1) of util-linux gives the program a terminal.
  describe.skipIf(!can('script', '-qec', 'true', '/dev/null'))('on a terminal', () => {
    it('shows the unanswered queries in one line, which is cleared at the end', async () => {
      const { slow, both } = await sources()

      const { stdout } = await ended('script', [
        ...PTY,
        line(command, '--no-ipv6', '--source', both),
        '/dev/null',
      ])

      expect(stdout.startsWith('\r\u001B[K0 of ')).toBe(true)
      expect(stdout).toMatch(/0 of \d answered; waiting for \S+ and 1 more\r/)
      expect(stdout).toContain(
        `\r\u001B[K${command === 'detect' ? '1 of 2' : '2 of 4'} answered; waiting for`,
      )
      expect(stdout).toContain(slow)
      const result = stdout.split('\r\u001B[K').at(-1)
      expect(result).toMatch(
        command === 'detect' ? /^source +operator/ : /^(Holdfast found no problem|no network)/,
      )
    })

    it('shows no progress with --json', async () => {
      const { both } = await sources()
      const { stdout } = await ended('script', [
        ...PTY,
        line(command, '--json', '--no-ipv6', '--source', both),
        '/dev/null',
      ])

      expect(stdout).toMatch(/^\{.*\}\r\n$/)
    })
  })

  it('shows no progress without a terminal', async () =>
    expect((await holdfast([command, '--no-ipv6', '--source', (await sources()).both])).stderr).toBe(''))
})

const canIsolate = process.getuid?.() === 0 && can('unshare', '--net', '--mount', 'ip', 'link', 'show', 'lo')

describe.skipIf(!canIsolate).each(['detect', 'doctor'])('%s without a working name server', (command) => {
  it('ends within fifteen seconds with a result', async () => {
    const resolver = join(scratch(), 'resolv.conf')
    writeFileSync(resolver, 'nameserver 10.9.9.1\nnameserver 10.9.9.2\noptions timeout:30 attempts:5\n')
    const prepare = `
      mount --bind ${resolver} /etc/resolv.conf
      ip link set lo up; ip link add f0 type veth peer name f1; ip link set f0 up; ip link set f1 up
      ip addr add 10.9.9.9/24 dev f0; ip route add default via 10.9.9.1
      for last in 1 2; do ip neigh add 10.9.9.$last lladdr 02:00:00:00:00:01 dev f0 nud permanent; done`

    const script = `${prepare}\nexec ${line(command, '--json')}`
    const isolated = ['--net', '--mount', 'sh', '-ec', script]
    const { code, stdout, stderr } = await ended('unshare', isolated, shortTimers(10_000))

    expect(stderr).toBe('')
    expect(code).toBe(69)
    expect(stdout).toContain(command === 'detect' ? '"conclusions":' : '"name":"no answer"')
  })
})
