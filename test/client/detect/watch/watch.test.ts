import { systemEntropy } from '../../../../src/shared/platform/clock/clock.ts'
import { interfaceAddress } from '../../../fakes/address.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Duration, instant, milliseconds, minutes, seconds } from '../../../../src/shared/base/time.ts'
import type { AddressSource } from '../../../../src/client/detect/sources/source.ts'
import { watchKernelEvents } from '../../../../src/client/detect/watch/kernel.ts'
import { watchOutside } from '../../../../src/client/detect/watch/outside.ts'
import { watchProbe } from '../../../../src/client/detect/watch/probe.ts'
import { watchRouter } from '../../../../src/client/detect/watch/router.ts'
import { watch, watchWake } from '../../../../src/client/detect/watch/watch.ts'
import type { Hint } from '../../../../src/client/detect/watch/hint.ts'
import type {
  WatcherContext,
  WatcherFinding,
  WatcherState,
  WatchPorts,
} from '../../../../src/client/detect/watch/watcher.ts'
import { type Address, bytesOf, type Family, parseAddress } from '../../../../src/shared/base/address.ts'
import type { Sighting } from '../../../../src/shared/base/sighting.ts'
import type { DatagramOutcome, DatagramRequest } from '../../../../src/shared/ports/datagram.ts'
import type { Gateway } from '../../../../src/shared/ports/network.ts'
import { type VirtualClock, virtualClock } from '../../../fakes/clock.ts'

const address = (text: string): Address => {
  const parsed = parseAddress(text)
  if (parsed === undefined) throw new Error(`${text} is not an address`)
  return parsed
}
const [ROUTER, LOCAL, OTHER_HOST] = ['192.168.1.1', '192.168.1.2', '192.168.1.66'].map(address) as [
  Address,
  Address,
  Address,
]
const GATEWAY: Gateway = { address: ROUTER, interface: 'eth0', local: LOCAL }

/** A network with a router behind the ports; tests change it while the watchers run. */
interface Network {
  gateway: Gateway | undefined
  wan: Address | undefined
  epoch: () => number
  answers: boolean
  /** Whether a probe of the public address is answered. */
  answersProbe: (question: DatagramRequest) => boolean
  interfaces: readonly string[]
  /** By default of the address that the router gets in most tests. */
  announce: (from: Address, port: number, stated?: string) => void
  kernel: { changed: () => void; missing: (because: string) => void }
}

let clock: VirtualClock
let network: Network
let hints: Hint[]
let findings: WatcherFinding[]
let requests: number
let state: WatcherState
let context: WatcherContext

const answer = (): DatagramOutcome => {
  const bytes = Buffer.alloc(12)
  bytes[1] = 128
  if (network.wan === undefined) bytes.writeUInt16BE(3, 2)
  else bytes.set(bytesOf(network.wan), 8)
  bytes.writeUInt32BE(network.epoch(), 4)
  return { kind: 'answered', bytes, took: milliseconds(1), sent: 1 }
}

