import { type ChildProcess, execFileSync } from 'node:child_process'
import { NetworkLab } from './network-lab.ts'
import { isProgram } from './run.ts'

export type Where = 'isp' | 'router' | 'host'

/** An address change as the internet sees it; `at` is the time just before it begins, in ms since 1970. */
export interface Change {
  readonly old: string
  readonly now: string
  readonly at: number
}

export interface Packets {
  readonly outside: number
  readonly lan: number
}

export interface LabOptions {
  /** The delay of the outside services, in ms. */
  readonly delay?: number
  /** A switch in the router, like those of homes, to which `addNamespace` can add others; a wire otherwise. */
  readonly lan?: 'wire' | 'switch'
}

/** A provider, a home router and a host behind it, in three network namespaces. */
export interface Lab {
  readonly isp: string
  readonly router: string
  readonly host: string
  /** Deleted with the lab. */
  readonly folder: string
  /** The current WAN address of the router, and the prefix that it announces to the LAN. */
  readonly wan: string
  readonly prefix: string
  /** Starts a program with only the given environment; it is killed with the lab. */
  spawn(where: Where, program: string, args: readonly string[], env?: NodeJS.ProcessEnv): ChildProcess
  /** Another namespace, removed with the lab. Returns its name. */
  addNamespace(name: string): Promise<string>
  /** swap: adds the new address first; replace: removes the old one first; flap: no address for `gap` ms in between. */
  changeWan(address: string, mode?: 'swap' | 'replace' | 'flap', gap?: number): Promise<Change>
  /** To another /64 of 2a00:db8:100::/48, e.g. "2a00:db8:100:2". Returns the stable addresses of the host. */
  changePrefix(prefix: string): Promise<Change>
  /** The prefix is advertised as seldom as at home. */
  announceSeldom(): void
  /** Swaps the WAN address and changes the prefix at the same time. */
  changeBoth(address: string, prefix: string): Promise<Readonly<Record<'wan' | 'prefix', Change>>>
  /** Waits until the host can use the address, and returns the time. */
  usableAt(address: string): Promise<number>
  /** Puts a modem that is a router too in front of the router: it has the public address, and `changeWan` changes that. */
  addModem(): Promise<void>
  /** Adds a second NAT between the router and the internet; returns the addresses that the internet sees. */
  cgnat(isOn: boolean): Promise<Change>
  nat(mode: 'masquerade' | 'snat'): Promise<void>
  igd(mode: 'all' | 'upnp' | 'none'): Promise<void>
  firewall(isOn: boolean): Promise<void>
  outside(link: 'up' | 'down'): Promise<void>
  hostLink(link: 'up' | 'down'): Promise<void>
  /** Packets of the host since the start of the lab, without update requests. A packet with a TTL of 1 counts as LAN. */
  packets(): Promise<Packets>
  /**
   * Sends a command to the outside services. lie N ADDRESS, honest, mute N, speak: N is the last number of the address of the
   * responder. names right, names silent, names ADDRESS: the answers of the name server. tls FOLDER: enables HTTPS.
   */
  command(command: string): Promise<void>
  /** The number of requests to the outside services: stun-v4, stun-v6, dns-v4, dns-v6, http-v4, http-v6. */
  queries(): Promise<Readonly<Record<string, number>>>
  down(): Promise<void>
}

/** Undefined if a lab can be built here, else the reason why not. */
export function canLab(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can make network namespaces'
  const missing = ['ip', 'nft', 'miniupnpd', 'radvd'].filter((program) => !isProgram(program))
  if (missing.length > 0) return `not installed: ${missing.join(', ')}`
  const probe = `hf${process.pid}probe`
  try {
    execFileSync('ip', ['netns', 'add', probe], { stdio: 'pipe' })
    execFileSync('ip', ['netns', 'del', probe], { stdio: 'pipe' })
    return undefined
  } catch {
    return 'the kernel does not allow network namespaces here'
  }
}

/** Builds a lab. `down` or the end of this process removes it. */
export async function lab(options: LabOptions = {}): Promise<Lab> {
  const house = new NetworkLab()
  try {
    await house.up(options)
    return house
  } catch (error) {
    await house.down()
    throw error
  }
}
