import type { Witness } from './judge.ts'

export interface OpenFault {
  readonly what: string
  readonly rules: readonly string[]
  /** Whether this moment is such a case: its rules are excused then, and only then. */
  readonly isIt: (witness: Witness, now: number) => boolean
}

/** In milliseconds: until the rounds that the fault begins are over. */
const AFTER = 60_000

/** Within one round of questions, in milliseconds. */
const ROUND = 5000

/** Faults that seeds have found and that are not mended yet. */
export const OPEN: readonly OpenFault[] = [
  {
    what: 'a line that changes between the answers of the router and of the outside is told as a VPN',
    rules: ['T2'],
    isIt: ({ home }, now) => now - home.touched < ROUND,
  },
  {
    what: 'a router that states its old address by UPnP after a restart, or while a VPN is up, is believed',
    rules: ['S1', 'T1', 'T2', 'T4'],
    isIt: ({ home }, now) =>
      (home.plan.router === 'upnp' || home.hadVpnSince(now - AFTER)) &&
      now < home.reboot.staleUntil + AFTER &&
      now >= home.reboot.until,
  },
]

export const isOpen = (rule: string, witness: Witness, now: number): boolean =>
  OPEN.some(({ rules, isIt }) => rules.includes(rule) && isIt(witness, now))
