/**
 * Ways out of the host beside the home line: of VPNs, which must not be followed, and of other providers, which must be.
 * Each is made of what the kernel has for it, and outside services see another address through it.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { end, startIgd } from './daemons.ts'
import { interceptWeb } from './home-networks.ts'
import type { Lab } from './lab.ts'
import { LAN_HOST, LAN_NET, LAN_ROUTER, serviceV4 } from './plan.ts'
import { IGD_RULES, natRules, ROUTER_OFF, ROUTER_ON } from './rules.ts'
import { inside, ip, nft, now, prepared, settings, start } from './run.ts'
import { HOST_PORT, plugged } from './wires.ts'

/** A way out that the traffic of the host takes and leaves. Each returns the time just before. */
export interface Line {
  take(): Promise<number>
  leave(): Promise<number>
}

/** Lines of the kernel's tables, in one moment. */
export async function change(lab: Lab, lines: readonly string[]): Promise<number> {
  return (await prepared(lab.host))(lines)
}

const replaceTable = (name: string, ...chains: readonly string[]): string =>
  `table ${name}\ndelete table ${name}\ntable ${name} {\n${chains.join('\n')}\n}\n`

/** At the provider: what comes from these addresses has another one outside. Several of them may be there at once. */
export function translated(lab: Lab, name: string, net: string, address: string): Promise<string> {
  const family = net.includes(':') ? 'ip6' : 'ip'
  const rule = `${family} saddr ${net} snat to ${address};`
  const chain = `chain in { type nat hook input priority 100; ${rule} }`
  return nft(lab.isp, replaceTable(`${family} from_${name}`, chain))
}

/**
 * At the provider, what comes out of a tunnel has the address of the exit, and that address is of the provider's own: it
 * answers at the first hop, as a home router answers at its public address.
 */
async function exit(lab: Lab, name: string, net: string, address: string): Promise<void> {
  await ip(lab.isp, [`addr replace ${address}/${address.includes(':') ? '128' : '32'} dev lo`])
  await translated(lab, name, net, address)
}

async function ready(child: ChildProcess, what: string): Promise<void> {
  child.stderr?.resume()
  if (child.stdout === null) throw new Error(`${what} has no output`)
  const first = await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => undefined)])
  if (first === undefined) throw new Error(`${what} has ended`)
}

const JOINED = join(import.meta.dirname, 'joined.py')

/** A device of the host, down and without an address, whose other end is `far-…` at the provider. It ends with the child. */
export async function device(lab: Lab, kind: 'tun' | 'tap', name: string): Promise<ChildProcess> {
  const child = lab.spawn('isp', 'python3', [JOINED, kind, name, `far-${name}`])
  await ready(child, `the device ${name}`)
  await ip(lab.isp, [`link set ${name} netns ${lab.host}`, `link set far-${name} up`])
  return child
}

/** What outside services see of the host now; "nothing" without an answer. */
export async function seen(lab: Lab, family: 4 | 6 = 4): Promise<string> {
  const url = family === 4 ? `http://${serviceV4(80)}/` : 'http://[2a00:db8:99::80]/'
  const asked = inside(lab.host, ['curl', '-s', '--noproxy', '*', '--max-time', '3', url])
  return (await asked.catch(() => 'nothing')).trim()
}

/** Exits, each of another provider. */
export const EXIT = '11.77.10.2'
export const EXIT_V6 = '2a00:db8:770::2'

const HOME_ROUTE = `0.0.0.0/0 via ${LAN_ROUTER} dev eth0`

// --- VPNs: an exit is never published.

const VIRTUAL = '10.8.0.2'

/**
 * Policy IPsec as strongSwan makes it, with a virtual address: rule 220, and a table with the same gateway and another source.
 * With bypass, the LAN keeps the source that it has. The router stands for the far end of the IPsec.
 */
