import { readName } from '../../../src/shared/dns/name.ts'
import { RR_TYPES } from '../../../src/shared/dns/types.ts'
import { addressOfBytes } from '../../../src/shared/base/address.ts'
import { decodeRows, ownerName } from '../../../src/service/publish/rows.ts'
import type { PublishedRow } from '../../../src/service/store/published.ts'
import type { Store } from '../../../src/service/store/store.ts'
import type { ServiceModel } from './model.ts'

/** What is stored, in the form of the model: without the records of the service. */
export const storedLines = async (store: Store): Promise<readonly string[]> =>
  store.read(async (r) => {
    const { items: zones } = await r.zonesOf(1, { page: { offset: 0, limit: 100 }, scope: {} })
    const lines: string[] = []
    for (const { id, name: zone } of zones) {
      lines.push(zone)
      for (const { name, rrsets } of await r.namesAfter({ zoneId: id }, 0, 1000))
        for (const { dnsType, rdata, isSystem } of rrsets)
          if (!isSystem) lines.push(...rdata.map(({ value }) => `${zone} ${name} ${dnsType} ${value}`))
    }
    return lines.toSorted()
  })

interface Copy {
  readonly id: number
  readonly serial: number
  readonly rows: ReadonlyMap<string, PublishedRow>
}

/** What a secondary sees of the zones: serials that only grow, and steps that lead from one copy to the next. */
export class PublishedWitness {
  readonly #copies = new Map<string, Copy>()

  /** What is wrong with what is published now; undefined: nothing. */
  async look(store: Store, model: ServiceModel): Promise<string | undefined> {
    for (const zone of model.zones) {
      const now = await copyOf(store, zone)
      if (now === undefined) return `V4: ${zone} is not published`
      const lines = [...now.rows.values()]
        .map(lineOf)
        .filter((line) => line !== undefined)
        .toSorted()
      const wanted = model.linesIn(zone)
      if (lines.join('\n') !== wanted.join('\n'))
        return `V8: ${zone} is published as\n${lines.join('\n')}\ninstead of\n${wanted.join('\n')}`
      const before = this.#copies.get(zone)
      const alarm = before?.id === now.id ? await stepsLead(store, before, now) : undefined
      if (alarm !== undefined) return `V4: ${zone}: ${alarm}`
      this.#copies.set(zone, now)
    }
    for (const zone of this.#copies.keys()) {
      if (model.zones.has(zone)) continue
      if ((await copyOf(store, zone)) !== undefined) return `V8: ${zone} is removed, and still published`
      this.#copies.delete(zone)
    }
    return undefined
  }
}

const keyOf = ({ owner, type, ttl, rdata }: PublishedRow): string =>
  `${owner} ${type} ${ttl} ${Buffer.from(rdata).toString('hex')}`

const copyOf = async (store: Store, zone: string): Promise<Copy | undefined> =>
  store.read(async (r) => {
    const found = await r.publishedZone(zone)
    if (found === undefined) return undefined
    const rows = await r.publishedAfter(found.id, undefined, 10_000)
    return { id: found.id, serial: found.serial, rows: new Map(rows.map((row) => [keyOf(row), row])) }
  })

async function stepsLead(store: Store, before: Copy, now: Copy): Promise<string | undefined> {
  if (now.serial < before.serial) return `its serial fell from ${before.serial} to ${now.serial}`
  const rows = new Set(before.rows.keys())
  const isSame = rows.size === now.rows.size && [...rows].every((key) => now.rows.has(key))
  if (now.serial === before.serial) return isSame ? undefined : `serial ${now.serial} has two contents`
  const steps = await store.read(async (r) => {
    const n = await r.stepNumber(now.id, before.serial)
    return n === undefined ? undefined : r.steps(now.id, n, 10_000)
  })
  // Serials that were raised have no steps: name servers fetch the whole zone.
  if (steps === undefined && now.serial > before.serial + 1) return undefined
  let serial = before.serial
  for (const step of steps ?? []) {
    if (step.from !== serial) return `a step from ${step.from} follows ${serial}`
    serial = step.to
    for (const row of decodeRows(step.gone))
      if (!rows.delete(keyOf(row))) return `a step takes ${keyOf(row)} away, which was not there`
    for (const row of decodeRows(step.come)) rows.add(keyOf(row))
  }
  if (serial !== now.serial)
    return `the steps from ${before.serial} end at ${serial}, and not at ${now.serial}`
  const isRight = rows.size === now.rows.size && [...now.rows.keys()].every((key) => rows.has(key))
  return isRight ? undefined : `the steps from ${before.serial} lead to other records`
}

/** As the model has it; undefined for the records of the service. */
function lineOf({ owner, type, rdata }: PublishedRow): string | undefined {
  const name = ownerName(owner, '@').replace(/\.@$/, '')
  if (type === RR_TYPES.A) return `${name} A ${addressOfBytes(rdata)}`
  if (type === RR_TYPES.TXT) return `${name} TXT "${Buffer.from(rdata.subarray(1)).toString('latin1')}"`
  if (type !== RR_TYPES.MX) return undefined
  return `${name} MX ${Buffer.from(rdata).readUInt16BE(0)} ${readName(Buffer.from(rdata), 2)?.name ?? ''}.`
}
