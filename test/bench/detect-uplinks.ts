/** Uplinks that deceive: a modem in front of the router, a second line, a router with an old address, loss, forgery. */
import { setTimeout as sleep } from 'node:timers/promises'
import { forgeAnnouncements, loseSome, reportByPmp, routerPower } from '../lab/home-networks.ts'
import type { Lab } from '../lab/lab.ts'
import { FIRST_WAN, OTHER_WAN } from '../lab/plan.ts'
import { settings } from '../lab/run.ts'
import { changePrefix, changeWan } from './detect-changes.ts'
import { noticed, nthAddress, type Round, type Scenario } from './detect-stage.ts'

const swap = changeWan('swap')
const MUTE_MODEM = 'double-nat-mute'

/** Another router in front has the public address; the router itself is mute, or has something to say. */
const behindModem = (name: string, speak: (lab: Lab) => Promise<unknown>): Scenario => ({
  name,
  round: swap,
  igd: 'none',
  prepare: async (lab) => {
    await lab.addModem()
    await speak(lab)
  },
  // The poll at 25 s after the start must not be what finds the address.
  settle: 28_000,
  limit: 35_000,
  changes: { full: 10, quick: 0 },
  bar: { of: 'max', ms: 30_000 },
  ...(name !== MUTE_MODEM && { against: { name: MUTE_MODEM, factor: 1.3 } }),
})

/** From one line to the other and back; the router has the address of one of them. */
const failover: Round = async (stage, nth) => {
  const { lab, truth, service } = stage
  const { now: address, at } = await lab.changeWan(nth % 2 === 0 ? OTHER_WAN : FIRST_WAN)
  truth.moved(address, at)
  // After a change that was missed, the service has the right address again, and nothing needs to be sent.
  const isPublished = service.arrivals.at(-1)?.addresses.includes(address) === true
  return [isPublished ? { address, at, took: 0, isUntimed: true } : await noticed(stage, { address, at })]
}

const [REBOOT, OLD_WORD] = [8000, 10_000]

/** The router is back with a new address, and reports the old one at first. The time counts from its return. */
const restart: Round = async (stage, nth) => {
  const { lab, truth, daemons } = stage
  const daemon = daemons.at(-1)
  const after = daemon?.lines.length ?? 0
  await routerPower(lab, false)
  const { old, now: address, at: movedAt } = await lab.changeWan(nthAddress(nth))
  truth.moved(address, movedAt)
  await sleep(REBOOT)
  await reportByPmp(lab, old, String(OLD_WORD), address)
  const at = await routerPower(lab, true)
  const one = await noticed(stage, { address, at })
  await sleep(OLD_WORD)
  const isMisnamed = daemon?.lines.slice(after).some((line) => line.includes('VPN')) === true
  return [isMisnamed ? { ...one, fault: 'a VPN is named' } : one]
}

/** Two of eleven changes are of the prefix. */
const mixed: Round = async (stage, nth) =>
  nth % 11 === 4 || nth % 11 === 9 ? changePrefix(stage, nth) : swap(stage, nth)

/** 110 changes in 14 minutes, with 5 % loss. */
const soak = (name: string, igd: Scenario['igd']): Scenario => ({
  name,
  round: mixed,
  igd,
  isDual: true,
  prepare: async (lab) => {
    // The kernel keeps 16 addresses for an interface otherwise; each prefix brings two.
    await settings(lab.host, ['ipv6/conf/eth0/max_addresses=64'])
    await loseSome(lab, 5)
  },
  settle: 12_000,
  limit: 30_000,
  pause: [6600, 8700],
  changes: { full: 110, quick: 0 },
  bar: { of: 'p95', ms: 3000 },
})

export const UPLINKS: readonly Scenario[] = [
  behindModem(MUTE_MODEM, async () => undefined),
  behindModem('double-nat', async (lab) => lab.igd('all')),
  behindModem('wrong-word', async (lab) => reportByPmp(lab, '66.66.66.66')),
  behindModem('private-word', async (lab) => reportByPmp(lab, '192.168.1.5')),
  {
    name: 'failover',
    round: failover,
    igd: 'none',
    settle: 12_000,
    limit: 20_000,
    pause: [8000, 12_000],
    changes: { full: 12, quick: 0 },
    bar: { of: 'max', ms: 5000 },
  },
  {
    name: 'router-restart',
    round: restart,
    igd: 'none',
    prepare: async (lab) => reportByPmp(lab, lab.wan),
    settle: 12_000,
    limit: 15_000,
    changes: { full: 6, quick: 0 },
    bar: { of: 'max', ms: 2000 },
  },
  {
    name: 'forged-mute',
    round: swap,
    igd: 'none',
    prepare: async (lab) => forgeAnnouncements(lab, 200, '66.66.66.66'),
    settle: 12_000,
    limit: 20_000,
    changes: { full: 20, quick: 0 },
    bar: { of: 'max', ms: 4000 },
  },
  soak('soak', 'none'),
  soak('soak-announced', 'all'),
]
