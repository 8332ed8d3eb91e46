import { ok } from '../../src/shared/base/result.ts'
import { isGlobal } from '../../src/shared/base/special.ts'
import { instant, milliseconds } from '../../src/shared/base/time.ts'
import { address } from '../fakes/address.ts'
import { ROUTER_PORT } from '../../src/client/detect/sources/nat-pmp.ts'
import type { Clock } from '../../src/shared/ports/clock.ts'
import type { ControlOutcome } from '../../src/shared/ports/control.ts'
import type { DatagramOutcome, DatagramRequest } from '../../src/shared/ports/datagram.ts'
import type { HttpOutcome, HttpRequest, OutgoingRequest } from '../../src/shared/ports/http.ts'
import type { NetworkPorts, SystemPorts } from '../../src/shared/ports/system.ts'
import type { Home } from './home.ts'
import { GATEWAY } from './home.ts'
import { type Family, familyOf } from '../../src/shared/base/address.ts'
import type { Machine, Run } from './machine.ts'
import { addressOfHost, dnsAnswer, hostAt, pageOf, pmpAnswer, seenBy, stunAnswer } from './outside.ts'
import { callbackIn, igdAnswer, searchAnswer } from './igd.ts'
import { onAbort } from './on-abort.ts'
import { NAME_SERVER, type NameServers, ZONE } from './name-servers.ts'
import { type Receiver, WEBHOOK } from './receiver.ts'
import { type Attempt, IS_CONFIRMED } from './judge.ts'
import { between, type Stream } from './random.ts'
import type { Scheduler } from './scheduler.ts'
import { PORTAL_PAGE, type Received, type Said, updateIn, type UpdateService } from './update-service.ts'

export interface WorldParts {
  readonly scheduler: Scheduler
  readonly home: Home
  readonly machine: Machine
  readonly service: UpdateService
  readonly nameServers: NameServers
  readonly receiver: Receiver
  readonly draw: Stream
  readonly attempts: Attempt[]
  /** A service outside is asked. */
  readonly onQuestion: (run: Run, host: string) => void
  /** The IPv4 addresses of a name are looked up. */
  readonly onLookUp: () => void
  /** The service has a request of the client. */
  readonly onRequest: (received: Received) => void
  /** The client has an answer of the service. */
  readonly onAnswer: (received: Received) => void
}

/** 2026-01-01: when each world starts. */
export const START = Date.UTC(2026, 0, 1)
const MAX_TIMER = 60_000
const CLOSED_PORT = 33_434
const DNS_PORT = 53
const SSDP_PORT = 1900
/** What a box that takes port 53 answers. */
const DNS_LIE = address('18.0.0.1')
/** Of the client, for UPnP events. */
const EVENT_PORT = 40_000

const TIMED_OUT: HttpOutcome = { kind: 'unreached', stage: 'time-out', because: 'no answer in time' }

