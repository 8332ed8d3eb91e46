import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { swept } from '../../contract/swept.ts'
import { runs } from '../../runs.ts'
import { hours, instant } from '../../../src/shared/base/time.ts'
import type { NameFault } from '../../../src/service/publish/batch.ts'
import { flush, MAX_FLUSHED } from '../../../src/service/publish/flush.ts'
import { decodeRows, encodeRows, ownerKey, sizeOfRow } from '../../../src/service/publish/rows.ts'
import { rendered } from '../../../src/service/publish/render.ts'
import type { PublishedRow } from '../../../src/service/store/published.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { isAtOrBelow } from '../../../src/shared/dns/name.ts'
import { flushed, SETTINGS } from './flushed.ts'
import { NOW, rowsOf, type Stored, storeWith, type World } from './zones.ts'

const ZONE = 'example.test'
const A = ['300 A 192.0.2.1']
const NS = ['@ 86400 NS ns1.operator.test', '@ 86400 NS ns2.operator.test']
const cut = (owner: string) => [`${owner} 86400 NS ns1.operator.test`, `${owner} 86400 NS ns2.operator.test`]

const keyOf = ({ owner, type, ttl, rdata }: PublishedRow): string =>
  `${owner} ${type} ${ttl} ${Buffer.from(rdata).toString('hex')}`
const copyOf = async (store: Store, zone: string): Promise<ReadonlySet<string>> =>
  new Set((await rowsOf(store, zone)).map(keyOf))
const stepsFrom = async (store: Store, zone: string, serial: number) =>
  store.read(async (r) => {
    const found = await r.publishedZone(zone)
    const first = found === undefined ? undefined : await r.stepNumber(found.id, serial)
    return first === undefined || found === undefined ? undefined : r.steps(found.id, first, 10_000)
  })

