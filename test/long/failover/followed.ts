import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { questionWire } from '../../../src/shared/dns/response.ts'
import { RR_TYPES } from '../../../src/shared/dns/types.ts'
import { addressIn, Asker } from '../../bench/publish-asker.ts'
import { eventually } from '../../eventually.ts'
import type { Client } from './client.ts'
import { type OwnSecondary, startOwnSecondary } from './own-secondary.ts'
import { failoverWorld, type Node, startServers, type World, ZONE } from './world.ts'

/** Changes that each failover loses. */
export const LOST = 3
/** How many names there are, and for how many of them there is a key. */
export const NAMES = { all: 60, key: 40 } as const
const STARTS = { lost: 0, after: 10, loop: 20 } as const
/** Names that are lost, that are changed after it, and those of the loops, are others. */
export const ownName = (kind: keyof typeof STARTS, n: number): string => `n${STARTS[kind] + n}`
/** In milliseconds: secondaries that have not the service's content after so long never will. */
const SETTLING = 15_000

/** One zone at Knot, BIND and a secondary of the test's own, and how it differs there. */
export class FollowedZone {
  readonly world: World
  readonly own: OwnSecondary
  /** Each with the failover after which it was seen. */
  readonly wrong: string[] = []
  readonly #asker = new Asker()

  private constructor(world: World, own: OwnSecondary) {
    this.world = world
    this.own = own
  }

  static async start(store: string): Promise<FollowedZone> {
    const world = await failoverWorld({ store, names: NAMES.all })
    const own = await startOwnSecondary(ZONE)
    own.from([world.dns])
    const zone = new FollowedZone(world, own)
    onTestFinished(async () => {
      zone.#asker.close()
      await own.close()
    })
    return zone
  }

  async node(): Promise<Node> {
    const { servers } = this.world
    return this.world.node([...servers, { name: 'own', port: this.own.port }])
  }

  async startSecondaries(): Promise<void> {
    await startServers(this.world)
    for (const { port } of this.#others()) await eventually(async () => this.#at(port, 'n0')).toBeDefined()
  }

  /** Changes that are acknowledged and at every secondary: each has another serial. */
  async lose(client: Client, n: number): Promise<void> {
    for (let at = 0; at < LOST; at++) {
      const [name, address] = [ownName('lost', at), `10.1.${n}.${at}`]
      await eventually(async () => (await client.update(name, address)).word).toMatch(/^(?:good|nochg)$/)
      for (const { port } of this.#others())
        await this.#until(async () => (await this.#at(port, name)) === address)
    }
  }

  /** Waits until all secondaries serve what the service answers, and notes what is wrong when they do not. */
  async settled(n: number): Promise<void> {
    let wrong: readonly string[] = []
    await this.#until(async () => {
      wrong = await this.#differences()
      return wrong.length === 0
    })
    this.wrong.push(...wrong.map((one) => `after ${n}: ${one}`))
  }

  #others() {
    return this.world.servers.map(({ name, port }) => ({ name, port }))
  }

  async #at(port: number, name: string): Promise<string | undefined> {
    return addressIn(await this.#asker.ask(port, questionWire(`${name}.${ZONE}`, RR_TYPES.A)))
  }

  async #differences(): Promise<readonly string[]> {
    const found: string[] = []
    for (let n = 0; n < NAMES.all; n++) {
      const ours = await this.#at(this.world.dns, `n${n}`)
      for (const { name, port } of this.#others()) {
        const theirs = await this.#at(port, `n${n}`)
        if (ours === undefined || theirs !== ours) found.push(`${name}: n${n} ${theirs}, and ${ours} here`)
      }
    }
    return found
  }

  /** A failure is noted, and the test goes on: one failover that goes wrong does not hide the next. */
  async #until(isDone: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + SETTLING
    while (!(await isDone()) && performance.now() < end) await sleep(50)
  }
}