beforeEach(() => {
  clock = virtualClock()
  hints = []
  findings = []
  requests = 0
  network = {
    gateway: GATEWAY,
    wan: address('8.8.8.8'),
    epoch: () => Math.round(clock.now() / 1000) + 100,
    answers: true,
    answersProbe: () => false,
    interfaces: ['192.168.1.2'],
    announce: () => undefined,
    kernel: { changed: () => undefined, missing: () => undefined },
  }
  const datagram = async (question: DatagramRequest): Promise<DatagramOutcome> => {
    if (question.port === 33_434)
      return network.answersProbe(question) ? { kind: 'refused', took: milliseconds(1) } : { kind: 'silent' }
    if (question.port === 5351) requests++
    if (question.port !== 5351 || !network.answers) return { kind: 'silent' }
    return answer()
  }
  const ports: WatchPorts = {
    http: async () => ({ kind: 'unreached', stage: 'connect', because: 'no answer' }),
    interfaces: async () => network.interfaces.map((text) => interfaceAddress(text)),
    datagram,
    stream: async () => 'no answer',
    resolve: async () => [],
    entropy: systemEntropy,
    forget: () => undefined,
    outboundRoute: async (family) => (family === 'v4' ? { interface: 'eth0' } : undefined),
    routes: async () => [],
    gateway: async () => network.gateway,
    program: async () => ({ kind: 'failed', because: 'no program' }),
    openChannel: () => ({ ask: datagram, close: () => undefined }),
    listenToGroup: async (_, receive) => {
      network.announce = (from, port, stated = '9.9.9.9') =>
        receive(Uint8Array.from([0, 128, 0, 0, 0, 0, 0, 1, ...stated.split('.').map(Number)]), from, port)
      return { close: () => undefined }
    },
    listenForEvents: async () => undefined,
    startPing: () => ({ close: () => undefined }),
    isOnBattery: async () => false,
    watchKernel: (changed, missing) => {
      network.kernel = { changed, missing }
      return { close: () => undefined }
    },
  }
  state = {
    asksRouter: true,
    doesRouterReport: false,
    isProbed: false,
    otherLine: 'no',
    hasEvents: false,
    isAnnounced: false,
    kernelListeners: new Set(),
    askRouterNow: () => undefined,
    recheckListeners: new Set(),
    lineListeners: new Set(),
    published: () => network.wan,
    isOpen: () => false,
    outside: [],
  }
  context = {
    ports,
    clock,
    userAgent: 'test',
    mayPing: () => Promise.resolve(false),
    random: () => 0,
    uptime: () => milliseconds(clock.now()),
    hint: (hint) => hints.push(hint),
    report: (finding) => findings.push(finding),
    signal: new AbortController().signal,
  }
})

describe('the kernel watcher', () => {
  it('hints at another way out, whatever the default route', async () => {
    let way = 'eth0'
    const ports: WatchPorts = { ...context.ports, outboundRoute: async () => ({ interface: way }) }
    void watchKernelEvents({ ...context, ports }, state)
    await clock.pass(seconds(1))
    network.kernel.changed()
    await clock.pass(seconds(1))
    expect(hints).toEqual([])
    way = 'wg0'
    network.kernel.changed()
    await clock.pass(seconds(1))
    expect(hints).toEqual(['kernel'])
  })

  it('hints at changed addresses, and ignores notifications without a change', async () => {
    void watchKernelEvents(context, state)
    await clock.pass(seconds(1))
    network.kernel.changed()
    await clock.pass(seconds(1))
    expect(hints).toEqual([])
    network.interfaces = ['192.168.1.3']
    network.kernel.changed()
    await clock.pass(milliseconds(1))
    expect(hints).toEqual(['kernel'])
  })

  it('notifies the other watchers of a change, once', async () => {
    let calls = 0
    state.kernelListeners.add(() => calls++)
    void watchKernelEvents(context, state)
    await clock.pass(seconds(1))
    network.interfaces = ['192.168.1.3']
    network.kernel.changed()
    await clock.pass(seconds(1))

    expect(calls).toBe(1)
  })

  it('polls every five seconds where the kernel does not notify, and reports it once', async () => {
    void watchKernelEvents(context, state)
    await clock.pass(seconds(1))
    network.kernel.missing('ip: ENOENT')
    network.kernel.missing('ip: ENOENT')
    network.interfaces = ['192.168.1.3']
    await clock.pass(seconds(6))
    expect(hints).toHaveLength(1)
    expect(findings).toEqual([{ kind: 'kernelWatchMissing', because: 'ip: ENOENT' }])
  })

  it('reads the addresses once per burst of notifications', async () => {
    let reads = 0
    const ports = { ...context.ports, gateway: async () => (reads++, GATEWAY) }
    void watchKernelEvents({ ...context, ports }, state)
    for (let n = 0; n < 1000; n++) {
      network.kernel.changed()
      await clock.pass(milliseconds(1))
    }
    expect(reads).toBeLessThan(60)
  })
})