describe('a flush', () => {
  it('publishes what is stored, and writes nothing the second time', async () => {
    const world = await storeWith({ [ZONE]: { '@': A, home: ['300 A 192.0.2.2', '60 TXT "hi"'] } })
    const before = await world.serial(ZONE)
    const first = await flushed(world.store)

    expect(first.zones.map(({ apex, serial }) => [apex, serial - before])).toContainEqual([ZONE, 1])
    expect(await world.published(ZONE)).toEqual(
      [...NS, '@ 300 A 192.0.2.1', 'home 300 A 192.0.2.2', 'home 60 TXT hi'].toSorted(),
    )
    const second = await flushed(world.store)
    expect(second).toEqual({ zones: [], count: 0, isTakenOver: false })
    expect(await world.serial(ZONE)).toBe(before + 1)
  })

  it('raises the serial once for all changes of a zone, and not that of others', async () => {
    const world = await storeWith({ [ZONE]: { home: A }, 'other.test': { home: A } })
    await flushed(world.store)
    const [serial, other] = [await world.serial(ZONE), await world.serial('other.test')]
    for (const n of [2, 3, 4]) await world.put(ZONE, `name${n}`, [`300 A 192.0.2.${n}`])
    await world.put(ZONE, 'home', ['300 A 192.0.2.9'])
    const { zones } = await flushed(world.store)

    expect(zones.map(({ apex }) => apex)).toEqual([ZONE])
    expect([await world.serial(ZONE), await world.serial('other.test')]).toEqual([serial + 1, other])
    const [step, ...more] = (await stepsFrom(world.store, ZONE, serial)) ?? []
    expect([step?.from, step?.to, more]).toEqual([serial, serial + 1, []])
    expect(decodeRows(step?.gone ?? Buffer.alloc(0)).map(({ owner }) => owner)).toEqual(['home'])
    expect(
      decodeRows(step?.come ?? Buffer.alloc(0))
        .map(({ owner }) => owner)
        .toSorted(),
    ).toEqual(['home', 'name2', 'name3', 'name4'])
  })

  it('makes no serial of changes that come to nothing', async () => {
    const world = await storeWith({ [ZONE]: { home: A } })
    await flushed(world.store)
    const serial = await world.serial(ZONE)
    await world.put(ZONE, 'home', ['300 A 192.0.2.9'])
    await world.put(ZONE, 'home', A)
    await world.put(ZONE, 'new', A)
    await world.remove(ZONE, 'new')
    await world.put(ZONE, 'empty', [])

    expect(await flushed(world.store)).toMatchObject({ zones: [], count: 3 })
    expect(await world.serial(ZONE)).toBe(serial)
  })

  it('takes a record with another TTL away, and adds it', async () => {
    const world = await storeWith({ [ZONE]: { home: A } })
    await flushed(world.store)
    const serial = await world.serial(ZONE)
    await world.put(ZONE, 'home', ['60 A 192.0.2.1'])
    await flushed(world.store)
    const [step] = (await stepsFrom(world.store, ZONE, serial)) ?? []

    expect(decodeRows(step?.gone ?? Buffer.alloc(0)).map(({ ttl }) => ttl)).toEqual([300])
    expect(decodeRows(step?.come ?? Buffer.alloc(0)).map(({ ttl }) => ttl)).toEqual([60])
    expect(await world.published(ZONE)).toContain('home 60 A 192.0.2.1')
    expect(await world.published(ZONE)).not.toContain('home 300 A 192.0.2.1')
  })

  it('keeps what was published of a name that cannot be rendered, and publishes the others', async () => {
    const world = await storeWith({ [ZONE]: { home: A } })
    await flushed(world.store)
    await world.put(ZONE, 'home', ['300 MX 70000 m.test.'])
    await world.put(ZONE, 'other', A)
    const faults: NameFault[] = []
    const onNameFault = (fault: NameFault) => faults.push(fault)
    const context = { settings: SETTINGS, now: NOW, maxNames: MAX_FLUSHED, onNameFault }
    await world.store.write(async (w) => flush(w, context))

    expect(faults.map(({ fqdn }) => fqdn)).toEqual(['home.example.test'])
    const publishedAt = async (name: string) =>
      (await world.store.read(async (r) => r.nameAt(world.idOf(ZONE), name)))?.publishedAt
    expect([await publishedAt('home'), await publishedAt('other')]).toEqual([undefined, NOW])
    expect(await world.published(ZONE)).toEqual(
      [...NS, 'home 300 A 192.0.2.1', 'other 300 A 192.0.2.1'].toSorted(),
    )
  })

  it('tries names that cannot be rendered again only when it is told to, and others before', async () => {
    const BAD = ['300 MX 70000 m.test.']
    const world = await storeWith({ [ZONE]: { a: BAD, b: BAD, c: BAD, home: A } })
    const faults: string[] = []
    const onNameFault = ({ fqdn }: NameFault) => faults.push(fqdn)
    const isDirty = async () => world.store.read(async (r) => r.hasDirtyNames())
    const flushAll = async () => {
      while (await isDirty())
        await world.store.write(async (w) =>
          flush(w, { settings: SETTINGS, now: NOW, maxNames: 2, onNameFault }),
        )
      return faults.splice(0).toSorted()
    }
    const all = ['a.example.test', 'b.example.test', 'c.example.test']
    expect(await flushAll()).toEqual(all)
    await world.put(ZONE, 'home', ['300 A 192.0.2.9'])
    expect(await flushAll()).toEqual([])
    expect(await world.published(ZONE)).toEqual([...NS, 'home 300 A 192.0.2.9'].toSorted())

    await world.store.write(async (w) => w.retryStuck())
    expect(await flushAll()).toEqual(all)
    // One that is changed is tried at once, and is stuck no longer.
    await world.put(ZONE, 'b', A)
    expect(await flushAll()).toEqual([])
    await world.store.write(async (w) => w.retryStuck())
    expect(await flushAll()).toEqual(['a.example.test', 'c.example.test'])
    await world.removeZone(ZONE)
    await world.store.write(async (w) => w.retryStuck())
    expect(await flushAll()).toEqual([])
  })

  it('says when names were published that could not be rendered because of another one', async () => {
    const followers = ['f1', 'f2', 'f3', 'f4', 'f5']
    const aliases = Object.fromEntries(followers.map((name) => [name, [`300 ALIAS home.${ZONE}.`]]))
    const world = await storeWith({ [ZONE]: { home: ['300 A not-an-address'], ...aliases } })
    const faults = new Set<string>()
    const context = {
      settings: SETTINGS,
      now: NOW,
      maxNames: 2,
      onNameFault: ({ fqdn }: NameFault) => faults.add(fqdn),
    }
    const flushAll = async () => {
      while (await world.store.read(async (r) => r.hasDirtyNames()))
        await world.store.write(async (w) => flush(w, context))
    }
    const publishedAt = async (name: string) =>
      (await world.store.read(async (r) => r.nameAt(world.idOf(ZONE), name)))?.publishedAt
    await flushAll()
    expect(faults.size).toBe(6)
    expect(await Promise.all(followers.map(publishedAt))).toEqual(followers.map(() => undefined))
    await world.put(ZONE, 'home', A)
    await flushAll()
    expect(await Promise.all(followers.map(publishedAt))).toEqual(followers.map(() => NOW))
  })

  it('has no steps to a serial over a step that is gone after the clock was corrected', async () => {
    const world = await storeWith({ [ZONE]: { home: A } })
    const serials: number[] = []
    // By the clock: two in two days, two now, one in 25 hours, which removes what is older than a day.
    for (const [n, hour] of [48, 48, 0, 0, 25].entries()) {
      await world.put(ZONE, 'home', [`300 A 192.0.2.${n}`])
      await flushed(world.store, SETTINGS, instant(NOW + hours(hour)))
      serials.push(await world.serial(ZONE))
    }
    const counts = await Promise.all(
      serials.map(async (serial) => (await stepsFrom(world.store, ZONE, serial))?.length),
    )
    expect(counts).toEqual([undefined, undefined, undefined, 1, undefined])
  })

  it('says when the present state of a name was published, and only of that name', async () => {
    const world = await storeWith({ [ZONE]: { home: A, other: A } })
    const publishedAt = async (name: string) =>
      (await world.store.read(async (r) => r.nameAt(world.idOf(ZONE), name)))?.publishedAt
    expect(await publishedAt('home')).toBeUndefined()
    await flushed(world.store, SETTINGS, instant(1000))
    await world.put(ZONE, 'home', ['300 A 192.0.2.9'])
    await flushed(world.store, SETTINGS, instant(2000))

    expect([await publishedAt('home'), await publishedAt('other')]).toEqual([2000, 1000])
  })

  it(`takes ${MAX_FLUSHED} names, and the rest with the next one`, async () => {
    const world = await storeWith({ [ZONE]: {} })
    await flushed(world.store)
    await world.store.write(async (w) => {
      for (let n = 0; n <= MAX_FLUSHED; n++) {
        const name = await w.addName(
          { zoneId: world.idOf(ZONE), accountId: world.accountId, name: `n${n}` },
          NOW,
        )
        await w.setSingleValue(name, { dnsType: 'A', value: '192.0.2.1' }, NOW)
      }
    })
    expect([(await flushed(world.store)).count, (await flushed(world.store)).count]).toEqual([MAX_FLUSHED, 1])
    expect(await world.published(ZONE)).toHaveLength(MAX_FLUSHED + 1 + NS.length)
  })

  it('renders an ALIAS again when its target changes, over other ALIAS and CNAME too', async () => {
    const world = await storeWith({
      [ZONE]: {
        a: ['300 ALIAS b.example.test.'],
        b: ['300 CNAME c.example.test.'],
        c: ['300 ALIAS d.example.test.'],
        d: A,
      },
    })
    await flushed(world.store)
    await world.put(ZONE, 'd', ['300 A 192.0.2.9'])
    await flushed(world.store)
    expect((await world.published(ZONE)).filter((row) => / A /.test(row))).toEqual([
      'a 300 A 192.0.2.9',
      'c 300 A 192.0.2.9',
      'd 300 A 192.0.2.9',
    ])
    await world.remove(ZONE, 'd')
    await flushed(world.store)
    expect((await world.published(ZONE)).filter((row) => / A /.test(row))).toEqual([])
  })

  it('ends with ALIAS that lead to each other', async () => {
    const world = await storeWith({
      [ZONE]: { a: ['300 ALIAS b.example.test.'], b: ['300 ALIAS a.example.test.'] },
    })
    await flushed(world.store)
    expect(await world.published(ZONE)).toEqual([...NS, 'a 60 TXT no address', 'b 60 TXT no address'])
  })

  it('raises the serials if the SOA changed alone', async () => {
    const world = await storeWith({ [ZONE]: {} })
    await flushed(world.store)
    const serial = await world.serial(ZONE)
    await world.store.write(async (w) => w.setDirty('soas'))
    await flushed(world.store)
    const [step] = (await stepsFrom(world.store, ZONE, serial)) ?? []
    expect(step).toMatchObject({
      from: serial,
      to: serial + 1,
      gone: new Uint8Array(),
      come: new Uint8Array(),
    })
  })

  it('keeps steps for a day', async () => {
    const world = await storeWith({ [ZONE]: { home: A } })
    await flushed(world.store, SETTINGS, NOW)
    const serial = await world.serial(ZONE)
    await world.put(ZONE, 'home', ['300 A 192.0.2.2'])
    await flushed(world.store, SETTINGS, instant(NOW + 1))
    await world.put(ZONE, 'home', ['300 A 192.0.2.3'])
    await flushed(world.store, SETTINGS, instant(NOW + 1 + hours(24)))
    expect(await stepsFrom(world.store, ZONE, serial - 1)).toBeUndefined()
    expect(await stepsFrom(world.store, ZONE, serial)).toHaveLength(2)
  })
})

