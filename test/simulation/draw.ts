import { IPV6_KINDS, type Ipv6Kind } from './home-ipv6.ts'
import { drawWay, type WayPlan } from './lines.ts'
import { between, oneOf, type Stream, streamOf } from './random.ts'

/** `upnp`: it knows only UPnP, and sends events. `shared`: its address is of RFC 6598, behind the NAT of the provider. */
export const ROUTERS = [
  'announces',
  'answers',
  'upnp',
  'mute',
  'closed',
  'noAddress',
  'private',
  'shared',
  'other',
] as const
export type RouterKind = (typeof ROUTERS)[number]

export interface HomePlan {
  readonly router: RouterKind
  /** The router answers a datagram to the public address with "port unreachable". */
  readonly probe: boolean
  /** One way and back, in milliseconds. */
  readonly roundTrip: number
  /** The share of datagrams that are lost. */
  readonly loss: number
  /** How long a call of a port takes, in milliseconds. */
  readonly call: number
  readonly ipv6: Ipv6Kind
  /** The line delegates another prefix whenever its IPv4 address changes. */
  readonly renumbers: boolean
  /** Outside services that give a wrong address, each its own. */
  readonly liars: readonly string[]
  /** A second line, used while the first one fails. */
  readonly backup: boolean
  /** The network has IPv6 only, and the host translates IPv4 (464XLAT, RFC 6877): no router of IPv4 is near. */
  readonly isTranslated: boolean
  /** The router replies to pings to the public address. */
  readonly pings?: boolean
  /** The link to the router loses so many that they are of no use. */
  readonly losesPings?: boolean
  /** The line has IPv6 only, and the host knows that, or only the router does. */
  readonly lacksIpv4?: 'route' | 'uplink'
  /** The client verifies what the name servers answer. */
  readonly isVerified: boolean
  readonly nameServers: {
    /** From a confirmation to their answers, in milliseconds. */
    readonly lag: number
    readonly isSilent: boolean
  }
  readonly webhook: boolean
  /** Its router answers nothing in its own network. */
  readonly isSilentInside?: boolean
  /** The provider drops pings. */
  readonly dropsPings?: boolean
  /** A box takes all plain DNS, and answers with its own word; `alone`: and lets no other datagram out. */
  readonly port53?: 'taken' | 'alone'
  /** The host dials itself: the public address is on its interface, and no router is near. */
  readonly dials?: boolean
  /** The user publishes what the kernel selects. */
  readonly follows?: boolean
  /** What its traffic leaves by in the end, when all else is over. */
  readonly move?: WayPlan
}

export interface VpnEvent {
  readonly kind: 'vpn'
  readonly at: number
  readonly span: number
  /** From the address of the tunnel to its route; negative where the route is first. */
  readonly step: number
  /** Only datagrams leave by it. */
  readonly takesDatagrams?: boolean
}

/** Traffic leaves by another way for a while. */
export interface MoveEvent extends WayPlan {
  readonly kind: 'move'
  readonly at: number
  readonly span: number
  /** After so many milliseconds, by this one. */
  readonly next?: { readonly after: number; readonly way: WayPlan }
}