describe('the router watcher', () => {
  it('asks each second, and hints at a change', async () => {
    void watchRouter(context, state)
    await clock.pass(seconds(10))
    expect(requests).toBeGreaterThanOrEqual(10)
    expect(requests).toBeLessThanOrEqual(12)
    expect([hints, state.doesRouterReport]).toEqual([[], true])
    network.wan = address('9.9.9.9')
    await clock.pass(seconds(1))
    expect(hints).toEqual(['router-differs'])
    await clock.pass(seconds(1))
    expect(findings).toContainEqual({ kind: 'notAnnounced', gateway: ROUTER })
  })

  it('does not miss an announcement that comes a moment after the change was found', async () => {
    void watchRouter(context, state)
    await clock.pass(seconds(5))
    network.announce(ROUTER, 5351, '8.8.8.8')
    network.wan = address('9.9.9.9')
    await clock.pass(milliseconds(100))
    expect(hints).toContain('router-differs')
    network.announce(ROUTER, 5351, '9.9.9.9')
    await clock.pass(seconds(5))
    expect(findings.map(({ kind }) => kind)).not.toContain('notAnnounced')
    requests = 0
    await clock.pass(seconds(25))
    expect(requests).toBeLessThanOrEqual(2)
  })

  it('hints when the router loses its address, and when it resets its mapping table', async () => {
    void watchRouter(context, state)
    await clock.pass(seconds(30))
    network.wan = undefined
    await clock.pass(seconds(1))
    network.wan = address('8.8.8.8')
    await clock.pass(seconds(2))
    expect(hints).toHaveLength(2)
    const restarted = clock.now()
    network.epoch = () => Math.round((clock.now() - restarted) / 1000)
    await clock.pass(seconds(2))
    expect(hints).toHaveLength(3)
  })

  it('asks rarely after an announced change, and each second after one without', async () => {
    void watchRouter(context, state)
    await clock.pass(seconds(5))
    network.announce(ROUTER, 5351)
    network.wan = address('9.9.9.9')
    await clock.pass(seconds(5))
    expect(hints).toEqual(['router-differs'])
    requests = 0
    await clock.pass(minutes(2))
    expect(requests).toBeLessThanOrEqual(6)
    network.wan = address('1.1.1.1')
    await clock.pass(seconds(31))
    requests = 0
    await clock.pass(seconds(10))
    expect(requests).toBeGreaterThanOrEqual(9)
  })

  it('asks each second after a change that an announcement of another address came with', async () => {
    void watchRouter(context, state)
    await clock.pass(seconds(5))
    network.announce(ROUTER, 5351, '66.66.66.66')
    network.wan = address('9.9.9.9')
    await clock.pass(seconds(5))
    requests = 0
    await clock.pass(seconds(10))
    expect(requests).toBeGreaterThanOrEqual(9)
  })

  it('asks five times soon after an announcement, which may precede the change', async () => {
    void watchRouter(context, state)
    await clock.pass(seconds(5))
    requests = 0
    network.announce(ROUTER, 5351)
    await clock.pass(milliseconds(300))
    network.wan = address('9.9.9.9')
    await clock.pass(milliseconds(250))
    expect(hints).toEqual(['router-differs'])
  })

  it('accepts announcements only from the address and the port of the router', async () => {
    void watchRouter(context, state)
    await clock.pass(milliseconds(2500))
    requests = 0
    network.announce(OTHER_HOST, 5351)
    network.announce(ROUTER, 5350)
    await clock.pass(milliseconds(100))
    expect(requests).toBe(0)
    network.announce(ROUTER, 5351)
    await clock.pass(milliseconds(100))
    expect(requests).toBeGreaterThanOrEqual(1)
  })

  it('asks immediately when the network changes', async () => {
    network.gateway = undefined
    void watchRouter(context, state)
    await clock.pass(seconds(20))
    expect(state.doesRouterReport).toBe(false)
    network.gateway = GATEWAY
    for (const ring of state.kernelListeners) ring()
    await clock.pass(milliseconds(10))
    expect(state.doesRouterReport).toBe(true)
  })

  it('does not call a router one that reports the public address where it states another for a while', async () => {
    let published: Address | undefined
    void watchRouter(context, Object.assign(state, { published: () => published }))
    await clock.pass(seconds(3))
    expect(state.doesRouterReport).toBe(false)
    published = network.wan
    await clock.pass(seconds(2))
    expect(state.doesRouterReport).toBe(true)
    published = address('11.0.0.1')
    await clock.pass(seconds(8))
    expect(state.doesRouterReport).toBe(true)
    await clock.pass(seconds(4))
    expect(state.doesRouterReport).toBe(false)
    expect(findings.map(({ kind }) => kind)).toEqual(['routerAnswers', 'routerMute'])
    network.wan = published
    await clock.pass(seconds(2))
    expect(state.doesRouterReport).toBe(true)
  })

  it('does not call a router without a public address one that reports it', async () => {
    network.wan = undefined
    void watchRouter(context, state)
    await clock.pass(minutes(1))
    expect([state.doesRouterReport, findings]).toEqual([false, []])
  })

  it('asks a router that has answered each second while it restarts, for ten minutes', async () => {
    void watchRouter(context, state)
    await clock.pass(minutes(1))
    network.answers = false
    await clock.pass(minutes(9))
    network.answers = true
    network.wan = address('9.9.9.9')
    hints.length = 0
    await clock.pass(seconds(2))
    expect(hints).toContain('router-differs')
    network.answers = false
    await clock.pass(minutes(20))
    network.answers = true
    network.wan = address('8.8.4.4')
    hints.length = 0
    await clock.pass(seconds(2))
    expect(hints).toEqual([])
  })

  it('reports once that the router answers, and that it no longer does', async () => {
    network.answers = false
    void watchRouter(context, state)
    await clock.pass(minutes(11))
    expect(findings).toEqual([])
    network.answers = true
    await clock.pass(minutes(5))
    network.answers = false
    await clock.pass(seconds(50))
    network.answers = true
    await clock.pass(minutes(1))
    expect(findings.map(({ kind }) => kind)).toEqual(['routerAnswers'])
    network.answers = false
    await clock.pass(minutes(2))
    expect(findings.map(({ kind }) => kind)).toEqual(['routerAnswers', 'routerMute'])
  })
})

