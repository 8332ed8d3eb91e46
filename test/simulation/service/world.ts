import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { instant, milliseconds } from '../../../src/base/time.ts'
import { DATABASE_FILE } from '../../../src/server/store/sqlite/open.ts'
import { sqliteStore } from '../../../src/server/store/sqlite/store.ts'
import type { Store } from '../../../src/server/store/store.ts'
import { virtualClock } from '../../fakes/clock.ts'
import { memoryFolder } from '../../lab/memory-folder.ts'
import { makeNew } from '../../lab/new-database.ts'
import { type Ask, type ServiceEvent, type ServiceWorld, ZONES } from './draw.ts'
import { PublishedWitness, storedLines } from './judge.ts'
import { ServiceModel } from './model.ts'
import { type Answered, fillService, type Node, serviceNode, START } from './node.ts'

const LOG = `${DATABASE_FILE}-wal`
/** Virtual milliseconds between two events. */
const STEP = 40

export interface ServiceOutcome {
  readonly alarms: readonly string[]
  readonly asked: number
  readonly crashes: number
  /** Of all answers, and of what was stored after them. */
  readonly hash: string
}

/** One service on SQLite, its requests, and what goes wrong beneath it. Each answer binds the model. */
export async function runServiceWorld({ events }: ServiceWorld): Promise<ServiceOutcome> {
  const root = memoryFolder('holdfast-service-')
  const run = new ServiceRun(root)
  const alarms: string[] = []
  try {
    await run.start()
    for (const [at, event] of events.entries()) {
      const alarm = await run
        .play(event)
        .catch((error: unknown) => String(error instanceof Error ? error.stack : error))
      if (alarm !== undefined) alarms.push(`event ${at} ${JSON.stringify(event)}\n  ${alarm}`)
      if (alarms.length > 0) break
    }
    return { alarms, asked: run.asked, crashes: run.crashes, hash: run.hash() }
  } finally {
    await run.close()
    rmSync(root, { recursive: true, force: true })
  }
}

class ServiceRun {
  asked = 0
  crashes = 0
  readonly #trace = createHash('sha256')
  readonly #root: string
  readonly #clock = virtualClock()
  readonly #witness = new PublishedWitness()
  #model = new ServiceModel(ZONES)
  /** Names that the operator locked, as "ZONE NAME". */
  readonly #locked = new Set<string>()
  #folder = ''
  #store: Store | undefined
  #node: Node | undefined
  #writes = 0
  #onWrite: (nth: number) => void = () => undefined
  /** What each commit does: see `ServiceEvent`. */
  #disk: 'good' | 'full' | 'lost' = 'good'

  constructor(root: string) {
    this.#root = root
  }

