import { beforeEach, describe, expect, it } from 'vitest'
import { milliseconds, minutes, seconds } from '../../../../src/shared/base/time.ts'
import type { Hint } from '../../../../src/client/detect/watch/hint.ts'
import { RouterPing } from '../../../../src/client/detect/watch/router-ping.ts'
import type { WatcherContext, WatcherFinding } from '../../../../src/client/detect/watch/watcher.ts'
import { address, interfaceAddress } from '../../../fakes/address.ts'
import { type VirtualClock, virtualClock } from '../../../fakes/clock.ts'

const PUBLIC = address('8.8.8.8')

let clock: VirtualClock
let hints: Hint[]
let findings: WatcherFinding[]
/** Each ping that was started. */
let pings: { readonly words: string; isClosed: boolean; miss: () => void; end: () => void }[]
let trials: string[]
let host: { replies: boolean; isBattery: boolean; isVpn: boolean }

function make(mayPing = true): RouterPing {
  const ports = {
    program: async (argv: readonly string[]) => {
      trials.push(argv.join(' '))
      return Promise.resolve({ kind: 'ended', code: host.replies ? 0 : 1, stdout: '' } as const)
    },
    startPing: (
      { to, hops, interval }: { to: string; hops: number; interval: number },
      miss: () => void,
      end: (because: string) => void,
    ) => {
      const ping = { words: `${to} ${hops} ${interval}`, isClosed: false, miss, end: () => end('ended') }
      pings.push(ping)
      return { close: () => (ping.isClosed = true) }
    },
    isOnBattery: async () => Promise.resolve(host.isBattery),
    outboundRoute: async () => Promise.resolve({ interface: host.isVpn ? 'wg0' : 'eth0' }),
    interfaces: async () =>
      Promise.resolve([
        { ...interfaceAddress('192.168.1.2'), interface: 'eth0' },
        { ...interfaceAddress('10.8.0.2'), interface: 'wg0', isTunnel: true },
      ]),
  }
  const context = {
    ports,
    clock,
    mayPing,
    hint: (hint: Hint) => hints.push(hint),
    report: (finding: WatcherFinding) => findings.push(finding),
    signal: new AbortController().signal,
  }
  return new RouterPing(context as unknown as WatcherContext)
}

beforeEach(() => {
  clock = virtualClock()
  hints = []
  findings = []
  pings = []
  trials = []
  host = { replies: true, isBattery: false, isVpn: false }
})

describe('pings to the public address', () => {
  it('are sent where the router replies to three of them', async () => {
    const ping = make()
    await ping.start(PUBLIC, 2)

    expect(trials).toEqual(['ping -n -q -c 3 -i 0.2 -W 1 -t 2 8.8.8.8'])
    expect(pings).toMatchObject([{ words: '8.8.8.8 2 60', isClosed: false }])
    expect(findings).toEqual([{ kind: 'pingAnswers', hops: 2 }])
    ping.stop()
    expect([pings[0]?.isClosed, ping.isRunning]).toEqual([true, false])
    await ping.start(PUBLIC, 1)
    expect(findings).toHaveLength(1)
  })

  it.each([
    ['the router does not reply', () => (host.replies = false), true],
    ['this host runs on battery', () => (host.isBattery = true), true],
    ['a VPN is up', () => (host.isVpn = true), true],
    ['the settings say so', () => undefined, false],
  ])('are not sent where %s', async (_, prepare, mayPing) => {
    prepare()
    const ping = make(mayPing)
    await ping.start(PUBLIC, 1)
    for (let n = 0; n < 5; n++) await ping.answered()

    expect(pings).toEqual([])
    expect(trials.length).toBeLessThanOrEqual(1)
    expect(findings).toEqual([])
  })

  it('give a hint at the first reply that is missing, once, and end the pause', async () => {
    const ping = make()
    await ping.start(PUBLIC, 1)
    let isOver = false
    void ping.pause(seconds(15)).then(() => (isOver = true))
    pings[0]?.miss()
    pings[0]?.miss()
    await clock.pass(milliseconds(1))

    expect([hints, isOver, ping.timeoutsForHint]).toEqual([['probe-lost'], true, Infinity])
    void ping.pause(seconds(1)).then(() => (isOver = false))
    await clock.pass(milliseconds(500))
    expect(isOver).toBe(true)
  })

  it('give a hint only with the probe for ten minutes after one was lost', async () => {
    const ping = make()
    await ping.start(PUBLIC, 1)
    pings[0]?.miss()
    expect([pings[0]?.isClosed, ping.isRunning]).toEqual([true, false])
    await ping.answered()
    pings[1]?.miss()
    expect([hints, ping.timeoutsForHint]).toEqual([['probe-lost'], 1])
    await ping.answered()
    await clock.pass(minutes(10))
    pings[2]?.miss()
    expect(hints).toHaveLength(2)
  })

  it('end where more than one in twenty is lost in a minute, and this is told once', async () => {
    const ping = make()
    await ping.start(PUBLIC, 1)
    for (let n = 0; n < 60; n++) {
      pings.at(-1)?.miss()
      await ping.answered()
      await clock.pass(milliseconds(900))
    }

    expect([pings.length, pings.at(-1)?.isClosed, ping.isRunning, ping.timeoutsForHint]).toEqual([
      31,
      true,
      false,
      2,
    ])
    expect(findings).toEqual([{ kind: 'pingAnswers', hops: 1 }, { kind: 'pingUnreliable' }])
  })

  it('stop on battery, and go on after it', async () => {
    const ping = make()
    await ping.start(PUBLIC, 1)
    host.isBattery = true
    await clock.pass(seconds(30))
    await ping.answered()
    expect([pings.length, pings[0]?.isClosed]).toEqual([1, true])
    host.isBattery = false
    await clock.pass(seconds(30))
    await ping.answered()
    expect([pings.length, ping.isRunning]).toEqual([2, true])
  })

  it('stop when a VPN comes up', async () => {
    const ping = make()
    await ping.start(PUBLIC, 1)
    await ping.recheck()
    expect(pings[0]?.isClosed).toBe(false)
    host.isVpn = true
    await ping.recheck()
    expect([pings[0]?.isClosed, ping.isRunning]).toEqual([true, false])
  })

  it('that end by themselves end the pause, and are started again after ten minutes', async () => {
    const ping = make()
    await ping.start(PUBLIC, 1)
    let isOver = false
    void ping.pause(seconds(15)).then(() => (isOver = true))
    pings[0]?.end()
    await clock.pass(milliseconds(1))
    expect([isOver, hints, ping.timeoutsForHint]).toEqual([true, [], 2])
    await ping.answered()
    expect([pings.length, ping.isRunning]).toEqual([1, false])
    void ping.pause(seconds(1)).then(() => (isOver = false))
    await clock.pass(milliseconds(500))
    expect(isOver).toBe(true)
    await clock.pass(minutes(10))
    await ping.answered()
    expect([pings.length, ping.isRunning]).toEqual([2, true])
  })
})
