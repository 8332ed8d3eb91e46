/** VPNs that take all IPv4 traffic of the host; outside services see the address of the exit. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lab } from './lab.ts'
import { LAN_ROUTER, VPN_NET } from './plan.ts'
import { exitRules } from './rules.ts'
import { ip, nft, now, prepared } from './run.ts'

/**
 * `def1` overrides the default route with two half routes, like OpenVPN; `halves` does, and the second one is late; `replaced`
 * replaces it; `policy` has a table of its own and two rules, like wg-quick; `ports` takes only the questions of STUN and DNS.
 */
export type VpnRoutes = 'def1' | 'halves' | 'replaced' | 'policy' | 'ports'

export interface Vpn {
  /** The interface of the host. */
  readonly device: string
  /** The end of the tunnel at the provider, and that of the host. */
  readonly peer: string
  readonly host: string
  readonly exit: string
}

/** Another one each time: the client warns once of each interface, and a provider of VPNs has many exits. */
export const nthVpn = (nth: number): Vpn => ({
  device: `tun${nth}`,
  peer: `10.8.${nth}.1`,
  host: `10.8.${nth}.2`,
  exit: `11.77.10.${nth + 2}`,
})

const TABLE = 51820
// biome-ignore format: a table
const RULES: Readonly<Partial<Record<VpnRoutes, readonly string[]>>> = {
  policy: [`not fwmark ${TABLE} table ${TABLE}`, 'table main suppress_prefixlength 0'],
  ports:  [53, 443, 3478, 19302].map((port) => `ipproto udp dport ${port} table ${TABLE}`),
}
const withRules = (routes: VpnRoutes, action: 'add' | 'del'): readonly string[] =>
  (RULES[routes] ?? []).map((rule) => `rule ${action} ${rule}`)

/** The outside services of the lab are in the lower half. */
const HALVES = ['0.0.0.0/1', '128.0.0.0/1'] as const

const routesOf = (routes: VpnRoutes, { device, peer }: Vpn): readonly string[] => {
  const through = `via ${peer} dev ${device}`
  const all: Readonly<Record<VpnRoutes, readonly string[]>> = {
    def1: HALVES.map((half) => `route add ${half} ${through}`),
    halves: [`route add ${HALVES[1]} ${through}`],
    replaced: [`route replace 0.0.0.0/0 ${through}`],
    policy: [`route add 0.0.0.0/0 ${through} table ${TABLE}`],
    ports: [`route add 0.0.0.0/0 ${through} table ${TABLE}`],
  }
  return [...withRules(routes, 'add'), ...all[routes]]
}

/** The provider's side: what leaves the tunnel through `device` has the address of the exit. */
export async function openExit(lab: Lab, exit: string, device: string): Promise<void> {
  // Responses are routed before the NAT translates them back.
  await ip(lab.isp, [`route replace ${exit}/32 dev ${device}`])
  await nft(lab.isp, exitRules(VPN_NET, exit))
}

export interface VpnOptions {
  /** Between the address of the interface and its routes, or the last of them, in ms. */
  readonly delay?: number
  readonly vpn?: Vpn
}

/** Returns the time just before the routes. */
export async function vpnUp(
  lab: Lab,
  routes: VpnRoutes,
  { delay = 0, vpn = nthVpn(0) }: VpnOptions = {},
): Promise<number> {
  await ip(undefined, [`link add vpn0 netns ${lab.isp} type veth peer name ${vpn.device} netns ${lab.host}`])
  await ip(lab.isp, [`addr add ${vpn.peer}/24 dev vpn0`, 'link set vpn0 up'])
  await openExit(lab, vpn.exit, 'vpn0')
  const half = `route add ${HALVES[0]} via ${vpn.peer} dev ${vpn.device}`
  const tunnel = [
    `addr add ${vpn.host}/24 dev ${vpn.device}`,
    `link set ${vpn.device} up`,
    ...(routes === 'halves' ? [half] : []),
  ]
  const first = await prepared(lab.host)
  if (delay === 0) return first([...tunnel, ...routesOf(routes, vpn)])
  const then = await prepared(lab.host)
  await first(tunnel)
  await sleep(delay)
  return then(routesOf(routes, vpn))
}

/** Returns the time just before. */
export async function vpnDown(lab: Lab, routes: VpnRoutes, { device } = nthVpn(0)): Promise<number> {
  const at = now()
  await ip(lab.host, [
    ...withRules(routes, 'del'),
    `link del ${device}`,
    ...(routes === 'replaced' ? [`route replace 0.0.0.0/0 via ${LAN_ROUTER} dev eth0`] : []),
  ])
  return at
}
