import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { instant } from '../../../../src/shared/base/time.ts'
import {
  decideLine,
  type LineEvent,
  type LineRule,
  type LineState,
  NO_LINE,
} from '../../../../src/client/detect/line/decide-line.ts'
import { address } from '../../../fakes/address.ts'
import type { HomeNow, LineInUse } from '../../../../src/client/detect/line/line.ts'

type LineRow = Omit<LineInUse, 'beneath'> & { readonly beneath?: string }

interface Step {
  readonly at: number
  /** The name of a line; missing where there is no way out. */
  readonly use?: string | null
  /** What is not known of it. */
  readonly without?: readonly string[]
  readonly now?: HomeNow
  readonly rule?: LineRule
  readonly want: string
  readonly because: string
  readonly until?: number
}

interface Case {
  readonly id: string
  readonly says: string
  readonly home: string | null
  readonly published: boolean
  readonly steps: readonly Step[]
}

interface Cases {
  readonly lines: Readonly<Record<string, LineRow>>
  readonly cases: readonly Case[]
}

describe.each(['ipv4', 'ipv6'])('the line, %s', (file) => {
  const text = readFileSync(join(import.meta.dirname, `${file}-cases.json`), 'utf8')
  const { lines, cases } = JSON.parse(text) as Cases
  const lineOf = (name: string): LineInUse => {
    const row = lines[name]
    if (row === undefined) throw new Error(`there is no line ${name}`)
    const { beneath, ...line } = { ...DEFAULTS, ...row }
    return { ...line, ...(beneath !== undefined && { beneath: lineOf(beneath) }) }
  }
  const inUse = ({ use, without }: Step): LineInUse | undefined => {
    if (use === undefined || use === null) return undefined
    const known = Object.entries(lineOf(use)).filter(([name]) => without?.includes(name) !== true)
    return Object.fromEntries(known) as unknown as LineInUse
  }

  it.each(cases)('$id: $says', ({ home, published, steps }) => {
    let state: LineState = NO_LINE
    if (home !== null) {
      const { interface: name, source, gateway, mac } = lineOf(home)
      state = {
        ...NO_LINE,
        home: {
          interface: name,
          ...(source && { source }),
          ...(gateway && { gateway }),
          ...(mac && { mac }),
        },
      }
    }
    for (const one of steps) {
      const use = inUse(one)
      const step = decideLine(state, {
        at: instant(one.at),
        ...(use && { use }),
        ...(one.now && { home: one.now }),
        isPublished: published,
        rule: one.rule ?? 'guard',
      })
      ;({ state } = step)
      const { kind, because } = step.verdict
      expect({ at: one.at, kind, because }).toEqual({ at: one.at, kind: one.want, because: one.because })
      const until = step.verdict.kind === 'held' ? step.verdict.until : undefined
      if (one.until !== undefined) expect(until).toBe(one.until)
    }
  })
})

describe('a home line of which nothing is published yet', () => {
  const home = { interface: 'eth0', gateway: address('192.168.1.1') }
  const stick = {
    ...DEFAULTS,
    interface: 'eth1',
    source: address('192.168.2.20'),
    gateway: address('192.168.2.1'),
  }
  const own = { ...DEFAULTS, ...home, source: address('192.168.1.20') }
  const alive: HomeNow = { hasSource: true, hasRoute: true, gateway: 'unknown' }
  const event = (over: Partial<LineEvent>): LineEvent => ({
    at: instant(0),
    isPublished: false,
    rule: 'guard',
    ...over,
  })
  it.each([
    [true, 'open', 'back to a known line'],
    [false, 'held', 'old line alive'],
  ] as const)(
    'needs no proof to return, if an address of it was agreed on: %s',
    (isAgreed, kind, because) => {
      const gone: HomeNow = { ...alive, hasSource: false, hasRoute: false }
      const { state } = decideLine({ ...NO_LINE, home }, event({ use: stick, home: gone, isAgreed }))
      const back = event({ at: instant(60_000), use: own, home: alive, isAgreed: true, isPublished: true })
      expect(decideLine(state, back).verdict).toMatchObject({ kind, because })
    },
  )
})

