import { describe, expect, it } from 'vitest'
import { after, hours, instant, minutes, seconds } from '../../../src/shared/base/time.ts'
import type { Address, Addresses } from '../../../src/shared/base/address.ts'
import type {
  Bucket,
  LastUse,
  Principal,
  StoredName,
  StoredRdata,
  Usage,
} from '../../../src/service/model/rows.ts'
import type { StoreWrites } from '../../../src/service/store/store.ts'
import { addressesAt, apply, isAlias, recordChangesAt } from '../../../src/service/update/apply.ts'
import { limitsOf } from '../../../src/service/auth/limits.ts'
import { recordUsage } from '../../../src/service/update/context.ts'
import type { Reply } from '../../../src/shared/protocol/reply-codec.ts'

const NOW = instant(Date.UTC(2026, 0, 1))
const [v4, v6] = ['192.0.2.1', '2001:db8::1'] as Address[] as [Address, Address]
const rdata = (id: number, dnsType: string, value: string): StoredRdata =>
  ({ id, dnsType, value }) as unknown as StoredRdata

/** What is written for a name, in order, and what came of it. */
async function applied(
  all: readonly StoredRdata[],
  addresses: Addresses,
  {
    rdataId,
    wasOffline = false,
    isOffline = false,
  }: { rdataId?: number; wasOffline?: boolean; isOffline?: boolean } = {},
) {
  const calls: unknown[][] = []
  const note =
    (name: string) =>
    async (_: unknown, ...rest: readonly unknown[]) =>
      Promise.resolve(
        void calls.push([
          name,
          ...rest
            .slice(0, -1)
            .flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : [one])),
        ]),
      )
  const w = {
    setOffline: note('offline'),
    setSingleValue: note('only'),
    setValue: note('value'),
    touchZone: note('touched'),
  } as unknown as StoreWrites
  const name = { zoneId: 1, rdata: all, isOffline: wasOffline } as unknown as StoredName
  const target = { name, ...(rdataId !== undefined && { rdataId }) }
  if (isAlias(target)) return ['alias']
  const changes = recordChangesAt(target, { addresses, isOffline, isVoid: false, now: NOW })
  const isChanged = await apply(w, target, { changes, isOffline, now: NOW })
  return [isChanged ? 'changed' : 'unchanged', ...calls.map((call) => call.join(' '))]
}
const A = rdata(1, 'A', '192.0.2.9')
const PORT80 = rdata(2, '_URL', 'http://192.0.2.9:8080/x')

describe('an update', () => {
  it.each([
    ['changes an address', [A], { v4 }, {}, ['changed', `value 1 ${v4}`, 'touched']],
    ['leaves an address that is right', [rdata(1, 'A', v4)], { v4 }, {}, ['unchanged']],
    ['makes a record that is missing', [A], { v6 }, {}, ['changed', `only AAAA ${v6}`, 'touched']],
    [
      'makes one of two addresses',
      [A, rdata(3, 'A', v4)],
      { v4 },
      {},
      ['changed', `only A ${v4}`, 'touched'],
    ],
    ['changes no alias', [rdata(1, 'ALIAS', 'x')], { v4 }, {}, ['alias']],
    ['changes no CNAME', [rdata(1, 'CNAME', 'x')], { v4 }, {}, ['alias']],
    [
      'that goes offline leaves the address alone',
      [A],
      { v4 },
      { isOffline: true },
      ['changed', 'offline true', 'touched'],
    ],
    ['that stays offline changes nothing', [A], { v4 }, { isOffline: true, wasOffline: true }, ['unchanged']],
    [
      'ends the offline state',
      [rdata(1, 'A', v4)],
      { v4 },
      { wasOffline: true },
      ['changed', 'offline false', 'touched'],
    ],
    [
      'moves a redirect, and makes no record',
      [PORT80],
      { v4 },
      {},
      ['changed', `value 2 http://${v4}:8080/x`, 'touched'],
    ],
    [
      'moves a redirect to IPv6',
      [PORT80],
      { v6 },
      {},
      ['changed', `value 2 http://[${v6}]:8080/x`, 'touched'],
    ],
    ['leaves a redirect that is no URL', [rdata(2, '_URL', 'x')], { v4 }, {}, ['unchanged']],
    ['without an address moves no redirect', [PORT80], {}, {}, ['unchanged']],
    [
      'of one Rdata',
      [A, rdata(3, 'A', '192.0.2.8')],
      { v4 },
      { rdataId: 3 },
      ['changed', `value 3 ${v4}`, 'touched'],
    ],
    ['of one Rdata that is right', [A, rdata(3, 'A', v4)], { v4 }, { rdataId: 3 }, ['unchanged']],
    ['of one Rdata of the other family', [A], { v6 }, { rdataId: 1 }, ['unchanged']],
    ['of one Rdata that is no address', [rdata(3, 'TXT', 'x')], { v4 }, { rdataId: 3 }, ['unchanged']],
    ['of one Rdata that is gone', [A], { v4 }, { rdataId: 9 }, ['unchanged']],
    [
      'of one redirect',
      [PORT80, rdata(3, '_URL', 'http://192.0.2.9/')],
      { v4 },
      { rdataId: 3 },
      ['changed', `value 3 http://${v4}/`, 'touched'],
    ],
  ])('%s', async (_, all, addresses, over, calls) =>
    expect(await applied(all, addresses, over)).toEqual(calls),
  )
})