describe('the outside watcher', () => {
  let sighting: Sighting
  let times: number
  const look = async (): Promise<Sighting> => (times++, sighting)
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
    sighting = { kind: 'seen', address: address('8.8.8.8'), by: 'x' }
    state = { ...state, outside: [outside], ...over }
    void watchOutside(context, state, family)
  }

  it.each<[string, Partial<WatcherState>, Duration]>([
    ['alone', {}, seconds(25)],
    ['with a router that answers', { doesRouterReport: true }, minutes(5)],
    ['with a probe', { isProbed: true }, minutes(1)],
    [
      'with a probe and another line since long',
      { isProbed: true, otherLine: 'known' as const },
      seconds(25),
    ],
    ['with a probe and another line', { isProbed: true, otherLine: 'recent' as const }, seconds(4)],
  ])('asks %s at the interval of that case', async (_, over, every) => {
    begin(over)
    await clock.pass(milliseconds(every * 10))
    expect(times).toBeGreaterThanOrEqual(9)
    expect(times).toBeLessThanOrEqual(10)
    expect(hints).toEqual([])
  })

  it('hints at another address', async () => {
    begin()
    await clock.pass(seconds(26))
    sighting = { kind: 'seen', address: address('9.9.9.9'), by: 'x' }
    await clock.pass(seconds(26))
    expect(hints).toEqual(['outside-differs'])
  })

  it('hints at the first failure, asks each second then, and hints at the first answer', async () => {
    begin()
    await clock.pass(seconds(26))
    sighting = { kind: 'unknown', because: 'silent' }
    await clock.pass(seconds(25))
    expect(hints).toHaveLength(1)
    times = 0
    await clock.pass(seconds(20))
    expect(times).toBeGreaterThanOrEqual(19)
    sighting = { kind: 'seen', address: address('8.8.8.8'), by: 'x' }
    await clock.pass(seconds(1))
    expect(hints).toHaveLength(2)
  })

  it('hints at the first address while none is published, and asks each second after a round without an agreement', async () => {
    begin({ published: () => undefined, isOpen: () => true })
    await clock.pass(milliseconds(1100))
    expect(hints).toEqual(['outside-differs'])
    await clock.pass(seconds(10))
    expect(hints).toHaveLength(1)
    expect(times).toBeGreaterThanOrEqual(10)
  })

  it('hints once at an address that rounds without an agreement do not take', async () => {
    let isOpen = true
    begin({ published: () => address('9.9.9.9'), isOpen: () => isOpen })
    await clock.pass(seconds(20))
    expect([times, hints]).toEqual([20, ['outside-differs']])
    isOpen = false
    await clock.pass(seconds(5))
    expect(hints).toHaveLength(2)
  })

  it('asks immediately, and then each second, after a round without an agreement', async () => {
    let isOpen = false
    begin({ doesRouterReport: true, isOpen: () => isOpen })
    await clock.pass(minutes(1))
    expect(times).toBe(0)
    isOpen = true
    for (const ring of state.recheckListeners) ring()
    await clock.pass(milliseconds(3500))
    expect(times).toBe(4)
  })

  it('asks every ten seconds or more often while no address is published', async () => {
    begin({ published: () => undefined, isOpen: () => true })
    sighting = { kind: 'unknown', because: 'silent' }
    await clock.pass(minutes(30))
    times = 0
    await clock.pass(minutes(5))
    expect(times).toBeGreaterThanOrEqual(29)
  })

  it('over IPv6 asks every five minutes, and ignores another address of the same network', async () => {
    context = {
      ...context,
      ports: { ...context.ports, outboundRoute: async () => ({ interface: 'eth0' }) },
    }
    begin({ published: () => address('2600::1') }, 'v6')
    sighting = { kind: 'seen', address: address('2600::dead:beef'), by: 'x' }
    await clock.pass(minutes(11))
    expect([times, hints]).toEqual([2, []])
    sighting = { kind: 'seen', address: address('2a00::1'), by: 'x' }
    await clock.pass(minutes(5))
    expect(hints).toHaveLength(1)
  })

  it('over IPv6 does not ask without a route', async () => {
    begin({ published: () => undefined, isOpen: () => true }, 'v6')
    await clock.pass(minutes(10))
    expect(times).toBe(0)
  })

  it('asks every half minute after a long failure', async () => {
    begin()
    sighting = { kind: 'unknown', because: 'silent' }
    await clock.pass(minutes(20))
    times = 0
    await clock.pass(minutes(10))
    expect(times).toBeLessThanOrEqual(21)
  })
})

