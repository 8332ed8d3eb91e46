/** Variants of home networks: more interfaces, a hostile host on the LAN, an uplink that fails. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { end } from './daemons.ts'
import type { Change, Lab } from './lab.ts'
import {
  CERTIFICATE_FILE,
  etcOf,
  FOREIGN_PREFIX,
  KEY_FILE,
  LAN_ROUTER,
  NAMES,
  RESOLVER,
  serviceV4,
} from './plan.ts'
import {
  DEAD_WAY_OUT,
  lossRules,
  OPEN_WAY_OUT,
  ROUTER_OFF,
  ROUTER_ON,
  SILENT_PMP,
  SPOOFED_PORT,
  SPOOFING,
  WEB_ONLY,
} from './rules.ts'
import { inside, ip, nft, now } from './run.ts'
import { routeTo } from './wires.ts'

/**
 * Opens or closes the uplink. The link stays up, so that the router can still change and announce its address. Returns the time
 * just before.
 */
export async function outboundRoute(lab: Lab, isOpen: boolean): Promise<number> {
  const at = now()
  await nft(lab.isp, isOpen ? OPEN_WAY_OUT : DEAD_WAY_OUT)
  return at
}

/** NAT-PMP and PCP requests get no answer, not even a refusal. */
export const silencePmp = (lab: Lab): Promise<string> => nft(lab.router, SILENT_PMP)

/** The router forwards only HTTP, HTTPS, the update service and DNS. */
export const webOnly = (lab: Lab): Promise<string> => nft(lab.router, WEB_ONLY)

/**
 * A container network. Its address is from a global range, is not routed outside, and sorts before the provider's
 * prefixes.
 */
export const addDocker = (lab: Lab): Promise<void> =>
  ip(lab.host, [
    'link add docker0 type veth peer name docker1',
    'link set docker1 up',
    'link set docker0 up',
    `addr add ${FOREIGN_PREFIX}:9::1/64 dev docker0 nodad`,
  ])

const SECOND_PREFIX = `${FOREIGN_PREFIX}:a`
export const SECOND_ADDRESS = `${SECOND_PREFIX}::64`

/** A second working prefix on the LAN. The kernel prefers the provider's address as the source towards the services. */
export async function addSecondPrefix(lab: Lab): Promise<void> {
  await ip(lab.isp, [routeTo(SECOND_PREFIX)])
  await ip(lab.router, [`addr add ${SECOND_PREFIX}::1/64 dev lan0 nodad`])
  await ip(lab.host, [`addr add ${SECOND_ADDRESS}/64 dev eth0 nodad`])
}

/** Changes the /64 on the WAN side of the router. */
export async function changeWanPrefix(lab: Lab, old: string, prefix: string): Promise<Change> {
  await ip(lab.isp, [`addr add ${prefix}::1/64 dev isp0 nodad`])
  const at = now()
  await ip(lab.router, [
    `addr add ${prefix}::2/64 dev wan0 nodad`,
    `route replace ::/0 via ${prefix}::1 dev wan0`,
    `addr del ${old}::2/64 dev wan0`,
  ])
  await ip(lab.isp, [`addr del ${old}::1/64 dev isp0`])
  return { old: `${old}::2`, now: `${prefix}::2`, at }
}

/** The host uses the resolver of the lab, which `command('names …')` controls. */
export function useResolver(lab: Lab): void {
  mkdirSync(etcOf(lab.host), { recursive: true })
  writeFileSync(`${etcOf(lab.host)}/resolv.conf`, `nameserver ${serviceV4(RESOLVER)}\n`)
}

/** Replaces the default web services of the client with those of the lab, with a new certificate. */
export async function interceptWeb(lab: Lab): Promise<void> {
  useResolver(lab)
  const names = [...NAMES.keys()].map((name) => `DNS:${name}`).join(',')
  const files = ['-keyout', join(lab.folder, KEY_FILE), '-out', join(lab.folder, CERTIFICATE_FILE)]
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const about = ['-subj', '/CN=the lab', '-addext', `subjectAltName=${names}`]
  await inside(lab.isp, ['openssl', 'req', '-x509', ...key, ...about, ...files])
  await lab.command(`tls ${lab.folder}`)
}

const FORGER = `
  const [rate, address] = process.argv.slice(1)
  const socket = require('dgram').createSocket('udp4')
  const packet = Buffer.alloc(12)
  packet.writeUInt8(128, 1)
  Buffer.from(address.split('.').map(Number)).copy(packet, 8)
  let sent = 0
  const start = performance.now()
  const flood = () => {
    for (const due = (performance.now() - start) * rate / 1000; sent < due; sent++) {
      packet.writeUInt32BE(sent, 4)
      socket.send(packet, 5350, '224.0.0.1', () => undefined)
    }
  }
  socket.bind(${SPOOFED_PORT}, '${LAN_ROUTER}', () => {
    socket.setMulticastInterface('${LAN_ROUTER}')
    setInterval(flood, 5)
    console.log('ready')
  })`

/**
 * Sends `rate` forged NAT-PMP announcements per second with a foreign address, until the lab ends. The host cannot distinguish
 * them from those of the router.
 */
export async function forgeAnnouncements(lab: Lab, rate: number, address: string): Promise<void> {
  await nft(lab.router, SPOOFING)
  const child = lab.spawn('router', process.execPath, ['-e', FORGER, String(rate), address])
  child.stderr?.resume()
  if (child.stdout === null) throw new Error('the forger has no output')
  await once(child.stdout, 'data')
}

const routersOfPmp = new WeakMap<Lab, ChildProcess>()

/** Instead of its own service, the router reports by NAT-PMP what it is told; see `pmp-router.ts`. */
export async function reportByPmp(lab: Lab, ...words: readonly string[]): Promise<void> {
  await end(routersOfPmp.get(lab))
  const child = lab.spawn('router', process.execPath, [join(import.meta.dirname, 'pmp-router.ts'), ...words])
  routersOfPmp.set(lab, child)
  child.stderr?.resume()
  if (child.stdout === null) throw new Error('the router has no output')
  await once(child.stdout, 'data')
}

/** The router is off, or on again; its links keep their carrier, as behind a switch. Returns the time just after. */
export async function routerPower(lab: Lab, isOn: boolean): Promise<number> {
  await nft(lab.router, isOn ? ROUTER_ON : ROUTER_OFF)
  return now()
}

/** The uplink loses a share of what it carries, in each direction. */
export const loseSome = (lab: Lab, percent: number): Promise<string> => nft(lab.router, lossRules(percent))
