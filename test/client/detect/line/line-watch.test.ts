import { beforeEach, describe, expect, it } from 'vitest'
import {
  isOfOtherLine,
  type LineNow,
  type LineWatch,
  lineWatch,
} from '../../../../src/client/detect/line/line-watch.ts'
import type { Finding } from '../../../../src/client/detect/finding.ts'
import type { SavedLines } from '../../../../src/client/decide/state.ts'
import type { Address } from '../../../../src/shared/base/address.ts'
import type { Sighting } from '../../../../src/shared/base/sighting.ts'
import { hours, milliseconds, minutes, seconds } from '../../../../src/shared/base/time.ts'
import type { KernelRoute } from '../../../../src/shared/ports/network.ts'
import { address, interfaceAddress } from '../../../fakes/address.ts'
import { type VirtualClock, virtualClock } from '../../../fakes/clock.ts'

const [ROUTER, BOX, STICK] = ['192.168.1.1', '192.168.1.66', '192.168.8.1']
const A = address('11.0.0.1')

interface Host {
  /** The gateway in use, on eth0; that of the stick is on usb0. */
  gateway: string
  /** Addresses that answer a ping. */
  answering: readonly string[]
  /** What routers say, by address; null: they have no public address. */
  words: Readonly<Record<string, string | null>>
  published: readonly Address[]
  /** The kernel calls the stick a tunnel. */
  isTunnel?: boolean
  /** The route of the stick replaces that of eth0. */
  isAlone?: boolean
}

let clock: VirtualClock
let host: Host
let findings: Finding[]
let looks: number
let pings: string[]

beforeEach(() => {
  clock = virtualClock()
  host = { gateway: ROUTER, answering: [ROUTER, '9.9.9.9'], words: {}, published: [A] }
  findings = []
  looks = 0
  pings = []
})

const isStick = (): boolean => host.gateway === STICK
const interfaces = [
  interfaceAddress('192.168.1.20', { prefixLength: 24 }),
  interfaceAddress('192.168.8.100', { interface: 'usb0', prefixLength: 24 }),
]
const routes = (): readonly KernelRoute[] => {
  const to = { destination: address('0.0.0.0'), length: 0 }
  const home = { ...to, interface: 'eth0', gateway: address(isStick() ? ROUTER : host.gateway), metric: 100 }
  const stick = { ...to, interface: 'usb0', gateway: address(STICK), metric: 50 }
  if (!isStick()) return [home]
  return host.isAlone === true ? [stick] : [stick, home]
}

function made(remembered?: SavedLines): LineWatch {
  return lineWatch({
    family: 'v4',
    ports: {
      interfaces: async () => Promise.resolve(interfaces),
      routes: async () => Promise.resolve(routes()),
      outboundRoute: async () =>
        Promise.resolve(
          isStick()
            ? { interface: 'usb0', address: address('192.168.8.100') }
            : { interface: 'eth0', address: address('192.168.1.20') },
        ),
      wayOut: async () => Promise.resolve(undefined),
      packetRoute: async () => Promise.resolve(undefined),
      neighbours: async () => Promise.resolve([]),
      isTunnel: async () => Promise.resolve(host.isTunnel === true && isStick()),
      datagram: async () => Promise.resolve({ kind: 'silent' } as const),
      program: async (argv) => {
        const to = argv.at(-1) ?? ''
        pings.push(to)
        return Promise.resolve({
          kind: 'ended',
          code: host.answering.includes(to) ? 0 : 1,
          stdout: '',
        } as const)
      },
      mayPing: () => true,
    },
    clock,
    rule: () => 'guard',
    published: () => host.published,
    remembered: async () => Promise.resolve(remembered),
    beyond: () => [address('9.9.9.9')],
    askRouter: async (gateway) => {
      const said = host.words[gateway.address]
      const none: Sighting = { kind: 'unknown', because: 'mute' }
      if (said === null) return Promise.resolve({ kind: 'none' } as const)
      return Promise.resolve(
        said === undefined ? none : { kind: 'seen', address: address(said), by: 'router' },
      )
    },
    requestLook: () => void looks++,
    report: (finding) => findings.push(finding),
    signal: new AbortController().signal,
  })
}

/** At home, with what answers there. */
async function atHome(): Promise<LineWatch> {
  const lines = made()
  lines.start()
  await lines.now()
  lines.record({ hasWord: false, isAgreed: true })
  await clock.pass(seconds(1))
  return lines
}

const HOME = { interface: 'eth0', gateway: address(ROUTER) }

