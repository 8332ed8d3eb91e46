import { describe, expect, it } from 'vitest'
import type { Address } from '../../../../src/shared/base/address.ts'
import { providerCalled } from '../../../../src/client/services/providers/providers.ts'
import type { FakeRecord } from '../../../fakes/services/service.ts'
import { KEPT, NEW, NEW6, OLD, OLD6, recordAt } from './services.ts'
import { played } from './play.ts'

const [v4, v6] = [NEW as Address, NEW6 as Address]
const later = '192.0.2.8' as Address
/** Requests of a first update, of a change by a process that knows the record, and of a refresh where it is not one. */
// biome-ignore format: a table
const COUNTS: Readonly<Record<string, readonly [first: number, change: number, refresh?: number]>> = {
  cloudflare: [3, 1], digitalocean: [3, 2], hetzner: [3, 2], gandi: [2, 2], ns1: [3, 2], ionos: [3, 2], 'desec-api': [3, 2],
  porkbun: [2, 2], godaddy: [2, 2], netcup: [4, 4, 3], dnspod: [2, 2], powerdns: [3, 2], linode: [3, 2], vultr: [3, 2], vercel: [3, 2], scaleway: [3, 2],
}

const byType = (one: FakeRecord, other: FakeRecord): number => one.type.length - other.type.length
const good = { kind: 'answered', replies: [{ word: 'good' }] }
const nochg = { kind: 'answered', replies: [{ word: 'nochg' }] }
const stopped = (said: string) => ({ kind: 'answered', replies: [{ word: 'nohost', said }] })

describe.each(KEPT)('$provider', (of) => {
  const [first, change, refresh = 1] = COUNTS[of.provider] ?? [Number.NaN, Number.NaN]
  const isApart = providerCalled(of.provider)?.settings['families'] === 'apart'
  /** What one request is about. */
  const both = isApart ? { v4 } : { v4, v6 }
  const record = recordAt(of)

  it('needs few requests, and keeps what else a record has', async () => {
    const { update, world, sent } = await played(of)
    const before = structuredClone(world.records)
    expect(await update(both)).toMatchObject(good)
    expect(sent).toHaveLength(first)
    expect(await update({ ...both, v4: later })).toMatchObject(good)
    expect(sent).toHaveLength(first + change)
    const other = isApart ? OLD6 : v6
    expect(world.records.toSorted(byType)).toEqual(
      before.map((one) => ({ ...one, value: one.type === 'A' ? later : other })),
    )
  })

  it('reads what is refreshed, and writes only a difference', async () => {
    const { update, world, sent, valueOf } = await played(of)
    await update(both)
    const count = sent.length
    expect(await update(both)).toMatchObject(nochg)
    expect(sent).toHaveLength(count + refresh)
    const one = world.records.find(({ type }) => type === 'A')
    if (one !== undefined) one.value = '192.0.2.99'
    expect(await update(both)).toMatchObject(good)
    expect(valueOf('A')).toEqual([v4])
  })

  it('makes a missing record, and changes the existing one of the other family', async () => {
    const { update, world, valueOf } = await played(of)
    world.records.splice(0, world.records.length, record('A', OLD), {
      ...record('TXT', '"x"'),
      name: `other.${of.zone}`,
    })
    for (const addresses of isApart ? [{ v4 }, { v6 }] : [{ v4, v6 }])
      expect(await update(addresses)).toMatchObject(good)
    expect([valueOf('A'), valueOf('AAAA'), world.records.length]).toEqual([[v4], [v6], 3])
  })

  it('makes none with create = false', async () => {
    const { update, world, valueOf } = await played(of, { over: { create: false } })
    world.records.splice(0)
    expect(await update({ v4 })).toMatchObject(stopped('no-record'))
    expect(valueOf('A')).toEqual([])
  })

  it.each([
    ['several-records', [record('A', OLD), record('A', '192.0.2.3')]],
    ['conflicting-record', [record('CNAME', 'elsewhere.test')]],
  ] as const)('leaves a name alone that has %s', async (said, records) => {
    const { update, world } = await played(of)
    world.records.splice(0, world.records.length, ...records)
    expect(await update({ v4 })).toMatchObject(stopped(said))
    expect(world.records).toEqual(records)
  })

  it('finds a record that was replaced at the service', async () => {
    const { update, world, valueOf } = await played(of)
    await update({ v4 })
    world.records.splice(0, world.records.length, record('A', OLD))
    for (let round = 0; round < 2; round++) await update({ v4: later })
    expect(valueOf('A')).toEqual([later])
  })

  it('reads first after an answer that was lost', async () => {
    const { update, sent, valueOf } = await played(of)
    await update({ v4 })
    const isWrite = (): boolean => valueOf('A')[0] === later
    const lost = await update({ v4: later }, (answered) =>
      isWrite() ? { kind: 'unreached', stage: 'time-out', because: 'silent' } : answered,
    )
    expect([lost.kind, valueOf('A')]).toEqual(['unreached', [later]])
    const count = sent.length
    expect(await update({ v4: later })).toMatchObject(nochg)
    expect(sent.length - count).toBeLessThan(first)
  })

  it.skipIf(of.hasOneRight)('obeys credentials that may not write', async () => {
    const { update, world, valueOf } = await played(of)
    world.isReadOnly = true
    expect(await update({ v4 })).toMatchObject({
      kind: 'answered',
      replies: [{ word: expect.stringMatching(/badauth|nohost|donator/) as string }],
    })
    expect(valueOf('A')).toEqual([OLD])
  })

  it.each([
    ['the apex', of.zone],
    ['a wildcard', `*.${of.zone}`],
    ['a name beneath another one', `a.b.${of.zone}`],
  ])('updates %s', async (_, hostname) => {
    const { update, world, valueOf, why } = await played(of, { hostname })
    world.records.splice(0, world.records.length, { ...record('A', OLD), name: hostname })
    expect(await update({ v4 }), why.join()).toMatchObject(good)
    expect(valueOf('A')).toEqual([v4])
  })
})

it('every one of them is counted', () =>
  expect(KEPT.map(({ provider }) => provider).toSorted()).toEqual(Object.keys(COUNTS).toSorted()))
