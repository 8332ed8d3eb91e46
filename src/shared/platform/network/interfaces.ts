import { readdir, readFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { type Address, parseAddress, parsePeer } from '../../base/address.ts'
import type { InterfaceAddress, Interfaces } from '../../ports/interfaces.ts'

/** IFA_F_* flags (linux/if_addr.h). The table shows only the low byte. */
const FLAG = {
  temporary: 0x01,
  optimistic: 0x04,
  dadFailed: 0x08,
  deprecated: 0x20,
  tentative: 0x40,
  permanent: 0x80,
} as const
const UNUSABLE = FLAG.dadFailed | FLAG.deprecated | FLAG.tentative

/** The MAC address that Node reports for interfaces without one, such as tun, wg and ppp. */
const NO_MAC = '00:00:00:00:00:00'
/** Interfaces of VPNs that have a MAC address (tap) are recognised by name. */
const TUNNEL_NAMES = /^(tun|tap|wg|ppp|utun|vpn|nordlynx|proton|tailscale|zt)/

export const isTunnel = (name: string, mac: string | undefined): boolean =>
  mac === NO_MAC || TUNNEL_NAMES.test(name)

/** Addresses from os.networkInterfaces(), with the IPv6 flags of /proc/net/if_inet6 on Linux. Without loopback. */
export const systemInterfaces: Interfaces = async () => {
  const flags = parseIfInet6(await readFile('/proc/net/if_inet6', 'utf8').catch(() => ''))
  return Object.entries(networkInterfaces()).flatMap(([name, entries]) =>
    (entries ?? []).flatMap((entry): readonly InterfaceAddress[] => {
      const address = parsePeer(entry.address)
      if (address === undefined || entry.internal) return []
      const flag = flags.get(`${name} ${address}`) ?? 0
      return [
        {
          interface: name,
          address,
          isTemporary: (flag & FLAG.temporary) !== 0,
          isUnusable: (flag & UNUSABLE) !== 0,
          isPermanent: (flag & FLAG.permanent) !== 0,
          prefixLength: Number(entry.cidr?.split('/')[1] ?? 0),
          isTunnel: isTunnel(name, entry.mac),
        },
      ]
    }),
  )
}

/** The names of all interfaces, including those without an address. */
export async function interfaceNames(): Promise<readonly string[]> {
  const linuxNames = await readdir('/sys/class/net').catch(() => [])
  return [...new Set([...Object.keys(networkInterfaces()), ...linuxNames])].toSorted()
}

/**
 * Parses /proc/net/if_inet6 to flags by "interface address". Columns: address, index, prefix length, scope, flags, name;
 * in hex.
 */
export function parseIfInet6(table: string): ReadonlyMap<string, number> {
  return new Map(
    table.split('\n').flatMap((line) => {
      const [hex = '', , , , flags = '', name = ''] = line.trim().split(/\s+/)
      const address = fromHex(hex)
      return address === undefined ? [] : [[`${name} ${address}`, parseInt(flags, 16)] as const]
    }),
  )
}

const fromHex = (hex: string): Address | undefined =>
  hex.length === 32 ? parseAddress((hex.match(/.{4}/g) ?? []).join(':')) : undefined