describe('the catalog', () => {
  const ptrs = async (world: World) => (await world.published('')).filter((row) => row.includes(' PTR '))

  it('has its version, and a zone while it exists', async () => {
    const world = await storeWith({ [ZONE]: {}, 'other.test': {} })
    await flushed(world.store)
    const rows = await world.published('')
    expect(rows.filter((row) => !row.includes(' PTR '))).toEqual(['@ 0 NS invalid', 'version 0 TXT 2'])
    expect((await ptrs(world)).map((row) => row.replace(/^\w{32}/, 'ID')).toSorted()).toEqual([
      'ID.zones 0 PTR example.test',
      'ID.zones 0 PTR other.test',
    ])
    const serial = await world.serial('')
    await world.removeZone('other.test')
    expect((await flushed(world.store)).zones.map(({ apex }) => apex)).toEqual([''])
    expect(await ptrs(world)).toHaveLength(1)
    expect(await world.serial('')).toBe(serial + 1)
  })

  it('has a zone that was made again under the same name, and does not change', async () => {
    const world = await storeWith({ [ZONE]: {} })
    await flushed(world.store)
    const before = await ptrs(world)
    const serial = await world.serial('')
    await world.removeZone(ZONE)
    await world.addZone(ZONE)
    await flushed(world.store)
    expect([await ptrs(world), await world.serial('')]).toEqual([before, serial])
  })
})

