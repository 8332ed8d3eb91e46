import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { printZone } from '../../../../src/service/admin/zone-files.ts'
import { oneIn } from '../../../large.ts'
import { addApiKey, NOW } from '../inside.ts'
import { apiWorld, type World } from '../world.ts'

let world: World
beforeEach(async () => {
  world = await apiWorld()
})
afterEach(async () => world.close())

const ZONE = '/v1/dns/zones/example.test'
const NAMESERVERS = ['ns1.operator.test', 'ns2.operator.test']

interface Import {
  readonly new: number
  readonly changed: number
  readonly removed: number
  readonly same: number
  readonly changes: readonly Readonly<Record<string, string | null>>[]
  readonly more_changes: number
  readonly refused: readonly {
    readonly line: number | null
    readonly code: string
    readonly detail: string
  }[]
  readonly more_refused: number
}

const exported = async (key = 'key-of-a', zone = 'example.test'): Promise<string> =>
  (await world.ask('GET', `/v1/dns/zones/${zone}/export`, undefined, key)).body as unknown as string
const importing = async (file: string, query = '', key = 'key-of-a', zone = 'example.test') => {
  const reply = await world.ask('POST', `/v1/dns/zones/${zone}/import${query}`, file, key)
  return { ...reply, data: reply.body.data as Import }
}
const preview = async (file: string, key?: string, zone?: string) =>
  importing(file, '?dry_run=true', key, zone)
/** Sends octets, without the checks of `ask`. */
const post = async (body: Uint8Array | string, contentType = 'text/dns', query = '') =>
  fetch(`${world.url}${ZONE}/import${query}`, {
    method: 'POST',
    headers: { authorization: 'Bearer key-of-a', 'content-type': contentType },
    body,
  })
const printed = async (zone = 'example.test'): Promise<string> => {
  const result = await world.store.snapshot(async (r) => printZone(r, zone, NAMESERVERS))
  if (!result.ok) throw new Error(result.error)
  return String(result.value.data['file'])
}
const nameAt = async (name: string, zone = 'example.test') =>
  world.store.read(async (r) => r.nameAt((await r.zoneNamed(zone))?.id ?? 0, name))

describe('an export', () => {
  it('is what holdfast admin prints, octet for octet', async () => {
    const response = await fetch(`${world.url}${ZONE}/export`, {
      headers: { authorization: 'Bearer reader-of-a' },
    })
    const text = await response.text()

    expect(text).toBe(await printed())
    expect(text).toContain('\nhome 60 IN A 192.0.2.1\n')
    expect(response.headers.get('content-type')).toBe('text/dns; charset=utf-8')
  })

  it('is refused to an API key for some names, and not to one for types', async () => {
    const account = world.ids['a'] ?? 0
    await addApiKey(world.store, account, 'named', { scopes: ['name:home.example.test'] })
    await addApiKey(world.store, account, 'typed', { scopes: ['type:TXT', 'zone:example.test'] })
    const reply = await world.ask('GET', `${ZONE}/export`, undefined, 'named')

    expect([reply.status, reply.body.errors?.[0]?.code]).toEqual([403, '403'])
    expect(await exported('typed')).toBe(await printed())
  })
})