describe('the line of this host', () => {
  it('is the first one, and is saved with what answers there', async () => {
    const lines = await atHome()
    expect((await lines.last()).verdict).toEqual({ kind: 'open', because: 'first line' })
    expect(lines.saved()).toEqual({ home: HOME, known: [], heard: ['gateway', 'beyond'] })
    expect(await lines.gateway()).toMatchObject({ address: ROUTER })
    expect(findings).toEqual([])
  })

  it('is kept while it answers, whatever else is in use, and this is told once', async () => {
    const lines = await atHome()
    host.gateway = BOX
    expect((await lines.now()).verdict).toMatchObject({ kind: 'held', because: 'old line alive' })
    await clock.pass(minutes(5))
    expect((await lines.last()).verdict).toMatchObject({ kind: 'held' })
    expect(await lines.gateway()).toMatchObject({ address: ROUTER })
    expect(findings).toEqual([
      {
        kind: 'lineHeld',
        because: 'old line alive',
        through: `${BOX} on eth0`,
        addresses: [A],
        home: `eth0 via ${ROUTER}`,
      },
    ])
  })

  it('is asked for each 1.5 s in the first minute, and each 4 s then', async () => {
    const lines = await atHome()
    host.gateway = BOX
    pings = []
    await lines.now()
    await clock.pass(minutes(1))
    expect(pings.length).toBeGreaterThanOrEqual(36)
    expect(pings.length).toBeLessThanOrEqual(42)
    pings = []
    await clock.pass(minutes(1))
    expect(pings.length).toBeLessThanOrEqual(16)
  })

  it('is told again after ten minutes without it, and once more after a day', async () => {
    const lines = await atHome()
    for (const away of [seconds(30), minutes(11)]) {
      host.gateway = BOX
      await lines.now()
      host.gateway = ROUTER
      await lines.now()
      await clock.pass(away)
    }
    host.gateway = BOX
    await lines.now()
    expect(findings.map(({ kind }) => kind)).toEqual(['lineHeld', 'lineHeld'])
    await clock.pass(hours(49))
    expect(findings.slice(2)).toEqual([{ kind: 'lineHeldLong', through: `${BOX} on eth0`, addresses: [A] }])
  })

  it('is left when its gateway is silent for six seconds', async () => {
    const lines = await atHome()
    host.gateway = STICK
    host.answering = []
    await lines.now()
    await clock.pass(milliseconds(5900))
    expect((await lines.last()).verdict.kind).toBe('held')
    await clock.pass(seconds(3))
    expect((await lines.last()).verdict.kind).toBe('open')
    expect(looks).toBeGreaterThan(0)
    expect(findings.at(-1)).toMatchObject({ kind: 'lineChanged', to: `usb0 via ${STICK}`, sign: 'gateway' })
    // The next process must not take a VPN for its own that only has no line beneath it for a while.
    expect(lines.saved()).toMatchObject({ home: HOME, heard: ['gateway', 'beyond'] })
    lines.record({ hasWord: false, isAgreed: true })
    await lines.now()
    expect(lines.saved()).toMatchObject({ home: { interface: 'usb0' }, known: [HOME] })
  })

  it('is asked once more before an agreement on the line after it counts', async () => {
    const lines = await atHome()
    host.gateway = STICK
    host.answering = []
    await lines.now()
    await clock.pass(seconds(9))
    await lines.tryLeft()
    expect((await lines.now()).verdict.kind).toBe('open')
    host.answering = [ROUTER]
    await lines.tryLeft()
    expect((await lines.now()).verdict).toMatchObject({ kind: 'held', because: 'old line answers again' })
    pings = []
    await lines.tryLeft()
    expect(pings).toEqual([])
  })

  it('asks for a look once when a reading between two rounds gives another verdict', async () => {
    const lines = await atHome()
    host.gateway = STICK
    await lines.now()
    host.gateway = ROUTER
    expect((await lines.reread()).verdict.kind).toBe('open')
    expect((await lines.reread()).verdict.kind).toBe('open')
    await clock.pass(seconds(20))
    expect(looks).toBe(1)
    host.gateway = STICK
    expect((await lines.now()).verdict.kind).toBe('held')
    await lines.reread()
    expect(looks).toBe(1)
  })

  it('is told to be left for a tunnel only when an address of that is agreed on', async () => {
    const lines = await atHome()
    Object.assign(host, { gateway: STICK, answering: [], isTunnel: true })
    await lines.now()
    await clock.pass(seconds(9))
    expect((await lines.last()).verdict.kind).toBe('open')
    expect(findings.map(({ kind }) => kind)).toEqual(['lineHeld'])
    lines.record({ hasWord: false, isAgreed: true })
    await lines.now()
    expect(findings.at(-1)).toMatchObject({ kind: 'lineChanged', to: `usb0 via ${STICK}`, sign: 'gateway' })
  })

  it('is not left by a silence where nothing was heard', async () => {
    host.answering = []
    const lines = await atHome()
    host.gateway = STICK
    await lines.now()
    await clock.pass(minutes(30))
    expect((await lines.last()).verdict.kind).toBe('held')
  })

  it('is left when nothing beyond its gateway answers, as before', async () => {
    const lines = await atHome()
    host.gateway = STICK
    host.answering = [ROUTER]
    await lines.now()
    await clock.pass(milliseconds(7900))
    expect((await lines.last()).verdict.kind).toBe('held')
    await clock.pass(seconds(3))
    expect((await lines.last()).verdict).toMatchObject({ kind: 'open', sign: 'beyond' })
  })

  it('is left for one whose router has the address that outside services see', async () => {
    const lines = await atHome()
    host.gateway = STICK
    host.words = { [STICK]: '12.0.0.9' }
    await lines.now()
    await clock.pass(seconds(5))
    expect((await lines.last()).verdict.kind).toBe('held')
    lines.record({ hasWord: false, isAgreed: false, elsewhere: address('12.0.0.9') })
    await clock.pass(seconds(3))
    expect((await lines.last()).verdict.kind).toBe('open')
    expect(findings.at(-1)).toMatchObject({ kind: 'lineChanged', because: 'its router has the address' })
  })

  it('is the one before again when that was only silent for a while', async () => {
    const lines = await atHome()
    host.gateway = BOX
    host.answering = []
    await lines.now()
    await clock.pass(seconds(9))
    expect((await lines.last()).verdict.kind).toBe('open')
    host.answering = [ROUTER]
    await clock.pass(seconds(2))
    expect((await lines.last()).verdict).toMatchObject({ kind: 'held', because: 'old line answers again' })
    expect(lines.saved()).toEqual({ home: HOME, known: [HOME], heard: ['gateway', 'beyond'] })
  })

  it('is the one before again when its router has a public address again', async () => {
    const lines = await atHome()
    lines.record({ hasWord: true, isAgreed: true })
    Object.assign(host, { gateway: STICK, isTunnel: true, isAlone: true, words: { [ROUTER]: null } })
    await lines.now()
    await clock.pass(seconds(60))
    expect((await lines.last()).verdict.kind).toBe('open')
    host.words = { [ROUTER]: A }
    await lines.tryLeft()
    expect((await lines.now()).verdict).toMatchObject({ kind: 'held', because: 'old line answers again' })
  })

  const SAVED: SavedLines = { home: HOME, known: [], heard: ['gateway'] }

  it('is that of the process before, also behind a VPN box of the network', async () => {
    host.gateway = BOX
    const lines = made(SAVED)
    lines.start()
    expect((await lines.now()).verdict).toMatchObject({ kind: 'held', because: 'old line alive' })
    await clock.pass(minutes(1))
    expect((await lines.last()).verdict.kind).toBe('held')
  })

  it('is looked for up to ten seconds by a process that ends, and only while a sign is seen', async () => {
    host.gateway = STICK
    const alive = made(SAVED).now()
    await clock.pass(milliseconds(10))
    expect((await alive).verdict.kind).toBe('held')
    host.answering = []
    const dead = made(SAVED).now()
    await clock.pass(seconds(11))
    expect((await dead).verdict).toMatchObject({ kind: 'open', sign: 'gateway' })
  })
})

