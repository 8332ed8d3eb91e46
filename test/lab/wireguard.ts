/** The real programs of WireGuard: wg-quick, and wireguard-go where the kernel has no WireGuard. */
import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Lab } from './lab.ts'
import { serviceV4, VPN_NET } from './plan.ts'
import { inside, ip, now, until } from './run.ts'
import { nthVpn, openExit } from './vpn.ts'

const PORT = 51820
const SERVER = 1

/** The sockets of wireguard-go are in one folder, which all namespaces share. */
const SOCKETS = '/run/wireguard'
let labs = 0

interface Keys {
  readonly secret: string
  readonly shared: string
}

export interface WireGuard {
  /** Returns the time just after: wg-quick adds the address first, and the route last. */
  up(nth: number): Promise<number>
  /** Returns the time just before. */
  down(nth: number): Promise<number>
}

async function newKeys(lab: Lab): Promise<Keys> {
  const secret = (await inside(lab.isp, ['wg', 'genkey'])).trim()
  return { secret, shared: (await inside(lab.isp, ['wg', 'pubkey'], secret)).trim() }
}

const serverSettings = (own: Keys, host: Keys): string => `[Interface]
PrivateKey = ${own.secret}
ListenPort = ${PORT}
[Peer]
PublicKey = ${host.shared}
AllowedIPs = ${VPN_NET}
`

const hostSettings = (own: Keys, server: Keys, address: string): string => `[Interface]
PrivateKey = ${own.secret}
Address = ${address}/24
[Peer]
PublicKey = ${server.shared}
Endpoint = ${serviceV4(SERVER)}:${PORT}
AllowedIPs = 0.0.0.0/0
`

/** Starts the server of the VPN at the provider. */
export async function wireGuard(lab: Lab): Promise<WireGuard> {
  labs += 1
  // No longer than the kernel allows.
  const served = `wg${process.pid}-${labs}`
  const fileOf = (nth: number): string => join(lab.folder, `${served}-${nth}.conf`)
  const [server, host] = [await newKeys(lab), await newKeys(lab)]
  const socket = join(SOCKETS, `${served}.sock`)
  const child = lab.spawn('isp', 'wireguard-go', ['-f', served], { LOG_LEVEL: 'error' })
  for (const stream of [child.stdout, child.stderr]) stream?.resume()
  process.once('exit', () => rmSync(socket, { force: true }))
  await Promise.race([until(() => existsSync(socket), 'wireguard-go'), once(child, 'exit')])
  const settings = join(lab.folder, `${served}.conf`)
  writeFileSync(settings, serverSettings(server, host), { mode: 0o600 })
  await inside(lab.isp, ['wg', 'setconf', served, settings])
  await ip(lab.isp, [`link set ${served} up`])
  await ip(lab.isp, [`route add ${VPN_NET} dev ${served}`])
  return {
    up: async (nth) => {
      const vpn = nthVpn(nth)
      await openExit(lab, vpn.exit, served)
      writeFileSync(fileOf(nth), hostSettings(host, server, vpn.host), { mode: 0o600 })
      await inside(lab.host, ['wg-quick', 'up', fileOf(nth)])
      return now()
    },
    down: async (nth) => {
      const at = now()
      await inside(lab.host, ['wg-quick', 'down', fileOf(nth)])
      return at
    },
  }
}
