import { newLimit } from './new-limit.ts'
import { describe, expect, it } from 'vitest'
import { instant } from '../../../src/shared/base/time.ts'
import { parseAddress } from '../../../src/shared/base/address.ts'
import type { ResponseLimit } from '../../../src/service/publish/limit.ts'

const address = (text: string) => {
  const parsed = parseAddress(text)
  if (parsed === undefined) throw new Error(text)
  return parsed
}
const many = (limit: ResponseLimit, count: number, peer = '192.0.2.1', at = 5000) =>
  Array.from({ length: count }, () =>
    limit.check(address(peer), '0 example.test', { length: 100, now: instant(at) }),
  )

describe('the limit of equal answers', () => {
  it('sends 20 in a second, and then truncates every second one', () =>
    expect(many(newLimit(), 26)).toEqual([
      ...Array<string>(20).fill('send'),
      'drop',
      'truncate',
      'drop',
      'truncate',
      'drop',
      'truncate',
    ]))

  it('begins again with the next second, not with the first answer', () => {
    const limit = newLimit()
    many(limit, 30, '192.0.2.1', 5999)
    expect(many(limit, 21, '192.0.2.1', 6000).lastIndexOf('send')).toBe(19)
    expect(many(limit, 1, '192.0.2.1', 6999)).toEqual(['truncate'])
  })

  // biome-ignore format: a table
  it.each([
    ['192.0.2.255',      '192.0.2.1',         false],
    ['192.0.3.1',        '192.0.2.1',         true],
    ['2001:db8::ffff',   '2001:db8::1',       false],
    ['2001:db8:0:ff::1', '2001:db8::1',       false],
    ['2001:db8:0:100::1', '2001:db8::1',      true],
  ])('of %s is another than that of %s: %s', (one, other, isOther) => {
    const limit = newLimit()
    many(limit, 20, other)
    expect(many(limit, 1, one)).toEqual([isOther ? 'send' : 'drop'])
  })

  it('counts each kind of answer', () => {
    const limit = newLimit()
    many(limit, 30)
    expect(limit.check(address('192.0.2.1'), '3 example.test', { length: 100, now: instant(5000) })).toBe(
      'send',
    )
  })

  it.each(['127.0.0.1', '127.9.9.9', '::1'])('is not that of %s', (peer) =>
    expect(new Set(many(newLimit(), 100, peer))).toEqual(new Set(['send'])),
  )

  it('counts 10,000 at a time, and forgets the one that has not asked for longest', () => {
    const limit = newLimit()
    const ask = (n: number) =>
      limit.check(address('192.0.2.1'), `kind ${n}`, { length: 1, now: instant(5000) })
    for (let n = 0; n < 2; n++) for (let times = 0; times < 20; times++) ask(n)
    for (let n = 2; n < 10_000; n++) ask(n)
    expect([ask(0), ask(10_000), ask(0), ask(1)]).toEqual(['drop', 'send', 'truncate', 'send'])
  })

  it('of one network over all kinds are 128 KiB; then every second is truncated', () => {
    const verdicts: string[] = []
    const limit = newLimit(20, verdicts)
    const ask = (n: number, peer = '192.0.2.1') =>
      limit.check(address(peer), `1 n${n}.test`, { length: 400, now: instant(5000) })
    const all = Array.from({ length: 2000 }, (_, n) => ask(n))
    expect(all.filter((one) => one === 'send')).toHaveLength(327)
    expect(all.slice(-2)).toEqual(['truncate', 'drop'])
    expect(verdicts).toHaveLength(1673)
    expect(ask(1, '198.51.100.1')).toBe('send')
  })
})