describe('of both addresses, after an update there are', () => {
  const SIX = rdata(3, 'AAAA', '2001:db8::9')
  // biome-ignore format: a table
  it.each<[string, readonly StoredRdata[], number | undefined, boolean, readonly Address[]]>([
    ['both, at a name',                       [A],           undefined, false, [v4, v6]],
    ['both, at a name without records',       [],            undefined, false, [v4, v6]],
    ['IPv4, at one A',                        [A, SIX],      1,         false, [v4]],
    ['IPv6, at one AAAA',                     [A, SIX],      3,         false, [v6]],
    ['none, at a TXT',                        [A, rdata(4, 'TXT', 'x')], 4, false, []],
    ['none, at Rdata that is gone',           [A],           9,         false, []],
    ['the first, at a redirect',              [PORT80],      2,         false, [v4]],
    ['the first, at a name with a redirect',  [PORT80],      undefined, false, [v4]],
    ['IPv4, at an A beside a redirect',       [A, PORT80],   1,         false, [v4]],
    ['IPv6, at an AAAA beside a redirect',    [SIX, PORT80], 3,         false, [v6]],
    ['both, at an A that goes offline',       [A],           1,         true,  [v4, v6]],
    ['both, at a redirect that goes offline', [PORT80],      2,         true,  [v4, v6]],
  ])('%s', (_, all, rdataId, isOffline, addresses) => {
    const name = { rdata: all } as unknown as StoredName
    const target = { name, ...(rdataId !== undefined && { rdataId }) }
    expect(addressesAt(target, { addresses: { v4, v6 }, isOffline, isVoid: false, now: NOW })).toEqual(addresses)
  })
})

it('a change of a redirect is no new record', () => {
  const target = { name: { rdata: [PORT80] } as unknown as StoredName }
  expect(recordChangesAt(target, { addresses: { v4 }, isOffline: false, isVoid: false, now: NOW })).toEqual([
    { dnsType: '_URL', rdataId: 2, value: `http://${v4}:8080/x`, isNew: false },
  ])
})

