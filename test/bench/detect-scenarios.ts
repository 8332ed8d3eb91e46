import {
  addDocker,
  addSecondPrefix,
  forgeAnnouncements,
  interceptWeb,
  SECOND_ADDRESS,
  silencePmp,
  useResolver,
  webOnly,
} from '../lab/home-networks.ts'
import type { Lab } from '../lab/lab.ts'
import { inside } from '../lab/run.ts'
import { vpnUpDown, wayOutLate } from './detect-away.ts'
import {
  cgnat,
  changeBoth,
  changeOwnPrefix,
  changePrefix,
  changeWan,
  comeAndGo,
  flipBack,
} from './detect-changes.ts'
import { beforeNames, beforeNetwork, beforeWayOut, hijackedNames } from './detect-cold.ts'
import type { Scenario } from './detect-stage.ts'
import type { Bar } from './detect-statistics.ts'
import { UPLINKS } from './detect-uplinks.ts'
import { VPN_SCENARIOS } from './detect-vpn.ts'

/** A router that neither sends nor accepts ICMP on its LAN side, so the probe gets no answer. */
const NO_ICMP = `table inet noicmp {
  chain in { type filter hook input priority 0; iifname "lan0" meta l4proto icmp drop; }
  chain out { type filter hook output priority 0; oifname "lan0" meta l4proto icmp drop; }
}
`

const p95 = (ms: number): Bar => ({ of: 'p95', ms })
const maxTime = (ms: number): Bar => ({ of: 'max', ms })
const swap = changeWan('swap')
const NO_PING = { HOLDFAST_PING: 'no' }

/** The kernel keeps 16 addresses for an interface; a prefix brings two. */
const PREFIXES = { isDual: true, perLab: 6 } as const

/** One change, with one set of sources that work or do not answer. */
const ONE_CHANGE: readonly Scenario[] = [
  { name: 'announced-swap', round: swap, igd: 'all', bar: p95(150) },
  {
    name: 'announced-replace',
    round: changeWan('replace'),
    igd: 'all',
    changes: { full: 20, quick: 0 },
    bar: p95(150),
  },
  { name: 'announced-flap', round: changeWan('flap'), igd: 'all', bar: p95(150) },
  { name: 'events-only', round: swap, igd: 'upnp', bar: p95(1100) },
  // Announcements and events are dropped on their way in, so only asking is left.
  {
    name: 'answering',
    round: swap,
    igd: 'all',
    prepare: (lab) => lab.firewall(true),
    settle: 12_000,
    bar: p95(250),
  },
  // The probe tries out whether the router answers it before it is of use.
  { name: 'mute-probe', round: swap, igd: 'none', settle: 12_000, environment: NO_PING, bar: p95(2000) },
  { name: 'mute-ping', round: swap, igd: 'none', settle: 12_000, bar: p95(250) },
  {
    name: 'stun-only',
    round: swap,
    igd: 'none',
    prepare: (lab) => inside(lab.router, ['nft', '-f', '-'], NO_ICMP),
    settle: 12_000,
    limit: 30_000,
    // Each change follows a poll that noticed the last: only a pause of any length meets the next anywhere.
    pause: [3500, 25_000],
    changes: { full: 20, quick: 0 },
    // A poll each 25 s, a tenth more by chance, and a second for the rest.
    bar: maxTime(28_500),
  },
  {
    name: 'snat',
    round: swap,
    igd: 'all',
    prepare: (lab) => lab.nat('snat'),
    changes: { full: 20, quick: 0 },
    bar: p95(400),
  },
  { name: 'on-router', round: swap, igd: 'all', where: 'router', bar: p95(120) },
  { name: 'ipv6-prefix', round: changePrefix, igd: 'all', ...PREFIXES, bar: p95(150) },
  { name: 'cgnat', round: cgnat, igd: 'all' },
  { name: 'liar', round: swap, igd: 'all', prepare: (lab) => lab.command('lie 81 8.8.4.4'), bar: p95(400) },
]

