import { runDaemon } from '../../src/client/program/run/daemon.ts'
import { takeDaemonLocks } from '../../src/client/program/run/locks.ts'
import { scheduleOf } from '../../src/client/settings/client-schedule.ts'
import type { Addresses } from '../../src/shared/base/address.ts'
import type { EventKind, World, WorldEvent } from './draw.ts'
import { FORGED, Home } from './home.ts'
import { type Alarm, boundOf, boundOfReturn, isForgotten, safetyAlarms, type Witness } from './judge.ts'
import { Machine, type Run } from './machine.ts'
import { portsOf, START, type WorldParts } from './ports.ts'
import { streamOf } from './random.ts'
import { Scheduler } from './scheduler.ts'
import { HOSTNAMES, settingsOf } from './settings.ts'
import { isOpen } from './open.ts'
import { markOf } from './sometimes.ts'
import { StateUnreadable } from '../../src/client/agent/memory/memory.ts'
import { User } from './user.ts'
import { NameServers } from './name-servers.ts'
import { Receiver } from './receiver.ts'
import { MAX_WAITING, Questions, unsaved } from './judge-limits.ts'
import {
  causeAlarms,
  explainAlarms,
  heardAlarms,
  NAT_TOLD,
  natOfHome,
  publishedAlarms,
  statusAlarms,
  toldAlarm,
} from './judge-truth.ts'
import type { StatusReport } from '../../src/client/report/status.ts'
import type { ResolvedSettings } from '../../src/client/settings/settings.ts'
import { type Received, UpdateService } from './update-service.ts'

export interface Outcome {
  readonly alarms: readonly Alarm[]
  /** Equal for two runs of one world. */
  readonly hash: string
  /** The last lines of what happened. */
  readonly trace: readonly string[]
  readonly steps: number
  /** In milliseconds. */
  readonly span: number
  /** The states that it has reached. */
  readonly marks: ReadonlySet<string>
  /** From each change in the quiet end to its confirmation, in milliseconds. */
  readonly latencies: readonly number[]
}

const nothing = (): void => undefined
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** S10: of a host without one family, in an hour. */
const MAX_LOOK_UPS = 20
/** After the last fault: until no wait that is legal can be in force, and then changes in a home without faults. */
const QUIET = {
  first: 100 * MINUTE,
  second: 112 * MINUTE,
  back: 118 * MINUTE,
  move: 124 * MINUTE,
  end: 140 * MINUTE,
} as const
const TRACE_LINES = 60
const RESTART = 5000
/** L4: until the user knows that nothing from outside reaches this host. */
const MAX_TOLD = 5000
/** Supervisors wait at least five seconds before they kill. */
const MAX_ENDING = 5000
/** The user looks at the status so often. */
const ASK_INTERVAL = 10 * MINUTE
/** Enough calls of the disk to save what an answer says. */
const CALLS_TO_SAVE = 12

/** What the log says of a watcher that fails, which is a bug. */
const FAILED_WATCHER = 'a watcher failed and is restarted'

/** Lets a world happen to the client, and judges what it does. */
export async function runWorld(
  world: World,
  traceLines = TRACE_LINES,
  onDay: () => void = nothing,
): Promise<Outcome> {
  return new Life(world, traceLines).run(onDay)
}

class Life {
  readonly #world: World
  readonly #scheduler = new Scheduler()
  readonly #home: Home
  readonly #machine: Machine
  readonly #service: UpdateService
  readonly #parts: WorldParts
  readonly #witness: Witness
  readonly #alarms: Alarm[] = []
  readonly #trace: string[] = []
  readonly #traceLines: number
  readonly #latencies: number[] = []
  readonly #marks = new Set<string>()
  readonly #user: User
  #settings: ResolvedSettings
  /** The password in the settings. */
  #written: string
  readonly #questions = new Questions()
  #judged = 0
  /** In the last hour before the quiet changes. */
  #lookUps = 0
  /** How many are not done yet. */
  #resumes = 0
  /** How many events. */
  #happened = 0
  /** Of the trace, after the first alarm. */
  #linesLeft = 5
  /** Of the daemon that runs. */
  #reload: (() => void) | undefined
  #stop: (() => void) | undefined
  /** How long it is down after a signal to stop. */
  #down = 0
  /** Kills the client so many milliseconds after the next answer. */
  #killAfterAnswer: number | undefined
  /** The daemon that has taken its locks. */
  #hasLocks: Run | undefined

