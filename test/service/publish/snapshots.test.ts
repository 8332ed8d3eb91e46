import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { snapshotsOf } from '../../../src/service/publish/snapshots.ts'
import { parseAddress } from '../../../src/shared/base/address.ts'
import type { Secondary } from '../../../src/service/publish/settings.ts'
import type { SnapshotReads } from '../../../src/service/store/store.ts'
import { key } from './secondary.ts'

const MINUTE = 60_000
const secondary = (name: string): Secondary => {
  const address = parseAddress('192.0.2.1')
  if (address === undefined) throw new Error(name)
  return { name, address, port: 53, key: key(name), signs: false }
}
const [ONE, OTHER] = [secondary('one'), secondary('other')]

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Snapshots of a store that counts its open ones, and transfers that end when the test says so. */
function stage() {
  let [open, most] = [0, 0]
  const snapshot = snapshotsOf({
    snapshot: async (work) => {
      most = Math.max(most, ++open)
      try {
        return await work({} as SnapshotReads)
      } finally {
        open--
      }
    },
  })
  const started: string[] = []
  const settle = new Map<string, { end: () => void; fail: () => void }>()
  const transfer = async (from: Secondary, name: string): Promise<string> =>
    snapshot(from, async () => {
      started.push(name)
      await new Promise<void>((end, fail) => settle.set(name, { end, fail: () => fail(new Error(name)) }))
      return name
    }).catch((error: Error) => error.message)
  const turn = async (): Promise<unknown> => vi.advanceTimersByTimeAsync(0)
  return { transfer, started, settle, turn, open: () => open, most: () => most }
}

describe('snapshots', () => {
  it('are two of one secondary at a time; the others wait in their order', async () => {
    const { transfer, started, settle, turn, most } = stage()
    const all = ['a', 'b', 'c', 'd'].map(async (name) => transfer(ONE, name))
    await turn()
    expect(started).toEqual(['a', 'b'])
    settle.get('b')?.end()
    // One that is asked for in the same moment does not overtake.
    all.push(transfer(ONE, 'e'))
    await turn()
    expect(started).toEqual(['a', 'b', 'c'])
    settle.get('a')?.fail()
    settle.get('c')?.end()
    await turn()
    expect(started).toEqual(['a', 'b', 'c', 'd', 'e'])
    settle.get('d')?.end()
    settle.get('e')?.end()
    expect([await Promise.all(all), most()]).toEqual([['a', 'b', 'c', 'd', 'e'], 2])
  })

  it('of one secondary do not hold up those of another', async () => {
    const { transfer, started, turn } = stage()
    for (const name of ['a', 'b', 'c']) void transfer(ONE, name)
    void transfer(OTHER, 'x')
    await turn()
    expect(started).toEqual(['a', 'b', 'x'])
  })

  it('last ten minutes at most, from when they begin, and then make room', async () => {
    const { transfer, started, settle, turn, open } = stage()
    const slow = [transfer(ONE, 'a'), transfer(ONE, 'b')]
    const next = transfer(ONE, 'c')
    await vi.advanceTimersByTimeAsync(10 * MINUTE - 1)
    expect([started, open()]).toEqual([['a', 'b'], 2])
    await vi.advanceTimersByTimeAsync(1)
    expect(await Promise.all(slow)).toEqual(Array(2).fill('the transfer takes too long'))
    expect([started, open()]).toEqual([['a', 'b', 'c'], 1])
    await vi.advanceTimersByTimeAsync(9 * MINUTE)
    settle.get('c')?.end()
    expect(await next).toBe('c')
    await turn()
    expect([open(), vi.getTimerCount()]).toEqual([0, 0])
  })
})