/** The ports of one run of the client, on the world. */
export function portsOf(world: WorldParts, run: Run): SystemPorts {
  const { scheduler, home, machine, draw } = world
  const uptime = (): number => scheduler.now - machine.bootedAt
  const began = uptime() - machine.slept
  /** The time of one call of the system. */
  const moment = (): number => between(draw, home.plan.call / 2, home.plan.call)
  const call = async <T>(work: () => T): Promise<T> => {
    await scheduler.pause(moment(), run)
    return work()
  }
  const clockBy: SystemPorts['clockBy'] = (now, onWait = () => undefined) =>
    clockOn({ scheduler, run, now, onWait })
  const events = { callback: '', send: (): void => undefined }
  const network: NetworkPorts = {
    http: async (request, signal) =>
      web(world, run, {
        url: request.url,
        family: request.family ?? 'v4',
        timeout: request.responseTimeout,
        signal,
        request,
        onSubscribe: (callback) => {
          events.callback = callback
          // UPnP Device Architecture 2.0 §4.1.2: the first event has the current state.
          scheduler.after(moment(), run, () => events.send())
        },
      }),
    interfaces: async () => call(() => home.interfaces()),
    routes: async (family) => call(() => home.routes(family)),
    neighbours: async (family) => call(() => home.neighbours(family)),
    isTunnel: async (name) => call(() => home.isTunnel(name)),
    packetRoute: async (packet) => call(() => home.packetRoute(packet)),
    outboundRoute: async (family) =>
      call(() => (family === 'v4' ? home.outboundRoute() : home.ipv6.outboundRoute())),
    datagram: async (request, signal) => datagram(world, run, { request, signal }),
    stream: async () => call(() => 'no TCP'),
    lookUpName: async (host, family) => {
      if (family === 'v4') world.onLookUp()
      await scheduler.pause(home.anyEgress() === undefined ? 3000 : moment() + home.plan.roundTrip, run)
      const found = addressOfHost(host, family)
      if (found === undefined || home.anyEgress() === undefined) throw new Error('ENOTFOUND')
      return { addresses: [found], ttl: milliseconds(300_000) }
    },
    program: async ([, ...args]) => {
      const [target, at] = [address(args.at(-1) ?? ''), args.indexOf('-I')]
      if (at >= 0) {
        await scheduler.pause(300, run)
        const isNear = !isGlobal(target, [])
        const count = Number(args[args.indexOf('-c') + 1])
        // There and back.
        const isLost = Array.from({ length: count }, draw).every((one) => one < 2 * home.plan.loss)
        const doesReply = home.doesReply(args[at + 1] ?? '', target, isNear)
        return { kind: 'ended', code: doesReply && (isNear || !isLost) ? 0 : 1, stdout: '' }
      }
      // Three pings, from which it is known whether the router replies.
      await scheduler.pause(500, run)
      const code = home.isPinged(target) ? 0 : 1
      return { kind: 'ended', code, stdout: '' }
    },
    startPing: ({ to }, onMissing) => startPing(world, run, { to, onMissing }),
    isOnBattery: async () => call(() => home.isOnBattery),
    openChannel: () => ({
      ask: async (request, signal) => datagram(world, run, { request, signal }),
      close: () => undefined,
    }),
    listenToGroup: async (_, receive) =>
      call(() =>
        home.onAnnouncement((bytes, from, port) => {
          scheduler.after(moment(), run, () => receive(bytes, from, port))
        }),
      ),
    listenForEvents: async (_, onRequest) =>
      call(() => {
        const headers = { nt: 'upnp:event', sid: 'uuid:1' }
        events.send = () =>
          onRequest({ peer: GATEWAY.address, method: 'NOTIFY', path: events.callback, headers })
        const listener = home.onUpnp(() => void scheduler.after(moment(), run, events.send))
        return { ...listener, port: EVENT_PORT }
      }),
    watchKernel: (onChange) => home.onKernel(() => void scheduler.after(0, run, onChange)),
  }
  return {
    clocks: () => ({
      wall: instant(Math.round(START + scheduler.now + machine.clockOffset)),
      boot: `boot ${machine.boot}`,
      uptime: milliseconds(Math.round(uptime())),
    }),
    steady: clockBy(() => instant(uptime() - machine.slept - began)),
    clockBy,
    random: draw,
    entropy: (octets) => Uint8Array.from({ length: octets }, () => Math.floor(draw() * 256)),
    files: machine.filesOf(run, moment),
    http: async (request, signal) =>
      request.url.reveal() === WEBHOOK
        ? overTheLine(world, run, { request, signal, arrive: () => arrivedAtReceiver(world, request) })
        : toService(world, run, { request, signal }),
    hook: async () => call(() => ({ kind: 'ended', code: 0, stderr: '' }) as const),
    mail: async () => call(() => ({ kind: 'sent' }) as const),
    acquireLock: async (folder, socket, file) => call(() => machine.acquire(run, folder, socket, file)),
    askControl: async (path, request, timeout) => askControl(world, run, { path, request, timeout, moment }),
    serveControl: async (path, handle) => {
      await call(() => machine.sockets.set(path, { handle, run }))
      return {
        ownsPath: () => machine.sockets.get(path)?.run === run,
        close: async () => call(() => void machine.sockets.delete(path)),
      }
    },
    questions: async () =>
      Promise.resolve({
        datagram: network.datagram,
        stream: network.stream,
        addresses: async (name, family) =>
          call(() => (name === NAME_SERVER.name && family === 'v4' ? [NAME_SERVER.address] : [])),
        nameServers: async (name) => call(() => ok(name === ZONE ? [NAME_SERVER.name] : [])),
      }),
    network: async () => Promise.resolve(network),
  }
}

/** How long a reply is missed before it is told, in milliseconds: one to two intervals of the pings. */
const MISSED = { min: 60, max: 120 } as const
/** Of a link that loses pings: one is missed so often. */
const LOSS_INTERVAL = 900

