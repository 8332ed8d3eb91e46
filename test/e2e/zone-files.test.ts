import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { steadyClock } from '../../src/shared/platform/clock/clock.ts'
import { instant } from '../../src/shared/base/time.ts'
import { sqliteStore } from '../../src/service/store/sqlite/store.ts'
import { eventually } from '../eventually.ts'
import { isLarge, oneIn } from '../large.ts'
import { lacks } from '../lacks.ts'
import { holdfast, scratch, serveStore, start, storeWith } from './processes.ts'

let store: string
const admin = async (...words: readonly string[]) =>
  holdfast(['admin', ...words, '--store', store], { node: process.execPath })
beforeEach(async () => {
  store = (await storeWith('plan add p', 'account add acme p', 'zone add acme.test acme default-ttl=300'))
    .folder
})

/** As people write them: relative names, blank owners, units, parentheses, comments. */
const FILE = `$TTL 1h
@       IN SOA ns1.provider.test. hostmaster ( 2026010101 ; serial
            3600 600 1w 60 )
        IN NS  ns1.provider.test.
        IN MX  10 mail
        300 IN TXT "v=spf1 -all" "second; string"
_dmarc  300 IN TXT v=DMARC1\\;p=none \\"x\\"
        CAA 0 issue ca.example
mail    7200 IN A 192.0.2.26
        3600 IN A 192.0.2.25
        IN AAAA 2001:0db8::25
www     IN CNAME @
$ORIGIN sub.acme.test.
_sip._tcp 60 IN SRV 0 5 5060 mail.acme.test.
host    IN 2h A 192.0.2.7
`

async function imported(text: string | Uint8Array) {
  const path = join(scratch(), 'zone')
  writeFileSync(path, text)
  return admin('zone', 'import', 'acme.test', path)
}

