/** A VPN comes up in steps: its address first, and its routes later. Nothing of its exit may ever be sent. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lab } from '../lab/lab.ts'
import { until } from '../lab/run.ts'
import { nthVpn, type VpnRoutes, vpnDown, vpnUp } from '../lab/vpn.ts'
import { type WireGuard, wireGuard } from '../lab/wireguard.ts'
import type { Daemon } from './detect-parties.ts'
import { limitOf, noticed, nthAddress, type Round, type Scenario, type Stage } from './detect-stage.ts'

/** Between the address of the tunnel and its routes, in ms. */
const DELAYS = [0, 10, 30, 60, 120, 250, 600] as const
/** How long the VPN stays after the change of the line. A poll of the outside falls into the long one. */
const [SHORT, LONG] = [3000, 28_000]
const WARNINGS: readonly string[] = [
  'traffic leaves by another line; its address is not published',
  'outside services see another line; its address is not published',
  'the public address is unknown; nothing is sent',
]

interface Tunnel {
  /** Returns the time at which all traffic leaves through it. */
  up(lab: Lab, nth: number): Promise<number>
  /** Returns the time just before. */
  down(lab: Lab, nth: number): Promise<number>
}

const inSteps = (routes: VpnRoutes, delays: readonly number[]): Tunnel => ({
  up: async (lab, nth) => vpnUp(lab, routes, { delay: delays[nth % delays.length] ?? 0, vpn: nthVpn(nth) }),
  down: async (lab, nth) => vpnDown(lab, routes, nthVpn(nth)),
})

const servers = new WeakMap<Lab, WireGuard>()

function serverIn(lab: Lab): WireGuard {
  const server = servers.get(lab)
  if (server === undefined) throw new Error('this lab has no server of the VPN')
  return server
}

const WG_QUICK: Tunnel = {
  up: async (lab, nth) => serverIn(lab).up(nth),
  down: async (lab, nth) => serverIn(lab).down(nth),
}

/** The time of the first warning after so many lines; undefined if there is none within the limit. */
async function warned({ lines }: Daemon, after: number, limit: number): Promise<number | undefined> {
  let read = after
  let at: number | undefined
  const isWarned = (): boolean => {
    for (; at === undefined && read < lines.length; read++) {
      const { msg, time } = JSON.parse(lines[read] ?? '{}') as { msg: string; time: string }
      if (WARNINGS.includes(msg)) at = Date.parse(time)
    }
    return at !== undefined
  }
  await until(isWarned, 'a warning', limit).catch(() => undefined)
  return at
}

/** Up, a warning, a change of the line, down. The time counts from the end of the VPN. */
const race =
  (tunnel: Tunnel): Round =>
  async (stage: Stage, nth) => {
    const { lab, truth, daemons } = stage
    const daemon = daemons.at(-1)
    if (daemon === undefined) throw new Error('no daemon runs')
    const after = daemon.lines.length
    const since = await tunnel.up(lab, nth)
    const warnedAt = await warned(daemon, after, limitOf(stage))
    const { now: address, at: movedAt } = await lab.changeWan(nthAddress(nth))
    truth.moved(address, movedAt)
    await sleep(nth % DELAYS.length === DELAYS.length - 1 ? LONG : SHORT)
    const at = await tunnel.down(lab, nth)
    const home = await noticed(stage, { address, at, early: at - movedAt })
    return [
      warnedAt === undefined
        ? { ...home, fault: 'no warning' }
        : { ...home, warnedAfter: Math.max(0, warnedAt - since) },
    ]
  }

const ROUTERS = [
  ['mute', 'none'],
  ['announcing', 'all'],
] as const

const COMMON: Pick<Scenario, 'settle' | 'limit' | 'pause' | 'perLab' | 'warnWithin' | 'bar'> = {
  settle: 12_000,
  limit: 15_000,
  // VPNs in quick succession use up how often outside services may be asked.
  pause: [20_000, 22_000],
  perLab: DELAYS.length,
  warnWithin: 5000,
  bar: { of: 'p95', ms: 2000 },
}

/** One VPN after the other in one home, at each delay. */
export const vpnScenario = (
  routes: Exclude<VpnRoutes, 'replaced'>,
  router: 'mute' | 'announcing',
  delays: readonly number[] = DELAYS,
): Scenario => ({
  ...COMMON,
  name: `vpn-${routes}-${router}`,
  round: race(inSteps(routes, delays)),
  igd: router === 'mute' ? 'none' : 'all',
  changes: { full: 5 * delays.length, quick: 0 },
})

/** Scenarios that only the long run plays, unless one is named. */
export const VPN_SCENARIOS: readonly Scenario[] = [
  ...(['policy', 'def1', 'halves'] as const).flatMap((routes) =>
    ROUTERS.map(([router]) => vpnScenario(routes, router)),
  ),
  // A router that reports its address is asked alone, and no outside question goes into the tunnel.
  vpnScenario('ports', 'mute'),
  ...ROUTERS.map(
    ([router, igd]): Scenario => ({
      ...COMMON,
      name: `wg-quick-${router}`,
      round: race(WG_QUICK),
      igd,
      prepare: async (lab) => servers.set(lab, await wireGuard(lab)),
      changes: { full: 20, quick: 0 },
    }),
  ),
]