export async function ipsec(lab: Lab, hasBypass: boolean): Promise<Line> {
  const mac = (await inside(lab.router, ['cat', '/sys/class/net/wan0/address'])).trim()
  await ip(lab.isp, [
    `route replace ${EXIT}/32 dev isp0`,
    `neigh replace ${EXIT} lladdr ${mac} dev isp0 nud permanent`,
  ])
  await ip(lab.router, [`route replace ${VIRTUAL}/32 dev lan0`])
  await nft(
    lab.router,
    replaceTable(
      'ip swan',
      `chain post { type nat hook postrouting priority 80; ip saddr ${VIRTUAL} oifname "wan0" snat to ${EXIT}; }`,
      `chain in { type filter hook input priority 0; ip saddr ${VIRTUAL} drop; }`,
    ),
  )
  const bypass = `route add ${LAN_NET} dev eth0 src ${LAN_HOST} table 220`
  return {
    take: async () =>
      change(lab, [
        `addr add ${VIRTUAL}/32 dev eth0`,
        'rule add pref 220 table 220',
        ...(hasBypass ? [bypass] : []),
        `route add default via ${LAN_ROUTER} dev eth0 src ${VIRTUAL} table 220`,
      ]),
    leave: async () =>
      change(lab, ['rule del pref 220', 'route flush table 220', `addr del ${VIRTUAL}/32 dev eth0`]),
  }
}

/** How an L2 VPN takes the traffic: instead of the home route, with or without a route to its server, or by two halves. */
export type TapRoutes = 'replaced' | 'replaced with a route to its server' | 'halves'
const SERVER_ROUTE = `${serviceV4(1)}/32 via ${LAN_ROUTER} dev eth0`

/** A real TAP device with a name of its own. */
export async function l2Vpn(lab: Lab, name: string, routes: TapRoutes): Promise<Line> {
  const through = `via 10.8.1.1 dev ${name}`
  const halves = ['0.0.0.0/1', '128.0.0.0/1'].map((half) => `route add ${half} ${through}`)
  const more = routes === 'replaced' ? [] : [`route replace ${SERVER_ROUTE}`]
  let child: ChildProcess | undefined
  return {
    take: async () => {
      child = await device(lab, 'tap', name)
      await ip(lab.isp, [`addr add 10.8.1.1/24 dev far-${name}`])
      await exit(lab, 'tap', '10.8.1.0/24', EXIT)
      return change(lab, [
        `addr add 10.8.1.2/24 dev ${name}`,
        `link set ${name} up`,
        ...more,
        ...(routes === 'halves' ? halves : [`route replace 0.0.0.0/0 ${through}`]),
      ])
    },
    leave: async () => {
      const lines = routes === 'replaced' ? [] : [`route del ${SERVER_ROUTE}`]
      const at = await change(lab, [...lines, `link set ${name} down`, `route replace ${HOME_ROUTE}`])
      await end(child)
      return at
    },
  }
}

/** The rules and the table of Tailscale, with an exit node in use. */
const TAILSCALE_RULES = [
  'pref 5210 fwmark 0x80000/0xff0000 table main',
  'pref 5230 fwmark 0x80000/0xff0000 table default',
  'pref 5250 fwmark 0x80000/0xff0000 unreachable',
  'pref 5270 table 52',
]
const TAILNET_HOST = '100.101.102.103'

/** As Tailscale makes it. Its device is there all the time; an exit node is used, or not. */
export async function tailscale(lab: Lab): Promise<Line> {
  await device(lab, 'tun', 'tailscale0')
  await ip(lab.host, [
    `addr add ${TAILNET_HOST}/32 dev tailscale0`,
    'link set tailscale0 up',
    ...TAILSCALE_RULES.map((rule) => `rule add ${rule}`),
    'route add 100.100.100.100/32 dev tailscale0 table 52',
    `route add throw ${LAN_NET} table 52`,
  ])
  await ip(lab.isp, [`route add ${TAILNET_HOST}/32 dev far-tailscale0`])
  await exit(lab, 'tailnet', TAILNET_HOST, EXIT)
  const route = '0.0.0.0/0 dev tailscale0 table 52'
  return {
    take: async () => change(lab, [`route add ${route}`]),
    leave: async () => change(lab, [`route del ${route}`]),
  }
}

const [TUNNEL_V6, TUNNEL_ULA] = ['2a00:db8:771:1', 'fd77:1:1:1']

