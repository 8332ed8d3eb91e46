import {
  after,
  between,
  type Duration,
  earliest,
  hours,
  type Instant,
  milliseconds,
  minutes,
  seconds,
} from '../../../shared/base/time.ts'
import { type Address, type Family, familyOf } from '../../../shared/base/address.ts'
import type { Sighting } from '../../../shared/base/sighting.ts'
import type { Clock } from '../../../shared/ports/clock.ts'
import type { InterfaceAddress } from '../../../shared/ports/interfaces.ts'
import type { Gateway } from '../../../shared/ports/network.ts'
import type { SavedLines } from '../../decide/state.ts'
import type { Finding } from '../finding.ts'
import { askBeyond, type AskingPorts, doesAnswer } from './ask-line.ts'
import {
  decideLine,
  type LineRule,
  type LineState,
  type LineVerdict,
  NO_LINE,
  type Sign,
} from './decide-line.ts'
import { type HomeNow, isOnePrefix, lineKey, type LineInUse, lineName } from './line.ts'
import type { Line } from '../../decide/state.ts'
import { type LinePorts, readLine } from './read-line.ts'

interface LineWatchOptions {
  readonly family: Family
  readonly ports: LinePorts & AskingPorts
  readonly clock: Clock
  readonly rule: () => LineRule
  /** The addresses that the service has for this host. */
  readonly published: () => readonly Address[]
  /** Of the process before this one. */
  readonly remembered: () => Promise<SavedLines | undefined>
  /** Outside hosts that may be asked by ping. */
  readonly beyond: () => readonly Address[]
  /** What a router says of its public address. */
  readonly askRouter: (gateway: Gateway, signal: AbortSignal) => Promise<Sighting>
  /** The verdict has changed without an event of the kernel. */
  readonly requestLook: () => void
  readonly report: (finding: Finding) => void
  readonly signal: AbortSignal
}

export interface LineNow {
  readonly verdict: LineVerdict
  readonly use?: LineInUse
  /** The line whose address may be published. */
  readonly home?: Line
  /** Those that were home before. */
  readonly known?: readonly Line[]
}

/** What a round showed of the lines. */
export interface LineEvidence {
  /** The router of the home line said an address. */
  readonly hasWord: boolean
  /** The sources agreed on an address of the home line. */
  readonly isAgreed: boolean
  /** What outside services saw through the line in use while it was held. */
  readonly elsewhere?: Address
}

/** The line of this host for one family, for all hostnames that are not bound to an interface or an address. */
export interface LineWatch {
  /** Reads the tables, for a round. */
  now(): Promise<LineNow>
  /** Reads them between two rounds, and asks for the next one where the verdict is another. */
  reread(): Promise<LineNow>
  /** The last reading. */
  last(): Promise<LineNow>
  /** The router of the line that may be published. */
  gateway(): Promise<Gateway | undefined>
  record(evidence: LineEvidence): void
  /** Asks the line that was left, if it may return: if it answers, it may carry the line in use again. */
  tryLeft(): Promise<void>
  /** For the next process; undefined before there is a home line. */
  saved(): SavedLines | undefined
  /** Starts asking the lines while one is held, until the signal. */
  start(): void
}

/** How often signs are checked while a line is held: every 1.5 s in the first minute, and while there is one. */
const HELD = { soon: milliseconds(1500), for: minutes(1), later: seconds(4) } as const
/** How long a one-shot command waits for a sign to become a proof. */
const SETTLING: Duration = seconds(10)
/** After this time a held line is probably intended, so one notification is sent. */
const LONG: Duration = hours(24)
/** A gateway on the link answers in milliseconds. */
const LEFT_TIMEOUT: Duration = seconds(1)
/** A recurring line is reported again after this time. */
const TOLD_AGAIN: Duration = minutes(10)

type Heard = SavedLines['heard'][number]
const HEARD = ['gateway', 'beyond', 'word'] as const satisfies readonly Heard[]

export function lineWatch(options: LineWatchOptions): LineWatch {
  return new Lines(options)
}

