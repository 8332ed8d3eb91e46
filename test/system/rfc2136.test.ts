import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../free-port.ts'
import { ROOT, scratch } from '../e2e/processes.ts'
import { sized } from '../large.ts'
import { dig, type NameServer, short } from './name-server-programs.ts'
import { lacks } from './name-servers.ts'
import { KEY, KEY_SECRET, PRIMARIES, ZONE } from './primaries.ts'

const PROGRAMS = { bind: 'named', knot: 'knotd', powerdns: 'pdns_server' } as const
const HOME = `home.${ZONE}`

interface Outcome {
  readonly exit: number | null
  readonly text: string
}

describe.each(Object.entries(PROGRAMS))('%s', (name, program) => {
  const isLacking = lacks(program)
  let server: NameServer
  let port = 0
  let folder = ''
  beforeAll(async () => {
    if (isLacking) return
    folder = mkdtempSync(join(tmpdir(), 'holdfast-primary-'))
    port = await freePort()
    server = PRIMARIES[name as keyof typeof PROGRAMS]({ folder, port })
    await server.start()
  })
  afterAll(async () => {
    await server?.stop()
    if (folder !== '') rmSync(folder, { recursive: true, force: true })
  })

  /** One update by the built program, with a state of its own. */
  const update = async (
    hostnames: readonly string[],
    more: readonly string[] = [],
    { secret = KEY_SECRET, key = KEY }: { readonly secret?: string; readonly key?: string } = {},
  ): Promise<Outcome> => {
    const home = scratch()
    const file = join(home, 'key')
    writeFileSync(file, `${secret}\n`, { mode: 0o600 })
    const flags = ['--provider', 'rfc2136', '--server', `dns://127.0.0.1:${port}`, '--username', key]
    const names = hostnames.flatMap((one) => ['--hostname', one])
    const argv = ['update', ...flags, ...names, '--password-file', file, '--no-verify', ...more]
    const env = { PATH: process.env['PATH'], HOME: home, STATE_DIRECTORY: home, CACHE_DIRECTORY: home }
    // Not synchronous: a name server blocks while its log is not read.
    return new Promise((done) => {
      const child = execFile(
        process.execPath,
        [join(ROOT, 'bin/holdfast.js'), ...argv],
        { env },
        (_, stdout, stderr) => done({ exit: child.exitCode, text: stdout + stderr }),
      )
    })
  }
  const to = (address: string): readonly string[] => ['--myip', address]

  it.skipIf(isLacking)(
    'changes an address, keeps the TTL, and changes nothing when it is current',
    async () => {
      expect(await update([HOME], to('192.0.2.7'))).toMatchObject({
        exit: 0,
        text: expect.stringContaining('192.0.2.7'),
      })
      expect(dig(port, [HOME, 'A'])).toMatch(/1234\s+IN\s+A\s+192\.0\.2\.7/)
      const serial = short(port, ZONE, 'SOA')
      expect((await update([HOME], to('192.0.2.7'))).exit).toBe(0)
      expect(short(port, ZONE, 'SOA')).toBe(serial)
    },
  )

  it.skipIf(isLacking)(
    'publishes both families, makes what is missing, and takes both away when offline',
    async () => {
      const both = to('192.0.2.8,2001:db8::8')
      expect((await update([`new.${ZONE}`], [...both, '--ttl', '2m'])).exit).toBe(0)
      expect([short(port, `new.${ZONE}`, 'A'), short(port, `new.${ZONE}`, 'AAAA')]).toEqual([
        '192.0.2.8',
        '2001:db8::8',
      ])
      expect(dig(port, [`new.${ZONE}`, 'AAAA'])).toMatch(/120\s+IN\s+AAAA/)
      expect((await update([`new.${ZONE}`], [...both, '--offline'])).exit).toBe(0)
      expect([short(port, `new.${ZONE}`, 'A'), short(port, `new.${ZONE}`, 'AAAA')]).toEqual(['', ''])
    },
  )

  it.skipIf(isLacking)('takes the key from a file as tsig-keygen writes it', async () => {
    const file = `key "${KEY}" {\n\talgorithm hmac-sha256;\n\tsecret "${KEY_SECRET}";\n};`
    expect((await update([HOME], to('192.0.2.9'), { secret: file })).exit).toBe(0)
    expect(short(port, HOME, 'A')).toBe('192.0.2.9')
  })

  it.skipIf(isLacking)('makes a name that only a wildcard answers', async () => {
    expect((await update([`new.wild.${ZONE}`], to('192.0.2.11'))).exit).toBe(0)
    expect(short(port, `new.wild.${ZONE}`, 'A')).toBe('192.0.2.11')
  })

  it.skipIf(isLacking)('makes both families where a wildcard gave one', async () => {
    const name = `new.both.${ZONE}`
    expect((await update([name], to('192.0.2.1,2001:db8::9'))).exit).toBe(0)
    expect([short(port, name, 'A'), short(port, name, 'AAAA')]).toEqual(['192.0.2.1', '2001:db8::9'])
  })

  it.skipIf(isLacking)('takes nothing away where only a wildcard answers', async () => {
    const serial = short(port, ZONE, 'SOA')
    for (const name of [`off.both.${ZONE}`, `off.several.${ZONE}`, `off.wild.${ZONE}`])
      expect((await update([name], [...to('192.0.2.1'), '--offline'])).exit).toBe(0)
    expect(short(port, ZONE, 'SOA')).toBe(serial)
  })

  it.skipIf(isLacking)('says that a wrong key is wrong where the address is current', async () => {
    const key = { secret: Buffer.alloc(32, 1).toString('base64') }
    expect(await update([`ns1.${ZONE}`], [...to('127.0.0.1'), '--allow', 'loopback'], key)).toMatchObject({
      text: expect.stringMatching(/refuses/),
    })
  })

  it.skipIf(isLacking || name === 'powerdns')('holds no name up by one that it may not change', async () => {
    const { text } = await update([`open.${ZONE}`, `a.closed.${ZONE}`], to('192.0.2.12'))
    expect(text).toContain(`open.${ZONE}: good`)
    expect(short(port, `a.closed.${ZONE}`, 'A')).toBe('')
  })

  it.skipIf(isLacking)('updates many names, and says of each what came of it', async () => {
    const names = Array.from({ length: sized(29, 99) }, (_, n) => `n${n}.${ZONE}`)
    const { exit, text } = await update([...names, `alias.${ZONE}`], to('192.0.2.10'))
    expect(exit, text).not.toBe(0)
    expect(text, text.slice(-900)).toContain('CNAME')
    expect(names.filter((one) => !text.includes(`${one}: good 192.0.2.10`))).toEqual([])
    expect(names.filter((one) => short(port, one, 'A') !== '192.0.2.10')).toEqual([])
    expect(short(port, `alias.${ZONE}`, 'CNAME')).toBe(`${HOME}.`)
  })

  // biome-ignore format: a table
  it.skipIf(isLacking).each([
    ['a wrong secret',                HOME,               { secret: Buffer.alloc(32, 1).toString('base64') },  /refuses/],
    ['an unknown key',                HOME,               { key: 'other-key' },               /refuses/],
    ['a name outside its zones',      'home.other.test',  {},                                                  /no zone/],
    ['a name beneath another zone',   `x.below.${ZONE}`,  {},                                                  /no zone/],
    ['several addresses of a name',   `several.${ZONE}`,  {},                                                  /several/],
    ['an alias that is to be offline', `alias.${ZONE}`,  { more: ['--offline'] },                           /CNAME/],
    ['an alias',                      `alias.${ZONE}`,    {},                                                  /CNAME/],
    ['a missing name without create', `none.${ZONE}`,     { more: ['--no-create'] },                           /no record/],
    ...(name === 'powerdns' ? [] : [
      ['a name that the key may not change', `a.closed.${ZONE}`, {},                                             /refuses/] as const,
    ]),
  ] as readonly (readonly [string, string, { readonly more?: readonly string[]; readonly secret?: string; readonly key?: string }, RegExp])[])(
    'obeys the refusal of %s, and changes nothing',
    async (_, hostname, { more = [], ...other }, said) => {
      const serial = short(port, ZONE, 'SOA')
      const { exit, text } = await update([hostname], [...to('192.0.2.99'), ...more], other)
      expect(text, text).toMatch(said)
      expect(exit).not.toBe(0)
      expect(short(port, ZONE, 'SOA')).toBe(serial)
    },
  )
})