/** A tunnel for IPv6, with a global address of its own, or with a private one that its far end translates. */
export async function tunnelV6(lab: Lab, address: 'global' | 'private'): Promise<Line & { exit: string }> {
  const prefix = address === 'global' ? TUNNEL_V6 : TUNNEL_ULA
  if (address === 'private') await exit(lab, 'ula', `${prefix}::/64`, EXIT_V6)
  let child: ChildProcess | undefined
  return {
    exit: address === 'global' ? `${prefix}::2` : EXIT_V6,
    take: async () => {
      child = await device(lab, 'tun', 'wg6')
      await ip(lab.isp, [`addr add ${prefix}::1/64 dev far-wg6 nodad`])
      return change(lab, [
        `addr add ${prefix}::2/64 dev wg6 nodad`,
        'link set wg6 up',
        'route add ::/0 dev wg6 metric 10',
      ])
    },
    leave: async () => {
      const at = now()
      await end(child)
      return at
    },
  }
}

/** In the LAN; see `vpnBox`. */
export const BOX = '192.168.77.66'
// Nearer to the outside services than that of the home, so that the host sends from it (RFC 6724).
const BOX_PREFIX = '2a00:db8:90:1'
const BOX_ULA = 'fd66:1:1:1'

/** Another machine in the LAN, with a way out of its own by `out0`. Its end at the provider is `far-…`. */
async function neighbour(lab: Lab, name: string, address: string): Promise<string> {
  const box = await lab.addNamespace(name)
  await ip(undefined, [
    `link add port-${name} netns ${lab.router} type veth peer name lan0 netns ${box}`,
    `link add far-${name} netns ${lab.isp} type veth peer name wan0 netns ${box}`,
  ])
  await ip(lab.router, plugged(`port-${name}`))
  await settings(box, [
    'ipv4/ip_forward=1',
    'ipv6/conf/all/forwarding=1',
    'ipv6/conf/lan0/accept_dad=0',
    'ipv6/conf/wan0/accept_dad=0',
  ])
  await settings(lab.isp, [`ipv6/conf/far-${name}/accept_dad=0`])
  await ip(box, [
    ...['lo', 'lan0', 'wan0'].map((link) => `link set ${link} up`),
    `addr add ${address}/24 dev lan0`,
  ])
  await ip(lab.isp, [`link set far-${name} up`])
  return box
}

/** A VPN gateway in the LAN, such as a Raspberry Pi. Returns its namespace. */
async function boxInLan(lab: Lab): Promise<string> {
  const box = await neighbour(lab, 'box', BOX)
  await ip(lab.isp, ['addr add 10.8.2.1/24 dev far-box', 'addr add fd66::1/64 dev far-box nodad'])
  await ip(box, [
    'addr add 10.8.2.2/24 dev wan0',
    'route add 0.0.0.0/0 via 10.8.2.1 dev wan0',
    'addr add fd66::2/64 dev wan0 nodad',
    'route add ::/0 via fd66::1 dev wan0',
  ])
  await nft(box, natRules('masquerade', '10.8.2.2'))
  await exit(lab, 'box', '10.8.2.0/24', EXIT)
  return box
}

/** The host's default route moves to the box, and back. */
export async function vpnBox(lab: Lab): Promise<Line> {
  await boxInLan(lab)
  return {
    take: async () => change(lab, [`route replace 0.0.0.0/0 via ${BOX} dev eth0`]),
    leave: async () => change(lab, [`route replace ${HOME_ROUTE}`]),
  }
}

export type BoxPrefix = 'global' | 'private' | 'none'
const PREFIXES = { global: BOX_PREFIX, private: BOX_ULA, none: undefined } as const

