import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { connect, type Connection, NoMoreConnections, type PostgresPlace } from './connection.ts'
import { StoreAway } from '../errors.ts'

/** In milliseconds: the server itself ends a statement after `wait`. */
const MARGIN = 250

/** In milliseconds, between two looks for a host that has taken over. */
const TAKEOVER_INTERVAL = 5000

/** A frozen server does not answer the end of a connection. */
async function ended(client: Client): Promise<void> {
  const farewell = client.end().catch(() => undefined)
  await Promise.race([farewell, sleep(MARGIN, undefined, { ref: false })])
  client.connection.stream.destroy()
}

interface Waiting {
  /** False if the caller no longer waits. */
  readonly take: (connection: Connection) => boolean
  readonly fail: (error: unknown) => void
}

/**
 * Connections, each used by one caller at a time. They are opened when needed, and kept. While none can be opened, one
 * caller at a time tries, and all others fail at once: otherwise a database that does not answer would delay each of
 * them in turn.
 */
export class ConnectionPool {
  readonly place: PostgresPlace
  readonly #all = new Set<Connection>()
  readonly #free: Connection[] = []
  readonly #waiting = new Set<Waiting>()
  #opening = 0
  /** The highest that any host has had. */
  #timeline = 0
  /** Why the last attempt failed; undefined after one that did not. */
  #away: Error | undefined
  readonly #closing = new AbortController()

  constructor(place: PostgresPlace) {
    this.place = place
    if (place.hosts.length > 1) void this.#keepLooking().catch(() => undefined)
  }

  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#take()
    try {
      return await work(connection)
    } finally {
      this.#give(connection)
    }
  }

  /** Connections that are in use, or being opened, are closed too. */
  async close(): Promise<void> {
    this.#closing.abort()
    const free = this.#free.splice(0)
    for (const connection of this.#all)
      if (!free.includes(connection)) connection.client.connection.stream.destroy()
    await Promise.all(free.map(async ({ client }) => ended(client)))
  }

  async #take(): Promise<Connection> {
    for (let free = this.#free.pop(); free !== undefined; free = this.#free.pop()) {
      if (!free.isBroken) return free
      this.#drop(free)
    }
    if (this.#closing.signal.aborted) throw new StoreAway('the store is closed')
    if (this.#away !== undefined && this.#opening > 0) throw new StoreAway(this.#away.message)
    return this.#all.size + this.#opening >= this.place.connections ? this.#nextFree() : this.#open()
  }

  async #open(): Promise<Connection> {
    this.#opening += 1
    try {
      const connection = await this.#connect()
      this.#all.add(connection)
      this.#away = undefined
      this.#goOn(connection)
      return connection
    } catch (error) {
      // The database may allow this role fewer connections: wait for one of the others.
      if (this.#all.size > 0 && error instanceof NoMoreConnections) return await this.#nextFree(error)
      if (this.#all.size === 0) this.#away = error as Error
      if (this.#all.size === 0) this.#waiting.forEach(({ fail }) => fail(error))
      throw error
    } finally {
      this.#opening -= 1
    }
  }

  async #connect(): Promise<Connection> {
    const patience = this.place.wait + MARGIN
    return connect(this.place, { patience, ending: this.#closing.signal, timeline: this.#timeline })
  }

  /** Connections to hosts from which this one has taken over end at once: what they store would be lost. */
  #goOn({ timeline }: Connection): void {
    this.#timeline = timeline
    for (const one of this.#all) if (one.timeline < timeline) one.client.connection.stream.destroy()
  }

  /** A host may take over while the one before it, which is in use, still takes writes. */
  async #keepLooking(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      await sleep(TAKEOVER_INTERVAL, undefined, { signal, ref: false })
      const found = this.#all.size === 0 ? undefined : await this.#connect().catch(() => undefined)
      if (found === undefined) continue
      this.#goOn(found)
      void ended(found.client)
    }
  }

  async #nextFree(why: unknown = new StoreAway('no connection to the database became free in time')) {
    return new Promise<Connection>((resolve, reject) => {
      const settled = new AbortController()
      const settle = (): boolean => {
        const isFirst = !settled.signal.aborted
        settled.abort()
        return isFirst
      }
      const waiting: Waiting = {
        take: (connection) => {
          resolve(connection)
          return settle()
        },
        fail: (error) => {
          this.#waiting.delete(waiting)
          if (settle()) reject(error)
        },
      }
      this.#waiting.add(waiting)
      void sleep(this.place.wait + MARGIN, undefined, { signal: settled.signal, ref: false }).then(
        () => waiting.fail(why),
        () => undefined,
      )
    })
  }

  #give(connection: Connection): void {
    // After a failover or a change of the schema, the other connections are unusable too.
    if (connection.isBroken) for (const free of this.#free) free.isBroken = true
    const [next] = this.#waiting
    if (next !== undefined) this.#waiting.delete(next)
    if (connection.isBroken || this.#closing.signal.aborted) {
      this.#drop(connection)
      // A waiting caller opens another one.
      if (next !== undefined) void this.#take().then((other) => this.#pass(other, next), next.fail)
    } else if (next === undefined) this.#free.push(connection)
    else this.#pass(connection, next)
  }

  #pass(connection: Connection, to: Waiting): void {
    if (!to.take(connection)) this.#give(connection)
  }

  #drop(connection: Connection): void {
    this.#all.delete(connection)
    void ended(connection.client)
  }
}
