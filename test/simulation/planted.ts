/** A mistake in one line of the program, and the rule that must see it. */
export interface PlantedFault {
  readonly what: string
  readonly rule: string
  /** Below src. */
  readonly file: string
  readonly from: string
  readonly to: string
  /** The worlds that are tried, as flags of `npm run simulate`; without any, those with all kinds of events. */
  readonly flags?: string
  /** In the short run too. */
  readonly isQuick?: true
}

/** Most mistakes need the events that they are about: a seed without these says nothing. */
export const PLANTED: readonly PlantedFault[] = [
  {
    what: 'the route is not read again after the outside has answered',
    rule: 'S1',
    file: 'client/detect/family-detector.ts',
    from: ' || !(await this.#isStillThrough(through))',
    to: '',
    flags: '--only vpn,change --router mute --hours 0.6',
  },
  {
    what: 'one outside source is enough',
    rule: 'S1',
    file: 'client/detect/agree.ts',
    from: 'return Math.min(2, Math.max(1, new Set(',
    to: 'return Math.min(1, Math.max(1, new Set(',
    flags: '--only change,flap,outage',
  },
  {
    what: 'an answer is not saved before the next step',
    rule: 'S5',
    file: 'client/agent/run.ts',
    from: '    this.#reporter.reportExchange(observation, action.request, world)\n    await this.#observe(observation)',
    to: "    this.#reporter.reportExchange(observation, action.request, world)\n    await this.#observe(observation, 'unsaved')",
    flags: '--only stop,change,killAtAnswer',
  },
  {
    what: 'client time forgets its anchor',
    rule: 'L1',
    file: 'client/memory/file-memory.ts',
    from: '      time.resume(file.anchor)\n',
    to: '',
    flags: '--only service,change,kill,clock',
  },
  {
    what: 'a wait ends with the process',
    rule: 'S3',
    file: 'client/decide/next-action.ts',
    from: "const isHeld = (status.kind === 'waiting' || status.kind === 'retrying') && isBefore(now, status.until)",
    to: "const isHeld = status.kind === 'retrying' && isBefore(now, status.until)",
    flags: '--only service,change',
  },
  {
    what: 'a stopped account sends',
    rule: 'S2',
    file: 'client/decide/next-action.ts',
    from: "  if (account.status.kind === 'stopped') return account.status\n",
    to: "  if (account.status.kind === 'stopped') return undefined\n",
    flags: '--only stop,change',
  },
  {
    what: 'no pace',
    rule: 'S4',
    file: 'client/decide/pace.ts',
    from: 'const delays = [byRequests, byChanges, delayByGap(recent, minGap, now)]',
    to: 'const delays = [delayByGap(recent, minGap, now)]',
    flags: '--only change --often 400',
  },
  {
    what: 'a confirmation is forgotten',
    rule: 'S5',
    file: 'client/decide/confirmation.ts',
    from: 'const confirmed = without({ ...host.confirmed, ...named }, unechoed)',
    to: 'const confirmed = without({ ...host.confirmed }, unechoed)',
    flags: '--only change',
  },
  {
    what: 'a watcher fails at a change of the kernel',
    rule: 'S6',
    file: 'client/watch/kernel.ts',
    from: "    hint('kernel')\n",
    to: "    hint('kernel')\n    throw new Error('planted')\n",
    flags: '--only vpn',
  },
  {
    what: 'a router that answers is taken for the last one',
    rule: 'L1',
    file: 'client/watch/router.ts',
    from: 'const doesReport = this.#doesReport(current)',
    to: 'const doesReport = current !== undefined || this.#doesReport(current)',
    flags: '--only change --router other --hours 0.2',
    isQuick: true,
  },
  {
    what: 'any announcement at the time of a change makes an announcing router',
    rule: 'L1',
    file: 'client/watch/router.ts',
    from: '      latest.address === answer.address &&\n',
    to: '',
    flags: '--only announcements,change,flap --router answers',
  },
  {
    what: 'the router watcher gives no hint',
    rule: 'L1',
    file: 'client/watch/router.ts',
    from: "    hint('router-differs')\n",
    to: '',
    flags: '--only change --router answers --hours 0.2',
  },
  {
    what: 'the outside is not watched',
    rule: 'L1',
    file: 'client/watch/outside.ts',
    from: "    if (isNews(previous, current, state.published(family))) hint('outside-differs')\n",
    to: '',
    flags: '--only change --router mute --hours 0.2',
  },
]
