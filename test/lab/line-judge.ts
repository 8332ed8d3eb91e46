/** A home, a daemon in it, and the judge of what the update service got. The truth is the lab's, never the client's. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Daemon, keepLogs, type Service, startDaemon, startService } from '../bench/detect-parties.ts'
import { nthAddress, sourcesFor } from '../bench/detect-stage.ts'
import { Truth } from '../bench/detect-truth.ts'
import { PATIENCE } from '../eventually.ts'
import { type Lab, lab as buildLab } from './lab.ts'
import { seen } from './lines.ts'
import { stableAddress } from './plan.ts'
import { now, until } from './run.ts'

/** How long the outside services take to answer. */
const DELAY = 50
const FIRST_PUBLICATION = 20_000
const TOLD_WITHIN = 2000
/** For what is sent late and wrong. */
const LAST_PAUSE = 1000
const INFO = 30
/** A scenario of the bench, of which only the sources count here. */
export const ANY = { name: '', round: 'idle', igd: 'none' } as const

export type Router = 'mute' | 'announcing'

export interface LineRow {
  readonly name: string
  readonly router: Router
  /** The kernel says that it is a tunnel, or IPsec: "VPN" may be said. */
  readonly isVpn?: true
  /** What outside services see while the line is held: published only where the user allows it. */
  readonly exit?: string
  /** Settings of the daemon. */
  readonly environment?: Readonly<Record<string, string>>
  /** Those that the client has by itself; with those for IPv6; others; the usual ones otherwise. */
  readonly sources?: 'default' | 'dual' | readonly string[]
  readonly play: (scene: Scene) => Promise<void>
}

export interface Pace {
  /** How often each thing is done. */
  readonly rounds: number
  /** From the first publication on, and while a line is held, in ms. */
  readonly settle: number
  readonly hold: number
  /** Whether times are judged; otherwise a test waits for what must come. */
  readonly isJudged: boolean
}

const ROUNDS = Number(process.env['HOLDFAST_TEST_ROUNDS'] ?? 2)
/** A poll of the outside falls into the time while a line is held. */
export const LONG: Pace = { rounds: ROUNDS, settle: 12_000, hold: 28_000, isJudged: true }

export interface Verdict {
  readonly name: string
  /** What is not as it must be; nothing means that the row passes. */
  readonly faults: readonly string[]
  readonly notes: readonly string[]
  /** Of requests. */
  readonly count: number
}

const clockOf = (at: number): string => new Date(at).toISOString().slice(11, 23)
const short = (ms: number): string => `${ms.toFixed(0)} ms`

interface LogLine {
  readonly level: number
  readonly time: string
  readonly msg: string
}

/** What a row is played on. Each method notes what it found, and what is wrong. */
export class Scene {
  readonly lab: Lab
  readonly pace: Pace
  readonly truth = new Truth()
  readonly faults: string[] = []
  readonly notes: string[] = []
  readonly #row: LineRow
  readonly #service: Service
  readonly #memory = mkdtempSync(join(tmpdir(), 'holdfast-lines-'))
  readonly #daemons: Daemon[] = []
  readonly #environment: Readonly<Record<string, string>>
  #turn = 0
  /** Of requests: the first one may be two, one for each family. */
  #allowed = 1

  constructor(
    row: LineRow,
    parts: { lab: Lab; service: Service; pace: Pace; environment: Record<string, string> },
  ) {
    this.#row = row
    this.lab = parts.lab
    this.pace = parts.pace
    this.#service = parts.service
    this.#environment = { ...row.environment, ...parts.environment }
    this.truth.moved(this.lab.wan, 0)
    this.truth.holds(stableAddress(this.lab.prefix), 0)
  }

  get service(): Service {
    return this.#service
  }