describe('a home line whose gateway was silent', () => {
  const at = (ms: number, over: Partial<LineEvent> = {}): LineEvent => ({
    at: instant(ms),
    use: {
      ...DEFAULTS,
      interface: 'eth0',
      source: address('192.168.1.20'),
      gateway: address('192.168.1.66'),
    },
    isPublished: true,
    rule: 'guard',
    ...over,
  })
  const home = { interface: 'eth0', gateway: address('192.168.1.1') }
  const silent = (asked: number): HomeNow => ({
    hasSource: true,
    hasRoute: false,
    gateway: 'silent',
    asked: instant(asked),
  })
  const play = (...events: readonly LineEvent[]) => {
    let step = decideLine({ ...NO_LINE, home }, at(0, { home: silent(0) }))
    for (const event of events) step = decideLine(step.state, event)
    return step
  }

  it('is left after the silence, counted from question to question', () => {
    expect(play(at(6500, { home: silent(5900) })).verdict).toMatchObject({ kind: 'held' })
    expect(play(at(7300, { home: silent(6000) }))).toMatchObject({
      verdict: { kind: 'open', because: 'old line dead', sign: 'gateway' },
      state: { left: home },
    })
  })

  const dead = at(7300, { home: silent(6000) })

  it('is the home line again when it answers before anything of the other one is agreed on', () => {
    const { verdict, state } = play(dead, at(9000, { isBack: true }))
    expect(verdict).toEqual({
      kind: 'held',
      because: 'old line answers again',
      through: '192.168.1.66 on eth0',
    })
    expect(state).toMatchObject({ home })
    expect(state).not.toHaveProperty('left')
  })

  it('is the home line again under the VPN beneath which it died', () => {
    const over = (ms: number, isBack = false): LineEvent => ({
      ...at(ms, { home: silent(ms), isBack }),
      use: {
        ...DEFAULTS,
        interface: 'wg0',
        source: address('10.8.0.2'),
        beneath: { ...home, source: address('192.168.1.20') },
      },
    })
    const lost = play(over(3000), over(7300))
    expect(lost).toMatchObject({
      verdict: { kind: 'held', because: 'old line dead, over another' },
      state: { left: home },
    })
    expect(lost.state).not.toHaveProperty('home')
    const { verdict, state } = decideLine(lost.state, over(9000, true))
    expect(verdict).toEqual({ kind: 'held', because: 'old line answers again', through: 'wg0' })
    expect(state).toMatchObject({ home })
    // Where the VPN ends meanwhile, the home line is in use itself.
    const own = { ...DEFAULTS, ...home, source: address('192.168.1.20') }
    const back = decideLine(lost.state, at(9000, { use: own, isBack: true }))
    expect(back.verdict).toEqual({ kind: 'open', because: 'first line' })
  })

  it('is back without a message of another line when it is in use itself again', () => {
    const own = { ...DEFAULTS, ...home, source: address('192.168.1.20') }
    const { verdict } = play(dead, at(9000, { use: own, isBack: true }))
    expect(verdict).toEqual({ kind: 'open', because: 'back to a known line' })
  })

  it('is not after that', () =>
    expect(play(dead, at(9000, { isAgreed: true }), at(11_000, { isBack: true })).verdict).toMatchObject({
      kind: 'open',
      because: 'same line',
    }))
})

describe('a box on the network of a known line', () => {
  const home = { interface: 'eth0', gateway: address('192.168.1.1') }
  const stick = { interface: 'wwan0', source: address('17.0.0.3') }
  const box = {
    ...DEFAULTS,
    interface: 'eth0',
    source: address('192.168.1.20'),
    gateway: address('192.168.1.66'),
    beside: [home],
  }
  const gone: HomeNow = { hasSource: false, hasRoute: false, gateway: 'unknown' }
  const event = (over: Partial<LineEvent> = {}): LineEvent => ({
    at: instant(0),
    use: box,
    home: gone,
    isPublished: true,
    rule: 'guard',
    ...over,
  })
  const after = { ...NO_LINE, home: stick, known: [home] }

  it('does not follow a line that is dead: the known one is the home line again', () => {
    const step = decideLine(after, event())
    expect(step.verdict).toEqual({
      kind: 'held',
      because: 'known line beside it',
      through: '192.168.1.66 on eth0',
    })
    expect(step.state).toMatchObject({ home, known: [home], dead: ['wwan0 17.0.0.3'] })
    // Its silence is a proof as always, and no line is asked twice.
    const silent: HomeNow = { hasSource: true, hasRoute: false, gateway: 'silent' }
    const both = { ...box, beside: [home, stick] }
    const later = decideLine(step.state, event({ use: both, home: silent }))
    const dead = decideLine(later.state, event({ at: instant(6000), use: both, home: silent }))
    expect([later, dead].map(({ verdict: { because } }) => because)).toEqual([
      'old line alive',
      'old line dead',
    ])
  })

  it('does not follow a line that was lost beneath a VPN', () =>
    expect(decideLine({ ...NO_LINE, known: [home] }, event()).state).toMatchObject({ home }))

  it('is a line where nothing is published yet', () =>
    expect(decideLine(after, event({ isPublished: false })).verdict.kind).toBe('open'))
})

describe('a home line without a route', () => {
  const gone: HomeNow = { hasSource: true, hasRoute: false, gateway: 'unknown' }
  const through = (name: string, ms: number, over: Partial<LineInUse> = {}): LineEvent => ({
    at: instant(ms),
    use: { ...DEFAULTS, interface: name, source: address('10.8.0.2'), ...over },
    home: gone,
    isPublished: true,
    rule: 'guard',
  })
  it('is left three seconds after the line in use came, whatever was in use before', () => {
    let { state, verdict } = decideLine(
      { ...NO_LINE, home: { interface: 'eth0', gateway: address('192.168.1.1') } },
      through('wg0', 0, { isTunnel: true }),
    )
    for (const at of [2000, 4900]) ({ state, verdict } = decideLine(state, through('wwan0', at)))
    expect(verdict).toMatchObject({ kind: 'held', because: 'nothing else may carry it', until: 5000 })
    expect(decideLine(state, through('wwan0', 5000)).verdict).toMatchObject({
      kind: 'open',
      because: 'nothing else carries it',
    })
  })
})

const DEFAULTS = { isGlobal: false, isForeign: false, isTunnel: false }