describe('a watcher that fails', () => {
  it('is reported and restarted', async () => {
    let failures = 2
    const interfaces: typeof context.ports.interfaces = async () => {
      if (failures-- > 0) throw new Error('not readable')
      return []
    }
    const ports = {
      ...context.ports,
      interfaces,
      gateway: async () => Promise.reject(new Error('no gateway')),
    }
    watch({ ...context, ports }, { ...state, asksRouter: true })
    await clock.pass(seconds(12))

    const reported = findings.flatMap((note) => (note.kind === 'watcherFailed' ? [note] : []))
    expect(reported.filter(({ watcher }) => watcher === 'router').length).toBeGreaterThanOrEqual(2)
    expect(reported[0]?.because).toContain('no gateway')
  })
})

describe('forged announcements', () => {
  it('cause no hint and a limited number of questions to the router, and the last one is not lost', async () => {
    void watchRouter(context, state)
    await clock.pass(seconds(5))
    requests = 0
    for (let n = 0; n < 400; n++) {
      network.announce(ROUTER, 5351)
      await clock.pass(milliseconds(5))
    }
    expect(hints).toEqual([])
    expect(requests).toBeLessThanOrEqual(42)
    await clock.pass(seconds(2))
    network.announce(ROUTER, 5351)
    await clock.pass(milliseconds(5))
    network.wan = address('9.9.9.9')
    network.announce(ROUTER, 5351)
    await clock.pass(milliseconds(150))
    expect(hints).toEqual(['router-differs'])
  })
})

