import { beforeEach, describe, expect, it } from 'vitest'
import type { Closable } from '../../../../src/shared/ports/network.ts'
import { type KnownWay, knownWay } from '../../../../src/client/detect/line/known-way.ts'

let asked: number
let kernel: { changed: () => void; unavailable: (because: string) => void }
let way: KnownWay

beforeEach(() => {
  asked = 0
  way = knownWay({
    packetRoute: async () => Promise.resolve({ interface: `eth${asked++}` }),
    watchKernel: (changed, unavailable) => {
      kernel = { changed, unavailable }
      return { close: () => undefined }
    },
  })
})

const find = async (tables = 'a'): Promise<string | undefined> =>
  (await way.find('v4', Promise.resolve(tables)))?.interface

describe('the way out', () => {
  it('is found each time where the kernel is not watched', async () => {
    expect([await find(), await find()]).toEqual(['eth0', 'eth1'])
  })

  it('is kept until the kernel reports something, or the tables differ', async () => {
    way.watchKernel(
      () => undefined,
      () => undefined,
    )
    expect([await find(), await find()]).toEqual(['eth0', 'eth0'])
    expect([await find('b'), await find('b')]).toEqual(['eth1', 'eth1'])
    kernel.changed()
    expect([await find('b'), await find('b')]).toEqual(['eth2', 'eth2'])
    expect((await way.find('v6', Promise.resolve('b')))?.interface).toBe('eth3')
  })

  it('is not kept where a report arrives meanwhile', async () => {
    way.watchKernel(
      () => undefined,
      () => undefined,
    )
    const first = find()
    kernel.changed()
    await first
    expect(await find()).toBe('eth1')
  })

  it('is kept where another watch began before the one before it is closed', async () => {
    const nothing = (): void => undefined
    const before = way.watchKernel(nothing, nothing)
    way.watchKernel(nothing, nothing)
    before.close()
    expect([await find(), await find()]).toEqual(['eth0', 'eth0'])
  })

  it.each([
    ['the kernel cannot be watched', () => kernel.unavailable('no ip')],
    ['the watch is closed', (watcher: Closable) => watcher.close()],
  ])('is not kept once %s', async (_, end) => {
    const watcher = way.watchKernel(
      () => undefined,
      () => undefined,
    )
    await find()
    end(watcher)
    expect([await find(), await find()]).toEqual(['eth1', 'eth2'])
  })
})
