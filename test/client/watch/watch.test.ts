import { beforeEach, describe, expect, it } from 'vitest'
import { type Duration, instant, milliseconds, minutes, seconds } from '../../../src/base/time.ts'
import type { AddressSource } from '../../../src/client/sources/source.ts'
import { watchKernelEvents } from '../../../src/client/watch/kernel.ts'
import { watchOutside } from '../../../src/client/watch/outside.ts'
import { watchProbe } from '../../../src/client/watch/probe.ts'
import { watchRouter } from '../../../src/client/watch/router.ts'
import { watchWake } from '../../../src/client/watch/wake.ts'
import type { Hint } from '../../../src/client/watch/hint.ts'
import { watch } from '../../../src/client/watch/watch.ts'
import type {
  WatcherContext,
  WatcherFinding,
  WatcherState,
  WatchPorts,
} from '../../../src/client/watch/watcher.ts'
import { type Address, bytesOf, type Family, parseAddress } from '../../../src/net/address.ts'
import type { Sighting } from '../../../src/net/sighting.ts'
import type { DatagramOutcome, DatagramRequest } from '../../../src/ports/datagram.ts'
import type { Gateway } from '../../../src/ports/network.ts'
import { type VirtualClock, virtualClock } from '../../fakes/clock.ts'

const address = (text: string): Address => {
  const parsed = parseAddress(text)
  if (parsed === undefined) throw new Error(`${text} is no address`)
  return parsed
}
const [ROUTER, LOCAL, STRANGER] = ['192.168.1.1', '192.168.1.2', '192.168.1.66'].map(address) as [
  Address,
  Address,
  Address,
]
const GATEWAY: Gateway = { address: ROUTER, interface: 'eth0', local: LOCAL }

/** A home with a router, as the ports show it; everything in it can be changed while it is watched. */
interface Home {
  gateway: Gateway | undefined
  wan: Address | undefined
  epoch: () => number
  speaks: boolean
  /** Who answers a byte to the public address. */
  takes: (question: DatagramRequest) => boolean
  interfaces: readonly string[]
  announce: (from: Address, port: number) => void
  kernel: { changed: () => void; missing: (because: string) => void }
}

let clock: VirtualClock
let home: Home
let hints: Hint[]
let findings: WatcherFinding[]
let asked: number
let shared: WatcherState
let watching: WatcherContext

const answer = (): DatagramOutcome => {
  const bytes = Buffer.alloc(12)
  bytes[1] = 128
  if (home.wan === undefined) bytes.writeUInt16BE(3, 2)
  else bytes.set(bytesOf(home.wan), 8)
  bytes.writeUInt32BE(home.epoch(), 4)
  return { kind: 'answered', bytes, took: milliseconds(1), sent: 1 }
}

beforeEach(() => {
  clock = virtualClock()
  hints = []
  findings = []
  asked = 0
  home = {
    gateway: GATEWAY,
    wan: address('8.8.8.8'),
    epoch: () => Math.round(clock.now() / 1000) + 100,
    speaks: true,
    takes: () => false,
    interfaces: ['192.168.1.2'],
    announce: () => undefined,
    kernel: { changed: () => undefined, missing: () => undefined },
  }
  const datagram = async (question: DatagramRequest): Promise<DatagramOutcome> => {
    if (question.port === 33_434)
      return home.takes(question) ? { kind: 'refused', took: milliseconds(1) } : { kind: 'silent' }
    if (question.port !== 5351 || !home.speaks) return { kind: 'silent' }
    asked++
    return answer()
  }
  const ports: WatchPorts = {
    http: async () => ({ kind: 'unreached', stage: 'connect', because: 'nobody' }),
    interfaces: async () =>
      home.interfaces.map((text) => ({
        interface: 'eth0',
        address: address(text),
        isTemporary: false,
        isUnusable: false,
        isPermanent: false,
        prefixLength: 64,
        isTunnel: false,
      })),
    datagram,
    stream: async () => 'nobody',
    resolve: async () => [],
    forget: () => undefined,
    outboundRoute: async () => undefined,
    gateway: async () => home.gateway,
    program: async () => ({ kind: 'failed', because: 'nothing' }),
    openChannel: () => ({ ask: datagram, close: () => undefined }),
    listenToGroup: async (_, heard) => {
      home.announce = (from, port) => heard(new Uint8Array(12), from, port)
      return { close: () => undefined }
    },
    listenForEvents: async () => undefined,
    watchKernel: (changed, missing) => {
      home.kernel = { changed, missing }
      return { close: () => undefined }
    },
  }
  shared = {
    asksRouter: true,
    doesRouterAnswer: false,
    isProbed: false,
    kernelListeners: new Set(),
    askRouterNow: () => undefined,
    recheckListeners: new Set(),
    published: () => home.wan,
    isOpen: () => false,
    outside: [],
  }
  watching = {
    ports,
    clock,
    userAgent: 'test',
    random: () => 0,
    uptime: () => milliseconds(clock.now()),
    hint: (hint) => hints.push(hint),
    report: (finding) => findings.push(finding),
    signal: new AbortController().signal,
  }
})

