import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { holdfast } from '../e2e/processes.ts'
import { lacks } from '../lacks.ts'
import { blocksBelow, type Ran, shell, type Variables } from './documented.ts'
import { dig, short } from './name-server-programs.ts'
import { stopAll, type ToolService, toolService } from './tool-service.ts'

const PAGE = 'docs/tools.md'
const isLacking = ['curl', 'dig', 'nsupdate'].map((one) => lacks(one)).includes(true)

describe.skipIf(isLacking)('tools that change records, as docs/tools.md says', () => {
  let folder = ''
  let at: ToolService
  let tsig: Variables
  let variables: Variables
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-tools-'))
    at = await toolService(folder)
    tsig = await at.create(blocksBelow(PAGE, 'Make a key')[0] ?? '')
    variables = at.variables(folder, tsig)
  })
  afterAll(async () => {
    await stopAll(at, [])
    rmSync(folder, { recursive: true, force: true })
  })

  const run = async (text: string): Promise<Ran> => shell(text, variables)
  const documented = async (heading: string): Promise<Ran> => run(blocksBelow(PAGE, heading).join(''))
  /** One message by TCP, signed unless told. */
  const send = async (lines: readonly string[], options = '-y hmac-sha256:$TSIG_NAME:$TSIG_SECRET') =>
    run(
      [
        'nsupdate -v ' + options + ' <<END',
        'server $DNS_HOST $DNS_PORT',
        'zone example.test',
        ...lines,
        'send',
        'END',
      ].join('\n'),
    )
  const published = (name: string, type = 'A'): string => short(at.dns, `${name}.example.test`, type)

  it('nsupdate', async () => {
    expect((await documented('nsupdate')).code).toBe(0)
    expect(published('nsupdate')).toBe('192.0.2.7')
  })

  it.skipIf(lacks('knsupdate'))('knsupdate', async () => {
    expect((await documented('knsupdate')).code).toBe(0)
    expect(published('knsupdate', 'AAAA')).toBe('2001:db8::7')
  })

  it.skipIf(lacks('ddclient'))('ddclient', async () => {
    const [config = ''] = blocksBelow(PAGE, 'ddclient', '')
    await run(`umask 077; cat > $DIR/ddclient.conf <<END\n${config}END`)
    const { code, stdout, stderr } = await documented('ddclient')
    expect([code, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('SUCCESS')])
    expect(published('ddclient')).toBe('192.0.2.9')
  })

  it('the client of this package', async () => {
    const [config = ''] = blocksBelow(PAGE, 'Holdfast', 'toml')
    const [file, secret] = [join(folder, 'holdfast.toml'), join(folder, 'secret')]
    writeFileSync(secret, `${tsig['secret']}\n`, { mode: 0o600 })
    writeFileSync(
      file,
      config
        .replace('ns1.example.test:53', `127.0.0.1:${at.dns}`)
        .replace('key-ab12cd34ef', String(tsig['name']))
        .replace('/etc/holdfast/tsig-secret', secret),
    )
    const args = ['update', '--config', file, '--state-dir', join(folder, 'state'), '--myip', '192.0.2.33']
    const { code, stdout, stderr } = await holdfast(args)
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('192.0.2.33')])
    expect(published('holdfast')).toBe('192.0.2.33')
  })

  /** What the registry of external-dns writes at a name: RFC 1035 strings with commas and equals signs. */
  const OWNER = '"heritage=external-dns,external-dns/owner=x,external-dns/resource=ingress/default/web"'
  const batch = (what: 'add' | 'delete', address: string, ttl: string): readonly string[] =>
    [
      `web.k8s.example.test. ${ttl} A ${address}`,
      `web.k8s.example.test. ${ttl} TXT ${OWNER}`,
      `a-web.k8s.example.test. ${ttl} TXT ${OWNER}`,
      `apps.k8s.example.test. ${ttl} A ${address}`,
      `*.apps.k8s.example.test. ${ttl} A ${address}`,
      `a-any.apps.k8s.example.test. ${ttl} TXT ${OWNER}`,
    ].map((line) => `update ${what} ${what === 'add' ? line : line.replace(`${ttl} `, '')}`)

  it('external-dns: creates, updates and deletes exact values in batches, with a TTL of 0', async () => {
    expect(await send(batch('add', '192.0.2.10', '0'))).toMatchObject({ code: 0 })
    expect([published('web.k8s'), published('x.apps.k8s')]).toEqual(['192.0.2.10', '192.0.2.10'])
    expect(published('a-web.k8s', 'TXT')).toBe(OWNER)
    // The lowest TTL that the plan allows.
    expect(dig(at.dns, ['web.k8s.example.test', 'A'])).toMatch(/\s60\s+IN\s+A\s/)

    const update = [...batch('delete', '192.0.2.10', '0'), ...batch('add', '192.0.2.11', '0')]
    expect(await send(update)).toMatchObject({ code: 0 })
    expect([published('web.k8s'), published('a-web.k8s', 'TXT')]).toEqual(['192.0.2.11', OWNER])

    expect(await send(batch('delete', '192.0.2.11', '0'))).toMatchObject({ code: 0 })
    expect(await at.stored()).not.toContain('k8s')
  })

  it.each([
    ['a wildcard whose parent has no record', '*.empty.k8s'],
    ['a wildcard that is a part of a label', 'a-*.k8s'],
  ])('external-dns: %s is refused, and the whole batch', async (_, name) => {
    const lines = [
      `update add good.k8s.example.test. 0 A 192.0.2.10`,
      `update add ${name}.example.test. 0 TXT x`,
    ]
    expect((await send(lines)).stderr).toBe('update failed: REFUSED\n')
    expect(await at.stored()).not.toContain('k8s')
  })

  it('external-dns: a transfer is refused, with a signature and without', async () => {
    const transfer = 'dig @$DNS_HOST -p $DNS_PORT example.test AXFR'
    for (const command of [transfer, `${transfer} -y hmac-sha256:$TSIG_NAME:$TSIG_SECRET`])
      expect((await run(command)).stdout).toMatch(/Transfer failed|REFUSED/)
  })

  it('no signature: nothing is changed', async () => {
    const { code, stderr } = await send(['update add unsigned.example.test. 300 A 192.0.2.66'], '')
    expect([code, stderr]).toEqual([2, 'update failed: REFUSED\n'])
    expect(await at.stored()).not.toContain('unsigned')
  })

  it('the DDNS server of Kea: its messages for a lease, and for one of another client (RFC 4703 §5.3)', async () => {
    const idOf = (octet: number): string =>
      Buffer.concat([Buffer.from([0, 2, 1]), Buffer.alloc(32, octet)]).toString('base64')
    const name = 'kea.example.test.'
    const first = (address: string, id: string) => [
      `prereq nxdomain ${name}`,
      `update add ${name} 3600 A ${address}`,
      `update add ${name} 3600 DHCID ${id}`,
    ]
    const next = (address: string, id: string) => [
      `prereq yxdomain ${name}`,
      `prereq yxrrset ${name} DHCID ${id}`,
      `update delete ${name} A`,
      `update add ${name} 3600 A ${address}`,
    ]
    const answer = async (lines: readonly string[]): Promise<string> => (await send(lines)).stderr
    expect(await answer(first('192.0.2.50', idOf(0xab)))).toBe('')
    expect(await answer(first('192.0.2.51', idOf(0xab)))).toBe('update failed: YXDOMAIN\n')
    expect(await answer(next('192.0.2.51', idOf(0xab)))).toBe('')
    expect(await answer(next('192.0.2.52', idOf(0xcd)))).toBe('update failed: NXRRSET\n')
    expect(published('kea')).toBe('192.0.2.51')
    const own = `prereq yxrrset ${name} DHCID ${idOf(0xab)}`
    expect(await answer([own, `update delete ${name} A 192.0.2.51`])).toBe('')
    const isEmpty = [own, `prereq nxrrset ${name} A`, `prereq nxrrset ${name} AAAA`]
    expect(await answer([...isEmpty, `update delete ${name}`])).toBe('')
    expect(await at.stored()).not.toContain('kea')
  })
})
