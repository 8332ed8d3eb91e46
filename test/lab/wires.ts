import { existsSync } from 'node:fs'
import {
  FIRST_PREFIX,
  FIRST_WAN,
  gatewayOf,
  HOST_MAC,
  LAN_HOST,
  LAN_ROUTER,
  MODEM,
  MODEM_ROUTER,
  SERVICES,
  serviceV4,
  serviceV6,
  WAN_PREFIX,
} from './plan.ts'
import { COUNTING_RULES, IGD_RULES, natRules } from './rules.ts'
import { ip, nft, settings } from './run.ts'

export interface Names {
  readonly isp: string
  /** Exists only after `addModem`. */
  readonly modem: string
  readonly router: string
  readonly host: string
}

const ROUTER_MAC = '02:00:00:00:77:01'
/** The port of a switch to which the host is wired. */
export const HOST_PORT = 'port0'
export const plugged = (port: string): readonly string[] => [
  `link set ${port} master lan0`,
  `link set ${port} up`,
]

/** The route of the provider to a prefix of the customer. */
export const routeTo = (prefix: string): string =>
  `route replace ${prefix}::/64 via ${WAN_PREFIX}::2 dev isp0`

/** The settings that the provider's side of the WAN link loses when it goes down. */
export const ispLink = (prefix: string): readonly string[] => [
  'link set isp0 up',
  `addr replace ${WAN_PREFIX}::1/64 dev isp0 nodad`,
  routeTo(prefix),
]

/** The settings of the host; its IPv6 addresses come from router advertisements. */
export const hostLink: readonly string[] = [
  'link set eth0 up',
  `addr replace ${LAN_HOST}/24 dev eth0`,
  `route replace 0.0.0.0/0 via ${LAN_ROUTER} dev eth0`,
]

async function ispSide(namespace: string): Promise<void> {
  await settings(namespace, [
    'ipv4/ip_forward=1',
    'ipv6/conf/all/forwarding=1',
    'ipv6/conf/isp0/accept_dad=0',
  ])
  await ip(namespace, [
    'link set lo up',
    ...SERVICES.flatMap((n) => [
      `addr add ${serviceV4(n)}/32 dev lo`,
      `addr add ${serviceV6(n)}/128 dev lo nodad`,
    ]),
    `addr add ${gatewayOf(FIRST_WAN)}/24 dev isp0`,
    ...ispLink(FIRST_PREFIX),
  ])
}

async function routerSide(namespace: string): Promise<void> {
  await settings(namespace, [
    'ipv4/ip_forward=1',
    'ipv4/conf/wan0/promote_secondaries=1',
    'ipv6/conf/all/forwarding=1',
    'ipv6/conf/wan0/accept_dad=0',
    'ipv6/conf/lan0/accept_dad=0',
  ])
  await ip(namespace, [
    'link set lo up',
    'link set wan0 up',
    'link set lan0 up',
    `addr add ${FIRST_WAN}/24 dev wan0`,
    `route add 0.0.0.0/0 via ${gatewayOf(FIRST_WAN)} dev wan0`,
    `addr add ${LAN_ROUTER}/24 dev lan0`,
    `addr add ${WAN_PREFIX}::2/64 dev wan0 nodad`,
    `route add ::/0 via ${WAN_PREFIX}::1 dev wan0`,
    `addr add ${FIRST_PREFIX}::1/64 dev lan0 nodad`,
  ])
  await nft(namespace, natRules('masquerade', FIRST_WAN) + IGD_RULES)
}

async function hostSide(namespace: string): Promise<void> {
  await settings(namespace, [
    'ipv6/conf/eth0/accept_ra=1',
    'ipv6/conf/eth0/use_tempaddr=2',
    'ipv6/conf/eth0/addr_gen_mode=0',
    // Without duplicate address detection while the lab is built, to save time.
    'ipv6/conf/eth0/accept_dad=0',
    // A lab may change its prefix more often than the kernel keeps addresses.
    'ipv6/conf/eth0/max_addresses=0',
  ])
  await ip(namespace, ['link set lo up', `link set eth0 address ${HOST_MAC}`, ...hostLink])
  await nft(namespace, COUNTING_RULES)
}

/** Enables duplicate address detection on the host, as usual. */
export const lookForDuplicates = (host: string): Promise<void> =>
  settings(host, ['ipv6/conf/eth0/accept_dad=1'])

async function addSwitch(router: string): Promise<void> {
  // Otherwise the rules of the router are for what it only switches, too.
  const families = existsSync('/proc/sys/net/bridge') ? ['iptables', 'ip6tables', 'arptables'] : []
  await settings(
    router,
    families.map((family) => `bridge/bridge-nf-call-${family}=0`),
  )
  // Without an address of its own, a switch takes that of a port.
  await ip(router, [`link add lan0 address ${ROUTER_MAC} type bridge`, ...plugged(HOST_PORT)])
}

/** Provider, router and host, connected by two links. */
export async function layWires({ isp, router, host }: Names, lan: 'wire' | 'switch'): Promise<void> {
  await ip(undefined, [
    ...[isp, router, host].map((name) => `netns add ${name}`),
    `link add isp0 netns ${isp} type veth peer name wan0 netns ${router}`,
    `link add ${lan === 'wire' ? 'lan0' : HOST_PORT} netns ${router} type veth peer name eth0 netns ${host}`,
  ])
  if (lan === 'switch') await addSwitch(router)
  await Promise.all([ispSide(isp), routerSide(router), hostSide(host)])
}

/** A modem that is a router too takes over the link to the provider; the router is behind it, over IPv4 alone. */
export async function layModem({ modem, router }: Names, wan: string): Promise<void> {
  await ip(undefined, [`netns add ${modem}`])
  await ip(router, [`link set wan0 netns ${modem}`])
  await ip(undefined, [`link add lan0 netns ${modem} type veth peer name wan0 netns ${router}`])
  await settings(modem, ['ipv4/ip_forward=1', 'ipv4/conf/wan0/promote_secondaries=1'])
  await ip(modem, [
    ...['lo', 'wan0', 'lan0'].map((link) => `link set ${link} up`),
    `addr add ${wan}/24 dev wan0`,
    `route add 0.0.0.0/0 via ${gatewayOf(wan)} dev wan0`,
    `addr add ${MODEM}/24 dev lan0`,
  ])
  await nft(modem, natRules('masquerade', wan))
  await ip(router, [
    'link set wan0 up',
    `addr add ${MODEM_ROUTER}/24 dev wan0`,
    `route add 0.0.0.0/0 via ${MODEM} dev wan0`,
  ])
}