/** Events instead of pings, which would be most of all entries: the home tells when it may have changed. */
function startPing(
  { scheduler, home, draw }: WorldParts,
  run: Run,
  { to, onMissing }: { readonly to: string; readonly onMissing: (sequence: number) => void },
): { readonly close: () => void } {
  let [isClosed, sequence] = [false, 0]
  const look = (): void => {
    if (isClosed || home.isPinged(to)) return
    onMissing(++sequence)
    scheduler.after(MISSED.min, run, look)
  }
  const listener = home.onTouched(
    () => void scheduler.after(between(draw, MISSED.min, MISSED.max), run, look),
  )
  const lose = (): void => {
    if (isClosed) return
    // Single ones.
    if (home.isPinged(to)) onMissing((sequence += 2))
    scheduler.after(LOSS_INTERVAL, run, lose)
  }
  if (home.plan.losesPings) scheduler.after(LOSS_INTERVAL, run, lose)
  return {
    close: () => {
      isClosed = true
      listener.close()
    },
  }
}

interface ControlQuestion {
  readonly path: string
  readonly request: unknown
  readonly timeout: number
  readonly moment: () => number
}

/** To the daemon and back, each in its own time; the connection closes where the daemon ends. */
async function askControl(
  { scheduler, machine }: WorldParts,
  run: Run,
  { path, request, timeout, moment }: ControlQuestion,
): Promise<ControlOutcome> {
  await scheduler.pause(moment(), run)
  const socket = machine.sockets.get(path)
  if (socket === undefined) return { kind: 'unreachable' }
  return new Promise((resolve) => {
    const finish = (outcome: ControlOutcome): void => {
      cancel()
      socket.run.onEnd.delete(close)
      resolve(outcome)
    }
    const close = (): void => void scheduler.after(0, run, () => finish({ kind: 'unreachable' }))
    const cancel = scheduler.after(timeout, run, () => finish({ kind: 'timeout' }))
    socket.run.onEnd.add(close)
    const reply = (answer: unknown): void => {
      const sent = JSON.stringify(answer)
      scheduler.after(moment(), run, () => finish({ kind: 'answered', answer: JSON.parse(sent) as unknown }))
    }
    scheduler.after(moment(), socket.run, () => {
      void socket
        .handle(JSON.parse(JSON.stringify(request)))
        .then(reply, (error: unknown) => reply({ error: (error as Error).message }))
    })
  })
}

interface ClockParts {
  readonly scheduler: Scheduler
  readonly run: Run
  readonly now: () => ReturnType<typeof instant>
  readonly onWait: () => void
}

const EXPIRED = new Error('expired')
const isAborted = ({ aborted }: AbortSignal): boolean => aborted

function clockOn({ scheduler, run, now, onWait }: ClockParts): Clock {
  const pause = async (span: number, ends: readonly AbortSignal[]): Promise<void> =>
    new Promise((resolve) => {
      const finish = (): void => {
        for (const cancel of cancels) cancel()
        resolve()
      }
      const cancels = [scheduler.after(span, run, finish), ...ends.map((end) => onAbort(end, finish))]
    })
  return {
    now,
    async sleep(until, ...ends) {
      while (!ends.some(isAborted) && now() < until) {
        onWait()
        await pause(Math.max(Math.min(until - now(), MAX_TIMER), 1), ends)
      }
    },
    deadline: (span) => {
      const controller = new AbortController()
      scheduler.after(span, run, () => controller.abort(EXPIRED))
      return controller.signal
    },
  }
}

interface Asked<T> {
  readonly value: T
  /** From the sending to the answer, in milliseconds. */
  readonly took: number
  readonly sent: number
}

interface Transmissions<T> {
  /** When each is sent, in milliseconds. */
  readonly at: readonly number[]
  readonly family: Family
  readonly isDatagram?: true
  readonly timeout: number
  readonly signal: AbortSignal
  /** What comes back for a datagram that leaves now, and after which time; undefined: nothing. */
  readonly answer: () => Answer<T> | undefined
}

interface Answer<T> {
  readonly value: T
  readonly delay: number
  /** It comes from the link itself. */
  readonly isNear?: true
}

