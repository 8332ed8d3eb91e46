import type { Lab } from '../lab/lab.ts'
import { inside } from '../lab/run.ts'
import type { Bar } from './detect-statistics.ts'

export interface Scenario {
  readonly name: string
  readonly does: 'swap' | 'replace' | 'flap' | 'prefix' | 'cgnat' | 'start' | 'idle'
  readonly igd: 'all' | 'upnp' | 'none'
  /** What else is special about the lab; done before the daemon starts. */
  readonly prepare?: (lab: Lab) => Promise<unknown>
  readonly where?: 'host' | 'router'
  /** From the first publication on, until the first change, in ms. */
  readonly settle?: number
  /** After this many ms a change counts as missed. */
  readonly limit?: number
  /** At least and at most so long from one change to the next, in ms. */
  readonly pause?: readonly [least: number, most: number]
  readonly changes?: { readonly full: number; readonly quick: number }
  readonly bar?: Bar
}

export const DEFAULTS = {
  settle: 3000,
  limit: 3000,
  pause: [3500, 5000],
  changes: { full: 20, quick: 4 },
} as const

const OUTSIDE = [
  'stun:11.99.0.81',
  'stun:11.99.0.82',
  'dns:myip.opendns.com@11.99.0.53',
  'http://11.99.0.80/',
]
const OUTSIDE_V6 = ['stun:[2a00:db8:99::81]', 'stun:[2a00:db8:99::82]']

export function sourcesFor({ where, does }: Scenario): string {
  const own = where === 'router' ? ['interfaces'] : ['router', 'interfaces']
  return [...own, ...OUTSIDE, ...(does === 'prefix' ? OUTSIDE_V6 : [])].join(',')
}

/** A router that neither sends nor takes ICMP on its LAN side: the probe finds nobody who answers it. */
const NO_ICMP = `table inet noicmp {
  chain in { type filter hook input priority 0; iifname "lan0" meta l4proto icmp drop; }
  chain out { type filter hook output priority 0; oifname "lan0" meta l4proto icmp drop; }
}
`

const p95 = (ms: number): Bar => ({ of: 'p95', ms })
const longest = (ms: number): Bar => ({ of: 'max', ms })

export const SCENARIOS: readonly Scenario[] = [
  { name: 'announced-swap', does: 'swap', igd: 'all', bar: p95(150) },
  { name: 'announced-replace', does: 'replace', igd: 'all', bar: p95(150) },
  { name: 'announced-flap', does: 'flap', igd: 'all', bar: p95(150) },
  { name: 'events-only', does: 'swap', igd: 'upnp', bar: p95(1100) },
  // Announcements and events are dropped on their way in, so only asking is left.
  { name: 'answering', does: 'swap', igd: 'all', prepare: (lab) => lab.firewall(true), bar: p95(1100) },
  // The probe tries out whether the router answers it before it is of use.
  { name: 'mute-probe', does: 'swap', igd: 'none', settle: 12_000, bar: p95(2000) },
  {
    name: 'stun-only',
    does: 'swap',
    igd: 'none',
    prepare: (lab) => inside(lab.router, ['nft', '-f', '-'], NO_ICMP),
    settle: 12_000,
    limit: 30_000,
    // Each change follows a poll that noticed the last: only a pause of any length meets the next anywhere.
    pause: [3500, 25_000],
    changes: { full: 20, quick: 1 },
    // A poll each 25 s, a tenth more by chance, and a second for the rest.
    bar: longest(28_500),
  },
  { name: 'snat', does: 'swap', igd: 'all', prepare: (lab) => lab.nat('snat'), bar: p95(400) },
  { name: 'on-router', does: 'swap', igd: 'all', where: 'router', bar: p95(120) },
  { name: 'ipv6-prefix', does: 'prefix', igd: 'all', changes: { full: 20, quick: 2 }, bar: p95(150) },
  { name: 'cgnat', does: 'cgnat', igd: 'all' },
  { name: 'liar', does: 'swap', igd: 'all', prepare: (lab) => lab.say('lie 81 8.8.4.4'), bar: p95(400) },
  { name: 'before-network', does: 'start', igd: 'all', changes: { full: 5, quick: 2 }, bar: longest(1000) },
  { name: 'idle-announced', does: 'idle', igd: 'all' },
  { name: 'idle-mute', does: 'idle', igd: 'none', settle: 12_000 },
]

export function scenario(name: string): Scenario {
  const found = SCENARIOS.find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no scenario "${name}"`)
  return found
}