describe('a preview', () => {
  it('of the export of a zone says that all of it is the same', async () => {
    const { status, data, body } = await preview(await exported())

    expect([status, body.warnings]).toEqual([200, []])
    const none = {
      new: 0,
      changed: 0,
      removed: 0,
      changes: [],
      more_changes: 0,
      refused: [],
      more_refused: 0,
      digest: expect.stringMatching(/^[\w-]{43}$/),
    }
    expect(data).toEqual({ ...none, same: 8 })
  })

  it('says what would change, and changes nothing', async () => {
    const before = await printed()
    const file = before
      .replace('free 60 IN A 192.0.2.7', 'free 60 IN A 192.0.2.70')
      .replace('free 60 IN AAAA', 'free 300 IN AAAA')
      .replace(/alias .*\n/, 'new 60 IN A 192.0.2.99\n')
    const { data } = await preview(file)

    expect(data).toMatchObject({ new: 1, changed: 2, removed: 1, same: 5 })
    expect(data.changes).toEqual([
      { name: 'alias', dns_type: 'CNAME', change: 'removed', before: '60 free.example.test.', after: null },
      { name: 'free', dns_type: 'A', change: 'changed', before: '60 192.0.2.7', after: '60 192.0.2.70' },
      {
        name: 'free',
        dns_type: 'AAAA',
        change: 'changed',
        before: '60 2001:db8::7',
        after: '300 2001:db8::7',
      },
      { name: 'new', dns_type: 'A', change: 'new', before: null, after: '60 192.0.2.99' },
    ])
    expect(await printed()).toBe(before)
    expect(await world.store.read(async (r) => r.hasHidden())).toBe(false)
  })

  it('has each line that is refused, with the error of the table', async () => {
    const { status, data } = await preview(
      'locked 60 A 192.0.2.8\nw FOO x\n\nv 60 A 1.2.3\nu 604801 A 192.0.2.1\n',
    )

    expect(status).toBe(200)
    expect(data.refused.map(({ line, code, detail }) => `${line} ${code} ${detail}`)).toEqual([
      '2 3252 FOO is not a supported type',
      expect.stringMatching(/^4 2839 '1\.2\.3' is not an IPv4 address/),
      '5 3295 the TTL 604801 is larger than 604800',
    ])
  })

  it('names the DDNS keys that would lose their targets', async () => {
    const { body } = await preview((await exported()).replace(/home .*\n/, ''))
    expect(body.warnings).toMatchObject([{ detail: 'the DDNS key kkk1111 has no target at home any more' }])
  })

  it('with another value of dry_run is refused, and changes nothing', async () => {
    const before = await printed()
    const reply = await importing('w 60 A 192.0.2.1\n', '?dry_run=1')
    expect([reply.status, reply.body.errors?.[0]]).toMatchObject([400, { code: '2451', pointer: 'dry_run' }])
    expect(await printed()).toBe(before)
  })

  const LARGEST: readonly (readonly [what: string, line: (n: number) => string])[] = [
    ['of one name', () => 'h 60 TXT "a"\n'],
    ['of as many names', (n) => `h${n} 60 A 10.${n >> 16}.${(n >> 8) & 255}.${n & 255}\n`],
  ]
  it.each(oneIn(2, LARGEST))('of as many records as 2 MiB may have, %s, is an answer', async (_, line) => {
    const lines = Array.from({ length: 130_000 }, (__, n) => line(n)).join('')
    const { status } = await world.ask('POST', '/v1/dns/zones/example.test/import?dry_run=true', lines)
    expect(status).toBe(200)
  })

  it('of 10,000 records takes three seconds at most, and shows 1,000 of them', async () => {
    await world.store.write(async (w) =>
      w.changePlan(world.ids['plan-a'] ?? 0, { maxNames: 20_000, maxRdata: 20_000 }),
    )
    const lines = Array.from({ length: 10_000 }, (_, n) => `n${n} 60 IN A 192.0.2.${n % 250}\n`)
    const file = `${await exported()}${lines.join('')}`
    const spans: number[] = []
    for (let n = 0; n < 3; n++) {
      const began = process.cpuUsage()
      await (await post(file, 'text/dns', '?dry_run=true')).text()
      const { user, system } = process.cpuUsage(began)
      spans.push((user + system) / 1000)
    }
    const { data } = await preview(file)

    // Of CPU: the machine may be busy.
    expect(Math.min(...spans)).toBeLessThan(3000)
    expect([data.new, data.changes.length, data.more_changes, data.refused]).toEqual([10_000, 1000, 9000, []])
  })
})