describe('an announcement of a router that does not answer', () => {
  it('leads to a question each ten seconds', async () => {
    network.answers = false
    void watchRouter(context, state)
    await clock.pass(minutes(1))
    requests = 0
    for (let n = 0; n < 400; n++) {
      network.announce(ROUTER, 5351)
      await clock.pass(milliseconds(50))
    }
    expect(requests).toBeGreaterThanOrEqual(1)
    expect(requests).toBeLessThanOrEqual(3)
  })

  it('finds it when it comes up', async () => {
    network.answers = false
    void watchRouter(context, state)
    await clock.pass(minutes(1))
    network.answers = true
    network.announce(ROUTER, 5351)
    await clock.pass(milliseconds(100))
    expect(state.doesRouterReport).toBe(true)
  })
})

describe('the wake watcher', () => {
  it('hints after sleep, which the boot clock includes', async () => {
    let slept = 0
    void watchWake({ ...context, uptime: () => milliseconds(clock.now() + slept) })
    await clock.pass(minutes(5))
    expect(hints).toEqual([])
    slept = 3_600_000
    await clock.pass(seconds(31))
    expect(hints).toEqual(['wake'])
    await clock.pass(minutes(5))
    expect(hints).toHaveLength(1)
  })

  it('hints after the process was stopped, by a pause that took too long', async () => {
    let jump = 0
    const now = () => instant(clock.now() + jump)
    void watchWake({ ...context, clock: { ...clock, now }, uptime: () => milliseconds(now()) })
    await clock.pass(seconds(10))
    jump = 60_000
    await clock.pass(seconds(31))
    expect(hints).toEqual(['wake'])
  })
})

describe('the probe watcher', () => {
  it('finds the number of hops, and hints within three seconds after the router stops answering', async () => {
    network.answersProbe = ({ hops, to }) => hops === 2 && to === network.wan
    void watchProbe(context, state)
    await clock.pass(seconds(10))
    expect(findings).toEqual([{ kind: 'probeAnswers', hops: 2 }])
    expect([state.isProbed, hints]).toEqual([true, []])
    network.answersProbe = () => false
    await clock.pass(seconds(3))
    expect(hints).toEqual(['probe-lost'])
  })

  it('asks outside when an address that was left is back at the router, and often while it is there', async () => {
    const at = new Set([network.wan])
    network.answersProbe = ({ hops, to }) => hops === 1 && at.has(to)
    let [current, rechecks] = [network.wan, 0]
    state = { ...state, published: (family) => (family === 'v4' ? current : undefined) }
    state.recheckListeners.add(() => rechecks++)
    void watchProbe(context, state)
    await clock.pass(seconds(5))
    at.clear()
    current = address('9.9.9.9')
    at.add(current)
    await clock.pass(seconds(60))
    expect([state.isProbed, state.otherLine, rechecks]).toEqual([true, 'no', 0])
    at.add(network.wan)
    await clock.pass(seconds(11))
    expect([state.isProbed, state.otherLine, rechecks]).toEqual([true, 'recent', 1])
    await clock.pass(seconds(60))
    expect(rechecks).toBe(1)
    at.delete(network.wan)
    await clock.pass(seconds(30))
    expect([state.isProbed, state.otherLine, rechecks]).toEqual([true, 'no', 1])
  })

  it('watches a new address within seconds, although the pings to the old one are answered', async () => {
    const asked: string[] = []
    network.answersProbe = ({ to }) => (asked.push(to), true)
    const ports: WatchPorts = {
      ...context.ports,
      program: async () => Promise.resolve({ kind: 'ended', code: 0, stdout: '' } as const),
      interfaces: async () => [],
    }
    let current = network.wan
    state = { ...state, published: () => current }
    void watchProbe({ ...context, ports, mayPing: () => Promise.resolve(true) }, state)
    await clock.pass(seconds(10))
    expect(findings.map(({ kind }) => kind)).toEqual(['probeAnswers', 'pingAnswers'])
    asked.length = 0
    await clock.pass(seconds(4))
    current = address('9.9.9.9')
    await clock.pass(seconds(3))
    expect(asked).toContain('9.9.9.9')
    expect(state.isProbed).toBe(true)
  })

  it('ignores a single lost probe', async () => {
    let lost = false
    network.answersProbe = ({ hops }) => hops === 1 && !(lost && ((lost = false), true))
    void watchProbe(context, state)
    for (let n = 0; n < 20; n++) {
      await clock.pass(seconds(5))
      lost = true
    }
    expect(hints).toEqual([])
  })

  it('sends nothing where the router announces changes, and little where it never answers probes', async () => {
    let sent = 0
    network.answersProbe = () => (sent++, false)
    state.isAnnounced = true
    void watchProbe(context, state)
    await clock.pass(minutes(1))
    expect(sent).toBe(0)
    state.isAnnounced = false
    await clock.pass(minutes(9))
    expect(sent).toBeLessThanOrEqual(12)
    expect(state.isProbed).toBe(false)
  })
})

