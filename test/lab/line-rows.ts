/** The surroundings in which the client must know which line is its own; each says what is true there. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { UPDATE_URL } from '../bench/detect-parties.ts'
import { sourcesFor } from '../bench/detect-stage.ts'
import type { Lab } from './lab.ts'
import { ANY, type LineRow, type Router, type Scene } from './line-judge.ts'
import {
  announcingBox,
  type BoxPrefix,
  change,
  type Death,
  dialledAddress,
  die,
  EXIT,
  homeMetric,
  ipsec,
  LIE,
  type Line,
  l2Vpn,
  lteStick,
  NEW_WAN,
  newRouter,
  ownTable,
  plainDns,
  ppp,
  revive,
  routerOff,
  type StickRoute,
  type TapRoutes,
  tailscale,
  takenPort53,
  tunnelV6,
  vpnBox,
  type Wired,
  wifi,
  wired,
  wiredDead,
  wiredGateway,
  wiredHost,
  wiredOutside,
} from './lines.ts'
import { LAN_HOST, LAN_ROUTER } from './plan.ts'
import { ip, now } from './run.ts'
import { nthVpn } from './vpn.ts'
import { wireGuard } from './wireguard.ts'

/** Most milliseconds from the death of the home line until another one is followed. */
const SPAN: Readonly<Record<Death, number>> = {
  'no carrier': 1000,
  'no address': 1000,
  'gateway dead': 12_000,
  'dead beyond the gateway': 15_000,
}
const DEATHS = Object.keys(SPAN) as readonly Death[]
const KNOWN = 1000
/** From the end of a VPN on. */
const BACK = 2000
const REST = 5000
/** Where an interface comes and goes, its IPv6 addresses do too, and are not what the row is about. */
const V4_ALONE = { HOLDFAST_IPV6: 'no' }

const HOME_UP = [
  'link set eth0 up',
  `addr replace ${LAN_HOST}/24 dev eth0`,
  `route replace 0.0.0.0/0 via ${LAN_ROUTER} dev eth0`,
]

// --- Held: the home line lives, and what outside services see is another's.

interface HeldOptions {
  readonly isVpn?: true
  /** The interface or the gateway of the line, one of which the log names. */
  readonly words: RegExp
  readonly build: (lab: Lab) => Promise<Line>
}

/** The exit is never published; the home line is right in time, with an address that it got meanwhile. */
const held = (name: string, router: Router, { isVpn, words, build }: HeldOptions): LineRow => ({
  name: `${name}, ${router}`,
  router,
  ...(isVpn && { isVpn }),
  exit: EXIT,
  play: async (scene) => {
    const line = await build(scene.lab)
    await scene.start()
    for (let nth = 0; nth < scene.pace.rounds; nth++) {
      const at = await line.take()
      await scene.sees(EXIT)
      // A line is told once.
      if (nth === 0) await scene.told(words, at)
      await sleep(nth === 0 ? scene.pace.hold : REST)
      const { address } = await scene.homeChanges()
      await sleep(1000)
      const back = await line.leave()
      await scene.comes(address, back, BACK, 'back')
      await scene.sees(address)
      await sleep(REST)
    }
    await scene.isWatched()
  },
})

const IPSEC = ([router, hasBypass]: readonly [Router, boolean]): LineRow =>
  held(`IPsec${hasBypass ? ' that spares the LAN' : ''}`, router, {
    isVpn: true,
    words: /\beth0|10\.8\.0\.2|192\.168\.77\.1\b/,
    build: (lab) => ipsec(lab, hasBypass),
  })

const TAP = ([routes, router]: readonly [TapRoutes, Router]): LineRow =>
  held(`an L2 VPN, ${routes}`, router, {
    isVpn: true,
    words: /\bcorp|10\.8\.1\.1\b/,
    build: (lab) => l2Vpn(lab, 'corp', routes),
  })