describe('what is kept of a request', () => {
  const limits = limitsOf({
    nochgLimit: 1,
    requestLimit: 1,
    refusalLimit: 1,
    badauthLimit: 1,
    longBlock: hours(24),
    shortBlock: minutes(30),
  })
  const NONE: Usage = { requests: [], refusals: [], nondescriptive: 3 }
  /** One event in a bucket of 24 minutes; NOW is the start of one. */
  const ago = (buckets: number): Bucket => ({ start: NOW / 1000 - buckets * 24 * 60, count: 1 })
  const kept = async (
    replies: readonly Reply[],
    {
      usage = NONE,
      verdict = 'descriptive',
      agent = 'x',
    }: { usage?: Usage; verdict?: 'descriptive' | 'nondescriptive'; agent?: string | null } = {},
  ) => {
    const puts: { usage: Usage; last: LastUse }[] = []
    const w = {
      putUsage: async (_: Principal, used: Usage, last: LastUse) =>
        Promise.resolve(void puts.push({ usage: used, last })),
      sanctionsOf: async () => Promise.resolve([]),
    } as unknown as StoreWrites
    const who: Principal = { kind: 'key', id: 1, accountId: 1 }
    const inbound = {
      method: 'GET',
      path: '',
      query: '',
      userAgent: agent ?? undefined,
      authorization: undefined,
      peer: v4,
      isProxy: false,
    }
    const answers = await recordUsage(
      w,
      {
        principal: { ...who, hash: new Uint8Array(), isSuspended: false },
        username: 'abc1234',
        request: inbound,
        unreadable: '',
        userAgentClass: verdict,
        limits,
        now: NOW,
      },
      { usage, replies },
    )
    return { answers, ...puts[0] }
  }

  it('is when and how it was', async () =>
    expect((await kept([{ word: 'good', addresses: [v4] }])).last).toEqual({
      at: NOW,
      agent: 'x',
      peer: v4,
      reply: `good ${v4}`,
    }))
  it('is the first 256 characters of the User-Agent, and empty without one', async () => {
    expect((await kept([{ word: '911' }], { agent: `a${'x'.repeat(300)}` })).last?.agent).toBe(
      `a${'x'.repeat(255)}`,
    )
    expect((await kept([], { agent: null })).last).toMatchObject({ agent: '', reply: '' })
  })
  it('is how often the agent was nondescriptive', async () => {
    expect((await kept([], { verdict: 'nondescriptive' })).usage?.nondescriptive).toBe(4)
    expect((await kept([])).usage?.nondescriptive).toBe(3)
  })

  it('is a refusal, and the one too many in a day blocks for a day', async () => {
    const used = { ...NONE, refusals: [ago(20), ago(10)] }
    expect(
      (await kept([{ word: 'nohost' }], { usage: { ...NONE, refusals: [ago(10)] } })).usage?.refusals,
    ).toEqual([ago(10), ago(0)])
    expect(await kept([{ word: 'nohost' }], { usage: used })).toMatchObject({
      answers: [{ word: 'abuse' }],
      usage: { refusals: [], blockedUntil: after(NOW, hours(24)) },
    })
    expect(
      (await kept([{ word: 'nohost' }], { usage: { ...NONE, refusals: [ago(60), ago(1)] } })).answers,
    ).toEqual([{ word: 'nohost' }])
    expect(
      (await kept([{ word: 'nohost' }], { usage: { ...NONE, refusals: [ago(59), ago(1)] } })).answers,
    ).toEqual([{ word: 'abuse' }])
  })

  it.each([
    ['success', [{ word: 'nochg', addresses: [] }], {}],
    ['a fault of the service', [{ word: '911' }], {}],
    ['a request during a block', [{ word: 'abuse' }], { blockedUntil: after(NOW, seconds(1)) }],
  ] as const)('is no refusal after %s', async (_, replies, over) => {
    const usage = { ...NONE, refusals: [ago(20), ago(10), ago(5)], ...over }
    expect(await kept(replies, { usage })).toMatchObject({
      answers: replies,
      usage: { refusals: usage.refusals },
    })
  })
})

it('spans are those of the protocol: a day, five minutes, ten minutes', () => {
  const limits = limitsOf({
    nochgLimit: 1,
    requestLimit: 2,
    refusalLimit: 3,
    badauthLimit: 4,
    longBlock: hours(24),
    shortBlock: minutes(30),
  })
  expect(limits).toMatchObject({
    nochg: { max: 1, window: hours(24) },
    requests: { max: 2, window: minutes(5) },
    refusals: { max: 4, window: hours(24) },
    badauth: { max: 4, window: minutes(10) },
    longBlock: hours(24),
    shortBlock: minutes(30),
    lockout: minutes(10),
  })
})