  async start(): Promise<void> {
    this.#folder = mkdtempSync(join(this.#root, 'store-'))
    makeNew(this.#folder)
    await this.#open()
    await fillService(this.#opened, START)
  }

  async close(): Promise<void> {
    await this.#store?.close()
  }

  hash(): string {
    return this.#trace.copy().digest('hex').slice(0, 16)
  }

  /** What is wrong after it; undefined: nothing. */
  async play(event: ServiceEvent): Promise<string | undefined> {
    await this.#clock.pass(milliseconds(STEP))
    if (event.kind === 'crash') return this.#crash(event)
    if (event.kind === 'busy') return this.#busy(event)
    if (event.kind === 'flush') {
      await this.#node?.publish()
      return this.#witness.look(this.#opened, this.#model)
    }
    if (event.kind === 'lock') return this.#lock(event)
    if (event.kind === 'restart') {
      await this.close()
      await this.#open()
      return this.#compare([this.#model])
    }
    this.#disk = event.kind === 'ask' ? 'good' : event.kind
    const answers = await this.#all(event.asks)
    this.#disk = 'good'
    return this.#settle(event.asks, answers)
  }

  get #opened(): Store {
    if (this.#store === undefined) throw new Error('the store is not open')
    return this.#store
  }

  async #open(): Promise<void> {
    const inner = sqliteStore(this.#folder, this.#clock)
    const store: Store = Object.assign(Object.create(inner) as Store, {
      read: async (work: Parameters<Store['read']>[0]) => inner.read(work),
      snapshot: async (work: Parameters<Store['snapshot']>[0]) => inner.snapshot(work),
      checkpoint: () => inner.checkpoint(),
      close: async () => inner.close(),
      countRequest: async (...request: Parameters<Store['countRequest']>) => inner.countRequest(...request),
      isShared: false,
      write: async (work: Parameters<Store['write']>[0], about?: Parameters<Store['write']>[1]) => {
        const fail = FAILURES[this.#disk]
        const done = await inner.write(async (w) => {
          const value = await work(w)
          for (let n = 0; n < LINGER; n++) await Promise.resolve()
          this.#onWrite(this.#writes++)
          if (fail === 'before') throw new Error('disk I/O error')
          return value
        }, about)
        if (fail === 'after') throw new Error('the answer is lost')
        return done
      },
    })
    this.#store = store
    this.#node = serviceNode(store, () => instant(START + this.#clock.now()))
    return Promise.resolve()
  }

  async #all(asks: readonly Ask[]): Promise<readonly Answered[]> {
    this.asked += asks.length
    return Promise.all(apart(asks).map(async (ask) => this.#answerOf(ask)))
  }

  async #answerOf(ask: Ask): Promise<Answered> {
    return this.#node?.ask(ask) ?? { kind: 'unknown' }
  }

  /** Accepted requests are stored and refused ones are not; of all others, either. */
  async #settle(asks: readonly Ask[], answers: readonly Answered[]): Promise<string | undefined> {
    this.#trace.update(`${JSON.stringify(answers)}\n`)
    let possible = [this.#model]
    for (const [at, ask] of apart(asks).entries()) {
      const answer = answers[at] ?? { kind: 'unknown' }
      const isLocked = placesOf(ask).some((place) => this.#locked.has(place))
      if (isLocked && answer.kind === 'accepted' && possible.some((model) => isChange(model, ask, answer)))
        return `V6: a locked name is changed: ${JSON.stringify(ask)}`
      const applied = possible.flatMap((model) => outcomesOf(model, ask, answer))
      possible =
        answer.kind === 'accepted'
          ? applied
          : answer.kind === 'refused'
            ? possible
            : [...possible, ...applied]
    }
    return this.#compare(possible)
  }

  /** The store is one of these, and the model is from now on. */
  async #compare(possible: readonly ServiceModel[]): Promise<string | undefined> {
    const [stored, entries] = [await storedLines(this.#opened), this.#entries()]
    this.#trace.update(`${entries} ${stored.join('\n')}`)
    const alike = possible.filter((model) => model.lines().join('\n') === stored.join('\n'))
    const found = alike.find((one) => one.entries <= entries && entries <= one.entries + one.reordered)
    if (found === undefined) {
      const wanted =
        alike.length > 0 ? `${alike[0]?.entries} entries` : (possible[0]?.lines() ?? []).join('\n')
      return `${alike.length > 0 ? 'V3' : 'V1'}: stored is\n${stored.join('\n')}\n${entries} entries, instead of\n${wanted}`
    }
    found.entries = entries
    found.reordered = 0
    this.#model = found
    return undefined
  }

  #entries(): number {
    const database = new DatabaseSync(join(this.#folder, DATABASE_FILE), { readOnly: true })
    try {
      return Number(database.prepare('SELECT count(*) AS n FROM trail').get()?.['n'])
    } finally {
      database.close()
    }
  }

  async #lock({ zone, name, isLocked }: Extract<ServiceEvent, { kind: 'lock' }>): Promise<undefined> {
    const isThere = await this.#opened.write(async (w) => {
      const zoneId = (await w.zoneNamed(zone))?.id
      const id = zoneId === undefined ? undefined : (await w.nameAt(zoneId, name))?.id
      if (id !== undefined) await w.lockName(id, isLocked)
      return id !== undefined
    })
    if (isThere && isLocked) this.#locked.add(`${zone} ${name}`)
    else this.#locked.delete(`${zone} ${name}`)
  }

  /** Another program holds the lock. */
  async #busy({ asks, span }: Extract<ServiceEvent, { kind: 'busy' }>): Promise<string | undefined> {
    const other = new DatabaseSync(join(this.#folder, DATABASE_FILE))
    other.exec('BEGIN IMMEDIATE')
    const answers = this.#all(asks)
    const state = { isOver: false }
    void answers.finally(() => (state.isOver = true))
    for (let passed = 0; passed < 20_000 && !state.isOver; passed += STEP) {
      if (passed >= span && other.isTransaction) other.exec('ROLLBACK')
      await this.#clock.pass(milliseconds(STEP))
      await turn()
    }
    if (other.isTransaction) other.exec('ROLLBACK')
    other.close()
    return this.#settle(asks, await answers)
  }

  /** The power fails: what was told is kept, and the log ends anywhere after that. */
  async #crash({
    asks,
    turns,
    write,
    cut,
  }: Extract<ServiceEvent, { kind: 'crash' }>): Promise<string | undefined> {
    this.crashes++
    this.#writes = 0
    const answers: Answered[] = apart(asks).map(() => ({ kind: 'unknown' }))
    let told = this.#sizeOfLog()
    const disk: { left?: { readonly folder: string; readonly answers: readonly Answered[] } } = {}
    const fail = (): void => void (disk.left ??= { folder: this.#powerCut(told, cut), answers: [...answers] })
    this.#onWrite = (nth) => nth === write && fail()
    const under = apart(asks).map(async (ask, at) => {
      answers[at] = await this.#answerOf(ask)
      told = this.#sizeOfLog()
    })
    for (let n = 0; n < turns && disk.left === undefined; n++)
      await (n % 50 === 49 ? turn() : Promise.resolve())
    fail()
    // The program is gone; its files are not those of the next one.
    await Promise.all(under)
    this.#onWrite = () => undefined
    await this.close()
    rmSync(this.#folder, { recursive: true, force: true })
    this.#folder = disk.left?.folder ?? this.#folder
    await this.#open()
    return this.#settle(asks, disk.left?.answers ?? answers)
  }

  #sizeOfLog(): number {
    const log = join(this.#folder, LOG)
    return existsSync(log) ? statSync(log).size : 0
  }

  /** What is on the disk now, in another folder. */
  #powerCut(told: number, cut: number): string {
    const folder = mkdtempSync(join(this.#root, 'store-'))
    for (const name of [DATABASE_FILE, LOG])
      if (existsSync(join(this.#folder, name))) copyFileSync(join(this.#folder, name), join(folder, name))
    const log = join(folder, LOG)
    if (existsSync(log)) truncateSync(log, Math.round(told + (statSync(log).size - told) * cut))
    return folder
  }
}

/** Longer than an answer takes from the store to its client. */
const LINGER = 200

const FAILURES: Readonly<Record<'good' | 'full' | 'lost', 'before' | 'after' | undefined>> = {
  good: undefined,
  full: 'before',
  lost: 'after',
}

/** One of two writers may have won where no answer tells. */
function outcomesOf(model: ServiceModel, ask: Ask, answer: Answered): readonly ServiceModel[] {
  const isOpen = ask.kind === 'race' && answer.kind !== 'accepted'
  const winners = isOpen ? ask.values : [answer.kind === 'accepted' ? answer.winner : undefined]
  return winners.map((winner) => {
    const after = model.copy()
    after.apply(ask, winner)
    return after
  })
}

/** The names that it writes, as "ZONE NAME", or the zone. */
function placesOf(ask: Ask): readonly string[] {
  if (ask.kind === 'addZone' || ask.kind === 'removeZone') return [ask.zone]
  const names = ask.kind === 'patch' ? ask.items.map(({ name }) => name) : [ask.name]
  return names.map((name) => `${ask.zone} ${name}`)
}

const isChange = (model: ServiceModel, ask: Ask, answer: Answered): boolean =>
  outcomesOf(model, ask, answer).some((after) => after.lines().join() !== model.lines().join())

/** Without those that write where another one does: their order would be open. */
function apart(asks: readonly Ask[]): readonly Ask[] {
  const taken = new Set<string>()
  return asks.filter((ask) => {
    const isWhole = ask.kind === 'addZone' || ask.kind === 'removeZone'
    const places = placesOf(ask)
    const isFree = isWhole
      ? [...taken].every((place) => place !== ask.zone && !place.startsWith(`${ask.zone} `))
      : places.every((place) => !taken.has(place)) && !taken.has(ask.zone)
    if (isFree) for (const place of places) taken.add(place)
    return isFree
  })
}