describe('a zone', () => {
  it('that is removed is published no longer', async () => {
    const world = await storeWith({ [ZONE]: { home: A } })
    await flushed(world.store)
    await world.removeZone(ZONE)
    expect([await world.published(ZONE), await world.serial(ZONE)]).toEqual([[], -1])
    expect((await flushed(world.store)).zones.map(({ apex }) => apex)).toEqual([''])
  })

  it('that is made again begins above its last serial', async () => {
    const world = await storeWith({ [ZONE]: { home: A } })
    await flushed(world.store)
    const high = (await world.serial(ZONE)) + 1_000_000
    await world.store.write(async (w) => w.raiseSerial(world.idOf(ZONE), high))
    await world.removeZone(ZONE)
    await flushed(world.store)
    await world.addZone(ZONE)
    await flushed(world.store)
    expect(await world.serial(ZONE)).toBeGreaterThan(high)
    expect(await world.published(ZONE)).toEqual(NS)
  })

  it('begins with the time, so that it is newer than a forgotten copy', async () => {
    const before = Math.floor(Date.now() / 1000)
    const world = await storeWith({ [ZONE]: {} })
    const serial = await world.serial(ZONE)
    expect(serial).toBeGreaterThanOrEqual(before)
    expect(serial).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000))
  })

  it('has its serial raised above that of a copy, and never back', async () => {
    const world = await storeWith({ [ZONE]: {} })
    await flushed(world.store)
    const serial = await world.serial(ZONE)
    const raise = async (to: number) => world.store.write(async (w) => w.raiseSerial(world.idOf(ZONE), to))
    await raise(serial + 1000)
    expect(await stepsFrom(world.store, ZONE, serial - 1)).toBeUndefined()
    await raise(serial + 500)
    await raise(serial - 1)
    await flushed(world.store)
    expect(await world.serial(ZONE)).toBe(serial + 1001)
    await raise((serial + 2 ** 31) >>> 0)
    await raise(serial + 5)
    expect(await world.serial(ZONE)).toBe((serial + 2 ** 31) >>> 0)
  })

  it('inside another is a cut there, which ends with it', async () => {
    const world = await storeWith({ [ZONE]: { sub: A, 'a.sub': A, xsub: A } })
    await flushed(world.store)
    expect(await world.published(ZONE)).toEqual(
      [...NS, 'a.sub 300 A 192.0.2.1', 'sub 300 A 192.0.2.1', 'xsub 300 A 192.0.2.1'].toSorted(),
    )
    await world.addZone('sub.example.test', { '@': A })
    await flushed(world.store)
    expect(await world.published(ZONE)).toEqual([...NS, ...cut('sub'), 'xsub 300 A 192.0.2.1'].toSorted())
    await world.removeZone('sub.example.test')
    await flushed(world.store)
    expect(await world.published(ZONE)).toEqual(
      [...NS, 'a.sub 300 A 192.0.2.1', 'sub 300 A 192.0.2.1', 'xsub 300 A 192.0.2.1'].toSorted(),
    )
  })

  it('that is made above another has the cut of that one', async () => {
    const world = await storeWith({ 'a.sub.example.test': { '@': A } })
    await flushed(world.store)
    await world.addZone(ZONE)
    await flushed(world.store)
    expect(await world.published(ZONE)).toEqual([...NS, ...cut('a.sub')].toSorted())
  })

  it('between two others takes over the cut of the lower one, and gives it back', async () => {
    const world = await storeWith({ [ZONE]: {}, 'a.sub.example.test': {} })
    await flushed(world.store)
    const before = await world.published(ZONE)
    await world.addZone('sub.example.test')
    await flushed(world.store)
    expect(await world.published(ZONE)).toEqual([...NS, ...cut('sub')].toSorted())
    expect(await world.published('sub.example.test')).toEqual([...NS, ...cut('a')].toSorted())
    await world.removeZone('sub.example.test')
    await flushed(world.store)
    expect(await world.published(ZONE)).toEqual(before)
  })
})