const BOX_WORDS = /192\.168\.77\.66/
const LAN_BOX = (router: Router): LineRow =>
  held('a VPN box in the LAN', router, { words: BOX_WORDS, build: vpnBox })

const TAILSCALE = (router: Router): LineRow =>
  held('Tailscale with an exit node', router, { isVpn: true, words: /tailscale0/, build: tailscale })

const WG_QUICK = (router: Router): LineRow => ({
  name: `wg-quick, ${router}`,
  router,
  isVpn: true,
  play: async (scene) => {
    const tunnel = await wireGuard(scene.lab)
    await scene.start()
    for (let nth = 0; nth < scene.pace.rounds; nth++) {
      const since = now()
      const at = await tunnel.up(nth)
      await scene.sees(nthVpn(nth).exit)
      await scene.told(/\bwg\d/, at, { since })
      await sleep(nth === 0 ? scene.pace.hold : REST)
      const { address } = await scene.homeChanges()
      await sleep(1000)
      const back = await tunnel.down(nth)
      await scene.comes(address, back, BACK, 'back')
      await sleep(REST)
    }
    await scene.isWatched()
  },
})

/** The AAAA record stays, and follows the prefix of the home afterwards. */
const heldV6 = (
  name: string,
  options: {
    readonly isVpn?: true
    readonly words: RegExp
    readonly build: (lab: Lab) => Promise<Line & { exit: string }>
  },
): LineRow => ({
  name: `${name}, announcing`,
  router: 'announcing',
  ...(options.isVpn && { isVpn: true }),
  sources: 'dual',
  play: async (scene) => {
    const line = await options.build(scene.lab)
    await scene.start()
    for (let nth = 0; nth < scene.pace.rounds; nth++) {
      const began = await line.take()
      const at = Math.max(began, await scene.becomes(line.exit, 6))
      if (nth === 0) await scene.told(options.words, at, { since: began })
      await sleep(nth === 0 ? scene.pace.hold : REST)
      await line.leave()
      await sleep(REST)
      const moved = await scene.lab.changePrefix(`2a00:db8:100:${nth + 2}`)
      const usable = await scene.lab.usableAt(moved.now)
      scene.truth.moved(moved.now, moved.at, usable)
      await scene.comes(moved.now, moved.at, usable - moved.at + 3000, 'the next prefix')
      await sleep(REST)
    }
    await scene.isWatched()
  },
})

const RA_BOX = (kind: BoxPrefix): LineRow =>
  heldV6(`a box that announces ${kind === 'none' ? 'no' : `a ${kind}`} prefix`, {
    words: /fe80:|\beth0\b/,
    build: (lab) => announcingBox(lab, kind),
  })

const TUNNEL_V6 = (address: 'global' | 'private'): LineRow =>
  heldV6(`a tunnel for IPv6 with a ${address} address`, {
    isVpn: true,
    words: /\bwg6\b/,
    build: (lab) => tunnelV6(lab, address),
  })

/** Until a client that starts has looked and told, in ms. */
const STARTED = 4000

/** A client that begins while the box is in use, and remembers what was right before. */
const RESTART = ([when, router]: readonly [
  'killed while it is in use' | 'killed before',
  Router,
]): LineRow => ({
  name: `a restart behind a VPN box in the LAN, ${when}, ${router}`,
  router,
  play: async (scene) => {
    const line = await vpnBox(scene.lab)
    await scene.start()
    if (when === 'killed before') await scene.kill()
    await line.take()
    await scene.sees(EXIT)
    for (let nth = 0; nth < scene.pace.rounds; nth++) {
      await sleep(REST)
      await scene.kill()
      const at = now()
      scene.launch()
      await scene.told(BOX_WORDS, at, { span: STARTED })
      await sleep(nth === 0 ? scene.pace.hold : REST)
    }
    const { address } = await scene.homeChanges()
    await sleep(1000)
    const back = await line.leave()
    await scene.comes(address, back, BACK, 'back')
    await sleep(REST)
    await scene.isWatched()
  },
})

// --- Followed: the home line is dead.

