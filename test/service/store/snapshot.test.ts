import { describe, expect, it } from 'vitest'
import { diskStore } from '../publish/stage.ts'
import { swept } from '../../contract/swept.ts'
import { flushed } from '../publish/flushed.ts'
import { storeWith, type World } from '../publish/zones.ts'

const ZONE = 'example.test'
const address = (octet: number): readonly string[] => [`300 A 192.0.2.${octet}`]

async function stage(names = 50) {
  const all = Object.fromEntries(Array.from({ length: names }, (_, n) => [`n${n}`, address(1)]))
  const world = await storeWith({ [ZONE]: all }, diskStore())
  await flushed(world.store)
  return world
}
async function change(world: World, name: string, octet: number): Promise<void> {
  await world.put(ZONE, name, address(octet))
  await flushed(world.store)
}

/** A snapshot that reads when the test says so, page by page. */
function opened({ store, idOf }: World) {
  let begun = (): void => undefined
  let end = (_: boolean): void => undefined
  const isOpen = new Promise<void>((resolve) => (begun = resolve))
  const isEnding = new Promise<boolean>((resolve) => (end = resolve))
  const result = store
    .snapshot(async (reads) => {
      // The first read determines the state.
      const serial = (await reads.publishedZone(ZONE))?.serial
      begun()
      const fails = await isEnding
      if (fails) throw new Error('the peer is gone')
      const rows = await reads.publishedAfter(idOf(ZONE), undefined, 10_000)
      const octets = rows.filter(({ type }) => type === 1).map(({ rdata }) => rdata[3] ?? 0)
      const step = serial === undefined ? undefined : await reads.stepNumber(idOf(ZONE), serial)
      return { serial, octets: octets.toSorted((a, b) => a - b), step }
    })
    .catch((error: Error) => error.message)
  return { isOpen, result, end: () => end(false), fail: () => end(true) }
}

describe('snapshots', () => {
  it('that are open at once have each the state of their begin', async () => {
    const world = await stage(4)
    const before = await world.serial(ZONE)
    const snapshots: ReturnType<typeof opened>[] = []
    for (const octet of [2, 3, 4, 5]) {
      const one = opened(world)
      snapshots.push(one)
      await one.isOpen
      await change(world, 'n0', octet)
    }
    // The last to begin ends first.
    for (const one of snapshots.toReversed()) one.end()
    expect(await Promise.all(snapshots.map(async ({ result }) => result))).toEqual(
      [1, 2, 3, 4].map((octet, n) => ({
        serial: before + n,
        octets: [1, 1, 1, octet],
        // No step leads on from the newest serial that it knows.
        step: undefined,
      })),
    )
    expect(await world.published(ZONE)).toContain('n0 300 A 192.0.2.5')
  })

  it('do not hold up writes and reads, nor these them', async () => {
    const world = await stage()
    const snapshots = Array.from({ length: 6 }, () => opened(world))
    await Promise.all(snapshots.map(async ({ isOpen }) => isOpen))
    for (let n = 0; n < 20; n++) await change(world, `n${n}`, 9)
    world.store.checkpoint()
    expect((await world.published(ZONE)).filter((row) => row.endsWith('.9'))).toHaveLength(20)
    for (const one of snapshots) one.end()
    for (const { result } of snapshots) expect(await result).toMatchObject({ octets: Array(50).fill(1) })
  })

  it('that fail leave the others as they are, and nothing open', async () => {
    const world = await stage(2)
    const [one, other] = [opened(world), opened(world)]
    await Promise.all([one.isOpen, other.isOpen])
    await change(world, 'n0', 7)
    one.fail()
    expect(await one.result).toBe('the peer is gone')
    other.end()
    expect(await other.result).toMatchObject({ octets: [1, 1] })
    const next = opened(world)
    next.end()
    expect(await next.result).toMatchObject({ octets: [1, 7] })
  })

  it('of a transfer see nothing of a zone that is removed meanwhile', async () => {
    const world = await stage(3)
    const one = opened(world)
    await one.isOpen
    await world.removeZone(ZONE)
    await flushed(world.store)
    await swept(world.store)
    const next = opened(world)
    for (const snapshot of [one, next]) snapshot.end()
    expect([await one.result, await next.result]).toEqual([
      { serial: expect.any(Number), octets: [1, 1, 1], step: undefined },
      { serial: undefined, octets: [], step: undefined },
    ])
  })
})

it('a store in memory answers from its one state', async () => {
  const world = await storeWith({ [ZONE]: { n0: address(1) } })
  await flushed(world.store)
  const zone = await world.store.snapshot(async (reads) => reads.publishedZone(ZONE))
  expect(zone?.serial).toBe(await world.serial(ZONE))
})
