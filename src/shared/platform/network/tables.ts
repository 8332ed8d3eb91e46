import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { type Address, parseAddress } from '../../base/address.ts'
import type { KernelRoute, Neighbour, ReadNeighbours, ReadRoutes } from '../../ports/network.ts'

/** /proc/net/route and /proc/net/ipv6_route (proc(5)). */
export const systemRoutes: ReadRoutes = async (family) =>
  family === 'v4' ? parseRoutes(await read('route')) : parseIpv6Routes(await read('ipv6_route'))

/** /proc/net/arp (proc(5)); for IPv6, ip-neighbour(8). */
export const systemNeighbours: ReadNeighbours = async (family) =>
  family === 'v4' ? parseArp(await read('arp')) : parseNeighbours(await ipNeighbours())

const read = async (table: string): Promise<string> => readFile(`/proc/net/${table}`, 'utf8').catch(() => '')

/** RTF_UP, RTF_GATEWAY and RTF_REJECT (linux/route.h), RTF_LOCAL (linux/ipv6_route.h). */
const [UP, VIA_GATEWAY, REJECT, LOCAL] = [0x1, 0x2, 0x200, 0x80000000]
const has = (flags: number, flag: number): boolean => (flags & flag) !== 0

/** The routes that are up, in the order of the table. Numbers are hexadecimal, the metric is not. */
export function parseRoutes(table: string): readonly KernelRoute[] {
  return table.split('\n').flatMap((line) => {
    const [name = '', to = '', via = '', hexFlags = '', , , metric = '', mask = ''] = line.split('\t')
    const [destination, gateway, flags] = [fromHex(to), fromHex(via), parseInt(hexFlags, 16)]
    if (destination === undefined || !has(flags, UP) || has(flags, REJECT)) return []
    const length = Number.parseInt(mask, 16).toString(2).replaceAll('0', '').length
    const hasGateway = has(flags, VIA_GATEWAY) && gateway !== undefined
    return [{ interface: name, destination, length, metric: Number(metric), ...(hasGateway && { gateway }) }]
  })
}

/**
 * The same for IPv6, of all tables: destination, length, source, length, gateway, metric, two counters, flags,
 * interface.
 */
export function parseIpv6Routes(table: string): readonly KernelRoute[] {
  return table.split('\n').flatMap((line) => {
    const [to = '', length = '', , , via = '', metric = '', , , hexFlags = '', name = ''] = line
      .trim()
      .split(/\s+/)
    const [destination, gateway, flags] = [fromIpv6Hex(to), fromIpv6Hex(via), parseInt(hexFlags, 16)]
    if (destination === undefined || !has(flags, UP) || has(flags, REJECT) || has(flags, LOCAL)) return []
    return [
      {
        interface: name,
        destination,
        length: parseInt(length, 16),
        metric: parseInt(metric, 16),
        ...(has(flags, VIA_GATEWAY) && gateway !== undefined && { gateway }),
      },
    ]
  })
}

/** An address in the byte order of the machine, which is little-endian on all supported ones. */
const fromHex = (word: string): Address | undefined =>
  word.length === 8 ? parseAddress([...Buffer.from(word, 'hex')].toReversed().join('.')) : undefined

const fromIpv6Hex = (word: string): Address | undefined =>
  word.length === 32 ? parseAddress((word.match(/.{4}/g) ?? []).join(':')) : undefined

/** ATF_COM (linux/if_arp.h): the neighbour has answered. */
const COMPLETE = 0x2

/** Address, type, flags, MAC address, mask, interface. */
function parseArp(table: string): readonly Neighbour[] {
  return table.split('\n').flatMap((line) => {
    const [ip = '', , flags = '', mac = '', , name = ''] = line.trim().split(/\s+/)
    const address = parseAddress(ip)
    if (address === undefined) return []
    return [{ address, interface: name, ...(has(parseInt(flags, 16), COMPLETE) && { mac }) }]
  })
}

/** Such as "fe80::1 dev eth0 lladdr 02:00:00:00:00:01 router REACHABLE". */
function parseNeighbours(table: string): readonly Neighbour[] {
  return table.split('\n').flatMap((line) => {
    const address = parseAddress(line.split(' ')[0] ?? '')
    const [, name] = / dev (\S+)/.exec(line) ?? []
    if (address === undefined || name === undefined) return []
    const [, mac] = / lladdr (\S+)/.exec(line) ?? []
    const doesAnswer = mac !== undefined && !/ (FAILED|INCOMPLETE)$/.test(line.trim())
    return [{ address, interface: name, ...(doesAnswer && { mac }) }]
  })
}

const ipNeighbours = async (): Promise<string> =>
  new Promise((resolve) => {
    execFile('ip', ['-6', 'neighbour'], { timeout: 1000 }, (_, stdout) => resolve(stdout))
  })