/** The time counts from the route of the stick. */
async function toStick(
  scene: Scene,
  death: Death,
  stick: Line & { readonly outside: string },
): Promise<void> {
  scene.truth.moved(stick.outside, now())
  await die(scene.lab, death)
  const at = await stick.take()
  await scene.sees(stick.outside)
  await scene.comes(stick.outside, at, SPAN[death], death)
}

const HOME_METRIC = 100

async function home(scene: Scene, death: Death, stick: Line): Promise<void> {
  await revive(scene.lab, death, HOME_METRIC)
  // Its neighbours are found again, and the host still leaves by the stick.
  await sleep(1500)
  const at = await stick.leave()
  scene.truth.moved(scene.lab.wan, at)
  await scene.comes(scene.lab.wan, at, KNOWN, 'back on the known line')
  await scene.sees(scene.lab.wan)
}

const LTE = ([kind, route, death, router]: readonly [
  'public' | 'shared',
  StickRoute,
  Death,
  Router,
]): LineRow => ({
  name: `LTE with a ${kind} address, a ${route === 'better' ? 'better route' : 'route instead'}, ${death}, ${router}`,
  router,
  // Until the death is proven, it is a tunnel that is held.
  ...(kind === 'shared' && { isVpn: true }),
  environment: V4_ALONE,
  play: async (scene) => {
    await homeMetric(scene.lab, HOME_METRIC)
    const stick = await lteStick(scene.lab, kind, { metric: HOME_METRIC, route })
    await scene.start()
    for (let nth = 0; nth < scene.pace.rounds; nth++) {
      await toStick(scene, death, stick)
      await sleep(REST)
      await home(scene, death, stick)
      await sleep(REST)
    }
    await scene.isWatched()
  },
})

/** A better metric is no death: held, until the home line dies. */
const LTE_ALIVE = (router: Router): LineRow => ({
  name: `LTE with a shared address while the home line lives, ${router}`,
  router,
  isVpn: true,
  environment: V4_ALONE,
  exit: '11.30.41.51',
  play: async (scene) => {
    await homeMetric(scene.lab, HOME_METRIC)
    const stick = await lteStick(scene.lab, 'shared', { metric: HOME_METRIC, route: 'better' })
    await scene.start()
    const at = await stick.take()
    await scene.sees(stick.outside)
    await scene.told(/\bwwan0\b/, at)
    await sleep(scene.pace.hold)
    const died = now()
    scene.truth.moved(stick.outside, died)
    await die(scene.lab, 'gateway dead')
    await scene.comes(stick.outside, died, SPAN['gateway dead'], 'gateway dead')
    await sleep(REST)
    await home(scene, 'gateway dead', stick)
    await sleep(REST)
    await scene.isWatched()
  },
})

const PPP_GAPS = [300, 2500] as const

/** The backup may be published only while nothing is dialled. */
const PPPOE = (router: Router): LineRow => ({
  name: `PPPoE of the host beside a second way, ${router}`,
  router,
  environment: V4_ALONE,
  play: async (scene) => {
    const modem = ppp(scene.lab)
    await homeMetric(scene.lab, 200)
    await modem.dial(1)
    scene.truth.moved(dialledAddress(1), 0)
    await scene.sees(dialledAddress(1))
    await scene.start(dialledAddress(1))
    for (let nth = 0; nth < 2 * scene.pace.rounds; nth++) {
      const hung = await modem.hangUp()
      scene.truth.moved(scene.lab.wan, hung)
      scene.may(1)
      await sleep(PPP_GAPS[nth % PPP_GAPS.length] ?? 0)
      const address = dialledAddress(nth + 2)
      scene.truth.moved(address, now())
      const at = await modem.dial(nth + 2)
      await scene.sees(address)
      await scene.comes(address, at, 1000, `redial after ${PPP_GAPS[nth % PPP_GAPS.length]} ms`)
      await sleep(REST)
    }
    // The backup's line moves, and that is nobody's business.
    await scene.lab.changeWan('11.22.33.200')
    const since = now()
    await sleep(REST)
    scene.atMost(0, since, 'after a change of the backup')
  },
})

