import { beforeEach, describe, expect, it } from 'vitest'
import { formatLineSpec, parseLineSpec } from '../../../../src/client/detect/line/line-spec.ts'
import { type OrderWatch, orderWatch } from '../../../../src/client/detect/line/order-watch.ts'
import type { Finding } from '../../../../src/client/detect/finding.ts'
import { minutes, seconds } from '../../../../src/shared/base/time.ts'
import { address, interfaceAddress } from '../../../fakes/address.ts'
import { type VirtualClock, virtualClock } from '../../../fakes/clock.ts'

interface Line {
  hasAddress: boolean
  gateway: boolean
  beyond: boolean
}

let clock: VirtualClock
let lines: Record<'wan1' | 'wan2', Line>
let findings: Finding[]
let looks: string[]

beforeEach(() => {
  clock = virtualClock()
  const up = { hasAddress: true, gateway: true, beyond: true }
  lines = { wan1: { ...up }, wan2: { ...up } }
  findings = []
  looks = []
})

const ORDER = [{ interface: 'wan1' }, { interface: 'wan2' }] as const

function made(): OrderWatch {
  const nameOf = (argv: readonly string[]) => argv[argv.indexOf('-I') + 1] as 'wan1' | 'wan2'
  return orderWatch({
    family: 'v4',
    order: ORDER,
    ports: {
      interfaces: async () =>
        Promise.resolve([
          ...(lines.wan1.hasAddress ? [interfaceAddress('10.1.0.2', { interface: 'wan1' })] : []),
          ...(lines.wan2.hasAddress ? [interfaceAddress('10.2.0.2', { interface: 'wan2' })] : []),
        ]),
      packetRoute: async (packet) =>
        Promise.resolve(
          'local' in packet && packet.local === '10.1.0.2'
            ? { interface: 'wan1', gateway: address('10.1.0.1') }
            : { interface: 'wan2', gateway: address('10.2.0.1') },
        ),
      datagram: async () => Promise.resolve({ kind: 'silent' } as const),
      program: async (argv) => {
        const line = lines[nameOf(argv)]
        const isThere = argv.at(-1)?.startsWith('10.') === true ? line.gateway : line.gateway && line.beyond
        return Promise.resolve({ kind: 'ended', code: isThere ? 0 : 1, stdout: '' } as const)
      },
      mayPing: () => true,
    },
    clock,
    beyond: () => [address('9.9.9.9')],
    look: async (nth) => {
      const name = ORDER[nth]?.interface ?? 'wan1'
      looks.push(name)
      const { gateway, beyond } = lines[name]
      return Promise.resolve(
        gateway && beyond
          ? { kind: 'seen', address: address('11.0.0.1'), by: 'x' }
          : { kind: 'unknown', because: 'silent' },
      )
    },
    requestLook: () => undefined,
    report: (finding) => findings.push(finding),
    signal: new AbortController().signal,
  })
}

describe('an order of lines', () => {
  it('is decided by the addresses of this host alone where nothing watches it', async () => {
    expect(await made().active()).toBe(0)
    lines.wan1.hasAddress = false
    expect(await made().active()).toBe(1)
  })

  // biome-ignore format: a table
  it.each([
    ['has no address',                 { hasAddress: false }, 'address', 0,    5_000],
    ['has a gateway that is silent',   { gateway: false },    'gateway', 6000, 13_000],
    ['has nothing beyond its gateway', { beyond: false },     'beyond',  8000, 15_000],
  ] as const)('leaves a line that %s, and returns 30 s after it is back', async (_, fault, sign, least, most) => {
    const order = made()
    order.start()
    await clock.pass(seconds(20))
    Object.assign(lines.wan1, fault)
    order.notify()
    await clock.pass(seconds(least / 1000 - 0.1))
    if (least > 0) expect(await order.active()).toBe(0)
    await clock.pass(seconds((most - least) / 1000))
    expect(await order.active()).toBe(1)
    expect(findings).toEqual([{ kind: 'orderMoved', from: 'wan1', to: 'wan2', sign }])
    await clock.pass(minutes(2))
    Object.assign(lines.wan1, { hasAddress: true, gateway: true, beyond: true })
    order.notify()
    await clock.pass(seconds(25))
    expect(await order.active()).toBe(1)
    await clock.pass(seconds(15))
    expect(await order.active()).toBe(0)
    expect(findings.at(-1)).toEqual({ kind: 'orderMoved', from: 'wan2', to: 'wan1' })
  })

  it('asks a line that waits once a minute', async () => {
    made().start()
    await clock.pass(minutes(10))
    expect(looks.length).toBeLessThanOrEqual(11)
    expect(new Set(looks)).toEqual(new Set(['wan2']))
  })

  it('does not take a silence for a sign where nothing was heard', async () => {
    Object.assign(lines.wan1, { gateway: false })
    const order = made()
    order.start()
    await clock.pass(minutes(2))
    expect(await order.active()).toBe(0)
  })
})

describe('a line', () => {
  it.each(['wan1', 'eth0 via 192.168.1.1', 'eth0 via fe80::1'])('is written as %s', (text) => {
    const spec = parseLineSpec(text)
    expect(spec.ok && formatLineSpec(spec.value)).toBe(text)
  })

  it.each(['', 'eth0 via', 'eth0 via home', 'a b'])('is not written as %j', (text) =>
    expect(parseLineSpec(text).ok).toBe(false),
  )
})