describe('the kernel', () => {
  it('is a hint when the addresses changed, and none when a line says nothing new', async () => {
    void watchKernelEvents(watching, shared)
    await clock.pass(seconds(1))
    home.kernel.changed()
    await clock.pass(seconds(1))
    expect(hints).toEqual([])
    home.interfaces = ['192.168.1.3']
    home.kernel.changed()
    await clock.pass(milliseconds(1))
    expect(hints).toEqual(['kernel'])
  })

  it('that does not tell is asked each five seconds', async () => {
    void watchKernelEvents(watching, shared)
    await clock.pass(seconds(1))
    home.kernel.missing('ip: ENOENT')
    home.kernel.missing('ip: ENOENT')
    home.interfaces = ['192.168.1.3']
    await clock.pass(seconds(6))
    expect(hints).toHaveLength(1)
    expect(findings).toEqual([{ kind: 'kernelWatchMissing', because: 'ip: ENOENT' }])
  })

  it('in a storm of lines is read no more often than bursts', async () => {
    let reads = 0
    const ports = { ...watching.ports, gateway: async () => (reads++, GATEWAY) }
    void watchKernelEvents({ ...watching, ports }, shared)
    for (let n = 0; n < 1000; n++) {
      home.kernel.changed()
      await clock.pass(milliseconds(1))
    }
    expect(reads).toBeLessThan(60)
  })
})

describe('a router that answers', () => {
  it('is asked each second, and a change is a hint within one', async () => {
    void watchRouter(watching, shared)
    await clock.pass(seconds(10))
    expect(asked).toBeGreaterThanOrEqual(10)
    expect(asked).toBeLessThanOrEqual(12)
    expect([hints, shared.doesRouterAnswer]).toEqual([[], true])
    home.wan = address('9.9.9.9')
    await clock.pass(seconds(1))
    expect(hints).toEqual(['router-differs'])
    expect(findings).toContainEqual({ kind: 'notAnnounced', gateway: ROUTER })
  })

  it('hints when it loses its address, and when its table was made anew with the same one', async () => {
    void watchRouter(watching, shared)
    await clock.pass(seconds(30))
    home.wan = undefined
    await clock.pass(seconds(1))
    home.wan = address('8.8.8.8')
    await clock.pass(seconds(2))
    expect(hints).toHaveLength(2)
    const restarted = clock.now()
    home.epoch = () => Math.round((clock.now() - restarted) / 1000)
    await clock.pass(seconds(2))
    expect(hints).toHaveLength(3)
  })

  it('that announces is believed to, and asked seldom; until a change comes without', async () => {
    void watchRouter(watching, shared)
    await clock.pass(seconds(5))
    home.announce(ROUTER, 5351)
    home.wan = address('9.9.9.9')
    await clock.pass(seconds(5))
    expect(hints[0]).toBe('announcement')
    asked = 0
    await clock.pass(minutes(2))
    expect(asked).toBeLessThanOrEqual(6)
    home.wan = address('1.1.1.1')
    await clock.pass(seconds(31))
    asked = 0
    await clock.pass(seconds(10))
    expect(asked).toBeGreaterThanOrEqual(9)
  })

  it('that announced too early is asked again soon, five times', async () => {
    void watchRouter(watching, shared)
    await clock.pass(seconds(5))
    asked = 0
    home.announce(ROUTER, 5351)
    await clock.pass(milliseconds(300))
    home.wan = address('9.9.9.9')
    await clock.pass(milliseconds(250))
    expect(hints).toEqual(['announcement', 'router-differs'])
  })

  it('is heard only itself, and only from its port', async () => {
    void watchRouter(watching, shared)
    await clock.pass(seconds(2))
    home.announce(STRANGER, 5351)
    home.announce(ROUTER, 5350)
    await clock.pass(seconds(2))
    expect(hints).toEqual([])
  })

  it('is found when the network comes up, without waiting', async () => {
    home.gateway = undefined
    void watchRouter(watching, shared)
    await clock.pass(seconds(20))
    expect(shared.doesRouterAnswer).toBe(false)
    home.gateway = GATEWAY
    for (const ring of shared.kernelListeners) ring()
    await clock.pass(milliseconds(10))
    expect(shared.doesRouterAnswer).toBe(true)
  })

  it('or not, is said once', async () => {
    home.speaks = false
    void watchRouter(watching, shared)
    await clock.pass(minutes(11))
    expect(findings).toEqual([])
    home.speaks = true
    await clock.pass(minutes(5))
    home.speaks = false
    await clock.pass(minutes(1))
    expect(findings.map(({ kind }) => kind)).toEqual(['routerAnswers', 'routerMute'])
  })
})