  get #lines(): readonly string[] {
    return this.#daemons.flatMap(({ lines }) => lines)
  }

  #limit(ms: number): number {
    return this.pace.isJudged ? ms : PATIENCE
  }

  fault(text: string): void {
    this.faults.push(`${clockOf(now())} ${text}`)
  }

  /** A daemon that remembers what the one before it knew. It has published the address, unless nothing can be. */
  async start(address: string | undefined = this.lab.wan, config?: string): Promise<void> {
    const at = now()
    this.launch(config)
    if (address !== undefined) await this.comes(address, at, FIRST_PUBLICATION, 'at the start')
    await sleep(this.pace.settle)
  }

  launch(config?: string): void {
    const { sources } = this.#row
    const ours = {
      ...(sources === 'dual' && { isDual: true as const }),
      ...(typeof sources === 'object' && { sources }),
    }
    this.#daemons.push(
      startDaemon(this.lab, {
        where: 'host',
        sources: sources === 'default' ? undefined : sourcesFor({ ...ANY, ...ours }),
        service: this.#service,
        environment: this.#environment,
        memory: this.#memory,
        ...(config !== undefined && { config }),
      }),
    )
  }

  async kill(): Promise<void> {
    await this.#daemons.at(-1)?.stop()
  }

  /** What was published last, of a family. */
  published(family: 4 | 6 = 4): string | undefined {
    const isOf = (address: string): boolean => isIPv6(address) === (family === 6)
    return this.#service.arrivals.findLast(({ addresses }) => addresses.some(isOf))?.addresses.find(isOf)
  }

  /** The address is what was published last, from some moment on; within so many ms after the given one. */
  async comes(address: string, at: number, within: number, what: string): Promise<void> {
    this.may(1)
    const family = isIPv6(address) ? 6 : 4
    const isThere = (): boolean => this.published(family) === address
    await until(isThere, address, Math.max(0, at + this.#limit(within) - now())).catch(() => undefined)
    if (!isThere())
      return this.fault(
        `missed ${what}: ${address} did not come within ${short(this.#limit(within))} of ${clockOf(at)}; published is ${this.published(family)}`,
      )
    const first = this.#service.arrivals.find((one) => one.at >= at - 1 && one.addresses.includes(address))
    this.notes.push(
      `${what}: ${address} ${first === undefined ? 'was published already' : `after ${short(Math.max(0, first.at - at))}`}`,
    )
  }

  /** The lab is as it says: outside services see this address of the host, or one that begins so. */
  async sees(address: string, family: 4 | 6 = 4): Promise<void> {
    const found = await seen(this.lab, family)
    if (!found.startsWith(address))
      this.fault(`the lab is wrong: outside services see ${found}, not ${address}`)
  }

  /** The same, soon; returns when. */
  async becomes(address: string, family: 4 | 6): Promise<number> {
    const deadline = now() + PATIENCE / 3
    while (now() < deadline) {
      if ((await seen(this.lab, family)).startsWith(address)) return now()
      await sleep(50)
    }
    await this.sees(address, family)
    return now()
  }

  seesLie(lie: string, found: string): void {
    if (found !== lie) this.fault(`the lab is wrong: plain DNS says ${found}, not ${lie}`)
  }

  /** What the log says of a line that is held: its interface or its gateway, whatever the wording; it may be early. */
  async told(
    words: RegExp,
    at: number,
    { span = TOLD_WITHIN, since = at }: { readonly span?: number; readonly since?: number } = {},
  ): Promise<void> {
    const find = (): LogLine | undefined => {
      for (const text of this.#lines) {
        const line = JSON.parse(text) as LogLine
        if (line.level >= INFO && Date.parse(line.time) >= since - 1 && words.test(text)) return line
      }
      return undefined
    }
    const within = this.pace.isJudged ? span : 10_000
    await until(() => find() !== undefined, 'a word', Math.max(0, at + within - now())).catch(() => undefined)
    const line = find()
    if (line === undefined)
      this.fault(`not told within ${short(within)} of ${clockOf(at)}: nothing has ${words}`)
    else this.notes.push(`told after ${short(Math.max(0, Date.parse(line.time) - at))}: "${line.msg}"`)
  }

  /** So many requests more are no fault. */
  may(count: number): void {
    this.#allowed += count
  }

  /** The requests since then. */
  requests(since: number, until = Infinity): number {
    return this.#service.arrivals.filter(({ at }) => at >= since && at <= until).length
  }

  atMost(most: number, since: number, what: string): void {
    const count = this.requests(since)
    const said = `${what}: ${count} requests`
    if (count > most) this.fault(`${said}, not ${most}`)
    else this.notes.push(said)
  }

  /** The router gets an address that it has not had. */
  async homeChanges(): Promise<{ readonly address: string; readonly at: number }> {
    this.#turn += 1
    const { now: address, at } = await this.lab.changeWan(nthAddress(this.#turn))
    this.truth.moved(address, at)
    return { address, at }
  }

  /** After all that was played, the home line is watched as before. */
  async isWatched(within = 3000): Promise<void> {
    const { address, at } = await this.homeChanges()
    await this.comes(address, at, within, 'a change afterwards')
  }

  async verdict(): Promise<Verdict> {
    await sleep(LAST_PAUSE)
    for (const { addresses, at, reply } of this.#service.arrivals) {
      const wrong = this.truth.wrong(addresses, at)
      if (wrong.length > 0)
        this.faults.push(`WRONG "${reply}" at ${clockOf(at)}: ${wrong.join(', ')} is not of this home`)
      if (addresses.length === 0) this.faults.push(`refused "${reply}" at ${clockOf(at)}`)
    }
    const count = this.#service.arrivals.length
    if (count > this.#allowed) this.faults.push(`${count} requests, not ${this.#allowed}`)
    for (const crash of this.#daemons.flatMap((daemon) => daemon.crash() ?? []))
      this.faults.push(`crashed: ${crash.how} at ${clockOf(crash.at)}`)
    if (this.#row.isVpn !== true) {
      const named = this.#lines
        .filter((text) => /\bVPN/.test(text))
        .map((text) => JSON.parse(text) as LogLine)
        .filter(({ level }) => level >= INFO)
      if (named.length > 0) this.faults.push(`a VPN is named ${named.length} times: "${named[0]?.msg}"`)
    }
    const { name } = this.#row
    return { name, faults: this.faults, notes: this.notes, count }
  }

  async end(): Promise<void> {
    const folder = process.env['HOLDFAST_TEST_LOGS']
    for (const daemon of this.#daemons) await daemon.stop()
    rmSync(this.#memory, { recursive: true, force: true })
    if (folder === undefined) return
    mkdirSync(folder, { recursive: true })
    keepLogs(folder, this.#row.name.replaceAll(/[^\w-]+/g, '-'), this.#service, this.#daemons)
  }
}

/** Plays a row in a lab of its own. */
export async function play(
  row: LineRow,
  pace: Pace,
  environment: Record<string, string> = {},
): Promise<Verdict> {
  const lab = await buildLab({ delay: DELAY, lan: 'switch' })
  let scene: Scene | undefined
  try {
    await lab.igd(row.router === 'mute' ? 'none' : 'all')
    const service = await startService(lab)
    scene = new Scene(row, { lab, service, pace, environment })
    await row.play(scene)
    return await scene.verdict()
  } finally {
    try {
      await scene?.end()
    } finally {
      await lab.down()
    }
  }
}

/** For the reader of a run. */
export const report = ({ name, faults, notes, count }: Verdict): string =>
  [
    `\n${faults.length === 0 ? 'ok  ' : 'FAIL'} ${name} (${count} requests)`,
    ...notes.map((note) => `       ${note}`),
    ...faults.map((fault) => `  !!   ${fault}`),
  ].join('\n')