/** The same box takes the traffic over IPv6 by router advertisements that hosts prefer. */
export async function announcingBox(lab: Lab, kind: BoxPrefix): Promise<Line & { exit: string }> {
  const box = await boxInLan(lab)
  const prefix = PREFIXES[kind]
  if (prefix !== undefined) await ip(box, [`addr add ${prefix}::1/64 dev lan0 nodad`])
  if (kind === 'global') await ip(lab.isp, [`route add ${prefix}::/64 via fd66::2 dev far-box`])
  else {
    await nft(
      box,
      replaceTable(
        'ip6 out',
        'chain post { type nat hook postrouting priority 90; oifname "wan0" masquerade; }',
      ),
    )
    await exit(lab, 'box6', 'fd66::/64', EXIT_V6)
  }
  const folder = join(lab.folder, 'box')
  mkdirSync(folder, { recursive: true })
  const announced = prefix === undefined ? '' : `prefix ${prefix}::/64 { };`
  writeFileSync(
    join(folder, 'radvd.conf'),
    `interface lan0 { AdvSendAdvert on; MinRtrAdvInterval 3; MaxRtrAdvInterval 10; AdvDefaultPreference high; ${announced} };\n`,
    { mode: 0o644 },
  )
  let child: ChildProcess | undefined
  return {
    exit: kind === 'global' ? `${prefix}:` : EXIT_V6,
    take: async () => {
      const files = [`--config=${join(folder, 'radvd.conf')}`, `--pidfile=${join(folder, 'radvd.pid')}`]
      const at = now()
      child = start({
        namespace: box,
        program: 'radvd',
        args: ['-n', '--logmethod=none', '--username=root', ...files],
        stdio: 'ignore',
      })
      return at
    },
    leave: async () => {
      const at = now()
      // It says goodbye: a last advertisement without a lifetime.
      child?.kill('SIGTERM')
      if (child !== undefined) await once(child, 'exit')
      if (prefix !== undefined) await ip(lab.host, [`addr flush dev eth0 to ${prefix}::/64`])
      return at
    },
  }
}

// --- Other lines: followed when the home line is dead.

/** The home route has a metric, as NetworkManager gives it, so that another one can be better or worse. */
export const homeMetric = (lab: Lab, metric: number): Promise<void> =>
  ip(lab.host, [`route del ${HOME_ROUTE}`, `route add ${HOME_ROUTE} metric ${metric}`])

/** An LTE stick without a MAC address. With a public address, or with one that its provider translates to `outside`. */
export interface Stick extends Line {
  readonly outside: string
}
/** Its route is better than that of the home, or replaces it. */
export type StickRoute = 'better' | 'instead'

/** Beside a home route of this metric. */
export async function lteStick(
  lab: Lab,
  kind: 'public' | 'shared',
  { metric, route }: { readonly metric: number; readonly route: StickRoute },
): Promise<Stick> {
  const own = kind === 'public' ? '11.30.40.50' : '100.70.1.2'
  await device(lab, 'tun', 'wwan0')
  await ip(lab.isp, [`route add ${own}/32 dev far-wwan0`])
  const outside = kind === 'public' ? own : '11.30.41.51'
  if (kind === 'shared') {
    await ip(lab.isp, [`route add ${outside}/32 dev far-wwan0`])
    await translated(lab, 'lte', own, outside)
  }
  await ip(lab.host, [`addr add ${own}/32 dev wwan0`, 'link set wwan0 up'])
  const through = `0.0.0.0/0 dev wwan0 metric ${metric / 2}`
  const [take, leave] =
    route === 'better'
      ? [[], []]
      : [['route flush 0.0.0.0/0 dev eth0'], [`route replace ${HOME_ROUTE} metric ${metric}`]]
  return {
    outside,
    take: async () => change(lab, [...take, `route add ${through}`]),
    leave: async () => change(lab, [...leave, `route del ${through}`]),
  }
}

/** How the home line dies. */
export type Death = 'no carrier' | 'no address' | 'gateway dead' | 'dead beyond the gateway'

const ARP_OFF = replaceTable('arp power', 'chain in { type filter hook input priority 0; drop; }')
const ARP_ON = 'table arp power\ndelete table arp power\n'
const WAN_OFF = replaceTable(
  'inet wayout',
  'chain in { type filter hook input priority 0; iifname "isp0" drop; }',
  'chain through { type filter hook forward priority 0; iifname "isp0" drop; }',
)
const WAN_ON = 'table inet wayout\ndelete table inet wayout\n'

/** The router is unplugged, or on again. The switch in it carries on. */
export async function routerOff(lab: Lab, isOff: boolean): Promise<void> {
  await nft(lab.router, isOff ? ROUTER_OFF + ARP_OFF : ROUTER_ON + ARP_ON)
}