/** What happens to the home, in milliseconds since the start. */
export type WorldEvent =
  | { readonly kind: 'change'; readonly at: number; readonly gap: number }
  | { readonly kind: 'prefix'; readonly at: number }
  | { readonly kind: 'flap'; readonly at: number; readonly span: number }
  | { readonly kind: 'outage'; readonly at: number; readonly span: number }
  | VpnEvent
  | MoveEvent
  /** The first line has no carrier; the second one takes over. */
  | { readonly kind: 'failover'; readonly at: number; readonly span: number }
  | { readonly kind: 'reboot'; readonly at: number; readonly span: number; readonly stale: number }
  | { readonly kind: 'announcements'; readonly at: number; readonly count: number; readonly gap: number }
  | { readonly kind: 'service'; readonly at: number; readonly span: number; readonly says: ServiceFault }
  | { readonly kind: 'receiver'; readonly at: number; readonly span: number; readonly says: ReceiverFault }
  | { readonly kind: 'stop'; readonly at: number; readonly word: StopWord; readonly resume: number }
  | { readonly kind: 'kill'; readonly at: number; readonly down: number }
  /** The supervisor stops the daemon, and starts it again so much later. */
  | { readonly kind: 'sigterm'; readonly at: number; readonly down: number }
  | { readonly kind: 'killAtAnswer'; readonly at: number; readonly delay: number }
  /** The next request is done, and its answer is lost. */
  | { readonly kind: 'lostAnswer'; readonly at: number }
  | { readonly kind: 'powerCut'; readonly at: number; readonly down: number; readonly isTorn: boolean }
  | { readonly kind: 'freeze'; readonly at: number; readonly span: number }
  | { readonly kind: 'sleep'; readonly at: number; readonly span: number }
  | { readonly kind: 'clock'; readonly at: number; readonly by: number }
  | {
      readonly kind: 'disk'
      readonly at: number
      readonly span: number
      readonly code: string
      /** In the fallback folder too. */
      readonly isEverywhere: boolean
    }
  | { readonly kind: 'poke'; readonly at: number }
  /** On battery for a while. */
  | { readonly kind: 'battery'; readonly at: number; readonly span: number }
  /** The password changes, and so many milliseconds later the user writes it into the settings and reloads them. */
  | { readonly kind: 'password'; readonly at: number; readonly span: number; readonly isRestart: boolean }
  | { readonly kind: 'reload'; readonly at: number }
  | { readonly kind: 'oneShot'; readonly at: number }
  | { readonly kind: 'secondDaemon'; readonly at: number }
export type EventKind = WorldEvent['kind']

export const SERVICE_FAULTS = [
  '911',
  'dnserr',
  '500',
  '503',
  '429',
  'html',
  'portal',
  'reset',
  'hang',
  'slow',
] as const
export type ServiceFault = (typeof SERVICE_FAULTS)[number]
export const RECEIVER_FAULTS = ['500', 'reset', 'hang', 'lostAnswer'] as const
/** Of the webhook. */
export type ReceiverFault = (typeof RECEIVER_FAULTS)[number]
export const STOP_WORDS = ['badauth', 'abuse', 'nohost', 'badagent', '!donator'] as const
export type StopWord = (typeof STOP_WORDS)[number]

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const LIARS = [
  'stun.cloudflare.com',
  'stun.l.google.com',
  'stun.nextcloud.com',
  '208.67.222.222',
  '1.1.1.1',
] as const

