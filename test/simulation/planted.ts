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
  /** One world in thousands shows it: it is looked for in its row of the mended worlds only. */
  readonly isRare?: true
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
    from: "    if (isNews(previous, current, known)) hint('outside-differs')\n",
    to: '',
    flags: '--only change --router mute --hours 0.2',
  },
  {
    what: 'a request without an answer leaves no doubt',
    rule: 'L2',
    file: 'client/decide/next-action.ts',
    from: 'isInDoubt(host, family, known[family]) ||',
    to: '',
    flags: '--only flap,lostAnswer --often 8',
  },
  {
    what: 'a folder that cannot be written at the start is never locked',
    rule: 'S6',
    file: 'app/client/run/locks.ts',
    from: "if (found.kind === 'acquired') acquired = found\n      return",
    to: "if (found.kind === 'acquired') await found.release()\n      return",
    flags: '--only disk,kill,secondDaemon --often 30',
  },
  {
    what: 'the newest of two saved states is not chosen',
    rule: 'S5',
    file: 'client/memory/state-files.ts',
    from: '(b.file.anchor?.at ?? 0) - (a.file.anchor?.at ?? 0)',
    to: '(a.file.anchor?.at ?? 0) - (b.file.anchor?.at ?? 0)',
    flags: '--only disk,kill,stop,change --often 30',
  },
  {
    what: 'a torn state file is not set aside',
    rule: 'S6',
    file: 'client/memory/state-files.ts',
    from: 'const setAside = async (because: string): Promise<undefined> => {\n',
    to: "const setAside = async (because: string): Promise<undefined> => {\n    if (because !== '') throw new Error(because)\n",
    flags: '--only powerCut --often 30',
  },
  {
    what: 'another password lifts no stop',
    rule: 'L2',
    file: 'client/decide/lift.ts',
    from: 'return key !== undefined && stop.about !== now[key]',
    to: 'return key === undefined && stop.about !== now[key ?? "agent"]',
    flags: '--only password,change',
  },
  {
    what: 'a one-shot command works beside the daemon',
    rule: 'S5',
    file: 'app/client/state/single-instance.ts',
    from: "if (asked.kind === 'answered') return { kind: 'answered', answer: readControlResponse(asked.answer) }",
    to: "if (asked.kind === 'answered') return { kind: 'alone', release: () => Promise.resolve() }",
    flags: '--only oneShot,change --often 60',
  },
  {
    what: 'the status tells the address that is seen as confirmed',
    rule: 'T5',
    file: 'client/report/report.ts',
    from: '        confirmed: host.confirmed,\n',
    to: '        confirmed: { ...host.confirmed, ...host.unanswered?.addresses },\n',
    flags: '--only change,service,flap',
  },
  {
    what: 'a router is told to report its public address whatever it states',
    rule: 'T3',
    file: 'client/watch/router.ts',
    from: 'const isPublic = published !== undefined && current?.answer.address === published',
    to: 'const isPublic = current?.answer.address !== undefined',
    flags: '--only change --hours 0.2',
  },
  {
    what: 'a delivery that failed goes to the end of what is saved',
    rule: 'L3',
    file: 'app/client/notify/notifier.ts',
    from: 'pending: left }',
    to: 'pending: isOver ? left : [...left.filter(({ id }) => id !== pending.id), pending] }',
    flags: '--only receiver,stop,change,kill --often 60',
  },
  {
    what: 'a signal to stop is not obeyed',
    rule: 'S6',
    file: 'app/client/run/daemon.ts',
    from: '    observers.stopping()\n    composed.end()\n',
    to: '    observers.stopping()\n    if (locks.hasLost()) composed.end()\n',
    flags: '--only sigterm',
  },
  {
    what: 'a router that has just started is believed against two operators',
    rule: 'S1',
    file: 'client/sources/pmp.ts',
    from: "sighting.kind === 'seen' && epoch < EARLY",
    to: "sighting.kind === 'seen' && epoch < 0",
    flags: '--only reboot --often 8 --router announces',
  },
  {
    what: 'a VPN that is up at the first start is taken for the line, where no router states an address',
    rule: 'S1',
    file: 'app/client/detect/binding.ts',
    from: '{ elsewhere: route.interface, ...(isTunnel && { isVpn: true }) }',
    to: '{ elsewhere: route.interface }',
    flags: '--only vpn,powerCut --often 30 --router mute',
  },
  {
    what: 'an answer from before an interruption is used after it',
    rule: 'S1',
    file: 'client/agent/look.ts',
    from: 'return isBefore(agent.clock.now(), end) || agent.end.aborted ? view : lookOnce(agent, context)',
    to: 'return isBefore(agent.clock.now(), end) ? view : view',
    isRare: true,
  },
]