/** Typical home networks: two changes together, a second interface, an uplink or a name server that starts late. */
const FIELD: readonly Scenario[] = [
  {
    name: 'both-at-once',
    round: changeBoth,
    igd: 'all',
    ...PREFIXES,
    changes: { full: 40, quick: 4 },
    bar: p95(1000),
  },
  {
    name: 'way-out-late',
    round: wayOutLate,
    igd: 'all',
    // The poll at 25 s after the start must not be what finds the address.
    settle: 28_000,
    limit: 15_000,
    changes: { full: 6, quick: 1 },
    bar: maxTime(5000),
  },
  {
    name: 'before-way-out',
    round: beforeWayOut,
    igd: 'all',
    isCold: true,
    limit: 15_000,
    changes: { full: 6, quick: 0 },
    bar: maxTime(5000),
  },
  { name: 'docker0', round: changePrefix, igd: 'all', ...PREFIXES, prepare: addDocker, bar: p95(1000) },
  {
    name: 'two-prefixes',
    round: changePrefix,
    igd: 'all',
    ...PREFIXES,
    prepare: addSecondPrefix,
    // While the new address is not usable yet, this is the host's address.
    others: [SECOND_ADDRESS],
    changes: { full: 20, quick: 0 },
    bar: p95(1000),
  },
  ...(['lower', 'higher'] as const).map(
    (order): Scenario => ({
      name: `router-lan-${order}`,
      round: changeOwnPrefix,
      igd: 'all',
      isDual: true,
      where: 'router',
      prepare: (lab) => lab.changePrefix(`2a00:db8:${order === 'lower' ? '0' : 'f00'}:1`),
      changes: { full: 10, quick: 0 },
      bar: p95(1000),
    }),
  ),
  {
    name: 'vpn-up-down',
    round: vpnUpDown,
    igd: 'all',
    limit: 5000,
    // For a minute after a change, this router seems to have just started, and is not believed through a VPN.
    settle: 61_000,
    pause: [61_000, 62_000],
    changes: { full: 6, quick: 1 },
  },
  {
    name: 'flip-back',
    round: flipBack,
    igd: 'all',
    limit: 5000,
    // Each is two changes more, and the service blocks who sends thirty requests in five minutes.
    perLab: 5,
    changes: { full: 10, quick: 1 },
    bar: maxTime(2000),
  },
  {
    name: 'third-change',
    round: swap,
    igd: 'none',
    prepare: async (lab) => {
      await interceptWeb(lab)
      await webOnly(lab)
    },
    sources: 'default',
    settle: 12_000,
    limit: 35_000,
    pause: [15_000, 18_000],
    perLab: 3,
    changes: { full: 9, quick: 0 },
    bar: maxTime(30_000),
  },
  {
    name: 'no-udp-5351',
    round: comeAndGo,
    igd: 'upnp',
    prepare: silencePmp,
    limit: 5000,
    changes: { full: 5, quick: 1 },
  },
  {
    name: 'forged',
    round: swap,
    igd: 'all',
    prepare: (lab: Lab) => forgeAnnouncements(lab, 200, '66.66.66.66'),
    limit: 10_000,
    changes: { full: 20, quick: 0 },
    // announced-swap, and two seconds.
    bar: maxTime(2150),
  },
  ...(
    [
      ['dns-late', beforeNames],
      ['dns-hijack', hijackedNames],
    ] as const
  ).map(
    ([name, round]): Scenario => ({
      name,
      round,
      igd: 'all',
      isCold: true,
      prepare: async (lab) => useResolver(lab),
      sources: [
        'stun:stun.one.test',
        'stun:stun.two.test',
        'dns:myip.opendns.com@whoami.three.test',
        'http://web.four.test/',
      ],
      limit: 20_000,
      changes: { full: 3, quick: 0 },
      bar: maxTime(10_000),
    }),
  ),
]

export const SCENARIOS: readonly Scenario[] = [
  ...ONE_CHANGE,
  {
    name: 'before-network',
    round: beforeNetwork,
    igd: 'all',
    isCold: true,
    changes: { full: 5, quick: 1 },
    bar: maxTime(1000),
  },
  ...FIELD,
  ...UPLINKS,
  ...(
    [
      // After the first minute what answered on the line is saved, once.
      ['idle-announced', 'all', 75_000, 1],
      ['idle-mute', 'none', 12_000, 0],
    ] as const
  ).map(
    ([name, igd, settle, quick]): Scenario => ({
      name,
      round: 'idle',
      igd,
      settle,
      prepare: async (lab) => Promise.resolve(lab.announceSeldom()),
      changes: { full: 1, quick },
    }),
  ),
]

export function scenario(name: string): Scenario {
  const found = [...SCENARIOS, ...VPN_SCENARIOS].find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no scenario "${name}"`)
  return found
}