/** How an event of each kind is drawn. */
const MAKERS: { readonly [K in EventKind]: (at: number, draw: Stream) => Extract<WorldEvent, { kind: K }> } =
  {
    change: (at, draw) => ({ kind: 'change', at, gap: draw() < 0.5 ? 0 : between(draw, 200, 20 * SECOND) }),
    prefix: (at) => ({ kind: 'prefix', at }),
    flap: (at, draw) => ({ kind: 'flap', at, span: between(draw, 100, 90 * SECOND) }),
    outage: (at, draw) => ({ kind: 'outage', at, span: between(draw, SECOND, 10 * MINUTE) }),
    vpn: (at, draw) => ({
      kind: 'vpn',
      at,
      span: between(draw, 10 * SECOND, 20 * MINUTE),
      step: between(draw, -500, 500),
      takesDatagrams: draw() < 0.2,
    }),
    reboot: (at, draw) => ({
      kind: 'reboot',
      at,
      span: between(draw, 5 * SECOND, 90 * SECOND),
      stale: between(draw, 0, 10 * SECOND),
    }),
    announcements: (at, draw) => ({
      kind: 'announcements',
      at,
      count: Math.floor(between(draw, 5, 300)),
      gap: between(draw, 5, 2 * SECOND),
    }),
    service: (at, draw) => {
      const [span, says] = [between(draw, SECOND, 20 * MINUTE), oneOf(draw, SERVICE_FAULTS)]
      // A problem is told after an hour.
      return { kind: 'service', at, span: draw() < 0.1 ? 5 * span : span, says }
    },
    stop: (at, draw) => ({
      kind: 'stop',
      at,
      word: oneOf(draw, STOP_WORDS),
      resume: between(draw, 5 * MINUTE, 40 * MINUTE),
    }),
    kill: (at, draw) => ({ kind: 'kill', at, down: between(draw, 100, 2 * MINUTE) }),
    killAtAnswer: (at, draw) => ({ kind: 'killAtAnswer', at, delay: between(draw, 0, 60) }),
    lostAnswer: (at) => ({ kind: 'lostAnswer', at }),
    powerCut: (at, draw) => ({
      kind: 'powerCut',
      at,
      down: between(draw, 10 * SECOND, 10 * MINUTE),
      isTorn: draw() < 0.2,
    }),
    freeze: (at, draw) => ({ kind: 'freeze', at, span: between(draw, SECOND, 5 * MINUTE) }),
    sleep: (at, draw) => ({ kind: 'sleep', at, span: between(draw, 10 * SECOND, 30 * MINUTE) }),
    clock: (at, draw) => ({
      kind: 'clock',
      at,
      by: (draw() < 0.5 ? -1 : 1) * oneOf(draw, [5 * SECOND, HOUR, 24 * HOUR, 5 * 365 * 24 * HOUR]),
    }),
    disk: (at, draw) => ({
      kind: 'disk',
      at,
      span: between(draw, SECOND, 10 * MINUTE),
      code: oneOf(draw, ['EROFS', 'ENOSPC', 'EIO']),
      isEverywhere: draw() < 0.5,
    }),
    poke: (at) => ({ kind: 'poke', at }),
    battery: (at, draw) => ({ kind: 'battery', at, span: between(draw, SECOND, 10 * MINUTE) }),
    password: (at, draw) => ({
      kind: 'password',
      at,
      span: between(draw, SECOND, 40 * MINUTE),
      isRestart: draw() < 0.5,
    }),
    reload: (at) => ({ kind: 'reload', at }),
    oneShot: (at) => ({ kind: 'oneShot', at }),
    secondDaemon: (at) => ({ kind: 'secondDaemon', at }),
    sigterm: (at, draw) => ({ kind: 'sigterm', at, down: between(draw, 100, 2 * MINUTE) }),
    failover: (at, draw) => ({ kind: 'failover', at, span: between(draw, SECOND, 10 * MINUTE) }),
    receiver: (at, draw) => ({
      kind: 'receiver',
      at,
      // After eleven minutes a delivery is given up.
      span: between(draw, SECOND, 10 * MINUTE),
      says: oneOf(draw, RECEIVER_FAULTS),
    }),
    move: (at, draw) => ({
      kind: 'move',
      at,
      span: draw() < 0.2 ? between(draw, 500, 5 * SECOND) : between(draw, 5 * SECOND, 10 * MINUTE),
      ...drawWay(draw),
      ...(draw() < 0.2 && { next: { after: between(draw, 20, 2 * SECOND), way: drawWay(draw) } }),
    }),
  }
export const EVENT_KINDS = Object.keys(MAKERS) as EventKind[]

export interface DrawOptions {
  readonly hours: number
  /** Only these kinds; without it, a random half of all. */
  readonly only?: readonly EventKind[]
  readonly router?: RouterKind
  /** Events an hour; without it, 12 in most homes. */
  readonly often?: number
}

export interface World {
  readonly seed: number
  readonly home: HomePlan
  readonly events: readonly WorldEvent[]
  /** The latest start of an event, in milliseconds. */
  readonly faultsEnd: number
}

/** Before the first event, the client is quiet for a while. */
const FIRST_EVENT = 2 * MINUTE
const EVENTS_AN_HOUR = 12
/** Few homes have a line so bad that the client has to slow down. */
const BAD_LINE: { readonly share: number; readonly often: number; readonly kinds: readonly EventKind[] } = {
  share: 0.02,
  often: 400,
  kinds: ['change', 'flap', 'prefix'],
}

/** In few homes, when all else is over, the service is not reached for longer than the hour after which a message says so. */
const LONG_FAULT = { share: 0.04, span: 75 * MINUTE, says: ['reset', 'hang'] } as const

