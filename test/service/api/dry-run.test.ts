import { describe, expect, it } from 'vitest'
import { type World, apiWorld } from './world.ts'
import { type Write, WRITES } from './writes.ts'

/** All that the requests could change, with what is told of it. */
async function everything({ store, ids, ask }: World): Promise<string> {
  const shown = [
    '/v1/dns/records?view=detail&limit=500&expand[]=offline_settings',
    '/v1/dns/zones',
    '/v1/account/ddns-keys',
    '/v1/account/api-keys',
    '/v1/account/tsig-keys',
  ]
  const pages = await Promise.all(shown.map(async (path) => (await ask('GET', path)).body.data))
  const trail = await store.read(async (r) =>
    Promise.all(
      (['trail', 'plans', 'accounts', 'keys'] as const).map(async (of) =>
        r.overview(of, { filter: {}, now: Date.now() as never }),
      ),
    ),
  )
  const metadata = await store.read(async (r) => r.zonesOf(ids['a'] ?? 0, { page: { offset: 0, limit: 99 } }))
  return JSON.stringify([pages, trail, metadata.items])
}

/**
 * What two answers to one request have in common: not the times, and not what was made at random. PostgreSQL gives no number
 * twice, also of a row that was undone.
 */
const comparable = (data: unknown): unknown =>
  JSON.parse(
    JSON.stringify(data ?? null, (name, value: unknown) =>
      ['id', 'created_at', 'updated_at', 'username', 'name', 'password', 'key', 'secret', 'link'].includes(
        name,
      )
        ? undefined
        : value,
    ),
  )

const SECRETS = ['password', 'key', 'secret']
/** A file has a preview of its own, and what is random is not the same twice. */
const OWN = [
  'importZone',
  'createTotp',
  'createPasskeyOptions',
  'createPasskey',
  'confirmSecondFactor',
  'createRecoveryCodes',
  'deleteAccount',
]

describe('dry_run=true', () => {
  it.each(WRITES.filter(([route]) => !OWN.includes(route)).map((write) => [write] as const))(
    'changes nothing, and answers as the change does: %j',
    async ([route, method, path, body, login]: Write) => {
      const world = await apiWorld()
      try {
        if (route === 'deleteOffline')
          await world.ask('PUT', path, { action: 'redirect', url: 'https://example.test/' })
        const before = await everything(world)
        const preview = await world.ask(method, `${path}?dry_run=true`, body, login)
        expect(await everything(world)).toBe(before)
        expect(
          Object.keys((preview.body.data as object | undefined) ?? {}).filter((one) => SECRETS.includes(one)),
        ).toEqual([])

        const made = await world.ask(method, path, body, login)
        expect([preview.status, comparable(preview.body.data)]).toEqual([
          made.status,
          comparable(made.body.data),
        ])
        const { changes } = preview.body as unknown as { readonly changes: readonly object[] }
        expect(changes.length > 0).toBe((await everything(world)) !== before)
        expect(made.body).not.toHaveProperty('changes')
      } finally {
        await world.close()
      }
    },
  )

  it('says what would change of each RRset', async () => {
    const world = await apiWorld()
    const changes = [
      { name: 'free', dns_type: 'A', ttl: 300, rdata: [{ value: '192.0.2.99' }] },
      { name: 'new', dns_type: 'TXT', rdata: [{ value: '"x"' }] },
      { name: 'free', dns_type: 'TXT', rdata: [] },
    ]
    const reply = await world.ask('PATCH', '/v1/dns/records/example.test?dry_run=true', changes)
    expect((reply.body as unknown as { readonly changes: unknown }).changes).toEqual([
      { subject: 'free.example.test', dns_type: 'A', before: '60 192.0.2.7', after: '300 192.0.2.99' },
      { subject: 'free.example.test', dns_type: 'TXT', before: '60 "hello"', after: null },
      { subject: 'new.example.test', dns_type: 'TXT', before: null, after: '60 "x"' },
    ])
    await world.close()
  })

  it.each(['maybe', '1', 'TRUE', ''])('is true or false, and not %j', async (text) => {
    const world = await apiWorld()
    const before = await everything(world)
    const reply = await world.ask('DELETE', `/v1/dns/records/example.test/free?dry_run=${text}`)
    expect([reply.status, reply.body.errors?.[0]?.pointer, await everything(world)]).toEqual([
      400,
      'dry_run',
      before,
    ])
    await world.close()
  })

  it('is refused as the change is', async () => {
    const world = await apiWorld()
    const reply = await world.ask('PATCH', '/v1/dns/records/frozen.test?dry_run=true', [])
    expect([reply.status, reply.body.errors?.[0]?.code]).toEqual([403, '3903'])
    await world.close()
  })
})
