import { type ChildProcess, execFileSync } from 'node:child_process'
import { House } from './house.ts'
import { isProgram } from './run.ts'

export type Where = 'isp' | 'router' | 'host'

/** A change of address as the world sees it; `at` is the moment just before it begins, in ms since 1970. */
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
  /** How long the outside services wait before they answer, in ms. */
  readonly delay?: number
}

/** A provider, a home router and a host behind it, in three network namespaces. */
export interface Lab {
  readonly isp: string
  readonly router: string
  readonly host: string
  /** Is gone with the lab. */
  readonly folder: string
  /** Where the router stands now: what it holds on its WAN side, and what it announces to the LAN. */
  readonly wan: string
  readonly prefix: string
  /** Starts a program that ends with the lab at the latest. Its environment is only what is given. */
  spawn(where: Where, program: string, args: readonly string[], env?: NodeJS.ProcessEnv): ChildProcess
  /** swap: new before old is gone; replace: old goes first; flap: nothing for `gap` ms in between. */
  changeWan(address: string, mode?: 'swap' | 'replace' | 'flap', gap?: number): Promise<Change>
  /** To another /64 of 2a00:db8:100::/48, e.g. "2a00:db8:100:2". Told are the host's stable addresses. */
  changePrefix(prefix: string): Promise<Change>
  /** A swap of the WAN address and a change of the prefix in the same moment. */
  changeBoth(address: string, prefix: string): Promise<Readonly<Record<'wan' | 'prefix', Change>>>
  /** When the host could use the address. Waits for it. */
  usableAt(address: string): Promise<number>
  /** Puts a second translation between the router and the world; told is what the world sees. */
  cgnat(isOn: boolean): Promise<Change>
  nat(mode: 'masquerade' | 'snat'): Promise<void>
  igd(mode: 'all' | 'upnp' | 'none'): Promise<void>
  firewall(isOn: boolean): Promise<void>
  outside(link: 'up' | 'down'): Promise<void>
  hostLink(link: 'up' | 'down'): Promise<void>
  /**
   * What the host has sent since the lab began, updates left out. A packet with one hop to live stays on the
   * LAN.
   */
  packets(): Promise<Packets>
  /**
   * lie N ADDRESS, honest, mute N, speak: N is the last number of the responder's address. names right, names
   * silent, names ADDRESS: what the name server answers. tls FOLDER: the web services take HTTPS too.
   */
  say(command: string): Promise<void>
  /** What the outside services were asked: stun-v4, stun-v6, dns-v4, dns-v6, http-v4, http-v6. */
  queries(): Promise<Readonly<Record<string, number>>>
  down(): Promise<void>
}

/** Nothing if a lab can be built here, else a sentence that says why not. */
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
    return 'the kernel lets nobody make network namespaces here'
  }
}

/** Builds a lab. It is gone with `down`, or with this process. */
export async function lab(options: LabOptions = {}): Promise<Lab> {
  const house = new House()
  try {
    await house.up(options)
    return house
  } catch (error) {
    await house.down()
    throw error
  }
}
