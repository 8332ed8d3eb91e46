import { type ChildProcess, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { end, startAnnouncing, startIgd, writeAnnouncements } from './daemons.ts'
import type { Change, Lab, LabOptions, Packets, Where } from './lab.ts'
import { OutsideServices } from './outside.ts'
import {
  afterCgnat,
  CGNAT_INSIDE,
  cgnatOutside,
  etcOf,
  FIRST_PREFIX,
  FIRST_WAN,
  gatewayOf,
  stableAddress,
  tableForm,
} from './plan.ts'
import { cgnatRules, FIREWALL_RULES, natRules, WITHOUT_CGNAT, WITHOUT_FIREWALL } from './rules.ts'
import { start, inside, ip, nft, now, PATH, prepared, until } from './run.ts'
import { hostLink, ispLink, layModem, layWires, lookForDuplicates, type Names, routeTo } from './wires.ts'

/** Flags in /proc/net/if_inet6. */
const [DUPLICATE, DEPRECATED, TENTATIVE] = [0x08, 0x20, 0x40]
const cgnatRoute = (outside: string): string => `route replace ${outside}/32 dev isp0`

let labs = 0

/** Names that no other lab uses. */
function freeNames(): Names {
  for (;;) {
    labs += 1
    const prefix = `hf${process.pid}${labs === 1 ? '' : `-${labs}-`}`
    const names = {
      isp: `${prefix}isp`,
      modem: `${prefix}mdm`,
      router: `${prefix}rtr`,
      host: `${prefix}host`,
    }
    if (Object.values(names).every((name) => !existsSync(`/run/netns/${name}`))) return names
  }
}

/** Kills all processes in the namespaces, which only this lab uses, and removes the namespaces. */
function demolish(names: readonly string[], folder: string): void {
  const ip = (...args: readonly string[]): string =>
    execFileSync('ip', args, { encoding: 'utf8', stdio: 'pipe', env: { PATH } })
  for (const name of names.filter((name) => existsSync(`/run/netns/${name}`))) {
    for (const pid of ip('netns', 'pids', name).split('\n').filter(Boolean)) {
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // It has ended already.
      }
    }
    ip('netns', 'del', name)
  }
  for (const path of [folder, ...names.map(etcOf)]) rmSync(path, { recursive: true, force: true })
}

