import type { Ask, ImportAsk } from './draw.ts'

/** What the service must have: the values by "ZONE NAME TYPE"; a zone without records is here by its name alone. */
export class ServiceModel {
  readonly zones: Set<string>
  /** Entries of the trail: one for each RRSet that a request changed, and one for each zone that came or went. */
  entries: number
  /** RRSets that may have another order since the last look. */
  reordered = 0
  readonly #values: Map<string, string>

  constructor(zones: Iterable<string>, values: Iterable<readonly [string, string]> = [], entries = 0) {
    this.zones = new Set(zones)
    this.#values = new Map(values)
    this.entries = entries
  }

  copy(): ServiceModel {
    const copy = new ServiceModel(this.zones, this.#values, this.entries)
    copy.reordered = this.reordered
    return copy
  }

  /** Each record as a line, in order. */
  lines(): readonly string[] {
    const records = Array.from(this.#values, ([key, values]) =>
      values.split('|').map((value) => `${key} ${value}`),
    )
    return [...this.zones, ...records.flat()].toSorted()
  }

  linesIn(zone: string): readonly string[] {
    return this.lines()
      .filter((line) => line.startsWith(`${zone} `))
      .map((line) => line.slice(zone.length + 1))
  }

  #set(zone: string, name: string, type: string, values: readonly string[]): void {
    const key = `${zone} ${name} ${type}`
    const text = values.toSorted().join('|')
    if ((this.#values.get(key) ?? '') === text) {
      // The same values in another order are a change, which the model does not know.
      if (values.length > 1) this.reordered++
      return
    }
    this.entries++
    if (text === '') this.#values.delete(key)
    else this.#values.set(key, text)
  }

  /** The request was accepted; of a race, `winner` is the value that was stored. */
  apply(ask: Ask | ImportAsk, winner?: string): void {
    if (ask.kind === 'patch')
      for (const { name, type, values } of ask.items) this.#set(ask.zone, name, type, values)
    else if (ask.kind === 'update') this.#set(ask.zone, ask.name, 'A', [ask.address])
    // A name that an import made stays without records.
    else if (ask.kind === 'remove') this.entries += Math.max(1, this.#forget(`${ask.zone} ${ask.name} `))
    else if (ask.kind === 'import') this.replace(ask, this.valuesIn(ask.zone))
    else if (ask.kind === 'race') this.#set(ask.zone, ask.name, 'A', winner === undefined ? [] : [winner])
    else {
      this.entries++
      if (ask.kind === 'addZone') this.zones.add(ask.zone)
      else if (this.zones.delete(ask.zone)) this.#forget(`${ask.zone} `)
    }
  }

  /** One entry of the trail, however many names. */
  replace({ zone, names, address }: ImportAsk, before: ReadonlyMap<string, string>): void {
    const now = this.valuesIn(zone)
    this.#forget(`${zone} `)
    const file = new Map(names.map((name) => [`${zone} ${name} A`, address]))
    const nameOf = (key: string): string => key.slice(0, key.lastIndexOf(' '))
    const has = (values: ReadonlyMap<string, string>, name: string): boolean =>
      [...values.keys()].some((key) => nameOf(key) === name)
    const keys = new Set([...before.keys(), ...now.keys(), ...file.keys()])
    for (const key of keys) {
      const name = nameOf(key)
      const isKept = [...keys].every((one) => nameOf(one) !== name || file.get(one) === before.get(one))
      // What the file leaves as it was is as it is now; what it removes or makes is as in the file.
      const isGone = !isKept && has(before, name) && !has(file, name)
      const isOfFile = !isKept && (!has(now, name) || file.get(key) !== before.get(key))
      const value = isGone ? undefined : isOfFile ? file.get(key) : now.get(key)
      if (value !== undefined) this.#values.set(key, value)
    }
    this.entries++
  }

  /** The records of a zone, by their keys. */
  valuesIn(zone: string): ReadonlyMap<string, string> {
    return new Map([...this.#values].filter(([key]) => key.startsWith(`${zone} `)))
  }

  /** How many RRSets are gone. */
  #forget(start: string): number {
    const keys = [...this.#values.keys()].filter((key) => key.startsWith(start))
    for (const key of keys) this.#values.delete(key)
    return keys.length
  }
}