describe('an import', () => {
  it('of an export of an export leaves the zone as it is', async () => {
    const before = await printed()
    const { status, data } = await importing(before)
    expect([status, data.same, await printed()]).toEqual([200, 8, before])
  })

  it('makes the file the content of the zone; DDNS keys and names without records stay', async () => {
    const before = await world.store.read(async (r) => r.zoneNamed('example.test'))
    const file = (await exported())
      .replace('192.0.2.6', '192.0.2.66')
      .replace('home 60 IN A 192.0.2.1', 'home 60 IN A 192.0.2.100')
      .replace(/alias .*\n/, '')
    const { status, data } = await importing(`${file}w 60 IN TXT "x"\n`)

    expect([status, data]).toMatchObject([202, { new: 1, changed: 2, removed: 1, same: 5 }])
    expect(await printed()).toContain('\nw 60 IN TXT "x"\n')
    expect(await nameAt('home')).toMatchObject({ updateGroup: 'kkk1111' })
    expect((await nameAt('parts'))?.rrsets[0]?.rdata).toMatchObject([
      { label: 'p', value: '192.0.2.5', updateGroup: 'kkk1111' },
      { label: 'q', value: '192.0.2.66' },
    ])
    expect([await nameAt('alias'), (await nameAt('empty'))?.name]).toEqual([undefined, 'empty'])
    // What is the same was not changed.
    expect((await nameAt('free'))?.updatedAt).toBe(NOW)
    const after = await world.store.read(async (r) => r.zoneNamed('example.test'))
    expect(after?.serial).toBeGreaterThan(before?.serial ?? Infinity)
    expect((await world.store.read(async (r) => r.keyNamed('kkk1111')))?.targets).toHaveLength(2)
  })

  it('is one row of the trail', async () => {
    await importing(`${await exported()}w 60 IN TXT "x"\n`)
    const rows = await world.store.read(async (r) => r.overview('trail', { filter: {}, now: NOW }))
    expect(rows).toMatchObject([
      {
        operation: 'importZone',
        name: 'example.test',
        account: 'a',
        before: expect.stringMatching(/^7 names, serial \d+$/),
        after: expect.stringMatching(/^8 names, serial \d+$/),
      },
    ])
  })

  it('with refused lines changes nothing, and shows 100 errors at most', async () => {
    const before = await printed()
    const { status, body } = await importing('w FOO x\n'.repeat(150))

    expect([status, body.errors?.length]).toEqual([400, 100])
    expect(body.errors?.[1]).toMatchObject({ code: '3252', detail: 'line 2: FOO is not a supported type' })
    expect(await printed()).toBe(before)
  })

  it('without records is refused', async () => {
    const reply = await importing('; nothing\n')
    expect([reply.status, reply.body.errors?.[0]?.code]).toEqual([400, '3809'])
    expect((await post('')).status).toBe(400)
  })

  it('may have the NS of the zone as they are, and no others', async () => {
    const ns = (host: string) => `@ 3600 IN NS ${host}.operator.test.\n`
    const lines = (await exported())
      .split('\n')
      .filter((line) => !/^@ .* NS /.test(line))
      .join('\n')
    const stored = (await exported())
      .split('\n')
      .filter((line) => /^@ .* NS /.test(line))
      .join('\n')
    expect((await preview(lines)).data).toMatchObject({ removed: 0, refused: [] })
    expect((await preview(`${lines}${stored}\n`)).data).toMatchObject({ same: 8, refused: [] })
    expect((await preview(`${lines}${ns('ns1')}${ns('ns3')}`)).data.refused).toMatchObject([
      { code: '2710', line: 12 },
    ])
  })

  it('leaves names of other accounts in a shared zone alone, or is refused', async () => {
    const file = await exported('key-of-o', 'dyn.test')
    const on = async (text: string) => importing(text, '', 'key-of-o', 'dyn.test')
    const gone = await on(file.replace(/bob .*\n/, ''))
    const changed = await on(file.replace('192.0.2.10', '192.0.2.110'))
    const added = await on(`${file}own 60 IN A 192.0.2.1\n`)

    expect([gone.status, gone.body.errors]).toMatchObject([
      403,
      [{ code: '3998', detail: 'bob.dyn.test: the name belongs to another account' }],
    ])
    expect([changed.status, changed.body.errors?.[0]?.code]).toEqual([403, '3998'])
    expect(added.status).toBe(202)
    expect(await nameAt('bob', 'dyn.test')).toMatchObject({ accountId: world.ids['b'] })
    expect(await nameAt('own', 'dyn.test')).toMatchObject({ accountId: world.ids['o'] })
    expect((await world.ask('GET', '/v1/dns/records/dyn.test/bob', undefined, 'key-of-b')).status).toBe(200)
  })

  it('of a zone that changes meanwhile passes, and the change stays', async () => {
    const file = await exported()
    const under = post(`${file}w 60 IN A 192.0.2.1\n`)
    await sleep(700)
    const changed = await world.ask('PUT', '/v1/dns/records/example.test/home/rrsets/A', {
      rdata: [{ value: '192.0.2.200' }],
    })
    const second = await post(`${file}v 60 IN A 192.0.2.1\n`)
    const response = await under

    expect(changed.status).toBe(202)
    expect([second.status, await second.text()]).toEqual([
      503,
      expect.stringContaining('another import into this zone'),
    ])
    expect(response.status).toBe(202)
    expect(await printed()).toContain('home 60 IN A 192.0.2.200\n')
    expect(await printed()).toContain('w 60 IN A 192.0.2.1\n')
  })

  it('needs an API key with all permissions', async () => {
    const account = world.ids['a'] ?? 0
    await addApiKey(world.store, account, 'zoned', { scopes: ['zone:example.test'] })
    const file = await exported()
    for (const key of ['zoned', 'reader-of-a'])
      for (const query of ['', '?dry_run=true']) {
        const reply = await importing(`${file}w 60 A 192.0.2.1\n`, query, key)
        expect([reply.status, reply.body.errors?.[0]?.code]).toEqual([403, '403'])
      }
  })
})

