import { readdir, readFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { type Address, parseAddress, parsePeer } from '../../base/address.ts'
import type { InterfaceAddress, Interfaces } from '../../ports/interfaces.ts'
import type { IsTunnel } from '../../ports/network.ts'

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

/** IP in IP, IPv6 in IPv6, GRE (linux/if_arp.h). 6in4 is no VPN. */
const TUNNEL_TYPES: readonly string[] = ['768', '769', '778', '823']

/** tun, tap, WireGuard, IP in IP and GRE, by sysfs. */
export const isTunnel: IsTunnel = async (name) => {
  const read = async (file: string) =>
    readFile(`/sys/class/net/${name}/${file}`, 'utf8').catch(() => undefined)
  const [flags, uevent, type] = await Promise.all([read('tun_flags'), read('uevent'), read('type')])
  return (
    flags !== undefined ||
    uevent?.includes('DEVTYPE=wireguard') === true ||
    TUNNEL_TYPES.includes(type?.trim() ?? '')
  )
}

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
          ...((flag & FLAG.tentative) !== 0 &&
            (flag & FLAG.dadFailed) === 0 && { isTentative: true as const }),
          isPermanent: (flag & FLAG.permanent) !== 0,
          prefixLength: Number(entry.cidr?.split('/')[1] ?? 0),
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