/** The first answer to any of the transmissions; undefined after the time limit. */
async function firstAnswer<T>(
  { scheduler, home }: WorldParts,
  run: Run,
  { at, family, isDatagram, timeout, signal, answer }: Transmissions<T>,
): Promise<Asked<T> | undefined> {
  return new Promise((resolve) => {
    const cancels: (() => void)[] = []
    let sent = 0
    const finish = (asked: Asked<T> | undefined): void => {
      for (const cancel of cancels) cancel()
      resolve(asked)
    }
    const abort = (): void => finish(undefined)
    const send = (): void => {
      const nth = ++sent
      const found = answer()
      if (found === undefined) return
      const { value, delay } = found
      const left = home.egress(family, isDatagram)
      // An answer goes to where the datagram came from.
      const arrive = (): void => {
        if (found.isNear === true || home.egress(family, isDatagram) === left)
          finish({ value, took: delay, sent: nth })
      }
      cancels.push(scheduler.after(delay, run, arrive))
    }
    for (const span of at) if (span < timeout) cancels.push(scheduler.after(span, run, send))
    cancels.push(scheduler.after(timeout, run, abort), onAbort(signal, abort))
    if (signal.aborted) abort()
  })
}

interface Datagram {
  readonly request: DatagramRequest
  readonly signal: AbortSignal
}

async function datagram(
  world: WorldParts,
  run: Run,
  { request, signal }: Datagram,
): Promise<DatagramOutcome> {
  const { again, timeout } = request
  if (signal.aborted) return { kind: 'silent' }
  const host = hostAt(request.to)
  if (host !== undefined) world.onQuestion(run, host)
  const localNow = () => world.home.localOfDatagram(familyOf(request.to))
  const local = localNow()
  // A connected socket keeps its address, and a provider drops what comes from another one than it gave.
  const leaves = (): boolean => host === undefined || localNow() === local
  const asked = await firstAnswer(world, run, {
    at: [0, ...again],
    family: familyOf(request.to),
    isDatagram: true,
    timeout,
    signal,
    answer: () => (leaves() ? answerTo(world, request) : undefined),
  })
  if (asked === undefined) return { kind: 'silent' }
  const { value, sent } = asked
  const took = milliseconds(asked.took)
  if (value === 'refused') return { kind: 'refused', took }
  return request.isAnswer(value)
    ? { kind: 'answered', bytes: value, took, sent, ...(local !== undefined && { local }) }
    : { kind: 'silent' }
}

/** What one datagram causes. */
function answerTo(
  { home, nameServers, draw }: WorldParts,
  { to, port, bytes }: DatagramRequest,
): Answer<Uint8Array | 'refused'> | undefined {
  const { plan } = home
  const near = between(draw, 0.3, 3) + plan.call
  if (to === GATEWAY.address && port === ROUTER_PORT) {
    const said = home.routerAnswer()
    if (said === undefined) return undefined
    if (said === 'refused') return { value: 'refused', delay: near, isNear: true }
    // Of PCP and of SSDP it knows nothing.
    if (bytes[0] !== 0) return undefined
    return { value: pmpAnswer(said.code, home.routerEpoch(), said.address), delay: near, isNear: true }
  }
  if (to === GATEWAY.address && port === SSDP_PORT)
    return home.upnpAddress() === undefined ? undefined : { value: searchAnswer(), delay: near, isNear: true }
  if (port === ROUTER_PORT && home.wordOf(to) !== undefined && bytes[0] === 0)
    return { value: pmpAnswer(0, home.routerEpoch(), home.wordOf(to)), delay: near, isNear: true }
  if (port === CLOSED_PORT)
    return home.isProbed(to) || home.isGatewayProbed(to)
      ? { value: 'refused', delay: near, isNear: true }
      : undefined
  const host = hostAt(to)
  const sender = home.egress(familyOf(to), true)
  if (sender === undefined || draw() < plan.loss) return undefined
  const delay = between(draw, 1, 1.3) * plan.roundTrip
  if (to === NAME_SERVER.address)
    return plan.nameServers.isSilent ? undefined : { value: nameServers.answer(bytes), delay }
  if (host === undefined) return undefined
  if (plan.port53 === 'alone' && port !== DNS_PORT) return undefined
  const seen = port === DNS_PORT && plan.port53 !== undefined ? DNS_LIE : seenBy(host, sender, plan.liars)
  return { value: port === DNS_PORT ? dnsAnswer(bytes, seen) : stunAnswer(bytes, seen), delay }
}