describe('a zone', () => {
  it('is imported from a master file, and exported with every record', async () => {
    expect(await imported(FILE)).toMatchObject({
      code: 0,
      stdout: 'imported 10 records at 6 names into acme.test\n',
    })

    const { stdout } = await admin('zone', 'export', 'acme.test')
    expect(stdout.split('\n').slice(3).filter(Boolean)).toEqual([
      '@ 3600 IN MX 10 mail.acme.test.',
      '@ 300 IN TXT "v=spf1 -all" "second; string"',
      '_dmarc 3600 IN CAA 0 issue "ca.example"',
      String.raw`_dmarc 300 IN TXT "v=DMARC1;p=none" "\"x\""`,
      '_sip._tcp.sub 60 IN SRV 0 5 5060 mail.acme.test.',
      'host.sub 7200 IN A 192.0.2.7',
      'mail 3600 IN A 192.0.2.26',
      'mail 3600 IN A 192.0.2.25',
      'mail 3600 IN AAAA 2001:db8::25',
      'www 3600 IN CNAME acme.test.',
    ])
  })

  it('goes from one store to another through a file, with the types of the service too', async () => {
    await imported(
      `${FILE}$ORIGIN acme.test.\n;holdfast go 60 IN _URL https://example.test/x\n;holdfast alias 60 IN ALIAS mail\n`,
    )
    const first = await admin('zone', 'export', 'acme.test')
    const path = join(scratch(), 'zone')
    writeFileSync(path, first.stdout)
    await admin('zone', 'remove', 'acme.test', 'confirm=8')
    await admin('zone', 'add', 'acme.test', 'acme', 'default-ttl=300')
    expect((await admin('zone', 'import', 'acme.test', path)).stderr).toBe('')

    const body = (text: string): string => text.split('\n').slice(3).join('\n')
    expect(body((await admin('zone', 'export', 'acme.test')).stdout)).toBe(body(first.stdout))
    expect(first.stdout).toContain(';holdfast alias 60 IN ALIAS mail.acme.test.')
  })

  it('is imported as its octets are, and exported as it can be imported again', async () => {
    const text = `\u00ef\u00bb\u00bfw 60 IN TXT "caf\u00e9"
;holdfast go 60 IN _URL "https://example.test/a;b(c)"
;holdfast old 60 IN _URL https://example.test/a;b(c)
h 60 IN HTTPS 1 . mandatory=dohpath alpn="h2,h3" dohpath=/q{?dns} key65000="a b"
`
    expect((await imported(Buffer.from(text, 'latin1'))).stderr).toBe('')
    const { stdout } = await admin('zone', 'export', 'acme.test')

    expect(stdout.split('\n').slice(3).filter(Boolean)).toEqual([
      ';holdfast go 60 IN _URL "https://example.test/a;b(c)"',
      'h 60 IN HTTPS 1 . mandatory=key7 alpn="h2,h3" key7="/q{?dns}" key65000="a b"',
      ';holdfast old 60 IN _URL "https://example.test/a;b(c)"',
      String.raw`w 60 IN TXT "caf\233"`,
    ])
    await admin('zone', 'remove', 'acme.test', 'confirm=5')
    await admin('zone', 'add', 'acme.test', 'acme', 'default-ttl=300')
    expect((await imported(stdout)).stderr).toBe('')
    const again = await admin('zone', 'export', 'acme.test')
    expect(again.stdout.split('\n').slice(3)).toEqual(stdout.split('\n').slice(3))
  })

  it('whose file is a pipe without a writer does not block others while it is read', async () => {
    const pipe = join(scratch(), 'pipe')
    spawnSync('mkfifo', [pipe])
    const child = start(['admin', 'zone', 'import', 'acme.test', pipe, '--store', store], {
      node: process.execPath,
    })
    const ended = new Promise<number | null>((done) => child.on('close', done))
    await sleep(600)
    expect((await admin('plan', 'add', 'q')).code).toBe(0)
    writeFileSync(pipe, 'w 60 IN A 192.0.2.1\n')

    expect(await ended).toBe(0)
  })

  it.skipIf(lacks('named-checkzone'))('is exported as BIND reads it', async () => {
    await imported(FILE)
    const path = join(scratch(), 'zone')
    const { stdout } = await holdfast(
      ['admin', 'zone', 'export', 'acme.test', '--store', store, '--nameservers', 'ns1.provider.test'],
      { node: process.execPath },
    )
    // The zone was made without name servers.
    writeFileSync(path, `${stdout}@ IN NS ns1.provider.test.\n`)

    const checked = spawnSync('named-checkzone', ['-i', 'local', 'acme.test', path], { encoding: 'utf8' })
    expect([checked.status, checked.stdout]).toEqual([0, expect.stringContaining('OK')])
  })

  // biome-ignore format: a table
  const REFUSED: readonly (readonly [text: string, message: RegExp])[] = [
    ['www IN FOO x',                    /line 1: FOO is not a supported type/],
    ['www IN A 1.2.3',                  /line 1: '1\.2\.3' is not an IPv4 address/],
    ['www.other.test. IN A 192.0.2.1',  /line 1: www\.other\.test is outside acme\.test/],
    ['$INCLUDE other',                  /line 1: \$INCLUDE is not supported/],
    [' IN A 192.0.2.1',                 /line 1: the first record has no owner name/],
    ['www IN FOO x\n\nw ( A',          /line 1: FOO [^]*line 3: a parenthesis is not closed/],
    ['$TTL abc',                        /line 1: \$TTL abc is not a number of seconds/],
    ['www IN TXT "a',                  /line 1: a quote is not closed/],
    ['www 604801 IN A 192.0.2.1',       /line 1: the TTL 604801 is larger than 604800/],
    ['a b@d IN A 192.0.2.1',            /line 1: B@D is not a supported type/],
    ['a!b IN A 192.0.2.1',              /line 1: 'a!b' contains characters other than/],
    [Array.from({ length: 102 }, (_, n) => `w IN A 192.0.2.${n}`).join('\n'), /line 101: w has more than 100 records of type A/],
    ['w IN CNAME x\nw IN A 192.0.2.1',  /w\.acme\.test: a name with a CNAME has no other records/],
  ]
  it.each(oneIn(4, REFUSED))(
    '%j is refused with its line, and nothing is imported',
    async (text, message) => {
      const { code, stderr } = await imported(`${text}\n`)

      expect([code, stderr]).toEqual([64, expect.stringMatching(message)])
      expect((await admin('name', 'list', 'zone=acme.test')).stdout.trim().split('\n')).toHaveLength(2)
    },
  )

  it('with names is imported into only to replace them, also from standard input', async () => {
    await imported(FILE)
    expect((await imported(FILE)).stderr).toMatch(/zone acme\.test has names already; add replace/)
    const replace = async (stdin: string) =>
      holdfast(['admin', 'zone', 'import', 'acme.test', '-', 'replace', '--store', store], {
        stdin,
        node: process.execPath,
      })
    expect((await replace('; nothing\n')).stderr).toMatch(/- has no records for acme\.test/)
    expect((await replace('w 60 IN A 192.0.2.1\n')).code).toBe(0)

    const { stdout } = await admin('zone', 'export', 'acme.test')
    expect(stdout.split('\n').slice(3).filter(Boolean)).toEqual(['w 60 IN A 192.0.2.1'])
  })

  it.runIf(isLarge)(
    'is as before when an import is killed, and a service removes what is left',
    {
      timeout: 150_000,
    },
    async () => {
      const path = join(scratch(), 'zone')
      const lines = Array.from({ length: 20_000 }, (_, n) => `n${n} 60 IN A 192.0.2.${n % 250}`)
      writeFileSync(path, lines.join('\n'))
      const at = await serveStore(store)
      const database = new DatabaseSync(join(store, 'holdfast.db'))
      onTestFinished(() => database.close())
      const count = (what: string): unknown =>
        database.prepare(`SELECT count(*) AS n FROM ${what}`).get()?.['n']
      const child = start(['admin', 'zone', 'import', 'acme.test', path, '--store', store], {
        node: process.execPath,
      })
      await eventually(() => Number(count('name')) > 2000).toBe(true)
      child.kill('SIGKILL')
      await eventually(() => child.signalCode).toBe('SIGKILL')
      expect((await admin('zone', 'export', 'acme.test')).stdout).not.toContain('n1 ')
      expect((await imported(FILE)).stderr).toMatch(/another import into acme\.test is under way/)

      // As after its minute.
      database.exec('UPDATE zone_draft SET lease_until = 0')
      await eventually(() => [count('name'), count('dns_dirty'), count('zone')]).toEqual([1, 0, 1])
      expect((await imported(FILE)).code).toBe(0)
      expect(at.log()).not.toContain('"level":50')
    },
  )
})