describe('the outside', () => {
  let said: Sighting
  let times: number
  const look = async (): Promise<Sighting> => (times++, said)
  const outside: AddressSource = {
    name: 'stun:x',
    operator: 'x',
    vantage: 'outside',
    families: ['v4', 'v6'],
    cooldown: milliseconds(0),
    look,
  }
  const begin = (over: Partial<WatcherState> = {}, family: Family = 'v4'): void => {
    times = 0
    said = { kind: 'seen', address: address('8.8.8.8'), by: 'x' }
    shared = { ...shared, outside: [outside], ...over }
    void watchOutside(watching, shared, family)
  }

  it.each<[string, Partial<WatcherState>, Duration]>([
    ['alone', {}, seconds(25)],
    ['beside a router that answers', { doesRouterAnswer: true }, minutes(5)],
    ['beside a probe', { isProbed: true }, minutes(1)],
  ])('is asked %s as seldom as that allows', async (_, over, every) => {
    begin(over)
    await clock.pass(milliseconds(every * 10))
    expect(times).toBeGreaterThanOrEqual(9)
    expect(times).toBeLessThanOrEqual(10)
    expect(hints).toEqual([])
  })

  it('that sees another address is a hint', async () => {
    begin()
    await clock.pass(seconds(26))
    said = { kind: 'seen', address: address('9.9.9.9'), by: 'x' }
    await clock.pass(seconds(26))
    expect(hints).toEqual(['outside-differs'])
  })

  it('that falls silent is a hint, is asked each second then, and is one again when it is back', async () => {
    begin()
    await clock.pass(seconds(26))
    said = { kind: 'unknown', because: 'silent' }
    await clock.pass(seconds(25))
    expect(hints).toHaveLength(1)
    times = 0
    await clock.pass(seconds(20))
    expect(times).toBeGreaterThanOrEqual(19)
    said = { kind: 'seen', address: address('8.8.8.8'), by: 'x' }
    await clock.pass(seconds(1))
    expect(hints).toHaveLength(2)
  })

  it('is news whatever it says while nothing is published, and is asked each second after a round without a verdict', async () => {
    begin({ published: () => undefined, isOpen: () => true })
    await clock.pass(milliseconds(1100))
    expect(hints).toEqual(['outside-differs'])
    await clock.pass(seconds(10))
    expect(hints).toHaveLength(1)
    expect(times).toBeGreaterThanOrEqual(10)
  })

  it('is asked at once, and then each second, when a round comes to nothing', async () => {
    let isOpen = false
    begin({ doesRouterAnswer: true, isOpen: () => isOpen })
    await clock.pass(minutes(1))
    expect(times).toBe(0)
    isOpen = true
    for (const ring of shared.recheckListeners) ring()
    await clock.pass(milliseconds(3500))
    expect(times).toBe(4)
  })

  it('is asked each ten seconds at least while nothing is published', async () => {
    begin({ published: () => undefined, isOpen: () => true })
    said = { kind: 'unknown', because: 'silent' }
    await clock.pass(minutes(30))
    times = 0
    await clock.pass(minutes(5))
    expect(times).toBeGreaterThanOrEqual(29)
  })

  it('over IPv6 is asked as beside a router, and another address of the same network is no news', async () => {
    watching = {
      ...watching,
      ports: { ...watching.ports, outboundRoute: async () => ({ interface: 'eth0' }) },
    }
    begin({ published: () => address('2600::1') }, 'v6')
    said = { kind: 'seen', address: address('2600::dead:beef'), by: 'x' }
    await clock.pass(minutes(11))
    expect([times, hints]).toEqual([2, []])
    said = { kind: 'seen', address: address('2a00::1'), by: 'x' }
    await clock.pass(minutes(5))
    expect(hints).toHaveLength(1)
  })

  it('over IPv6 is not asked by a host that has no way out over it', async () => {
    begin({ published: () => undefined, isOpen: () => true }, 'v6')
    await clock.pass(minutes(10))
    expect(times).toBe(0)
  })

  it('that is silent for long is asked each half minute', async () => {
    begin()
    said = { kind: 'unknown', because: 'silent' }
    await clock.pass(minutes(20))
    times = 0
    await clock.pass(minutes(10))
    expect(times).toBeLessThanOrEqual(21)
  })
})

