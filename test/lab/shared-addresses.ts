/** Homes without an IPv4 address of their own: the provider translates that of the router, or of this host. */
import { once } from 'node:events'
import { join } from 'node:path'
import type { Lab } from './lab.ts'
import { LAN_HOST, serviceV6, stableAddress } from './plan.ts'
import { exitRules } from './rules.ts'
import { ip, nft } from './run.ts'

/** RFC 7335 §4: for IPv4 that is carried over IPv6. */
const TRANSLATED_NET = '192.0.0.0/29'
const PROVIDER = '192.0.0.1'
/** The addresses of DS-Lite (RFC 6333 §5.7), and of 464XLAT in the field. */
export const [DS_LITE, XLAT] = ['192.0.0.2', '192.0.0.4']
/** The address that the internet sees. */
const SHARED = '11.22.200.99'

async function translate(lab: Lab, device: string): Promise<void> {
  // Responses are routed before the NAT translates them back.
  await ip(lab.isp, [`route replace ${SHARED}/32 dev ${device}`])
  await nft(lab.isp, exitRules(TRANSLATED_NET, SHARED))
}

/** The router has the address of DS-Lite on its WAN side. */
export async function dsLiteRouter(lab: Lab): Promise<void> {
  await translate(lab, 'isp0')
  await lab.changeWan(DS_LITE)
}

async function tunnel(
  lab: Lab,
  where: 'isp' | 'host',
  [device, ...ends]: readonly [device: string, own: string, other: string],
): Promise<void> {
  const child = lab.spawn(where, 'python3', [join(import.meta.dirname, 'tunnel.py'), device, ...ends])
  child.stderr?.resume()
  if (child.stdout === null) throw new Error('the tunnel has no output')
  await once(child.stdout, 'data')
}

/** The host has no other IPv4 address than a translated one, at the end of a tunnel; IPv6 is as before. */
export async function translatedHost(lab: Lab, device: string, address: string): Promise<void> {
  const [host, provider] = [stableAddress(lab.prefix), serviceV6(1)]
  await tunnel(lab, 'isp', ['clat0', provider, host])
  await tunnel(lab, 'host', [device, host, provider])
  await ip(lab.isp, [
    'link set clat0 up',
    `addr add ${PROVIDER}/32 dev clat0`,
    `route add ${TRANSLATED_NET} dev clat0`,
  ])
  await translate(lab, 'clat0')
  await ip(lab.host, [
    `addr del ${LAN_HOST}/24 dev eth0`,
    `link set ${device} up`,
    `addr add ${address}/32 dev ${device}`,
    `route replace 0.0.0.0/0 dev ${device}`,
  ])
}