export async function die(lab: Lab, death: Death): Promise<void> {
  if (death === 'no carrier') await ip(lab.router, [`link set ${HOST_PORT} down`])
  else if (death === 'no address') await ip(lab.host, [`addr del ${LAN_HOST}/24 dev eth0`])
  else if (death === 'gateway dead') await routerOff(lab, true)
  else await nft(lab.isp, WAN_OFF)
}

export async function revive(lab: Lab, death: Death, metric: number): Promise<void> {
  if (death === 'no carrier') await ip(lab.router, [`link set ${HOST_PORT} up`])
  else if (death === 'no address')
    await ip(lab.host, [`addr add ${LAN_HOST}/24 dev eth0`, `route replace ${HOME_ROUTE} metric ${metric}`])
  else if (death === 'gateway dead') await routerOff(lab, false)
  else await nft(lab.isp, WAN_ON)
}

/** A modem that the host dials itself. The public address is on ppp0, and each call has another one. */
export interface Dialled {
  /** Returns the time just before the address. */
  dial(nth: number): Promise<number>
  /** Returns the time just before. */
  hangUp(): Promise<number>
}
export const dialledAddress = (nth: number): string => `11.40.${nth}.7`

export function ppp(lab: Lab): Dialled {
  let child: ChildProcess | undefined
  return {
    dial: async (nth) => {
      child = await device(lab, 'tun', 'ppp0')
      await ip(lab.isp, [`route replace ${dialledAddress(nth)}/32 dev far-ppp0`])
      return change(lab, [
        `addr add ${dialledAddress(nth)} peer 11.40.255.1/32 dev ppp0`,
        'link set ppp0 up',
        'route add 0.0.0.0/0 dev ppp0',
      ])
    },
    hangUp: async () => {
      const at = now()
      await end(child)
      return at
    },
  }
}

export interface Wired {
  readonly device: string
  /** The third octet of its network, and of its public address. */
  readonly net: number
}
export const wiredGateway = ({ net }: Wired): string => `192.168.${net}.1`
export const wiredHost = ({ net }: Wired): string => `192.168.${net}.2`
export const wiredOutside = ({ net }: Wired): string => `11.60.${net}.5`

/** Another interface of the host, with an address that its provider translates: a phone, a second router. */
export async function wired(lab: Lab, line: Wired): Promise<void> {
  const far = `far-${line.device}`
  await ip(undefined, [
    `link add ${far} netns ${lab.isp} type veth peer name ${line.device} netns ${lab.host}`,
  ])
  await settings(lab.host, [`ipv6/conf/${line.device}/disable_ipv6=1`])
  await ip(lab.isp, [
    `addr add ${wiredGateway(line)}/24 dev ${far}`,
    `link set ${far} up`,
    `route add ${wiredOutside(line)}/32 dev ${far}`,
  ])
  await translated(lab, `net${line.net}`, `192.168.${line.net}.0/24`, wiredOutside(line))
  await ip(lab.host, [`addr add ${wiredHost(line)}/24 dev ${line.device}`, `link set ${line.device} up`])
}

/** The gateway of a wired line is dead, or alive again; its wire keeps its carrier. */
export async function wiredDead(lab: Lab, line: Wired, isDead: boolean): Promise<number> {
  const name = `off_${line.net}`
  const rule = `iifname "far-${line.device}" drop;`
  const at = now()
  await nft(
    lab.isp,
    isDead
      ? replaceTable(`inet ${name}`, `chain in { type filter hook prerouting priority -350; ${rule} }`) +
          replaceTable(`arp ${name}`, `chain in { type filter hook input priority 0; ${rule} }`)
      : `delete table inet ${name}\ndelete table arp ${name}\n`,
  )
  return at
}

/** What leaves from the address of a line leaves by it, as docs/client.md has it. */
export const ownTable = (lab: Lab, line: Wired, gateway: string, host: string): Promise<void> =>
  ip(lab.host, [
    `route add default via ${gateway} dev ${line.device} table ${line.net}`,
    `rule add from ${host} lookup ${line.net}`,
  ])