const PHONE: Wired = { device: 'wlan0', net: 43 }

/** The lid is closed at home and opened on the road: the cable is out, and a phone is the way. */
const HOTSPOT = (router: Router): LineRow => ({
  name: `the hotspot of a phone, three times, ${router}`,
  router,
  environment: V4_ALONE,
  play: async (scene) => {
    await wired(scene.lab, PHONE)
    await scene.start()
    for (let nth = 0; nth < 3; nth++) {
      scene.truth.moved(wiredOutside(PHONE), now())
      const at = await change(scene.lab, [
        'link set eth0 down',
        `route replace 0.0.0.0/0 via ${wiredGateway(PHONE)} dev wlan0`,
      ])
      await scene.sees(wiredOutside(PHONE))
      await scene.comes(wiredOutside(PHONE), at, SPAN['no carrier'], 'on the road')
      await sleep(REST)
      scene.truth.moved(scene.lab.wan, now())
      const back = await change(scene.lab, HOME_UP)
      await scene.comes(scene.lab.wan, back, KNOWN, 'at home')
      await sleep(REST)
    }
    await scene.isWatched()
  },
})

const WIFI: LineRow = {
  name: 'from the cable to the Wi-Fi of one router, mute',
  router: 'mute',
  environment: V4_ALONE,
  play: async (scene) => {
    await wifi(scene.lab)
    await scene.start()
    const began = now()
    await change(scene.lab, ['link set eth0 down'])
    await scene.sees(scene.lab.wan)
    await sleep(2 * REST)
    scene.atMost(0, began, 'from the cable to the Wi-Fi')
    await scene.isWatched()
    await sleep(REST)
    const back = now()
    await change(scene.lab, HOME_UP)
    await sleep(2 * REST)
    scene.atMost(0, back, 'and back')
    await scene.isWatched()
  },
}

const SECOND: Wired = { device: 'wlan0', net: 44 }
const A_MINUTE = 60_000

const NEXT_HOPS: LineRow = {
  name: 'two next hops, mute',
  router: 'mute',
  environment: V4_ALONE,
  play: async (scene) => {
    const { lab, truth } = scene
    await wired(lab, SECOND)
    const hops = [
      `nexthop via ${LAN_ROUTER} dev eth0`,
      `nexthop via ${wiredGateway(SECOND)} dev ${SECOND.device}`,
    ]
    await ip(lab.host, [`route replace 0.0.0.0/0 ${hops.join(' ')}`])
    truth.holds(wiredOutside(SECOND), 0)
    const began = now()
    scene.may(2)
    scene.launch()
    await sleep(A_MINUTE)
    scene.atMost(2, began, 'in a minute')
    const isHome = scene.published() === lab.wan
    const [name, other] = isHome ? ['eth0', wiredOutside(SECOND)] : [SECOND.device, lab.wan]
    truth.moved(other, now())
    const at = await change(lab, [`link set ${name} down`])
    await scene.comes(other, at, SPAN['no carrier'], `without ${name}`)
  },
}

const NEW: LineRow = {
  name: 'a new router, the old one is unplugged, mute',
  router: 'mute',
  environment: V4_ALONE,
  play: async (scene) => {
    const line = await newRouter(scene.lab, 'mute')
    await scene.start()
    scene.truth.moved(NEW_WAN, now())
    await routerOff(scene.lab, true)
    const at = await line.take()
    await scene.sees(NEW_WAN)
    await scene.comes(NEW_WAN, at, SPAN['gateway dead'], 'on the new router')
  },
}