describe('the body of an import', () => {
  const LIMIT = 4 * 1024 * 1024

  it('has the media type of a master file, or of a text', async () => {
    const answers = ['text/dns', 'text/plain; charset=utf-8', 'application/json', 'text/html'].map(
      async (type) => (await post('; nothing\n', type)).status,
    )
    expect(await Promise.all(answers)).toEqual([400, 400, 415, 415])
  })

  it('has 4 MiB at most; other bodies keep their limit', async () => {
    const file = Buffer.from(await exported())
    const filled = Buffer.concat([file, Buffer.alloc(LIMIT - file.length, '; x\n')])
    const chunked = { body: new Blob([filled, '\n']).stream(), duplex: 'half' } as const
    const headers = { authorization: 'Bearer key-of-a', 'content-type': 'text/dns' }
    const longer = await fetch(`${world.url}${ZONE}/import`, { method: 'POST', headers, ...chunked })
    const patch = await fetch(`${world.url}/v1/dns/records/example.test`, {
      method: 'PATCH',
      headers: { authorization: 'Bearer key-of-a', 'content-type': 'application/json' },
      body: ' '.repeat(300 * 1024),
    })

    expect((await post(filled)).status).toBe(200)
    expect([longer.status, patch.status]).toEqual([413, 413])
    expect((await post(Buffer.concat([filled, Buffer.from('\n')]))).status).toBe(413)
  })

  it('is not read without credentials', async () => {
    const body = Buffer.alloc(LIMIT, '; x\n')
    const response = await fetch(`${world.url}${ZONE}/import`, { method: 'POST', body })
    expect(response.status).toBe(401)
  })

  it('is octets, of no character set', async () => {
    const file = await exported()
    await post(Buffer.concat([Buffer.from(file), Buffer.from('w 60 IN TXT "caf\u00e9"\n', 'latin1')]))
    expect(await printed()).toContain(String.raw`w 60 IN TXT "caf\233"`)
  })
})
