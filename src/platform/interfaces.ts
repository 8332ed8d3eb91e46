import { readdir, readFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { type Address, parseAddress, parsePeer } from '../net/address.ts'
import type { InterfaceAddress, Interfaces } from '../ports/interfaces.ts'

/** IFA_F_* in the low byte, the only one that this table shows (linux/if_addr.h). */
const FLAG = {
  temporary: 0x01,
  optimistic: 0x04,
  dadFailed: 0x08,
  deprecated: 0x20,
  tentative: 0x40,
  permanent: 0x80,
} as const
const UNUSABLE = FLAG.dadFailed | FLAG.deprecated | FLAG.tentative

/** What Node gives for an interface without a hardware address, as tun, wg and ppp are. */
const NO_MAC = '00:00:00:00:00:00'
/** Some VPNs make interfaces that have one (tap), and go by their names. */
const TUNNEL_NAMES = /^(tun|tap|wg|ppp|utun|vpn|nordlynx|proton|tailscale|zt)/

export const isTunnel = (name: string, mac: string | undefined): boolean =>
  mac === NO_MAC || TUNNEL_NAMES.test(name)

/** os.networkInterfaces() has the addresses; Linux says in /proc/net/if_inet6 which IPv6 ones are for use. */
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

/** The names of all interfaces, also of those without an address. */
export async function interfaceNames(): Promise<readonly string[]> {
  const onLinux = await readdir('/sys/class/net').catch(() => [])
  return [...new Set([...Object.keys(networkInterfaces()), ...onLinux])].toSorted()
}

/** Flags by "interface address". Columns: address, index, prefix length, scope, flags, name; numbers in hex. */
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
