export interface MendedWorld {
  readonly what: string
  /** Of `npm run simulate`; the number of worlds is what found the fault from nothing. */
  readonly flags: string
}

/** Faults that seeds found, or would have found, and that were mended. */
export const MENDED: readonly MendedWorld[] = [
  {
    what: 'the exit of a VPN that comes up in steps is published',
    flags: '--seed 1 --count 4 --only vpn,change --router mute --hours 0.6',
  },
  {
    what: 'five minutes behind a router that states another public address',
    flags: '--seed 2 --router other --hours 0.2',
  },
  {
    what: 'five minutes behind a router that states no address',
    flags: '--seed 2 --router noAddress --hours 0.2',
  },
  {
    what: 'five minutes behind a router that states a private address',
    flags: '--seed 2 --router private --hours 0.2',
  },
  {
    what: 'a change is late after a forged announcement and a change at once',
    flags: '--seed 2 --only announcements,change,flap --router answers',
  },
]