function longFault(at: number, draw: Stream): readonly WorldEvent[] {
  return [
    { kind: 'service', at, span: LONG_FAULT.span, says: oneOf(draw, LONG_FAULT.says) },
    { kind: 'change', at: at + SECOND, gap: 0 },
  ]
}

export function drawWorld(seed: number, { hours, only: chosen, router, often: wanted }: DrawOptions): World {
  const isBad = chosen === undefined && wanted === undefined && streamOf(seed, 'line')() < BAD_LINE.share
  const only = isBad ? BAD_LINE.kinds : chosen
  const often = wanted ?? (isBad ? BAD_LINE.often : EVENTS_AN_HOUR)
  const swarm = streamOf(seed, 'swarm')
  const half = EVENT_KINDS.filter(() => swarm() < 0.5)
  const kinds = only ?? (half.length > 0 ? half : EVENT_KINDS)
  const home = homeOf(seed, router)
  const long = streamOf(seed, 'long fault')
  const isWhole = chosen === undefined && wanted === undefined && !isBad
  const hasLongFault = isWhole && home.webhook && long() < LONG_FAULT.share
  const end = hours * HOUR
  const when = streamOf(seed, 'when')
  const count = Math.max(1, Math.round(often * hours))
  const events = Array.from({ length: count }, (_, nth) => {
    const draw = streamOf(seed, `event ${nth}`)
    const kind = oneOf(draw, kinds)
    return MAKERS[kind](between(when, FIRST_EVENT, Math.max(FIRST_EVENT + 1, end)), draw)
  })
  return {
    seed,
    faultsEnd: hasLongFault ? end + LONG_FAULT.span : end,
    home,
    events: [...events.toSorted((a, b) => a.at - b.at), ...(hasLongFault ? longFault(end, long) : [])],
  }
}

function homeOf(seed: number, router: RouterKind | undefined): HomePlan {
  const home = streamOf(seed, 'home')
  const ipv6 = streamOf(seed, 'ipv6')
  const others = streamOf(seed, 'others')
  const lines = streamOf(seed, 'lines')
  const plan: HomePlan = {
    router: router ?? oneOf(home, ROUTERS),
    probe: home() < 0.7,
    roundTrip: between(home, 8, 120),
    loss: [home() < 0.7 ? 0 : between(home, 0, 0.05), lines() < 0.25 ? 0.05 : 0].reduce((a, b) =>
      Math.max(a, b),
    ),
    call: between(home, 0.05, 20),
    ipv6: oneOf(ipv6, ['none', ...IPV6_KINDS]),
    renumbers: ipv6() < 0.5,
    liars: home() < 0.8 ? [] : [oneOf(home, LIARS)],
    backup: others() < 0.5,
    webhook: others() < 0.5,
    isVerified: others() < 0.3,
    nameServers: {
      lag: others() < 0.8 ? between(others, 0, 90 * SECOND) : 7 * MINUTE,
      isSilent: others() < 0.2,
    },
    isTranslated: false,
  }
  const hasIpv6Only = router === undefined && plan.ipv6 !== 'none'
  const without = { ...plan, router: 'mute', probe: false, backup: false } as const
  if (others() < 0.1 && hasIpv6Only) return { ...without, isTranslated: true }
  if (others() < 0.2 && hasIpv6Only)
    return { ...without, renumbers: true, lacksIpv4: others() < 0.5 ? 'route' : 'uplink' }
  const whole: HomePlan = {
    ...plan,
    pings: others() < 0.7,
    losesPings: others() < 0.2,
    isSilentInside: lines() < 0.2,
    dropsPings: lines() < 0.3,
    move: drawWay(lines),
  }
  const isDialled = lines() < 0.06 && router === undefined
  const follows = lines() < 0.06
  if (isDialled) return { ...whole, router: 'mute', probe: false, ipv6: 'none', dials: true }
  if (lines() < 0.05) return { ...whole, port53: lines() < 0.5 ? 'taken' : 'alone' }
  return follows ? { ...whole, follows } : whole
}
