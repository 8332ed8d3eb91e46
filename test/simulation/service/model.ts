import type { Ask } from './draw.ts'

/** What the service must have: the values by "ZONE NAME TYPE"; a zone without records is here by its name alone. */
export class ServiceModel {
  readonly zones: Set<string>
  readonly #values: Map<string, string>

  constructor(zones: Iterable<string>, values: Iterable<readonly [string, string]> = []) {
    this.zones = new Set(zones)
    this.#values = new Map(values)
  }

  copy(): ServiceModel {
    return new ServiceModel(this.zones, this.#values)
  }

  get(zone: string, name: string, type: string): string | undefined {
    return this.#values.get(`${zone} ${name} ${type}`)
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

  set(zone: string, name: string, type: string, values: readonly string[]): void {
    if (values.length === 0) this.#values.delete(`${zone} ${name} ${type}`)
    else this.#values.set(`${zone} ${name} ${type}`, values.toSorted().join('|'))
  }

  /** The request was accepted; of a race, `winner` is the value that was stored. */
  apply(ask: Ask, winner?: string): void {
    if (ask.kind === 'patch')
      for (const { name, type, values } of ask.items) this.set(ask.zone, name, type, values)
    else if (ask.kind === 'update') this.set(ask.zone, ask.name, 'A', [ask.address])
    else if (ask.kind === 'remove') this.#forget(`${ask.zone} ${ask.name} `)
    else if (ask.kind === 'addZone') this.zones.add(ask.zone)
    else if (ask.kind === 'race') this.set(ask.zone, ask.name, 'A', winner === undefined ? [] : [winner])
    else {
      this.zones.delete(ask.zone)
      this.#forget(`${ask.zone} `)
    }
  }

  #forget(start: string): void {
    for (const key of this.#values.keys()) if (key.startsWith(start)) this.#values.delete(key)
  }
}