describe('an address of this host', () => {
  const open = { kind: 'open', because: 'same line' } as const
  const held = { kind: 'held', because: 'old line alive', through: 'x' } as const
  const use = { isGlobal: true, isForeign: false, isTunnel: false }
  const eth0 = { interface: 'eth0', gateway: address(ROUTER), source: address('192.168.1.20') }
  const wwan0 = { ...use, interface: 'wwan0', source: address('12.0.0.2') }
  const box = { ...use, interface: 'eth0', gateway: address('fe80::66'), source: address('2a02:9::20') }
  const home6 = { interface: 'eth0', gateway: address('fe80::1'), source: address('2a02:1::20') }

  // biome-ignore format: a table
  it.each<[string, LineNow, string, string, boolean]>([
    ['of the home line',                           { verdict: open, use: { ...use, ...eth0 }, home: eth0 },              'eth0',  '11.0.0.1',    false],
    ['of a line that was home before',             { verdict: open, use: { ...use, ...eth0 }, home: eth0, known: [wwan0] }, 'wwan0', '12.0.0.2', true],
    ['of an interface that was never home',        { verdict: open, use: { ...use, ...eth0 }, home: eth0 },              'eth1',  '12.0.0.9',    false],
    ['of the line that is held',                   { verdict: held, use: wwan0, home: eth0 },                            'wwan0', '12.0.0.2',    true],
    ['of the home line, beside one that is held',  { verdict: held, use: wwan0, home: eth0 },                            'eth0',  '11.0.0.1',    false],
    ['of the prefix of a box',                     { verdict: held, use: box, home: home6 },                             'eth0',  '2a02:9::abc', true],
    ['of the home prefix, beside that of a box',   { verdict: held, use: box, home: home6 },                             'eth0',  '2a02:1::abc', false],
    ['of a box without a prefix',                  { verdict: held, use: { ...box, source: home6.source }, home: home6 }, 'eth0', '2a02:1::abc', false],
    ['of the other family',                        { verdict: held, use: wwan0, home: eth0 },                            'wwan0', '2a02:9::abc', false],
  ])('%s', (_, now, name, text, isOther) =>
    expect(isOfOtherLine(now, interfaceAddress(text, { interface: name }))).toBe(isOther))
})