interface Page {
  readonly url: string
  readonly family: Family
  readonly timeout: number
  readonly signal: AbortSignal
  readonly request: HttpRequest
  /** The path to which the router sends its events. */
  readonly onSubscribe: (path: string) => void
}

async function web(
  world: WorldParts,
  run: Run,
  { url, family, timeout, signal, request, onSubscribe }: Page,
): Promise<HttpOutcome> {
  const { home, draw } = world
  const host = new URL(url).hostname
  const isNear = host === GATEWAY.address
  if (!isNear) world.onQuestion(run, host)
  const asked = await firstAnswer(world, run, {
    at: [0],
    family,
    timeout,
    signal,
    answer: () => {
      if (isNear) {
        const value = igdAnswer(home, request)
        if (value === undefined) return undefined
        if (request.method === 'SUBSCRIBE' && 'callback' in request.headers)
          onSubscribe(callbackIn(request.headers['callback']))
        return { value, delay: between(draw, 1, 20) + home.plan.call, isNear }
      }
      const sender = home.egress(family)
      if (sender === undefined || addressOfHost(host, family) === undefined) return undefined
      const isPortal = world.service.fault === 'portal'
      const body = isPortal ? PORTAL_PAGE : pageOf(url, seenBy(host, sender, home.plan.liars))
      return { value: { status: 200, headers: {}, body }, delay: between(draw, 2, 3) * home.plan.roundTrip }
    },
  })
  return asked === undefined ? TIMED_OUT : { kind: 'answered', ...asked.value }
}

/** What a server does with a request: its answer, how long it takes for it in milliseconds, and when it has arrived. */
interface Arrival {
  readonly said: Said
  readonly delay: number
  readonly onAnswer?: () => void
}

interface Outgoing {
  readonly request: OutgoingRequest
  readonly signal: AbortSignal
  readonly arrive: () => Arrival
}

const RESET: HttpOutcome = { kind: 'unreached', stage: 'exchange', because: 'the connection was reset' }

/** A request leaves over the line as it is then, and its answer comes back if the line is still the same. */
async function overTheLine(
  { scheduler, home, draw }: WorldParts,
  run: Run,
  { request, signal, arrive }: Outgoing,
): Promise<HttpOutcome> {
  return new Promise((resolve) => {
    const cancels: (() => void)[] = []
    let isOver = false
    const finish = (outcome: HttpOutcome): void => {
      isOver = true
      for (const cancel of cancels) cancel()
      resolve(outcome)
    }
    const abort = (): void => finish(TIMED_OUT)
    const oneWay = between(draw, 0.5, 0.7) * home.plan.roundTrip
    const left = home.anyEgress()
    cancels.push(
      scheduler.after(request.responseTimeout, run, () => finish(TIMED_OUT)),
      onAbort(signal, abort),
    )
    if (left === undefined) return
    // The request is on its way whatever happens to the client.
    scheduler.after(4 * oneWay, scheduler.world, () => {
      if (home.anyEgress() !== left) return
      const { said, delay, onAnswer } = arrive()
      if (said === 'hang') return
      scheduler.after(delay + oneWay, run, () => {
        if (home.anyEgress() !== left || isOver) return
        if (said === 'reset') return finish(RESET)
        onAnswer?.()
        finish(said)
      })
    })
  })
}

async function toService(
  world: WorldParts,
  run: Run,
  { request, signal }: Pick<Outgoing, 'request' | 'signal'>,
): Promise<HttpOutcome> {
  const { scheduler, service, attempts } = world
  const attempt = { at: scheduler.now, ...updateIn(request), isConfirmed: false }
  attempts.push(attempt)
  const arrive = (): Arrival => {
    const { said, delay, received } = service.answer(request, run.nth)
    world.onRequest(received)
    const onAnswer = (): void => {
      received.inHand = scheduler.now
      attempt.isConfirmed = IS_CONFIRMED.test(received.answer)
      world.onAnswer(received)
    }
    return { said, delay, onAnswer }
  }
  return overTheLine(world, run, { request, signal, arrive })
}

function arrivedAtReceiver({ scheduler, receiver, draw }: WorldParts, request: OutgoingRequest): Arrival {
  const said = receiver.answer(request, scheduler.now)
  scheduler.note(`webhook ${String(request.body)}`)
  return { said, delay: between(draw, 5, 200) }
}