/** The old one answers as before, and has no line any more. */
const ACCESS_POINT = (word: 'NAT-PMP' | 'UPnP'): LineRow => ({
  name: `a new router that speaks ${word}, the old one stays as an access point, mute`,
  router: 'mute',
  environment: V4_ALONE,
  play: async (scene) => {
    const line = await newRouter(scene.lab, word)
    await scene.start()
    scene.truth.moved(NEW_WAN, now())
    await scene.lab.outside('down')
    const at = await line.take()
    await scene.sees(NEW_WAN)
    await scene.comes(NEW_WAN, at, SPAN['gateway dead'], 'on the new router')
  },
})

// --- Port 53.

/** Two that ask plain DNS come first: one box lies for both. */
const CHOSEN = [
  'dns:myip.opendns.com@208.67.222.222',
  'dns:whoami.akamai.net@193.108.88.1',
  'stun:11.99.0.81',
  'stun:11.99.0.82',
  'http://11.99.0.80/',
]

const PORT_53 = ([refusesChaos, blocksUdp, sources]: readonly [
  boolean,
  boolean,
  'default' | 'chosen',
]): LineRow => ({
  name: `port 53 taken${refusesChaos ? ', CHAOS refused' : ''}${blocksUdp ? ', no UDP' : ''}${sources === 'chosen' ? ', chosen sources' : ''}`,
  router: 'mute',
  sources: sources === 'default' ? sources : CHOSEN,
  environment: V4_ALONE,
  play: async (scene) => {
    await takenPort53(scene.lab, refusesChaos, blocksUdp)
    scene.seesLie(LIE, await plainDns(scene.lab))
    await scene.start()
    // More changes than outside services are asked for in a few minutes would show only that.
    for (let nth = 0; nth < Math.max(4, scene.pace.rounds); nth++) {
      const { address, at } = await scene.homeChanges()
      await scene.comes(address, at, blocksUdp ? 10_000 : 5000, 'a change')
      await sleep(2 * REST)
    }
  },
})

// --- An order of lines.

const [FIRST, OTHER]: readonly [Wired, Wired] = [
  { device: 'w1', net: 51 },
  { device: 'w2', net: 52 },
]
const [STEADY_FROM, STEADY_TO] = [25_000, 45_000]

/** The default route of the host is that of a third line, by which only updates are sent. */
async function inOrder(scene: Scene, of: 'account' | 'hostname', choice: string): Promise<void> {
  const { lab, service } = scene
  for (const line of [FIRST, OTHER]) {
    await wired(lab, line)
    await ownTable(lab, line, wiredGateway(line), wiredHost(line))
  }
  scene.truth.moved(wiredOutside(FIRST), 0)
  const config = join(lab.folder, 'holdfast.toml')
  const sources = sourcesFor(ANY) ?? ''
  const lines = [
    `sources = [${sources
      .split(',')
      .map((source) => `"${source}"`)
      .join(', ')}]`,
    '[[account]]',
    `server = "${UPDATE_URL}"`,
    `username = "${service.username}"`,
    `password = "${service.password}"`,
    'hostnames = ["home.example.test"]',
    'ipv6 = false',
    ...(of === 'hostname' ? ['[[account.host]]', 'name = "home.example.test"'] : []),
    `interface = ${choice}`,
  ]
  writeFileSync(config, `${lines.join('\n')}\n`, { mode: 0o600 })
  await scene.start(wiredOutside(FIRST), config)
}

/** What the other two are built on: nothing but the one line is ever published. */
const BOUND: LineRow = {
  name: 'a line that is bound by its interface dies and returns, mute',
  router: 'mute',
  play: async (scene) => {
    await inOrder(scene, 'hostname', '"w1"')
    const began = await wiredDead(scene.lab, FIRST, true)
    await sleep(2 * REST)
    await wiredDead(scene.lab, FIRST, false)
    await sleep(2 * REST)
    scene.atMost(0, began, 'while it is dead, and afterwards')
  },
}

