import { describe, expect, it } from 'vitest'
import { PROVIDERS } from '../../src/client/services/providers/providers.ts'
import { oneIn } from '../large.ts'
import { DELETING_SERVICES } from '../fakes/service-dialect.ts'
import { imitatedService } from './imitated-service.ts'
import { holdfast, scratch, type Service } from './processes.ts'

const [A, B] = ['192.0.2.1', '192.0.2.2']
const [A6, B6] = ['2001:db8::1', '2001:db8::2']

/** The client with the preset of the service that it talks to. */
async function imitating(provider: string) {
  const at = await imitatedService(provider)
  const state = scratch()
  const update = async (...addresses: readonly string[]) =>
    holdfast(
      [
        'update',
        '--provider',
        provider,
        '--server',
        at.url,
        '--username',
        at.username,
        '--hostname',
        at.hostnames[0] ?? '',
        '--state-dir',
        state,
        '--min-gap',
        '0',
        '--ipv6',
        '--json',
        ...('ipv6_server' in (PROVIDERS[provider]?.settings ?? {}) ? ['--ipv6-server', at.url] : []),
        ...(addresses.length === 0 ? [] : ['--myip', addresses.join(',')]),
      ],
      { env: { HOLDFAST_PASSWORD: at.password } },
    )
  return { at, update }
}

/** The published addresses, in the order of their text. */
async function addressesOf(at: Service): Promise<readonly string[]> {
  const response = await fetch(`${at.url}/v1/dns/records/example.test/home`, {
    headers: { authorization: `Bearer ${at.apiKey}` },
  })
  const text = await response.text()
  return [...text.matchAll(/"value":"([0-9a-f.:]+)"/g)].map(([, value = '']) => value).toSorted()
}

const families = (provider: string): readonly string[] =>
  PROVIDERS[provider]?.settings['ipv6'] === 'false' ? [A] : [A, A6]
/** Of the others, `test/shared/protocol` and `test/client/settings` hold the requests and replies. */
const confirmed = Object.keys(PROVIDERS).filter(
  (name) =>
    PROVIDERS[name]?.grade === 'A' &&
    PROVIDERS[name].settings['myip'] === undefined &&
    (PROVIDERS[name].replies ?? PROVIDERS[name].protocol) === undefined,
)

describe('the client and each service by its name agree', () => {
  // The large run asks every one of them.
  it.each(oneIn(8, confirmed))(
    '%s: both families are published, and nothing more is sent',
    async (provider) => {
      const { at, update } = await imitating(provider)
      const wanted = families(provider)
      const first = await update(...wanted)
      expect(first.code, first.stdout + first.stderr).toBe(0)
      expect(await addressesOf(at)).toEqual(wanted.toSorted())
      const second = await update(...wanted)
      expect(JSON.parse(second.stdout)).toMatchObject({
        accounts: [{ outcome: 'settled', hostnames: [{ sent: null }] }],
      })
    },
  )
})

const DELETING = oneIn(4, Object.keys(DELETING_SERVICES))

describe('a service that deletes what a request does not name', () => {
  it.each(DELETING)(
    '%s: with the preset, an update of IPv4 alone keeps the IPv6 address',
    async (provider) => {
      const { at, update } = await imitating(provider)
      expect((await update(A, A6)).code).toBe(0)
      expect((await update(B)).code).toBe(0)
      expect(await addressesOf(at)).toEqual([B, A6].toSorted())
      expect((await update(B, B6)).code).toBe(0)
      expect(await addressesOf(at)).toEqual([B, B6].toSorted())
    },
  )

  it.each(DELETING)('%s: without the preset, the same request takes it down', async (provider) => {
    const at = await imitatedService(provider)
    const settings = PROVIDERS[provider]?.settings ?? {}
    const path = settings['path'] ?? '/nic/update'
    const authorization = `Basic ${Buffer.from(`${at.username}:${at.password}`).toString('base64')}`
    const send = async (query: string) =>
      (
        await fetch(`${at.url}${path}?hostname=${at.hostnames[0] ?? ''}&${query}`, {
          headers: { authorization, 'user-agent': 'Acme t/1-1 me@example.test' },
        })
      ).text()
    const second = settings['ipv6_parameter'] ?? 'myip'
    await send(second === 'myip' ? `myip=${A},${A6}&keepipv4=1&keepipv6=1` : `myip=${A}&${second}=${A6}`)
    expect(await addressesOf(at)).toEqual([A, A6].toSorted())
    await send(`myip=${B}`)
    expect(await addressesOf(at)).toEqual([B])
  })
})

