import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { answering, echo } from '../e2e/servers.ts'
import { eventually } from '../eventually.ts'
import { lacks } from '../lacks.ts'
import { build, fileIn, VERSION } from './built.ts'

const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'holdfast-ci')
const CPUS = [
  ['arm64', 'qemu-aarch64-static'],
  ['armhf', 'qemu-arm-static'],
] as const

let packages = ''
beforeAll(() => {
  packages = build({ only: lacks('aarch64-linux-gnu-strip') ? ['deb'] : ['deb', 'service-arm64'] })
})

/** A Debian with its own Node for another processor, only unpacked: nothing of it has run. */
function rootFor(cpu: string): string {
  const folder = join(CACHE, `trixie-${cpu}-node`)
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  const fresh = `${folder}.${process.pid}`
  const { stdout } = spawnSync('apt-get', ['indextargets', '--format', '$(LABEL) $(REPO_URI)'], {
    encoding: 'utf8',
  })
  const [, mirror] = /^Debian (\S+)$/m.exec(stdout ?? '') ?? []
  const unpack = (suite: string): void => {
    rmSync(fresh, { recursive: true, force: true })
    const options = ['--quiet', `--arch=${cpu}`, '--variant=extract', '--include=nodejs,ca-certificates']
    execFileSync('mmdebstrap', [...options, suite, fresh, ...(mirror === undefined ? [] : [mirror])], {
      stdio: 'pipe',
    })
  }
  try {
    unpack('trixie')
  } catch (error) {
    // In the middle of an update a mirror has an index that does not fit its list, and under its other name a whole one.
    console.error(`${cpu}: ${String(error)}; trying stable`)
    unpack('stable')
  }
  // The package that makes this link is configured, which nothing here is.
  symlinkSync('usr/lib', join(fresh, 'lib'))
  renameSync(fresh, folder)
  return folder
}

describe.each(CPUS)('the client for %s, by %s', { timeout: 400_000 }, (cpu, emulator) => {
  it.skipIf(lacks(emulator) || lacks('mmdebstrap'))(
    'updates, stops, goes on after resume, and detects',
    async () => {
      const root = rootFor(cpu)
      const folder = mkdtempSync(join(tmpdir(), 'holdfast-cpu-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      execFileSync('dpkg-deb', ['--extract', fileIn(packages, '_all.deb'), folder])
      let reply = 'good 203.0.113.9'
      let requests = 0
      const service = await answering(() => {
        requests += 1
        return { status: 200, body: reply }
      })
      const config = join(folder, 'holdfast.toml')
      const source = await echo(() => '203.0.113.9')
      writeFileSync(
        config,
        `server = "${service}"\nusername = "u"\npassword = "p"\nhostnames = ["h.example.test"]\nsources = ["${source}"]\nagreement = "one"\nallow = ["documentation"]\nipv6 = false\nverify = false\nstate_dir = "${folder}/state"\nruntime_dir = "${folder}/run"\n`,
      )
      const holdfast = async (...words: readonly string[]) => {
        const child = spawn(
          emulator,
          [
            '-L',
            root,
            join(root, 'usr/bin/node'),
            join(folder, 'usr/lib/holdfast/bin/holdfast.js'),
            ...words,
          ],
          {
            env: { PATH: process.env['PATH'], HOME: folder, HOLDFAST_CONFIG: config },
          },
        )
        let said = ''
        for (const stream of [child.stdout, child.stderr])
          stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
        const code = await new Promise<number | null>((done) => child.once('close', done))
        return { code, said }
      }

      expect(await holdfast('--version')).toEqual({ code: 0, said: `${VERSION}\n` })
      expect(await holdfast('update')).toMatchObject({
        code: 0,
        said: expect.stringContaining('good 203.0.113.9') as string,
      })
      reply = 'badauth'
      expect(await holdfast('update', '--force')).toMatchObject({ code: 77 })
      const before = requests
      expect(await holdfast('update')).toMatchObject({
        code: 77,
        said: expect.stringContaining('badauth') as string,
      })
      expect(requests).toBe(before)
      reply = 'good 203.0.113.9'
      expect(await holdfast('resume')).toMatchObject({ code: 0 })
      expect(await holdfast('update')).toMatchObject({ code: 0 })
      expect(await holdfast('detect')).toMatchObject({
        code: 0,
        said: expect.stringContaining('203.0.113.9') as string,
      })
    },
  )
})

it.skipIf(lacks('aarch64-linux-gnu-strip') || lacks('qemu-aarch64-static') || lacks('mmdebstrap'))(
  'the service for arm64 makes a store, serves and ends, with the Node of its package',
  { timeout: 400_000 },
  async () => {
    const root = rootFor('arm64')
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-cpu-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    execFileSync('dpkg-deb', ['--extract', fileIn(packages, '_arm64.deb'), folder])
    const place = join(folder, 'usr/lib/holdfast-service')
    const command = ['-L', root, join(place, 'node'), join(place, 'bin/holdfast.js')]
    const store = join(folder, 'store')
    const made = execFileSync('qemu-aarch64-static', [...command, 'admin', 'init', '--store', store], {
      encoding: 'utf8',
    })
    expect(made).toContain('made a store')

    const child = spawn('qemu-aarch64-static', [
      ...command,
      'serve',
      '--store',
      store,
      '--listen',
      '127.0.0.1:0',
    ])
    onTestFinished(() => void child.kill('SIGKILL'))
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
    await eventually(() => said).toMatch(/listening at http:\S+:\d+;/)
    const [, url = ''] = /listening at (http:\S+:\d+);/.exec(said) ?? []
    expect((await fetch(`${url}/v1/dns/about`)).status).toBe(200)
    child.kill()
    expect(await new Promise((done) => child.once('close', done)), said).toBe(0)
  },
)