describe('a flush of fewer names than depend on what has changed', () => {
  const NAMES = 25
  const MAX = 10
  const followers = (type: 'ALIAS' | 'CNAME', target: string) =>
    Object.fromEntries(
      Array.from({ length: NAMES }, (_, n) => [`n${n}`, [`300 ${type} ${target}.example.test.`]]),
    )
  const isDirty = async ({ store }: World) => store.read(async (r) => r.hasDirtyNames())
  const published = async (world: World) => {
    while (await isDirty(world)) await flushed(world.store)
    return world
  }
  /** One flush after the other to the end: how many names each has changed in the zone. */
  async function changesOf(world: World, between: () => Promise<void> = async () => undefined) {
    const counts: number[] = []
    for (let n = 0; n < 50 && (await isDirty(world)); n++) {
      const before = await world.serial(ZONE)
      const { count } = await flushed(world.store, SETTINGS, NOW, MAX)
      const steps = (await stepsFrom(world.store, ZONE, before)) ?? []
      counts.push(new Set(steps.flatMap(({ come }) => decodeRows(come)).map(({ owner }) => owner)).size)
      if (await isDirty(world)) expect(count).toBe(MAX)
      await between()
    }
    return counts
  }

  it('publishes every ALIAS of a target in several flushes', async () => {
    const world = await published(
      await storeWith({
        [ZONE]: { home: A, ...followers('ALIAS', 'home'), last: ['60 ALIAS n3.example.test.'] },
      }),
    )
    await world.put(ZONE, 'home', ['300 A 192.0.2.9'])
    const counts = await changesOf(world)

    expect(Math.max(...counts)).toBeLessThanOrEqual(MAX)
    expect(counts.reduce((sum, count) => sum + count)).toBe(NAMES + 2)
    expect((await world.published(ZONE)).filter((row) => row.endsWith(' A 192.0.2.9'))).toHaveLength(
      NAMES + 2,
    )
  })

  it('publishes what changes meanwhile before them, and the names that follow that', async () => {
    const world = await published(await storeWith({ [ZONE]: { home: A, ...followers('ALIAS', 'home') } }))
    await world.put(ZONE, 'zz', A)
    await world.put(ZONE, 'home', ['300 A 192.0.2.9'])
    const octets = [10, 11]
    await changesOf(world, async () => {
      const octet = octets.shift()
      if (octet === undefined) return
      await world.put(ZONE, 'home', [`300 A 192.0.2.${octet}`])
      await world.put(ZONE, 'zz', [`300 A 192.0.2.${octet}`])
      await flushed(world.store, SETTINGS, NOW, MAX)
      expect(await world.published(ZONE)).toContain(`zz 300 A 192.0.2.${octet}`)
    })

    expect((await world.published(ZONE)).filter((row) => row.endsWith(' A 192.0.2.11'))).toHaveLength(
      NAMES + 2,
    )
  })

  it('has its share of the records of a flush, and other zones have theirs', async () => {
    const many = (octet: number) => Array.from({ length: 100 }, (_, n) => `300 A 192.0.${octet}.${n}`)
    const names = 80
    const aliases = Object.fromEntries(
      Array.from({ length: names }, (_, n) => [`n${n}`, ['60 ALIAS home.example.test.']]),
    )
    const world = await storeWith({ [ZONE]: { home: many(1), ...aliases }, 'other.test': { home: A } })
    /** Records of ZONE that each flush publishes, until nothing waits. */
    const flushes = async (): Promise<readonly number[]> => {
      const counts: number[] = []
      for (let n = 0; n < 60 && (await isDirty(world)); n++) {
        const before = await world.serial(ZONE)
        await world.put('other.test', 'home', [`300 A 198.51.100.${n}`])
        await flushed(world.store)
        expect(await world.published('other.test')).toContain(`home 300 A 198.51.100.${n}`)
        const steps = (await stepsFrom(world.store, ZONE, before)) ?? []
        counts.push(steps.flatMap(({ come }) => decodeRows(come)).length)
      }
      return counts
    }
    for (const octet of [1, 2]) {
      if (octet === 2) await world.put(ZONE, 'home', many(octet))
      const counts = await flushes()
      expect(Math.max(...counts)).toBeLessThanOrEqual(4000 + 101)
      expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual((names + 1) * 100)
      const rows = await world.published(ZONE)
      expect(rows.filter((row) => row.includes(` A 192.0.${octet}.`))).toHaveLength((names + 1) * 100)
    }
  })

  it('ends with a loop of CNAME', async () => {
    const world = await published(
      await storeWith({ [ZONE]: { home: ['300 CNAME n1.example.test.'], ...followers('CNAME', 'home') } }),
    )
    await world.put(ZONE, 'home', ['60 CNAME n1.example.test.'])
    expect((await changesOf(world)).length).toBeLessThan(10)
    expect(await isDirty(world)).toBe(false)
  })

  it('cuts at a new zone at once, and hides the names beneath it in several flushes', async () => {
    const beneath = Object.fromEntries(Array.from({ length: NAMES }, (_, n) => [`n${n}.sub`, A]))
    const world = await published(await storeWith({ [ZONE]: { ...beneath, www: A } }))
    await world.addZone('sub.example.test')
    await flushed(world.store, SETTINGS, NOW, MAX)
    expect(await world.published(ZONE)).toEqual(expect.arrayContaining(cut('sub')))
    await changesOf(world)
    expect(await world.published(ZONE)).toEqual([...NS, ...cut('sub'), 'www 300 A 192.0.2.1'].toSorted())
    await world.removeZone('sub.example.test')
    expect(Math.max(...(await changesOf(world)))).toBeLessThanOrEqual(MAX)
    expect(await world.published(ZONE)).toHaveLength(NS.length + NAMES + 1)
  })

  it('says that there may be more, also of one zone among several', async () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`n${n}`, A]))
    const world = await storeWith({ 'a.test': many, 'b.test': { home: A } })
    const counts: number[] = []
    while (await isDirty(world)) counts.push((await flushed(world.store, SETTINGS, NOW, 30)).count)
    // At most ten of each zone and of the catalog.
    expect(counts).toEqual([30, 3])
  })

  it('leaves nothing of a zone that is gone', async () => {
    const world = await published(await storeWith({ [ZONE]: { home: A, ...followers('ALIAS', 'home') } }))
    await world.put(ZONE, 'home', ['300 A 192.0.2.9'])
    await flushed(world.store, SETTINGS, NOW, MAX)
    expect(await isDirty(world)).toBe(true)
    await world.removeZone(ZONE)
    await flushed(world.store, SETTINGS, NOW, MAX)
    expect(await rowsOf(world.store, ZONE)).toEqual([])
    await swept(world.store)
    await flushed(world.store, SETTINGS, NOW, MAX)
    expect(await isDirty(world)).toBe(false)
  })
})

