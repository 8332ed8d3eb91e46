import { beforeEach, describe, expect, it } from 'vitest'
import { milliseconds, minutes, seconds } from '../../../../src/shared/base/time.ts'
import type { Hint } from '../../../../src/client/detect/watch/hint.ts'
import { RouterPing } from '../../../../src/client/detect/watch/router-ping.ts'
import type { WatcherContext, WatcherFinding } from '../../../../src/client/detect/watch/watcher.ts'
import { address } from '../../../fakes/address.ts'
import { type VirtualClock, virtualClock } from '../../../fakes/clock.ts'

const PUBLIC = address('8.8.8.8')

let clock: VirtualClock
let hints: Hint[]
let findings: WatcherFinding[]
/** Each ping that was started. */
let pings: { readonly words: string; isClosed: boolean; miss: (sequence: number) => void; end: () => void }[]
let trials: string[]
let host: { replies: boolean; isBattery: boolean; isHeld: boolean }

function make(mayPing = true): RouterPing {
  const ports = {
    program: async (argv: readonly string[]) => {
      trials.push(argv.join(' '))
      return Promise.resolve({ kind: 'ended', code: host.replies ? 0 : 1, stdout: '' } as const)
    },
    startPing: (
      { to, hops, interval }: { to: string; hops: number; interval: number },
      miss: (sequence: number) => void,
      end: (because: string) => void,
    ) => {
      const ping = { words: `${to} ${hops} ${interval}`, isClosed: false, miss, end: () => end('ended') }
      pings.push(ping)
      return { close: () => (ping.isClosed = true) }
    },
    isOnBattery: async () => Promise.resolve(host.isBattery),
  }
  const context = {
    ports,
    clock,
    mayPing: async () => Promise.resolve(mayPing && !host.isHeld),
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
  host = { replies: true, isBattery: false, isHeld: false }
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
    ['another line is held', () => (host.isHeld = true), true],
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
    pings[0]?.miss(1)
    pings[0]?.miss(2)
    await clock.pass(milliseconds(1))

    expect([hints, isOver, ping.timeoutsForHint]).toEqual([['probe-lost'], true, Infinity])
    void ping.pause(seconds(1)).then(() => (isOver = false))
    await clock.pass(milliseconds(500))
    expect(isOver).toBe(true)
  })

  it('that are missing need one more in a row after each that was only lost, up to four, for ten minutes', async () => {
    const ping = make()
    await ping.start(PUBLIC, 1)
    pings[0]?.miss(7)
    expect([pings[0]?.isClosed, ping.isRunning]).toEqual([true, false])
    await ping.answered()
    expect(trials).toHaveLength(1)
    for (const needed of [2, 3, 4, 4]) {
      const now = pings.at(-1)
      for (let sequence = 1; sequence < needed; sequence++) now?.miss(sequence)
      // One that is alone begins anew.
      now?.miss(9)
      for (let sequence = 10; sequence < 8 + needed; sequence++) now?.miss(sequence)
      expect([needed, now?.isClosed]).toEqual([needed, false])
      now?.miss(8 + needed)
      expect([needed, now?.isClosed, ping.timeoutsForHint]).toEqual([needed, true, 1])
      await ping.answered()
    }
    expect(hints).toHaveLength(1)
    await clock.pass(minutes(10))
    pings.at(-1)?.miss(1)
    expect(hints).toHaveLength(2)
  })

  it('go on where one in twenty is lost', async () => {
    const ping = make()
    await ping.start(PUBLIC, 1)
    for (let n = 1; n <= 60; n++) {
      pings.at(-1)?.miss(2 * n)
      await ping.answered()
      await clock.pass(milliseconds(900))
    }
    expect([pings.length, ping.isRunning, ping.timeoutsForHint]).toEqual([2, true, 2])
    expect(findings).toEqual([{ kind: 'pingAnswers', hops: 1 }])
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

  it('stop when another line is held', async () => {
    const ping = make()
    await ping.start(PUBLIC, 1)
    await ping.recheck()
    expect(pings[0]?.isClosed).toBe(false)
    host.isHeld = true
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