describe('what is deleted', () => {
  const asking = async (provider: string, query: (at: Service) => string) => {
    const at = await imitatedService(provider)
    const headers = {
      authorization: `Basic ${Buffer.from(`${at.username}:${at.password}`).toString('base64')}`,
      'user-agent': 'Acme t/1-1 me@example.test',
    }
    const get = async (path: string) => (await fetch(`${at.url}${path}`, { headers })).text()
    await get(`/nic/update?hostname=${at.hostnames.join(',')}&myip=${A},${A6}`)
    await get(`${PROVIDERS[provider]?.settings['path'] ?? '/nic/update'}?${query(at)}`)
    return addressesOf(at)
  }

  type Asked = readonly [string, (at: Service) => string]
  const whole: readonly Asked[] = [
    ['another spelling', () => `hostname=HOME.example.TEST.&myip=${B}`],
    ['all hostnames', () => `hostname=all-hostnames&myip=${B}`],
    ['the group of the key', ({ username }) => `hostname=${username}&myip=${B}`],
    ['after a name that is refused', () => `hostname=none.example.test,home.example.test&myip=${B}`],
    ['offline=NO', () => `hostname=home.example.test&myip=${B}&offline=NO`],
  ]
  it.each(oneIn(3, whole))('dyn: %s', async (_, query) => expect(await asking('dyn', query)).toEqual([B]))

  const kept: readonly Asked[] = [
    ['a hostname that is refused', () => `hostname=none.example.test&myip=${B}`],
    ['offline=YES', () => `hostname=home.example.test&offline=YES`],
    ['both addresses', () => `hostname=home.example.test&myip=${A},${A6}`],
  ]
  it.each(oneIn(3, kept))('dyn: nothing with %s', async (_, query) =>
    expect(await asking('dyn', query)).toEqual([A, A6].toSorted()),
  )

  it('nothing of a name that the key may not update', async () => {
    const at = await imitatedService('dyn')
    const api = { authorization: `Bearer ${at.apiKey}`, 'content-type': 'application/json' }
    const rrsets = [{ dns_type: 'AAAA', rdata: [{ value: A6 }] }]
    const body = JSON.stringify({ name: 'victim', rrsets })
    expect(
      (await fetch(`${at.url}/v1/dns/records/example.test`, { method: 'POST', headers: api, body })).status,
    ).toBe(201)
    const authorization = `Basic ${Buffer.from(`${at.username}:${at.password}`).toString('base64')}`
    const query = `hostname=home.example.test,victim.example.test&myip=${B}`
    const answer = await fetch(`${at.url}/v3/update?${query}`, {
      headers: { authorization, 'user-agent': 'Acme t/1-1 me@example.test' },
    })
    expect(await answer.text()).toBe(`good ${B}\nnohost\n`)
    const victim = await fetch(`${at.url}/v1/dns/records/example.test/victim`, { headers: api })
    expect(await victim.text()).toContain(A6)
  })
})

describe('an imitated service', () => {
  it('answers in the words of the service', async () => {
    const at = await imitatedService('easydns')
    const authorization = `Basic ${Buffer.from(`${at.username}:wrong`).toString('base64')}`
    const response = await fetch(`${at.url}/dyn/generic.php?hostname=${at.hostnames[0] ?? ''}&myip=${A}`, {
      headers: { authorization, 'user-agent': 'Acme t/1-1 me@example.test' },
    })
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('>NO_AUTH<br />')])
  })

  it('still speaks the protocol of the specification', async () => {
    const at = await imitatedService('desec')
    const flags = ['--server', at.url, '--username', at.username, '--hostname', at.hostnames[0] ?? '']
    const { code } = await holdfast(['update', ...flags, '--myip', A, '--state-dir', scratch()], {
      env: { HOLDFAST_PASSWORD: at.password },
    })
    expect(code).toBe(0)
  })
})