describe('rows of the journal', () => {
  const row = fc.record({
    owner: fc.constantFrom('', 'a', 'a\u0001b', 'x'.repeat(200)),
    type: fc.nat(65_535),
    ttl: fc.nat(2 ** 31),
    rdata: fc.uint8Array({ maxLength: 300 }).map((octets) => Buffer.from(octets)),
  })

  it('are read as they were written', () =>
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        expect(decodeRows(encodeRows(rows))).toEqual(rows)
      }),
      { numRuns: runs(50) },
    ))

  it('may have the largest RDATA', () => {
    const rows = [{ owner: 'a', type: 16, ttl: 1, rdata: Buffer.alloc(65_535, 7) }]
    expect(decodeRows(encodeRows(rows))).toEqual(rows)
    expect(sizeOfRow({ owner: 'a', type: 16, ttl: 1, rdata: Buffer.alloc(9) })).toBe(22)
  })
})

describe('after any changes', () => {
  const NAMES = ['@', 'a', 'b', 'c', 'x.a', '*', 'sub', 'y.sub']
  const ZONES = [ZONE, 'sub.example.test', 'y.sub.example.test', 'test']
  const value = fc.constantFrom<Stored[]>(
    { records: A },
    { records: ['300 A 192.0.2.1', '300 A 192.0.2.2', '60 AAAA 2001:db8::1'] },
    { records: ['60 A 192.0.2.1'] },
    { records: ['300 TXT "hi"', '300 MX 5 a.example.test.'] },
    { records: ['300 ALIAS a.example.test.'] },
    { records: ['300 ALIAS b.example.test.', '300 TXT "hi"'] },
    { records: ['300 CNAME b.example.test.'] },
    { records: ['300 _URL https://away.test/'] },
    { records: A, offline: { action: 'none' } },
    { records: A, offline: { action: 'record', dns_type: 'A', rdata: '192.0.2.99' } },
    { records: A, isBlocked: true },
    {},
  )
  const at = { zone: fc.constantFrom(...ZONES), name: fc.constantFrom(...NAMES) }
  const change = fc.oneof(
    { weight: 8, arbitrary: fc.record({ act: fc.constant('put' as const), ...at, stored: value }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('remove' as const), ...at }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('offline' as const), ...at }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('value' as const), ...at, octet: fc.nat(255) }) },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('zone' as const), zone: at.zone }) },
    {
      weight: 4,
      arbitrary: fc.record({
        act: fc.constant('flush' as const),
        maxNames: fc.constantFrom(1, 2, 4, MAX_FLUSHED),
      }),
    },
  )
  const LAST = { act: 'flush' as const, maxNames: 2 }
  type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

  async function apply(world: World, one: Exclude<Change, { act: 'flush' }>): Promise<void> {
    const isThere = (await world.serial(one.zone)) !== -1
    if (one.act === 'zone') return isThere ? world.removeZone(one.zone) : world.addZone(one.zone)
    if (!isThere) return
    if (one.act === 'put') return world.put(one.zone, one.name, one.stored)
    if (one.act === 'remove') return world.remove(one.zone, one.name)
    await world.store.write(async (w) => {
      const fqdn = one.name === '@' ? one.zone : `${one.name}.${one.zone}`
      const found = (await w.namesByFqdn(fqdn)).find(({ zoneId }) => zoneId === world.idOf(one.zone))
      const rdata = found?.rdata.find(({ dnsType }) => dnsType === 'A')
      if (found === undefined) return
      if (one.act === 'offline') await w.setOffline(found, !found.isOffline, NOW)
      else if (rdata !== undefined)
        await w.setValue(found, { rdataId: rdata.id, value: `192.0.2.${one.octet}` }, NOW)
    })
  }

  async function flushAll({ store }: World, maxNames: number): Promise<void> {
    while (await store.read(async (r) => r.hasDirtyNames())) await flushed(store, SETTINGS, NOW, maxNames)
  }

  /** Every name that is stored or a zone, rendered again. */
  async function freshCopy(world: World, zone: string): Promise<ReadonlySet<string>> {
    return world.store.read(async (r) => {
      const apexes = (await r.publishedZones(0, 100)).map(({ apex }) => apex)
      const id = world.idOf(zone)
      const rows: PublishedRow[] = []
      const cuts = apexes
        .filter((apex) => apex !== zone && isAtOrBelow(apex, zone))
        .map((apex) => apex.slice(0, -zone.length - 1))
      for (const name of new Set([...NAMES, ...cuts])) {
        const context = {
          apex: zone,
          settings: SETTINGS,
          stateAt: async (other: string) => r.storedState(id, other),
          zoneOf: async (fqdn: string) =>
            apexes
              .filter((apex) => apex !== zone && isAtOrBelow(apex, zone) && isAtOrBelow(fqdn, apex))
              .toSorted((x, y) => x.length - y.length)[0],
        }
        for (const record of await rendered(name, await context.stateAt(name), context))
          rows.push({ owner: ownerKey(name), ...record })
      }
      return new Set(rows.map(keyOf))
    })
  }

  it('the steps from any serial lead to the present copy, which is what is stored', () =>
    fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 5, maxLength: 40 }), async (changes) => {
        const world = await storeWith({ [ZONE]: {}, 'sub.example.test': {} })
        const copies = new Map<string, Map<number, ReadonlySet<string>>>()
        for (const one of [...changes, LAST]) {
          if (one.act !== 'flush') await apply(world, one)
          else {
            await flushed(world.store, SETTINGS, NOW, one.maxNames)
            if (one === LAST) await flushAll(world, one.maxNames)
            for (const zone of ZONES) {
              const known =
                copies.get(`${zone} ${world.idOf(zone)}`) ?? new Map<number, ReadonlySet<string>>()
              copies.set(
                `${zone} ${world.idOf(zone)}`,
                known.set(await world.serial(zone), await copyOf(world.store, zone)),
              )
            }
          }
        }
        for (const zone of ZONES) {
          const present = await copyOf(world.store, zone)
          if ((await world.serial(zone)) !== -1) expect(present).toEqual(await freshCopy(world, zone))
          for (const [serial, copy] of copies.get(`${zone} ${world.idOf(zone)}`) ?? []) {
            const steps = await stepsFrom(world.store, zone, serial)
            if (steps === undefined) continue
            const then = new Set(copy)
            for (const { gone, come } of steps) {
              for (const row of decodeRows(gone)) expect(then.delete(keyOf(row))).toBe(true)
              for (const row of decodeRows(come)) {
                expect(then.has(keyOf(row))).toBe(false)
                then.add(keyOf(row))
              }
            }
            expect(then).toEqual(present)
          }
          const rows = await rowsOf(world.store, zone)
          const published = await world.store.read(async (r) => r.publishedZone(zone))
          expect(published?.size ?? 0).toBe(rows.reduce((sum, row) => sum + sizeOfRow(row), 0))
        }
        await world.store.close()
      }),
      { numRuns: runs(20) },
    ))
})