class Lines implements LineWatch {
  readonly #options: LineWatchOptions
  #state: LineState | undefined
  #reading: LineNow = { verdict: { kind: 'offline', because: 'no way out' } }
  #tail: Promise<unknown> = Promise.resolve()
  #isRead = false
  /** What the last round acts on. */
  #judged: LineVerdict['kind'] | undefined
  #isStarted = false
  #isAsking = false
  #hasSettled = false
  /** Answers to questions about the home line while another line is in use. */
  #asked: Partial<Pick<HomeNow, 'gateway' | 'beyond' | 'asked'>> = {}
  #words: Pick<HomeNow, 'word'> & { readonly hasWord?: boolean } = {}
  #isAskingWords = false
  /** The line that was left answers. */
  #isBack = false
  /** Why it was left; undefined without a proof. */
  #leftBy: Sign | undefined
  #isGone = false
  #isAgreed = false
  /** What has answered on the home line: only there is silence a sign. */
  #heard: ReadonlySet<Heard> = new Set()
  #heardOfLeft: ReadonlySet<Heard> = new Set()
  #elsewhere: Address | undefined
  #heldSince: Instant | undefined
  #isLongTold = false
  readonly #told = new Map<string, Instant>()
  /** A tunnel may have a line beneath it in a moment: its change is told when an address is agreed on. */
  #untold: Extract<Finding, { kind: 'lineChanged' }> | undefined

  constructor(options: LineWatchOptions) {
    this.#options = options
  }

  async now(): Promise<LineNow> {
    const first = await this.#next()
    const isFinal = first.verdict.kind !== 'held' || this.#isStarted || this.#hasSettled
    const reading = isFinal ? first : await this.#settle()
    this.#judged = reading.verdict.kind
    return reading
  }

  async reread(): Promise<LineNow> {
    const reading = await this.#next()
    const { kind } = reading.verdict
    if (this.#judged !== undefined && kind !== this.#judged) {
      this.#judged = kind
      this.#options.requestLook()
    }
    return reading
  }