  constructor(world: World, traceLines: number) {
    this.#world = world
    this.#traceLines = traceLines
    this.#home = new Home(world.home, this.#scheduler, streamOf(world.seed, 'kernel'))
    this.#machine = new Machine(this.#scheduler, streamOf(world.seed, 'disk'))
    const lag = world.home.nameServers.lag
    this.#service = new UpdateService(this.#scheduler, (hostname, addresses) =>
      this.#scheduler.after(lag, this.#scheduler.world, () =>
        this.#parts.nameServers.names.set(hostname, addresses),
      ),
    )
    this.#settings = this.#settingsNow()
    this.#written = this.#service.password
    this.#parts = {
      scheduler: this.#scheduler,
      home: this.#home,
      machine: this.#machine,
      service: this.#service,
      nameServers: new NameServers(),
      receiver: new Receiver(),
      draw: streamOf(world.seed, 'calls'),
      attempts: [],
      onRequest: (received) => {
        this.#judge()
        this.#judgeSaved(received)
      },
      onAnswer: (received) => this.#answered(received),
      onLookUp: () => {
        if (this.#scheduler.now > world.faultsEnd + QUIET.first - HOUR) this.#lookUps++
      },
      onQuestion: (run, host) => {
        const found = this.#questions.add(run, host, this.#scheduler.now)
        if (found !== undefined) this.#alarm(...found)
      },
    }
    this.#witness = {
      world,
      home: this.#home,
      attempts: this.#parts.attempts,
      lifted: -Infinity,
      clockSet: -Infinity,
      frozen: -Infinity,
      booted: 0,
      diskFailed: -Infinity,
      hasLostLine: false,
    }
    this.#user = new User({
      parts: this.#parts,
      settings: () => this.#settings,
      note: (line) => this.#note(line),
      later: (span, work) => this.#at(this.#scheduler.now + span, work),
      alarm: (rule, because) => this.#alarm(rule, because),
    })
  }

  async run(onDay: () => void): Promise<Outcome> {
    const { faultsEnd, events } = this.#world
    this.#start()
    for (let at = DAY; at < faultsEnd; at += DAY) this.#at(at, onDay)
    for (const event of events) this.#at(event.at, () => this.#apply(event))
    this.#at(faultsEnd, () => this.#endFaults())
    for (let at = ASK_INTERVAL; at < faultsEnd + QUIET.end; at += ASK_INTERVAL)
      this.#at(at, () => this.#user.status((report) => this.#judgeStatus(report)))
    const bound = boundOf(this.#world.home)
    this.#at(faultsEnd + QUIET.first, () => {
      this.#home.change(0)
      this.#judgeChange(bound)
    })
    // What another host of the link forges delays nothing.
    if (events.some(({ kind }) => kind === 'announcements'))
      this.#announce(faultsEnd + QUIET.second - FLOOD.before, FLOOD)
    this.#at(faultsEnd + QUIET.second, () => {
      this.#home.changePrefix()
      this.#home.change(0)
      this.#judgeChange(bound)
    })
    const boundBack = boundOfReturn(this.#world.home)
    this.#at(faultsEnd + QUIET.back, () => {
      if (boundBack === undefined) return
      this.#home.changeBack()
      this.#judgeChange(boundBack)
    })
    this.#at(faultsEnd + QUIET.move, () => this.#judgeMove(bound))
    this.#at(faultsEnd + QUIET.first - MINUTE, () => {
      this.#judgeRest()
      const { lacksIpv4, ipv6, loss } = this.#world.home
      const isIpv6Only = lacksIpv4 !== undefined && ipv6 !== 'none'
      // Where answers are lost, IPv6 is unknown at times too.
      if (isIpv6Only && this.#lookUps > MAX_LOOK_UPS * (loss > 0.01 ? 2 : 1))
        this.#alarm('S10', `${this.#lookUps} names are looked up in an hour without IPv4`)
      // Messages that the disk lost, or that are a day old by the clock, are not delivered.
      const isRemembered = this.#world.events.every(
        ({ kind }) => !['disk', 'powerCut', 'clock'].includes(kind),
      )
      for (const found of isRemembered ? heardAlarms(this.#parts.receiver) : []) this.#alarm(...found)
    })
    // The first event comes later.
    this.#at(MAX_TOLD, () => {
      if (
        natOfHome(this.#world.home) !== undefined &&
        !this.#marks.has(NAT_TOLD) &&
        this.#world.home.loss === 0
      )
        this.#alarm('L4', `${natOfHome(this.#world.home)} is not told in time`)
    })
    const span = faultsEnd + QUIET.end
    await this.#scheduler.runUntil(span)
    for (const { mark } of this.#service.received) if (mark !== undefined) this.#marks.add(`service: ${mark}`)
    for (const { event } of this.#parts.receiver.messages) this.#marks.add(`webhook: ${event}`)
    return {
      alarms: this.#alarms,
      hash: this.#scheduler.hash(),
      trace: this.#trace,
      steps: this.#scheduler.steps,
      span,
      marks: this.#marks,
      latencies: this.#latencies,
    }
  }

  #at(time: number, work: () => void): void {
    this.#scheduler.at(time, this.#scheduler.world, () => {
      work()
      this.#judge()
    })
  }

  #note(line: string): void {
    this.#scheduler.note(line)
    if (this.#traceLines < Infinity && this.#alarms.length > 0 && --this.#linesLeft < 0) return
    this.#trace.push(`${(this.#scheduler.now / 1000).toFixed(3).padStart(10)}  ${line}`)
    if (this.#trace.length > this.#traceLines) this.#trace.shift()
  }

  #alarm(rule: string, because: string): void {
    if (isOpen(rule, this.#witness, this.#scheduler.now)) return
    this.#alarms.push({ rule, at: this.#scheduler.now, because })
    this.#note(`ALARM ${rule} ${because}`)
  }

  /** Each request that has arrived since the last time. */
  #judge(): void {
    const { received } = this.#service
    for (; this.#judged < received.length; this.#judged++)
      for (const { rule, because } of safetyAlarms(received.slice(0, this.#judged + 1), this.#witness))
        this.#alarm(rule, because)
  }

  #judgeSaved(received: Received): void {
    if (isForgotten(this.#witness, received.at)) return
    // On the wire when the power was cut, which may damage what was on the disk.
    if (!this.#machine.isOn) return
    for (const found of unsaved(received, this.#machine)) this.#alarm(...found)
  }

  #judgeStatus(report: StatusReport): void {
    if (this.#isCalm()) this.#judgeCalm()
    const context = { now: this.#scheduler.now, witness: this.#witness }
    const found = [
      ...statusAlarms(report, this.#service, context),
      ...causeAlarms(report, this.#service, context),
      ...explainAlarms(report),
      ...publishedAlarms(report, this.#parts.nameServers, this.#service, context),
    ]
    for (const [rule, because] of found) this.#alarm(rule, because)
    this.#expect(report)
  }

  /** T6: an attempt that is told takes place then, if nothing happens until then. */
  #expect({ accounts, isRunning }: StatusReport): void {
    const { now } = this.#scheduler
    const { run } = this.#machine
    // The saved state answers for a daemon that stands still.
    if (this.#witness.frozen > now) return
    for (const { outcome, nextAttempt, isDue, addresses } of accounts) {
      if (nextAttempt === null || isDue === true || !isRunning || outcome === 'settled') continue
      // An address that is held back may be held for longer.
      if (Object.values(addresses).every((one) => one === null)) continue
      // One that the line has no longer will not be sent.
      if ((addresses['v4'] ?? this.#home.address) !== this.#home.address) continue
      const due = Date.parse(nextAttempt) - START - this.#machine.clockOffset
      const slack = Math.max((due - now) / 10, 5000)
      const told = this.#happened
      this.#at(due + slack, () => {
        // A hint may bring it forward.
        const isDone = this.#parts.attempts.some(({ at }) => at > now && at <= due + slack)
        const isSame = told === this.#happened && this.#machine.run === run && this.#home.touched < now
        const isSeen = this.#home.address !== undefined && !this.#home.hadVpnSince(now)
        if (isSame && isSeen && !isDone)
          this.#alarm('T6', `an attempt was told for ${nextAttempt}, and did not take place`)
      })
    }
  }

  /** S7, L2: nothing is under way, and all is right. */
  #judgeCalm(): void {
    const { run } = this.#machine
    const waiting = run === undefined ? 0 : this.#scheduler.waitingFor(run)
    if (waiting > MAX_WAITING) this.#alarm('S7', `${waiting} timers in a quiet home`)
    this.#judgeRest()
  }

  #start(): void {
    const run = this.#machine.newRun()
    this.#machine.run = run
    if (this.#home.isOnOther && this.#witness.diskFailed > -Infinity) this.#witness.hasLostLine = true
    this.#reload = undefined
    this.#stop = undefined
    this.#note(`run ${run.nth} starts`)
    this.#scheduler.after(0, run, () => void this.#live(run))
  }

  async #live(run: Run): Promise<void> {
    const system = portsOf(this.#parts, run)
    const settings = this.#settings
    try {
      const schedule = await scheduleOf(settings)
      const locks = await takeDaemonLocks(settings, system)
      if (!schedule.ok) throw new Error(schedule.error.messages.join())
      if (!locks.ok) return this.#restart(run, locks.error.messages.join())
      this.#hasLocks = run
      const { cause } = await runDaemon({
        settings,
        schedule: schedule.value,
        system,
        supervisor: NO_SUPERVISOR,
        locks: locks.value,
        isHandedOver: false,
        signals: {
          ...NO_SIGNALS,
          onStop: (stop) => {
            this.#stop = stop
            return nothing
          },
          onReload: (reload) => {
            this.#reload = reload
            return nothing
          },
        },
        reread: async () => Promise.resolve({ ok: true, value: this.#settings }),
        log: (level, msg, details) => {
          const found = toldAlarm(
            { now: this.#scheduler.now, msg, fields: details?.fields ?? {} },
            this.#witness,
          )
          if (found !== undefined) this.#alarm(...found)
          const because = details?.fields?.['because']
          this.#marks.add(msg).add(markOf(msg, because))
          this.#note(`run ${run.nth} ${level}: ${details?.line ?? msg}`)
          if (msg === FAILED_WATCHER) this.#alarm('S6', details?.line ?? msg)
          this.#judge()
        },
      })
      if (!run.isAlive) return
      // One that starts has the lock of the folder for a moment, until it finds the socket of this one.
      if (cause === 'asked') return this.#ended(run)
      if (cause === 'lost') this.#restart(run, 'another daemon has the folder')
      else this.#alarm('S6', 'the daemon has ended')
    } catch (error) {
      if (error instanceof StateUnreadable) this.#restart(run, error.message)
      else if (run.isAlive) this.#alarm('S6', `the daemon has failed: ${(error as Error).stack}`)
    }
  }

  /** As systemd does it. */
  #restart(run: Run, because: string): void {
    this.#note(`run ${run.nth} does not start: ${because}`)
    this.#machine.end(run)
    this.#at(this.#scheduler.now + RESTART, () => this.#startAgain())
  }

  #answered(received: Received): void {
    this.#note(`answer ${received.answer.replaceAll('\n', ', ')}`)
    const delay = this.#killAfterAnswer
    if (delay === undefined) return
    this.#killAfterAnswer = undefined
    const isSaved = delay > CALLS_TO_SAVE * this.#home.plan.call
    // What the client had no time to save it does not know.
    if (!isSaved) received.inHand = undefined
    this.#at(this.#scheduler.now + delay, () => this.#kill(1000))
  }

  #kill(down: number): void {
    const { run } = this.#machine
    if (run === undefined) return
    this.#forgetFresh()
    this.#machine.end(run)
    this.#at(this.#scheduler.now + down, () => this.#startAgain())
  }

  #terminate(down: number): void {
    const { run } = this.#machine
    const stop = this.#stop
    if (run === undefined || stop === undefined) return this.#kill(down)
    this.#down = down
    this.#scheduler.after(0, run, stop)
    this.#at(this.#scheduler.now + MAX_ENDING, () => {
      if (run.isAlive && (run.frozenUntil ?? 0) <= this.#scheduler.now - MAX_ENDING)
        this.#alarm('S6', 'the daemon does not end after a signal')
    })
  }

  #ended(run: Run): void {
    this.#note(`run ${run.nth} ends`)
    this.#machine.end(run)
    this.#at(this.#scheduler.now + this.#down, () => this.#startAgain())
  }

  /** An answer that came a moment ago cannot be saved yet. */
  #forgetFresh(): void {
    const { now } = this.#scheduler
    const last = this.#service.received.at(-1)
    if (last?.inHand !== undefined && now - last.inHand < CALLS_TO_SAVE * this.#home.plan.call)
      last.inHand = undefined
  }

  #startAgain(): void {
    if (this.#machine.run === undefined && this.#machine.isOn) this.#start()
  }

  #apply(event: WorldEvent): void {
    this.#happened++
    this.#note(`event ${JSON.stringify(event)}`)
    const home = this.#home
    const machine = this.#machine
    const { now } = this.#scheduler
    const isLine = event.kind === 'vpn' || event.kind === 'move' || event.kind === 'failover'
    if (isLine && HOSTNAMES.every((name) => this.#isUnknown(name))) this.#witness.hasLostLine = true
    switch (event.kind) {
      case 'change':
        return home.change(event.gap)
      case 'prefix':
        return home.changePrefix()
      case 'flap':
        return home.flap(event.span)
      case 'outage':
        return home.outage(event.span)
      case 'vpn':
        return home.startVpn(event)
      case 'move':
        return void home.move(event)
      case 'failover':
        return home.failOver(event.span)
      case 'receiver':
        this.#parts.receiver.fault = event.says
        return this.#at(now + event.span, () => (this.#parts.receiver.fault = undefined))
      case 'reboot':
        return home.restartRouter(event.span, event.stale)
      case 'announcements':
        return this.#announce(now, event)
      case 'service':
        this.#service.fault = event.says
        return this.#at(now + event.span, () => (this.#service.fault = undefined))
      case 'stop':
        this.#service.stop = event.word
        return this.#at(now + event.resume, () => this.#resume())
      case 'kill':
        return this.#kill(event.down)
      case 'sigterm':
        return this.#terminate(event.down)
      case 'killAtAnswer':
        this.#killAfterAnswer = event.delay
        return undefined
      case 'lostAnswer':
        this.#service.losesNext = true
        return undefined
      case 'powerCut':
        this.#forgetFresh()
        machine.cutPower(event.isTorn)
        if (event.isTorn) this.#witness.diskFailed = Math.max(this.#witness.diskFailed, now)
        return this.#at(now + event.down, () => {
          machine.start()
          this.#witness.booted = this.#scheduler.now
          this.#startAgain()
        })
      case 'freeze':
        this.#witness.frozen = Math.max(this.#witness.frozen, now + event.span)
        return machine.run && machine.freeze(machine.run, event.span)
      case 'sleep':
        this.#witness.frozen = Math.max(this.#witness.frozen, now + event.span)
        return machine.sleep(event.span)
      case 'clock':
        machine.clockOffset += event.by
        this.#witness.clockSet = now
        return undefined
      case 'disk':
        machine.diskFault = event
        if (event.isEverywhere) this.#witness.diskFailed = Infinity
        return this.#at(now + event.span, () => {
          machine.diskFault = undefined
          // A client that stands still has its minute afterwards.
          if (event.isEverywhere)
            this.#witness.diskFailed = Math.max(this.#scheduler.now, this.#witness.frozen) + MINUTE
        })
      case 'battery':
        home.isOnBattery = true
        return this.#at(now + event.span, () => (home.isOnBattery = false))
      case 'poke':
        return this.#control({ do: 'poke' })
      case 'password':
        this.#service.password = `changed at ${now}`
        return this.#at(now + event.span, () => this.#writePassword(event.isRestart))
      case 'reload':
        return this.#reread()
      case 'oneShot':
        return this.#user.oneShot()
      case 'secondDaemon': {
        const { run } = machine
        return this.#user.secondDaemon(
          () =>
            run?.isAlive === true &&
            this.#hasLocks === run &&
            !isForgotten(this.#witness, this.#scheduler.now),
        )
      }
    }
  }

  #settingsNow(): ResolvedSettings {
    const { ipv6, isVerified, webhook, follows = false } = this.#world.home
    return settingsOf({
      password: this.#service.password,
      hasIpv6: ipv6 !== 'none',
      isVerified,
      hasWebhook: webhook,
      follows,
    })
  }

  /** The user writes the password of now into the settings. */
  #writePassword(isRestart: boolean): void {
    this.#written = this.#service.password
    this.#settings = this.#settingsNow()
    if (!isRestart) return this.#reread()
    this.#beginSources()
    this.#kill(1000)
  }

  /** A process, and new settings, begin with new sources, which rest ten minutes later. */
  #beginSources(): void {
    this.#at(this.#scheduler.now + CALM, () => (this.#lookUps = 0))
  }

  #reread(): void {
    const { run } = this.#machine
    this.#beginSources()
    const reload = this.#reload
    if (run !== undefined && reload !== undefined) this.#scheduler.after(0, run, reload)
  }

  /** The user has mended the account, and says so. */
  #resume(): void {
    this.#service.stop = undefined
    this.#witness.lifted = Infinity
    this.#resumes++
    this.#user.resume(() => {
      this.#happened++
      // It reads the settings again.
      this.#beginSources()
      if (--this.#resumes === 0) this.#witness.lifted = this.#scheduler.now
    })
  }

  #control(request: unknown): void {
    const socket = [...this.#machine.sockets.values()][0]
    if (socket === undefined || !socket.run.isAlive) return
    this.#scheduler.after(1, socket.run, () => {
      void socket
        .handle(request)
        .then((answer) => this.#note(`control ${JSON.stringify(answer).slice(0, 200)}`))
    })
  }

  #announce(from: number, { count, gap }: { readonly count: number; readonly gap: number }): void {
    for (let nth = 0; nth < count; nth++) this.#at(from + nth * gap, () => this.#home.announce(FORGED))
  }

  /** From here on nothing is wrong. */
  #endFaults(): void {
    this.#happened++
    this.#service.fault = undefined
    this.#service.losesNext = false
    this.#parts.receiver.fault = undefined
    this.#machine.diskFault = undefined
    this.#killAfterAnswer = undefined
    // A reload restarts each watcher, which would hide a wrong state of one.
    if (this.#written !== this.#service.password) this.#writePassword(false)
    this.#startAgain()
    this.#resume()
  }

  #isRight(stored: Addresses = {}): boolean {
    const { address: v4, ipv6, plan } = this.#home
    return (
      stored.v4 === v4 && (plan.ipv6 === 'none' || (ipv6.address !== undefined && stored.v6 === ipv6.address))
    )
  }

  /** Nothing happened for a while, and no answer asks for a wait. */
  #isCalm(): boolean {
    const { now } = this.#scheduler
    const { events, faultsEnd } = this.#world
    const happened = events.filter(({ at }) => at < now)
    return (
      now > CALM &&
      now < faultsEnd + QUIET.first &&
      this.#machine.run?.isAlive === true &&
      !happened.some(({ kind }) => SLOW.has(kind)) &&
      happened.every((event) => endOf(event) + CALM < now)
    )
  }

  /** L2: long after the last fault, all is right. */
  #judgeRest(): void {
    for (const name of HOSTNAMES) {
      const stored = this.#service.names.get(name)
      if (!this.#isRight(stored) && !this.#isUnknown(name))
        this.#alarm('L2', `${name} is ${JSON.stringify(stored)}, and the line has ${this.#home.address}`)
    }
  }

  /** A process that could save nowhere ended with what the service had told it: no other one knows, until the next refresh. */
  #isUnknown(name: string): boolean {
    const last = this.#service.received.findLast(({ hostnames }) => hostnames.includes(name))
    // Without its answer, the request itself is what nobody knows.
    const inHand = last?.inHand ?? last?.at ?? Infinity
    return last?.run !== this.#machine.run?.nth && isForgotten(this.#witness, inHand)
  }

  /** L5: a line that is dead is left in time, and L6: the way back is as short. */
  #judgeMove(bound: number): void {
    const { move, router, loss, backup, dropsPings = false, follows = false } = this.#world.home
    const way = move && this.#home.move({ ...move, span: MOVED })
    if (way === undefined) return
    const isAdopted = (): boolean =>
      HOSTNAMES.every((name) => this.#service.names.get(name)?.v4 === way.facts.exit)
    const span = way.bound({ doesReport: HAS_WORD.has(router), dropsPings, follows })
    const isProof = span !== undefined && span > Math.abs(way.plan.step)
    const slack = MAX_MOVE + (isProof ? MAX_ROUND : 0)
    const limit = span === undefined ? undefined : (loss > 0.01 ? 2 : 1) * (span + slack)
    // A silence beyond counts only where an answer was heard once.
    const isUnheard = move?.fate === 'beyond' && loss > 0
    // Until its route is there, the second line is in use, and lives.
    const isSecond = move?.fate === 'address' && backup
    if (limit !== undefined && !isUnheard && !isSecond)
      this.#at(this.#scheduler.now + limit, () => {
        if (!isAdopted())
          this.#alarm('L5', `${move?.way} with ${move?.fate} is not followed after ${limit / 1000} s`)
      })
    // Cable and Wi-Fi of one router are one line.
    if (way.isHome) {
      const changed = (): void => {
        this.#home.change(0)
        this.#judgeAddress('L6', bound)
      }
      this.#at(this.#scheduler.now + MINUTE, changed)
    }
    this.#at(this.#scheduler.now + MOVED + 1, () => this.#judgeAddress('L6', bound))
  }

  /** The address of the home line is published in time. */
  #judgeAddress(rule: string, bound: number): void {
    this.#at(this.#scheduler.now + bound, () => {
      const { address } = this.#home
      const wrong = HOSTNAMES.find((name) => this.#service.names.get(name)?.v4 !== address)
      if (wrong !== undefined)
        this.#alarm(rule, `${wrong} is ${this.#service.names.get(wrong)?.v4}, and the line has ${address}`)
    })
  }

  /** L1: a change in a home without faults is confirmed in time. */
  #judgeChange(bound: number): void {
    const { now } = this.#scheduler
    const check = (): void => {
      const isConfirmed = HOSTNAMES.every((name) => this.#isRight(this.#service.names.get(name)))
      const took = this.#scheduler.now - now
      if (isConfirmed) this.#latencies.push(took)
      else if (took < 10 * MINUTE) this.#at(this.#scheduler.now + 50, check)
      if ((isConfirmed && took > bound) || took >= 10 * MINUTE)
        this.#alarm(
          'L1',
          `a change took ${(took / 1000).toFixed(2)} s; ${this.#world.home.router}: ${bound / 1000} s`,
        )
    }
    check()
  }
}

/** How long traffic leaves by another way in the end, and how long after the proof of it the record may take. */
const MOVED = 8 * MINUTE
const MAX_MOVE = 2000
/** A round that began while the line was held, and has an answer of it, is not restarted. */
const MAX_ROUND = 5000
/** Routers whose word a new one of the home has too. */
const HAS_WORD: ReadonlySet<string> = new Set(['announces', 'answers'])
/** Forged announcements around a change. */
const FLOOD = { before: 10_000, count: 3000, gap: 5 } as const
/** Until all that the client does by itself is done, in milliseconds. */
const CALM = 10 * MINUTE
/** After these the client may have to wait. */
const SLOW: ReadonlySet<EventKind> = new Set(['service', 'stop', 'disk', 'clock'])

type Effects = { readonly at: number } & Partial<Record<'span' | 'down' | 'stale' | 'gap' | 'count', number>>

function endOf(event: WorldEvent): number {
  const { at, span = 0, down = 0, stale = 0, gap = 0, count = 1 }: Effects = event
  return at + span + down + stale + gap * count
}

const NO_SUPERVISOR = { ready: nothing, status: nothing, reloaded: nothing, stopping: nothing, beat: nothing }
const NO_SIGNALS = { onPoke: () => nothing }
