import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { sweepHidden } from '../../../src/service/admin/store/sweeper.ts'
import { instant, milliseconds } from '../../../src/shared/base/time.ts'
import { DATABASE_FILE } from '../../../src/service/store/sqlite/open.ts'
import { sqliteStore } from '../../../src/service/store/sqlite/store.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { virtualClock } from '../../fakes/clock.ts'
import { memoryFolder } from '../../lab/memory-folder.ts'
import { makeNew } from '../../lab/new-database.ts'
import { type Ask, type ServiceEvent, type ServiceWorld, ZONES } from './draw.ts'
import { PublishedWitness, storedLines } from './judge.ts'
import { ServiceModel } from './model.ts'
import { bulkClocks, LEASE, OperatorImport } from './operator.ts'
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
export async function runServiceWorld({ seed, events }: ServiceWorld): Promise<ServiceOutcome> {
  const root = memoryFolder('holdfast-service-')
  const run = new ServiceRun(root, seed % 2 === 0 ? 2 : 1)
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
    const last = alarms.length > 0 ? undefined : await run.rest()
    if (last !== undefined) alarms.push(`the end\n  ${last}`)
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
  #import: OperatorImport | undefined
  #folder = ''
  /** Of each node. */
  #stores: readonly Store[] = []
  #nodes: readonly Node[] = []
  #turns = 0
  #writes = 0
  #onWrite: (nth: number) => void = () => undefined
  /** What each commit does: see `ServiceEvent`. */
  #disk: 'good' | 'full' | 'lost' = 'good'

  readonly #nodeCount: number

  constructor(root: string, nodeCount: number) {
    this.#root = root
    this.#nodeCount = nodeCount
  }

  async start(): Promise<void> {
    this.#folder = mkdtempSync(join(this.#root, 'store-'))
    makeNew(this.#folder)
    await this.#open()
    await fillService(this.#opened, START)
  }

  async close(): Promise<void> {
    await this.#import?.kill()
    await Promise.all(this.#stores.map(async (store) => store.close()))
  }

  /** Whether what was removed or given up is deleted in the end, and nothing else. */
  async rest(): Promise<string | undefined> {
    const alarm = await this.#withoutImport()
    if (alarm !== undefined) return alarm
    await this.#clock.pass(LEASE)
    await this.#passing(sweepHidden(this.#opened, [], bulkClocks(this.#clock)))
    await this.#publish()
    const left = this.#count(HIDDEN_ROWS)
    if (left > 0) return `V9: ${left} rows of what was removed or given up are left`
    return (await this.#settle([], [])) ?? this.#witness.look(this.#opened, this.#model)
  }

  /** Its program is killed. */
  async #withoutImport(): Promise<string | undefined> {
    await this.#import?.kill()
    return this.#settle([], [])
  }

  /** Waits for it, while the time passes. */
  async #passing<T>(work: Promise<T>, onStep: (passed: number) => void = () => undefined): Promise<T> {
    const state = { isOver: false }
    const finish = (): void => void (state.isOver = true)
    void work.then(finish, finish)
    for (let passed = 0; passed < 20_000 && !state.isOver; passed += STEP) {
      onStep(passed)
      await this.#clock.pass(milliseconds(STEP))
      await turn()
    }
    return work
  }

  hash(): string {
    return this.#trace.copy().digest('hex').slice(0, 16)
  }

  /** What is wrong after it; undefined: nothing. */
  async play(event: ServiceEvent): Promise<string | undefined> {
    await this.#clock.pass(milliseconds(STEP))
    if (event.kind === 'crash') return this.#crash(event)
    if (event.kind === 'busy') return this.#busy(event)
    if ('asks' in event) {
      this.#disk = event.kind === 'ask' ? 'good' : event.kind
      const answers = await this.#passing(this.#all(event.asks))
      this.#disk = 'good'
      return this.#settle(event.asks, answers)
    }
    await this.#act(event)
    const alarm = await this.#settle([], [])
    return event.kind === 'flush' ? (alarm ?? this.#witness.look(this.#opened, this.#model)) : alarm
  }

  async #act(event: Exclude<ServiceEvent, { asks: readonly Ask[] }>): Promise<void> {
    if (event.kind === 'flush') await this.#passing(this.#publish())
    if (event.kind === 'lock') await this.#passing(this.#lock(event))
    if (event.kind === 'sweep')
      void sweepHidden(this.#opened, [], bulkClocks(this.#clock)).catch(() => undefined)
    if (event.kind === 'import')
      this.#import ??= new OperatorImport(event.ask, this.#model, {
        folder: this.#folder,
        clock: this.#clock,
      })
    if (event.kind === 'restart') {
      await Promise.all(this.#stores.map(async (store) => store.close()))
      await this.#open()
    }
  }

  get #opened(): Store {
    const [first] = this.#stores
    if (first === undefined) throw new Error('the store is not open')
    return first
  }

  async #publish(): Promise<void> {
    await this.#nodes.at(-1)?.publish()
  }

  async #open(): Promise<void> {
    this.#stores = Array.from({ length: this.#nodeCount }, () => this.#store())
    this.#nodes = this.#stores.map((store) => serviceNode(store, () => instant(START + this.#clock.now())))
    return Promise.resolve()
  }

  #store(): Store {
    const inner = sqliteStore(this.#folder, this.#clock)
    return Object.assign(Object.create(inner) as Store, {
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
  }

  async #all(asks: readonly Ask[]): Promise<readonly Answered[]> {
    this.asked += asks.length
    return Promise.all(apart(asks).map(async (ask) => this.#answerOf(ask)))
  }

  async #answerOf(ask: Ask): Promise<Answered> {
    return this.#nodes[this.#turns++ % this.#nodeCount]?.ask(ask) ?? UNKNOWN
  }

  /** Accepted requests are stored and refused ones are not; of all others, either. */
  async #settle(asks: readonly Ask[], answers: readonly Answered[]): Promise<string | undefined> {
    this.#trace.update(`${JSON.stringify(answers)}\n`)
    const all = apart(asks).map((ask, at) => ({ ask, answer: answers[at] ?? UNKNOWN }))
    const changed = all.find(({ ask, answer }) => this.#isForbidden(ask, answer))
    if (changed !== undefined) return `V6: a locked name is changed: ${JSON.stringify(changed.ask)}`
    const without = statesAfter(all, [this.#model])
    const under = this.#import
    if (under === undefined) return this.#compare(without)
    // Nothing tells between which of the requests it took place.
    const replaced = under.isDone
      ? []
      : subsetsOf(all).flatMap(([early, late]) =>
          statesAfter(
            late,
            statesAfter(early, [this.#model]).flatMap((model) => under.outcomeAfter(model) ?? []),
          ),
        )
    const isSaid = under.said === 'imported' && !under.isDone
    const alarm = await this.#compare([
      ...(isSaid ? [] : without),
      ...(under.said === 'refused' ? [] : replaced),
    ])
    if (replaced.includes(this.#model)) this.#forgetLocks(under)
    if (under.said !== undefined) this.#import = undefined
    if (under.said === 'refused' && under.isDone) return 'V2: an import that was refused took place'
    return alarm
  }

  #isForbidden(ask: Ask, answer: Answered): boolean {
    const isLocked = placesOf(ask).some((place) => this.#locked.has(place))
    return isLocked && answer.kind === 'accepted' && isChange(this.#model, ask, answer)
  }

  /** A name that the file lacks is gone, with its lock. */
  #forgetLocks(under: OperatorImport): void {
    under.isDone = true
    const { zone, names } = under.ask
    for (const place of this.#locked) {
      const [lockedIn, name = ''] = place.split(' ')
      if (lockedIn === zone && !names.includes(name)) this.#locked.delete(place)
    }
  }

  /** The store is one of these, and the model is from now on. */
  async #compare(possible: readonly ServiceModel[]): Promise<string | undefined> {
    const [stored, entries] = [await storedLines(this.#opened), this.#count('trail')]
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

  #count(rows: string): number {
    const database = new DatabaseSync(join(this.#folder, DATABASE_FILE), { readOnly: true })
    try {
      return Number(database.prepare(`SELECT count(*) AS n FROM ${rows}`).get()?.['n'])
    } finally {
      database.close()
    }
  }

  async #lock({ zone, name, isLocked }: Extract<ServiceEvent, { kind: 'lock' }>): Promise<void> {
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
    const answers = await this.#passing(this.#all(asks), (passed) => {
      if (passed >= span && other.isTransaction) other.exec('ROLLBACK')
    })
    if (other.isTransaction) other.exec('ROLLBACK')
    other.close()
    return this.#settle(asks, answers)
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
    await this.#passing(Promise.all(under))
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

const UNKNOWN: Answered = { kind: 'unknown' }
/** What readers never see. */
const HIDDEN_ROWS = `(SELECT name FROM zone WHERE name LIKE '#%' UNION ALL SELECT name FROM account WHERE name LIKE '#%'
  UNION ALL SELECT id FROM zone_draft UNION ALL SELECT id FROM name WHERE zone_id NOT IN (SELECT id FROM zone)
  UNION ALL SELECT zone_id FROM dns_rr WHERE zone_id NOT IN (SELECT id FROM dns_zone)
  UNION ALL SELECT zone_id FROM holding WHERE zone_id NOT IN (SELECT id FROM zone))`

interface Answer {
  readonly ask: Ask
  readonly answer: Answered
}

/** Each state that the answers leave possible. */
const statesAfter = (answers: readonly Answer[], from: readonly ServiceModel[]): readonly ServiceModel[] =>
  answers.reduce((possible, { ask, answer }) => {
    if (answer.kind === 'refused') return possible
    const applied = possible.flatMap((model) => outcomesOf(model, ask, answer))
    return answer.kind === 'accepted' ? applied : [...possible, ...applied]
  }, from)

/** Each way to part them in two. */
const subsetsOf = <T>(all: readonly T[]): readonly (readonly [readonly T[], readonly T[]])[] =>
  Array.from({ length: 1 << all.length }, (_, subset) => {
    const isEarly = (at: number): boolean => (subset & (1 << at)) > 0
    return [all.filter((_, at) => isEarly(at)), all.filter((_, at) => !isEarly(at))] as const
  })

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

const isOfZone = ({ kind }: Ask): boolean => kind === 'addZone' || kind === 'removeZone'

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
    const isWhole = isOfZone(ask)
    const places = placesOf(ask)
    const isFree = isWhole
      ? [...taken].every((place) => place !== ask.zone && !place.startsWith(`${ask.zone} `))
      : places.every((place) => !taken.has(place)) && !taken.has(ask.zone)
    if (isFree) for (const place of places) taken.add(place)
    return isFree
  })
}