  /** One after another, so that an older reading never follows a newer one. */
  async #next(): Promise<LineNow> {
    const next = this.#tail.then(async () => this.#read())
    this.#tail = next.catch(() => undefined)
    return next
  }

  async last(): Promise<LineNow> {
    return this.#isRead ? this.#reading : this.now()
  }

  async gateway(): Promise<Gateway | undefined> {
    const { home, use } = await this.last()
    const of = home ?? use?.beneath
    if (of?.gateway === undefined) return undefined
    const local = of.source ?? (await this.#localFor(of))
    return local && { address: of.gateway, interface: of.interface, local }
  }

  record({ hasWord, isAgreed, elsewhere }: LineEvidence): void {
    if (hasWord) this.#hear('word')
    this.#isAgreed ||= isAgreed
    this.#elsewhere = elsewhere
  }

  async tryLeft(): Promise<void> {
    const { clock, signal } = this.#options
    if (this.#state?.left === undefined || this.#reading.verdict.kind !== 'open') return
    await this.#ask(AbortSignal.any([signal, clock.deadline(LEFT_TIMEOUT)]))
  }

  saved(): SavedLines | undefined {
    const { left, home, known = [] } = this.#state ?? {}
    // Until an address of the new line is agreed on, the next process starts with the one that was left.
    const line = left ?? home
    const answers = left === undefined ? this.#heard : this.#heardOfLeft
    const heard = HEARD.filter((one) => answers.has(one))
    return line && { home: savedOf(line), known: known.map(savedOf), heard }
  }

  start(): void {
    this.#isStarted = true
    if (this.#isUnsettled) void this.#watchSigns()
    else if (this.#reading.home !== undefined) void this.#calibrate(this.#reading.home)
  }

  async #read(): Promise<LineNow> {
    const { ports, family, clock, rule, published } = this.#options
    const before = (this.#state ??= await this.#remember())
    const { use, home } = await readLine(ports, family, before)
    const { hasWord, ...word } = this.#words
    const step = decideLine(before, {
      at: clock.now(),
      ...(use && { use: { ...use, ...(hasWord === true && { hasWord }) } }),
      ...(home && { home: { ...home, ...this.#asked, ...word } }),
      isBack: this.#isBack,
      isAgreed: this.#isAgreed,
      isPublished: published().length > 0,
      rule: rule(),
    })
    this.#state = step.state
    const isOther = before.home !== undefined && step.left !== undefined
    const isLost = step.verdict.because === 'old line dead, over another'
    if (isLost) this.#leftBy = 'gateway'
    const isKnownBefore = step.verdict.because === 'known line beside it'
    if (isLost || isOther || isKnownBefore) [this.#heardOfLeft, this.#heard] = [this.#heard, new Set()]
    if (isOther) {
      this.#leftBy = step.verdict.kind === 'open' ? step.verdict.sign : undefined
      ;[this.#isAgreed, this.#isGone] = [false, home?.gateway === 'silent']
    }
    if (step.verdict.because === 'old line answers again') this.#heard = this.#heardOfLeft
    this.#reading = {
      verdict: step.verdict,
      ...(use && { use }),
      ...(step.state.home && { home: step.state.home }),
      known: step.state.known,
    }
    this.#isRead = true
    this.#tell(step.left)
    this.#isBack = false
    if (step.verdict.kind === 'held') this.#heldSince ??= clock.now()
    else {
      this.#heldSince = undefined
      this.#isLongTold = false
      this.#asked = {}
      this.#words = {}
      const isNew = before.home === undefined || isOther
      if (this.#isStarted && isNew && step.state.home !== undefined) void this.#calibrate(step.state.home)
    }
    if (this.#isStarted && this.#isUnsettled) void this.#watchSigns()
    return this.#reading
  }

  /** Time alone may change the verdict. */
  get #isUnsettled(): boolean {
    return this.#reading.verdict.kind === 'held' || this.#state?.left !== undefined
  }

  /** A silence may become a proof, or a line that was left may answer. */
  get #isDoubted(): boolean {
    const { left, since = {} } = this.#state ?? {}
    return left !== undefined || since.gateway !== undefined || since.beyond !== undefined
  }

  async #remember(): Promise<LineState> {
    const saved = await this.#options.remembered()
    if (saved === undefined) return NO_LINE
    this.#heard = new Set(saved.heard)
    this.#isAgreed = true
    return { ...NO_LINE, home: saved.home, known: saved.known }
  }

  #hear(what: Heard): void {
    if (!this.#heard.has(what)) this.#heard = new Set([...this.#heard, what])
  }

  /** What answers while the line is in use. Each answer counts at once: a silence takes seconds. */
  async #calibrate(line: Line): Promise<void> {
    const { ports, beyond, signal } = this.#options
    const heardOn = (what: Heard): void => {
      const { home, verdict } = this.#reading
      if (verdict.kind === 'open' && home !== undefined && lineKey(home) === lineKey(line)) this.#hear(what)
    }
    await Promise.all([
      doesAnswer(ports, line, signal).then((isThere) => isThere === true && heardOn('gateway')),
      askBeyond(ports, line, { hosts: beyond(), signal }).then(
        (outside) => outside === 'answers' && heardOn('beyond'),
      ),
    ])
  }

  async #ask(signal = this.#options.signal): Promise<void> {
    const { ports, beyond, clock } = this.#options
    const { use, home, verdict } = this.#reading
    const [asked, left] = [clock.now(), this.#state?.left]
    if (left !== undefined && (verdict.kind !== 'held' || home === undefined)) {
      this.#isBack ||= await this.#answersAgain(left, signal)
      return
    }
    if (home === undefined || use === undefined) return
    // Through a tunnel or another gateway on the same network, the ping would leave by the line in use.
    const mayAskBeyond = !isCarried(use) && use.interface !== home.interface && this.#heard.has('beyond')
    const [isThere, outside] = await Promise.all([
      doesAnswer(ports, home, signal),
      mayAskBeyond ? askBeyond(ports, home, { hosts: beyond(), signal }) : undefined,
    ])
    const isSilent = isThere === false && this.#heard.has('gateway')
    const gateway = isThere === true ? 'answers' : isSilent ? 'silent' : undefined
    this.#asked = { asked, ...(gateway && { gateway }), ...(outside && { beyond: outside }) }
  }

  /** The sign that was a proof is over. */
  async #answersAgain(left: Line, signal: AbortSignal): Promise<boolean> {
    const { ports, beyond, clock, family } = this.#options
    const own = (await ports.interfaces().catch(() => [])).filter((one) => one.interface === left.interface)
    if (!own.some(({ address }) => familyOf(address) === family)) return false
    if (this.#leftBy === 'beyond')
      return (await askBeyond(ports, left, { hosts: beyond(), signal })) === 'answers'
    if (this.#leftBy === 'word') {
      const soon = AbortSignal.any([signal, clock.deadline(LEFT_TIMEOUT)])
      return (await this.#wordOf(left, soon)) === 'address'
    }
    if (this.#leftBy !== 'gateway' && this.#leftBy !== 'address') return false
    return (await doesAnswer(ports, left, signal)) === true || this.#isResolvedAgain(left)
  }

  /** Some routers answer only ARP. The table entry counts once it has been missing. */
  async #isResolvedAgain({ interface: name, gateway }: Line): Promise<boolean> {
    const { ports, family } = this.#options
    const neighbour = (await ports.neighbours(family)).find(
      (one) => one.interface === name && one.address === gateway,
    )
    if (neighbour !== undefined && neighbour.mac === undefined) this.#isGone = true
    return this.#isGone && neighbour?.mac !== undefined
  }

  /** Asked separately, because a mute router takes seconds to time out. */
  async #askWords(): Promise<void> {
    const { use, home, verdict } = this.#reading
    if (this.#isAskingWords || verdict.kind !== 'held' || home === undefined || use === undefined) return
    this.#isAskingWords = true
    const [word, hasWord] = await Promise.all([
      this.#heard.has('word') ? this.#wordOf(home) : undefined,
      isCarried(use) ? false : this.#hasWord(use),
    ])
    this.#isAskingWords = false
    this.#words = { ...(word && { word }), ...(hasWord && { hasWord }) }
    if (hasWord) await this.reread()
  }

  async #wordOf(line: Line, signal?: AbortSignal): Promise<HomeNow['word']> {
    const sighting = await this.#askRouterOf(line, signal)
    if (sighting === undefined || sighting.kind === 'unknown') return undefined
    return sighting.kind === 'seen' ? 'address' : 'no address'
  }

  /** The router of the line in use has the address that outside services see. */
  async #hasWord(use: LineInUse): Promise<boolean> {
    const seen = this.#elsewhere
    if (seen === undefined) return false
    const sighting = await this.#askRouterOf(use)
    return sighting?.kind === 'seen' && sighting.address === seen
  }

  async #askRouterOf(line: Line, signal = this.#options.signal): Promise<Sighting | undefined> {
    const { askRouter, family } = this.#options
    const local = line.source ?? (await this.#localFor(line))
    if (line.gateway === undefined || local === undefined || family === 'v6') return undefined
    return askRouter({ address: line.gateway, interface: line.interface, local }, signal)
  }

  /** The reason for holding a line may end without a kernel event. */
  async #watchSigns(): Promise<void> {
    if (this.#isAsking) return
    this.#isAsking = true
    const { clock, signal } = this.#options
    const since = clock.now()
    while (!signal.aborted && this.#isUnsettled) {
      const begun = clock.now()
      const held = between(this.#heldSince ?? since, begun)
      void this.#askWords()
      await this.#ask()
      if (!signal.aborted) await this.reread()
      if (held >= LONG) this.#tellLong()
      const { verdict } = this.#reading
      const next = after(begun, held < HELD.for || this.#isDoubted ? HELD.soon : HELD.later)
      const until = verdict.kind === 'held' ? (verdict.until ?? next) : next
      await clock.sleep(earliest(next, until), signal)
    }
    this.#isAsking = false
  }

  /** For one-shot commands, once: waits only while a sign may become a proof. */
  async #settle(): Promise<LineNow> {
    this.#hasSettled = true
    const { clock, signal } = this.#options
    const end = after(clock.now(), SETTLING)
    for (;;) {
      await Promise.all([this.#ask(), this.#askWords()])
      const reading = await this.#next()
      const isSigned = Object.keys(this.#state?.since ?? {}).length > 0
      if (reading.verdict.kind !== 'held' || !isSigned || signal.aborted || clock.now() >= end) return reading
      await clock.sleep(after(clock.now(), HELD.soon), signal)
    }
  }

  /** Reports each line once, and again after an absence. */
  #tell(left: Line | undefined): void {
    const { verdict, use, home } = this.#reading
    const { clock, report, published } = this.#options
    if (use === undefined || verdict.kind === 'offline') return
    const now = clock.now()
    if (verdict.kind === 'open') {
      const { because, sign } = verdict
      if (left !== undefined && because !== 'chosen by the user')
        this.#untold = {
          kind: 'lineChanged',
          because,
          from: left.interface,
          to: lineName(use),
          ...(sign && { sign }),
        }
      const isTried = use.isTunnel && this.#state?.left !== undefined
      if (this.#untold === undefined || isTried) return
      this.#told.clear()
      report(this.#untold)
      this.#untold = undefined
      return
    }
    this.#untold = undefined
    if (verdict.until !== undefined) return
    const last = this.#told.get(verdict.through)
    this.#told.set(verdict.through, now)
    if (last !== undefined && between(last, now) < TOLD_AGAIN) return
    report({
      kind: 'lineHeld',
      because: verdict.because,
      through: verdict.through,
      addresses: [...new Set(published())],
      ...((use.isTunnel || use.isForeign) && { isVpn: true }),
      ...(home && { home: lineName(home) }),
    })
  }

  #tellLong(): void {
    const { verdict } = this.#reading
    if (this.#isLongTold || verdict.kind !== 'held') return
    this.#isLongTold = true
    const { report, published } = this.#options
    report({ kind: 'lineHeldLong', through: verdict.through, addresses: [...new Set(published())] })
  }

  async #localFor({ interface: name, gateway }: Line): Promise<Address | undefined> {
    if (gateway === undefined) return undefined
    const all = await this.#options.ports.interfaces().catch(() => [])
    return all.find((one) => one.interface === name && familyOf(one.address) === familyOf(gateway))?.address
  }
}

const isCarried = ({ beneath, isForeign }: LineInUse): boolean => beneath !== undefined || isForeign

/** Over IPv4 leases come and go; over IPv6 the prefix tells the home line. */
const savedOf = ({ source, ...line }: Line): Line =>
  line.gateway === undefined || familyOf(line.gateway) === 'v6'
    ? { ...line, ...(source && { source }) }
    : line

/** An address that leads to this host by another line: by one that is held, or by one that was home before. */
export function isOfOtherLine({ verdict, use, home, known = [] }: LineNow, one: InterfaceAddress): boolean {
  const { interface: name, address } = one
  if (use === undefined || familyOf(address) !== familyOf(use.source)) return false
  if (name !== home?.interface && known.some((line) => line.interface === name)) return true
  if (verdict.kind !== 'held') return false
  if (home === undefined) return name === use.interface
  if (familyOf(address) === 'v4') return name !== home.interface
  // Another interface may be on the same link, and a box of the network gives its own prefix to this one.
  const isOnIt = name === home.interface && !isOnePrefix(address, use.source)
  return !isOnIt && !isOnePrefix(address, home.source)
}

/** The line that a question must leave by for its answer to count; undefined: by the interface of the default route. */
export const lineOfVotes = ({ verdict, use, home }: LineNow): Line | undefined =>
  verdict.kind === 'open' || use?.isGlobal === true ? home : undefined