/** One lab; built by `lab`. */
export class NetworkLab implements Lab {
  readonly #names = freeNames()
  readonly #added: string[] = []
  readonly #folder = mkdtempSync(join(tmpdir(), 'holdfast-lab-'))
  readonly #children: ChildProcess[] = []
  readonly #demolish = (): void => demolish([...Object.values(this.#names), ...this.#added], this.#folder)
  readonly #interrupted = (signal: NodeJS.Signals): void => {
    this.#forget()
    this.#demolish()
    // Without another listener, the signal has its default effect.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
  }
  #outside: OutsideServices | undefined
  #holder: ChildProcess | undefined
  #announcer: ChildProcess | undefined
  #igd: ChildProcess | undefined
  /** The namespace that has the public address. */
  #edge = this.#names.router
  #wan = FIRST_WAN
  #prefix = FIRST_PREFIX
  #nat: 'masquerade' | 'snat' = 'masquerade'
  /** The address that the internet sees, while there is a second NAT. */
  #cgnat: string | undefined
  #turn = 0
  #down: Promise<void> | undefined

  get isp(): string {
    return this.#names.isp
  }
  get router(): string {
    return this.#names.router
  }
  get host(): string {
    return this.#names.host
  }
  get folder(): string {
    return this.#folder
  }
  get wan(): string {
    return this.#wan
  }
  get prefix(): string {
    return this.#prefix
  }

  async up({ delay = 0, lan = 'wire' }: LabOptions): Promise<void> {
    process.once('exit', this.#demolish)
    process.once('SIGINT', this.#interrupted).once('SIGTERM', this.#interrupted)
    await layWires(this.#names, lan)
    // A process in the namespace, to read the tables of the host in /proc.
    this.#holder = start({
      namespace: this.host,
      program: 'cat',
      args: [],
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.#children.push(this.#holder)
    writeAnnouncements(this.#folder, this.#prefix)
    this.#announcer = startAnnouncing({ namespace: this.router, folder: this.#folder })
    this.#children.push(this.#announcer)
    this.#outside = new OutsideServices(this.isp, delay)
    this.#children.push(this.#outside.child)
    await Promise.all([this.#outside.ready(), this.igd('all'), this.usableAt(stableAddress(this.#prefix))])
    await lookForDuplicates(this.host)
  }

  spawn(where: Where, program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    const child = start({ namespace: this.#names[where], program, args, env })
    this.#children.push(child)
    return child
  }

  async addNamespace(name: string): Promise<string> {
    const added = this.host.replace(/host$/, name)
    await ip(undefined, [`netns add ${added}`])
    this.#added.push(added)
    return added
  }

  async changeWan(address: string, mode: 'swap' | 'replace' | 'flap' = 'swap', gap = 2000): Promise<Change> {
    const { old, take, forget, settle } = await this.#otherWan(address)
    if (mode === 'flap') {
      await ip(this.#edge, [forget])
      await sleep(gap)
    }
    const change = await prepared(this.#edge)
    const at = await change({ swap: [...take, forget], replace: [forget, ...take], flap: take }[mode])
    await settle()
    return { old, now: address, at }
  }

  /** Prepares the provider for another address. Returns the commands for the router, and the steps to finish. */
  async #otherWan(address: string) {
    const old = this.#wan
    if (address === old) throw new Error(`the router has ${old} already`)
    const [gateway, oldGateway] = [gatewayOf(address), gatewayOf(old)]
    await ip(this.isp, [`addr replace ${gateway}/24 dev isp0`])
    const forget = `addr del ${old}/24 dev wan0`
    const take = [`addr add ${address}/24 dev wan0`, `route replace 0.0.0.0/0 via ${gateway} dev wan0`]
    const settle = async (): Promise<void> => {
      this.#wan = address
      if (this.#nat === 'snat') await nft(this.#edge, natRules('snat', address))
      if (gateway !== oldGateway) await ip(this.isp, [`addr del ${oldGateway}/24 dev isp0`])
    }
    return { old, take, forget, settle }
  }

  announceSeldom(): void {
    writeAnnouncements(this.#folder, this.#prefix, { interval: 'usual' })
    this.#announcer?.kill('SIGHUP')
  }

  async changePrefix(prefix: string): Promise<Change> {
    const announce = await this.#otherPrefix(prefix)
    return announce()
  }

  /** Prepares another prefix. The returned function announces it. */
  async #otherPrefix(prefix: string): Promise<() => Change> {
    const old = this.#prefix
    if (prefix === old) throw new Error(`the router announces ${old} already`)
    await ip(this.isp, [routeTo(prefix)])
    writeAnnouncements(this.#folder, prefix, { former: old })
    await ip(this.router, [`addr add ${prefix}::1/64 dev lan0 nodad`, `addr del ${old}::1/64 dev lan0`])
    return () => {
      const at = now()
      this.#announcer?.kill('SIGHUP')
      this.#prefix = prefix
      return { old: stableAddress(old), now: stableAddress(prefix), at }
    }
  }

  async changeBoth(address: string, prefix: string): Promise<Readonly<Record<'wan' | 'prefix', Change>>> {
    const { old, take, forget, settle } = await this.#otherWan(address)
    const announce = await this.#otherPrefix(prefix)
    const change = await prepared(this.router)
    const announced = announce()
    const at = await change([...take, forget])
    await settle()
    return { wan: { old, now: address, at }, prefix: announced }
  }

  async usableAt(address: string): Promise<number> {
    const wanted = tableForm(address)
    return until(() => {
      const line = this.#addressTable().find((line) => line.startsWith(wanted))
      const flags = Number.parseInt(line?.split(/\s+/)[4] ?? '', 16)
      return line !== undefined && (flags & (TENTATIVE | DEPRECATED | DUPLICATE)) === 0
    }, `${address} on the host`)
  }

  #addressTable(): readonly string[] {
    try {
      return readFileSync(`/proc/${this.#holder?.pid}/net/if_inet6`, 'utf8').split('\n')
    } catch {
      return []
    }
  }

  async addModem(): Promise<void> {
    await layModem(this.#names, this.#wan)
    this.#edge = this.#names.modem
  }

  async cgnat(isOn: boolean): Promise<Change> {
    const outside = this.#cgnat
    if (isOn === (outside !== undefined)) throw new Error(`the second NAT is ${isOn ? 'on' : 'off'} already`)
    if (outside !== undefined) {
      const { at, now } = await this.changeWan(afterCgnat(this.#turn))
      this.#cgnat = undefined
      await nft(this.isp, WITHOUT_CGNAT)
      return { old: outside, now, at }
    }
    this.#turn++
    const now = cgnatOutside(this.#turn)
    // Responses are routed before the NAT translates them back.
    await ip(this.isp, [cgnatRoute(now)])
    await nft(this.isp, cgnatRules(now))
    const { old, at } = await this.changeWan(CGNAT_INSIDE)
    this.#cgnat = now
    return { old, now, at }
  }

  async nat(mode: 'masquerade' | 'snat'): Promise<void> {
    this.#nat = mode
    await nft(this.#edge, natRules(mode, this.#wan))
  }

  async igd(mode: 'all' | 'upnp' | 'none'): Promise<void> {
    await end(this.#igd)
    this.#igd = undefined
    if (mode === 'none') return
    this.#igd = await startIgd({ namespace: this.router, folder: this.#folder }, mode)
    this.#children.push(this.#igd)
  }

  async firewall(isOn: boolean): Promise<void> {
    await nft(this.host, isOn ? FIREWALL_RULES : WITHOUT_FIREWALL)
  }

  async outside(link: 'up' | 'down'): Promise<void> {
    const extra = this.#cgnat === undefined ? [] : [cgnatRoute(this.#cgnat)]
    await ip(this.isp, link === 'down' ? ['link set isp0 down'] : [...ispLink(this.#prefix), ...extra])
  }

  async hostLink(link: 'up' | 'down'): Promise<void> {
    await ip(this.host, link === 'down' ? ['link set eth0 down'] : hostLink)
  }

  async packets(): Promise<Packets> {
    const listed = await inside(this.host, ['nft', 'list', 'counters', 'table', 'inet', 'counting'])
    const count = (name: string): number =>
      Number(new RegExp(`counter ${name} \\{\\s*packets (\\d+)`).exec(listed)?.[1])
    return { outside: count('outside'), lan: count('lan') }
  }

  async command(command: string): Promise<void> {
    await this.#outside?.ask(command)
  }

  async queries(): Promise<Readonly<Record<string, number>>> {
    return JSON.parse((await this.#outside?.ask('count')) ?? '{}') as Record<string, number>
  }

  #forget(): void {
    process.off('exit', this.#demolish)
    process.off('SIGINT', this.#interrupted).off('SIGTERM', this.#interrupted)
  }

  async #remove(): Promise<void> {
    await Promise.all(this.#children.map(end))
    this.#forget()
    this.#demolish()
  }

  down(): Promise<void> {
    this.#down ??= this.#remove()
    return this.#down
  }
}