describe('a watcher that fails', () => {
  it('is told, and is started again', async () => {
    let failures = 2
    const interfaces: typeof watching.ports.interfaces = async () => {
      if (failures-- > 0) throw new Error('out of order')
      return []
    }
    const ports = {
      ...watching.ports,
      interfaces,
      gateway: async () => Promise.reject(new Error('no gateway')),
    }
    watch({ ...watching, ports }, { ...shared, asksRouter: true })
    await clock.pass(seconds(12))

    const told = findings.flatMap((note) => (note.kind === 'watcherFailed' ? [note] : []))
    expect(told.filter(({ watcher }) => watcher === 'router').length).toBeGreaterThanOrEqual(2)
    expect(told[0]?.because).toContain('no gateway')
  })
})

describe('forged announcements', () => {
  it('however many, are a few hints and questions a second, and the last of them is not lost', async () => {
    void watchRouter(watching, shared)
    await clock.pass(seconds(5))
    ;[asked, hints] = [0, []]
    for (let n = 0; n < 400; n++) {
      home.announce(ROUTER, 5351)
      await clock.pass(milliseconds(5))
    }
    expect(hints.length).toBeLessThanOrEqual(22)
    expect(asked).toBeLessThanOrEqual(42)
    await clock.pass(seconds(1))
    const before = hints.length
    home.announce(ROUTER, 5351)
    await clock.pass(milliseconds(5))
    home.announce(ROUTER, 5351)
    await clock.pass(milliseconds(150))
    expect(hints.length).toBe(before + 2)
  })
})

describe('waking up', () => {
  it('is told by the boot clock, which goes on in sleep', async () => {
    let slept = 0
    void watchWake({ ...watching, uptime: () => milliseconds(clock.now() + slept) })
    await clock.pass(minutes(5))
    expect(hints).toEqual([])
    slept = 3_600_000
    await clock.pass(seconds(31))
    expect(hints).toEqual(['wake'])
    await clock.pass(minutes(5))
    expect(hints).toHaveLength(1)
  })

  it('after being stopped is told by a pause that took too long', async () => {
    let jump = 0
    const now = () => instant(clock.now() + jump)
    void watchWake({ ...watching, clock: { ...clock, now }, uptime: () => milliseconds(now()) })
    await clock.pass(seconds(10))
    jump = 60_000
    await clock.pass(seconds(31))
    expect(hints).toEqual(['wake'])
  })
})

describe('a byte to our own address', () => {
  it('finds how many hops it takes, and tells within three seconds that nobody takes it any more', async () => {
    home.takes = ({ hops, to }) => hops === 2 && to === home.wan
    void watchProbe(watching, shared)
    await clock.pass(seconds(10))
    expect(findings).toEqual([{ kind: 'probeAnswers', hops: 2 }])
    expect([shared.isProbed, hints]).toEqual([true, []])
    home.takes = () => false
    await clock.pass(seconds(3))
    expect(hints).toEqual(['probe-lost'])
  })

  it('that gets lost once is no hint', async () => {
    let lost = false
    home.takes = ({ hops }) => hops === 1 && !(lost && ((lost = false), true))
    void watchProbe(watching, shared)
    for (let n = 0; n < 20; n++) {
      await clock.pass(seconds(5))
      lost = true
    }
    expect(hints).toEqual([])
  })

  it('is not sent where the router answers when it is asked, nor where it never answers this', async () => {
    let sent = 0
    home.takes = () => (sent++, false)
    shared.doesRouterAnswer = true
    void watchProbe(watching, shared)
    await clock.pass(minutes(1))
    expect(sent).toBe(0)
    shared.doesRouterAnswer = false
    await clock.pass(minutes(9))
    expect(sent).toBeLessThanOrEqual(12)
    expect(shared.isProbed).toBe(false)
  })
})

describe('who is not among the sources', () => {
  it('is not asked: neither the router, nor anybody outside', async () => {
    let sent = 0
    const datagram: typeof watching.ports.datagram = async () => (sent++, { kind: 'silent' })
    const ports = {
      ...watching.ports,
      datagram,
      openChannel: () => ({ ask: datagram, close: () => undefined }),
    }
    watch({ ...watching, ports }, { ...shared, asksRouter: false })
    await clock.pass(minutes(10))

    expect(sent).toBe(0)
    expect(hints).toEqual([])
  })
})