const ORDER: LineRow = {
  name: 'an order of lines: the first one dies and returns, mute',
  router: 'mute',
  play: async (scene) => {
    const { truth } = scene
    await inOrder(scene, 'account', '["w1", "w2"]')
    truth.moved(wiredOutside(OTHER), now())
    const died = await wiredDead(scene.lab, FIRST, true)
    await scene.comes(wiredOutside(OTHER), died, SPAN['gateway dead'], 'the first line is dead')
    await sleep(REST)
    const alive = await wiredDead(scene.lab, FIRST, false)
    truth.holds(wiredOutside(FIRST), alive + STEADY_FROM)
    await scene.comes(wiredOutside(FIRST), alive, STEADY_TO, 'the first line is steady')
    // There is one move in 30 s at most.
    await sleep(MIN_STAY + 1000)
    truth.moved(wiredOutside(OTHER), now())
    const cut = await change(scene.lab, ['link set w1 down'])
    await scene.comes(wiredOutside(OTHER), cut, SPAN['no carrier'], 'the first line is cut')
  },
}

const MIN_STAY = 30_000
const [FLAP, FLAPS] = [20_000, 12] as const
/** A line that is never steady for half a minute is not returned to; a few times are forgiven. */
const FEW = 3

const FLAPPING: LineRow = {
  name: 'an order of lines: the first one flaps, mute',
  router: 'mute',
  play: async (scene) => {
    const { truth } = scene
    await inOrder(scene, 'hostname', '["w1", "w2"]')
    truth.holds(wiredOutside(OTHER), now())
    scene.may(FEW - 1)
    const began = now()
    for (let nth = 0; nth < FLAPS; nth++) {
      const at = await wiredDead(scene.lab, FIRST, nth % 2 === 0)
      if (nth === 0)
        await scene.comes(wiredOutside(OTHER), at, SPAN['gateway dead'], 'the first line is dead')
      await sleep(Math.max(0, at + FLAP - now()))
    }
    scene.atMost(FEW, began, 'in four minutes')
  },
}

const ROUTERS = ['mute', 'announcing'] as const

// biome-ignore format: a table
export const LINE_ROWS: readonly LineRow[] = [
  ...ROUTERS.map(LAN_BOX),
  ...([['mute', false], ['mute', true], ['announcing', true]] as const).map(IPSEC),
  ...([
    ['replaced', 'mute'], ['replaced', 'announcing'], ['replaced with a route to its server', 'mute'],
    ['halves', 'mute'], ['halves', 'announcing'],
  ] as const).map(TAP),
  ...(['public', 'shared'] as const).flatMap((kind) => DEATHS.map((death) => LTE([kind, 'better', death, 'mute']))),
  ...([
    ['public', 'no carrier', 'mute'], ['public', 'no carrier', 'announcing'], ['public', 'gateway dead', 'mute'],
    ['shared', 'no address', 'mute'], ['shared', 'gateway dead', 'mute'], ['shared', 'gateway dead', 'announcing'],
  ] as const).map(([kind, death, router]) => LTE([kind, 'instead', death, router])),
  ...ROUTERS.map(LTE_ALIVE),
  ...(['global', 'private', 'none'] as const).map(RA_BOX),
  ...ROUTERS.map(PPPOE),
  ...([
    [false, false, 'default'], [true, false, 'default'], [false, true, 'default'], [true, true, 'default'],
    [true, false, 'chosen'],
  ] as const).map(PORT_53),
  ...ROUTERS.map(WG_QUICK),
  ...ROUTERS.map(TAILSCALE),
  ...(['global', 'private'] as const).map(TUNNEL_V6),
  ...ROUTERS.map(HOTSPOT),
  WIFI,
  NEXT_HOPS,
  NEW,
  ACCESS_POINT('NAT-PMP'),
  ACCESS_POINT('UPnP'),
  ...([
    ['killed while it is in use', 'mute'], ['killed before', 'mute'], ['killed before', 'announcing'],
  ] as const).map(RESTART),
  BOUND,
  ORDER,
  FLAPPING,
]

export function lineRow(name: string): LineRow {
  const found = LINE_ROWS.find((row) => row.name === name)
  if (found === undefined) throw new Error(`there is no row "${name}"`)
  return found
}