/** Of the same LAN as eth0. */
export const WIFI_HOST = '192.168.77.101'

/** A second way to the same router. */
export async function wifi(lab: Lab): Promise<void> {
  await ip(undefined, [`link add port-wifi netns ${lab.router} type veth peer name wlan0 netns ${lab.host}`])
  await ip(lab.router, plugged('port-wifi'))
  await settings(lab.host, ['ipv6/conf/wlan0/disable_ipv6=1'])
  await ip(lab.host, [
    `addr add ${WIFI_HOST}/24 dev wlan0`,
    'link set wlan0 up',
    `route add 0.0.0.0/0 via ${LAN_ROUTER} dev wlan0 metric 600`,
  ])
}

export const NEW_ROUTER = '192.168.77.2'
export const NEW_WAN = '11.50.1.9'

/** Another router in the LAN, with a line of its own. It says nothing of it, or by one of the two protocols. */
export async function newRouter(lab: Lab, word: 'mute' | 'NAT-PMP' | 'UPnP'): Promise<Line> {
  const router = await neighbour(lab, 'rtr2', NEW_ROUTER)
  await ip(lab.isp, ['addr add 11.50.1.1/24 dev far-rtr2'])
  await ip(router, [`addr add ${NEW_WAN}/24 dev wan0`, 'route add 0.0.0.0/0 via 11.50.1.1 dev wan0'])
  await nft(router, natRules('masquerade', NEW_WAN) + IGD_RULES)
  if (word === 'NAT-PMP') {
    const args = [join(import.meta.dirname, 'pmp-router.ts'), NEW_WAN]
    await ready(start({ namespace: router, program: process.execPath, args, env: { AT: NEW_ROUTER } }), word)
  } else if (word === 'UPnP') {
    const folder = join(lab.folder, 'rtr2')
    mkdirSync(folder, { recursive: true })
    await startIgd({ namespace: router, folder }, 'upnp')
  }
  return {
    take: async () => change(lab, [`route replace 0.0.0.0/0 via ${NEW_ROUTER} dev eth0`]),
    leave: async () => change(lab, [`route replace ${HOME_ROUTE}`]),
  }
}

// --- A network that answers all plain DNS itself.

export const [LIE, LIE_V6] = ['11.66.6.6', '2a00:db8:66::6']

/** The default sources of the client are those of the lab; plain DNS never gets out. */
export async function takenPort53(lab: Lab, refusesChaos: boolean, blocksUdp: boolean): Promise<void> {
  await interceptWeb(lab)
  // Where the default sources have another port than in the lab.
  await nft(
    lab.isp,
    replaceTable(
      'ip ports',
      `chain pre { type nat hook prerouting priority -100;
        ip daddr ${serviceV4(82)} udp dport 19302 dnat to ${serviceV4(82)}:3478;
        ip daddr ${serviceV4(1)} udp dport 443 dnat to ${serviceV4(1)}:3478; }`,
    ),
  )
  const args = [join(import.meta.dirname, 'liar.ts'), LIE, LIE_V6, ...(refusesChaos ? ['refuse'] : [])]
  await ready(lab.spawn('router', process.execPath, args), 'the liar')
  const udp = 'chain through { type filter hook forward priority 0; iifname "lan0" meta l4proto udp drop; }'
  await nft(
    lab.router,
    replaceTable(
      'inet taken',
      `chain pre {
        type nat hook prerouting priority -110
        iifname "lan0" udp dport 53 redirect
        iifname "lan0" tcp dport 53 redirect
      }`,
      ...(blocksUdp ? [udp] : []),
    ),
  )
}

const ASK = `
  const resolver = new (require('dns').promises.Resolver)({ timeout: 2000, tries: 1 })
  resolver.setServers(['208.67.222.222'])
  resolver.resolve4('myip.opendns.com').then(([address]) => console.log(address))`

/** What plain DNS says of the host; "nothing" without an answer. */
export async function plainDns(lab: Lab): Promise<string> {
  return (await inside(lab.host, [process.execPath, '-e', ASK]).catch(() => 'nothing')).trim()
}