describe('an account', () => {
  it('is removed after its data is written into a file, without a secret', async () => {
    await imported(FILE)
    const { stdout } = await admin('api-key', 'add', 'acme')
    const key = stdout.trim().split(' ').at(-1) ?? ''
    const file = join(scratch(), 'acme.json')
    expect((await admin('account', 'remove', 'acme')).stderr).toMatch(/export=FILE, or export=none/)
    expect((await admin('account', 'remove', 'acme', 'export=/nonexistent/x')).stderr).toMatch(
      /cannot be written .*nothing was removed/,
    )

    expect((await admin('account', 'remove', 'acme', `export=${file}`)).code).toBe(0)
    const text = readFileSync(file, 'utf8')
    const { zones, apiKeys } = JSON.parse(text) as { zones: { file: string }[]; apiKeys: unknown[] }
    expect([
      zones[0]?.file.includes('mail 3600 IN A 192.0.2.25'),
      apiKeys.length,
      text.includes(key),
    ]).toEqual([true, 1, false])
    for (const what of ['account', 'zone', 'api-key'])
      expect((await admin(what, 'list')).stdout).toBe('none\n')
  })

  it('is written out with its names in zones of others, their metadata and settings, and the targets of its keys', async () => {
    await admin('account', 'add', 'beta', 'p')
    await admin('zone', 'set', 'acme.test', 'shared=yes')
    const open = sqliteStore(store, steadyClock)
    await open.write(async (w) => {
      const [zone, accountId = 0] = [await w.zoneNamed('acme.test'), await w.accountNamed('beta')]
      const at = instant(0)
      const keyId = await w.addKey(
        { accountId, username: 'abc1234', hash: new Uint8Array(1), description: '' },
        at,
      )
      const place = { zoneId: zone?.id ?? 0, accountId, name: 'guest' }
      await w.attach(keyId, await w.addName(place, at))
      const name = await w.nameAt(place.zoneId, 'guest')
      if (name === undefined) throw new Error('it is not there')
      const rdata = [{ label: 'wan', value: '192.0.2.1', isSystem: false }]
      const rrset = {
        dnsType: 'A',
        ttl: 77,
        isSystem: false,
        metadata: { a: 'b' },
        rdata,
        createdAt: at,
        updatedAt: at,
      } as const
      await w.saveName(
        {
          ...name,
          rrsets: [rrset],
          metadata: { c: 'd' },
          offlineSettings: { action: 'redirect', url: 'https://x.test/' },
        },
        at,
      )
    })
    await open.close()
    const file = join(scratch(), 'beta.json')

    expect((await admin('account', 'remove', 'beta', `export=${file}`)).stderr).toBe('')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      account: { name: 'beta' },
      names: [
        {
          name: 'guest.acme.test',
          zone: 'acme.test',
          metadata: { c: 'd' },
          offline_settings: { action: 'redirect', url: 'https://x.test/' },
          update_group: 'abc1234',
          rrsets: [
            { dns_type: 'A', ttl: 77, metadata: { a: 'b' }, rdata: [{ label: 'wan', value: '192.0.2.1' }] },
          ],
        },
      ],
      keys: [{ username: 'abc1234', targets: [{ name: 'guest.acme.test', dns_type: null }] }],
    })
  })

  it('that owns a zone with names of others is not removed', async () => {
    await admin('account', 'add', 'beta', 'p')
    await admin('zone', 'set', 'acme.test', 'shared=yes')
    await imported('home IN A 192.0.2.1\n')
    await admin('zone', 'transfer', 'acme.test', 'beta')
    const file = join(scratch(), 'x')
    const open = sqliteStore(store, steadyClock)
    await open.write(async (w) => {
      const zone = await w.zoneNamed('acme.test')
      await w.addName(
        { zoneId: zone?.id ?? 0, accountId: (await w.accountNamed('acme')) ?? 0, name: 'guest' },
        0 as never,
      )
    })
    await open.close()

    expect((await admin('account', 'remove', 'beta', `export=${file}`)).stderr).toMatch(
      /zone acme\.test has names of other accounts; transfer it first/,
    )
    expect(existsSync(file)).toBe(false)
    expect((await admin('account', 'list')).stdout).toMatch(/^beta /m)
  })
})