describe('after a change of the network of this host', () => {
  /** The kernel watcher tells the others. */
  const change = (): void => {
    for (const listener of state.kernelListeners) listener()
  }

  it('the probe asks at once, at the distance of before, however long a VPN was up', async () => {
    let isVpn = false
    const asked: number[] = []
    network.answersProbe = ({ hops }) => (asked.push(hops ?? 0), !isVpn && hops === 2)
    void watchProbe(context, state)
    await clock.pass(seconds(10))
    expect(state.isProbed).toBe(true)
    isVpn = true
    await clock.pass(minutes(5))
    expect(state.isProbed).toBe(false)
    isVpn = false
    asked.length = 0
    change()
    await clock.pass(milliseconds(10))
    expect([asked, state.isProbed]).toEqual([[2], true])
  })

  it('an outside source is asked each two seconds for a while, where nothing near watches', async () => {
    let times = 0
    const look = async (): Promise<Sighting> => {
      times++
      return { kind: 'seen', address: address('8.8.8.8'), by: 'x' }
    }
    const families = ['v4', 'v6'] as const
    const source: AddressSource = {
      name: 'x',
      operator: 'x',
      vantage: 'outside',
      families,
      cooldown: milliseconds(0),
      look,
    }
    state = { ...state, outside: [source] }
    void watchOutside(context, state, 'v4')
    await clock.pass(minutes(5))
    times = 0
    change()
    await clock.pass(seconds(15))
    expect(times).toBeGreaterThanOrEqual(7)
    await clock.pass(minutes(1))
    expect(times).toBeLessThanOrEqual(12)
    state.isProbed = true
    await clock.pass(minutes(5))
    times = 0
    change()
    await clock.pass(seconds(15))
    expect(times).toBeLessThanOrEqual(1)
  })
})

describe('without router and outside sources', () => {
  it('the watchers send nothing', async () => {
    let sent = 0
    const datagram: typeof context.ports.datagram = async () => (sent++, { kind: 'silent' })
    const ports = {
      ...context.ports,
      datagram,
      openChannel: () => ({ ask: datagram, close: () => undefined }),
    }
    watch({ ...context, ports }, { ...state, asksRouter: false })
    await clock.pass(minutes(10))

    expect(sent).toBe(0)
    expect(hints).toEqual([])
  })
})
