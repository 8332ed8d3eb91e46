import { domainToASCII } from 'node:url'
import type { UpdateRequest } from '../../../shared/protocol/request.ts'
import { notUnderstood } from './answers.ts'
import type { ServiceAccount, ServiceAnswer, Step, StepOutcome, UpdateProtocol } from './protocol.ts'
import type { ListedZone, RecordPlace, RecordRow, RowCall, RowRecord } from './record-rows.ts'
import {
  changed,
  current,
  foundText,
  labelWithin,
  ownZone,
  planOf,
  wantedRecords,
  withFound,
  zoneAmong,
} from './records.ts'
import { refusalBy } from './refusals.ts'
import { restStep, whileZoneIsKnown } from './rest.ts'

/** A service of a row: the zone is found once, the record is read before each write. */
export function recordService(
  account: ServiceAccount,
  row: RecordRow,
  registered: (hostname: string) => string | undefined,
): UpdateProtocol {
  const zones = new Map<string, ListedZone>()
  return {
    begin: ({ request }) => new RecordUpdate({ account, row, zones, request }).begin(registered),
    ...(row.gap !== undefined && { gap: row.gap }),
  }
}

interface UpdateParts {
  readonly account: ServiceAccount
  readonly row: RecordRow
  /** By hostname. */
  readonly zones: Map<string, ListedZone>
  readonly request: UpdateRequest
}

class RecordUpdate {
  readonly #parts: UpdateParts
  readonly #hostname: string
  readonly #step: ReturnType<typeof restStep>

  constructor(parts: UpdateParts) {
    const { account, row, request } = parts
    this.#parts = parts
    this.#hostname = request.hostnames[0] ?? ''
    const isDocument = (document: unknown, { status }: ServiceAnswer): boolean =>
      document !== undefined && status >= 200 && status < 300
    const members = row.secrets?.(account)
    const step = restStep(
      account,
      {
        ...row,
        headers: row.headers(account),
        ...(members !== undefined && { members }),
        isSuccess: row.isSuccess ?? isDocument,
      },
      request,
    )
    const guarded = whileZoneIsKnown(parts.zones, this.#hostname)
    this.#step = (call) => guarded(step(call))
  }

  begin(registered: (hostname: string) => string | undefined): Step {
    const { account, row, zones } = this.#parts
    const known = zones.get(this.#hostname)
    if (known !== undefined) return this.#find(known)
    const own = ownZone(account, this.#hostname)
    const isNamed = own !== undefined && row.zones?.areNamed === true
    if (row.zones !== undefined && !isNamed) return this.#findZone(row.zones)
    const name = own ?? registered(this.#hostname.replace(/^\*\./, '')) ?? this.#hostname
    return this.#find({ id: name, name })
  }

  #findZone({ path, zonesIn, total }: NonNullable<RecordRow['zones']>): Step {
    const { account, zones, request } = this.#parts
    return this.#step({
      method: 'GET',
      path: path(this.#hostname),
      tooLong: () => refusalBy(request, 'zone-needed'),
      read: (document, answer) => {
        const listed = zonesIn(document)?.map((one) => ({ ...one, name: domainToASCII(one.name) }))
        if (listed === undefined) return notUnderstood(answer)
        const wanted = listed.filter(({ name }) => account.zone === undefined || name === account.zone)
        const zone = zoneAmong(this.#hostname, wanted)
        if (zone === undefined)
          return refusalBy(request, isPart(listed, total?.(document)) ? 'zone-needed' : 'no-zone')
        zones.set(this.#hostname, zone)
        return this.#find(zone)
      },
    })
  }

  #find(zone: ListedZone): Step {
    const { row, request } = this.#parts
    const place = this.#placeIn(zone)
    const found = (records: readonly RowRecord[]): Step | StepOutcome => {
      const plan = planOf(request, records, this.#parts.account)
      const text = foundText(this.#hostname, zone.name, records)
      if (plan.kind !== 'write')
        return withFound(plan.kind === 'refused' ? plan.outcome : current(request), text)
      const isNew = records.length === 0 && row.hasAllTypes !== true
      return isNew ? this.#findAlias(zone, place) : this.#write(zone, place, records)
    }
    return this.#step({
      ...callOf(row.find(place)),
      missing: (answer, document) => (row.isMissing(answer, document) ? found([]) : undefined),
      read: (document, answer) => {
        const records = row.recordsIn(document, place)
        return records === undefined ? notUnderstood(answer) : found(records)
      },
    })
  }

  /** A name with a CNAME has no other record (RFC 2181 §10.1). Services refuse one in many ways, so it is looked for. */
  #findAlias(zone: ListedZone, place: RecordPlace): Step {
    const { row, request } = this.#parts
    const alias = { ...place, type: 'CNAME' } as const
    return this.#step({
      ...callOf(row.find(alias)),
      missing: (answer, document) =>
        row.isMissing(answer, document) ? this.#write(zone, place, []) : undefined,
      read: (document, answer) => {
        const records = row.recordsIn(document, alias)
        if (records === undefined) return notUnderstood(answer)
        return records.length > 0
          ? refusalBy(request, 'conflicting-record')
          : this.#write(zone, place, records)
      },
    })
  }

  #write(zone: ListedZone, place: RecordPlace, records: readonly RowRecord[]): Step | StepOutcome {
    const { account, row, request } = this.#parts
    const [wanted] = wantedRecords(request)
    if (wanted === undefined) return current(request)
    const before = records.find(({ type }) => type === wanted.type)
    const least = Math.max(row.ttl, zone.minTtl ?? 0)
    const ttl = Math.max(before?.ttl ?? account.ttl ?? least, zone.minTtl ?? 0)
    const { isDone, ...call } = row.write(place, { address: wanted.address, ttl, before })
    const step = this.#step({
      ...call,
      // What was read a moment ago was there: no reason to stop for good.
      missing: (answer) =>
        before !== undefined && answer.status === 404
          ? notUnderstood(answer, { what: 'what was read before is gone' })
          : undefined,
      read: (document, answer) =>
        document === undefined || isDone?.(document) !== false ? changed(request) : notUnderstood(answer),
    })
    return { ...step, found: foundText(this.#hostname, zone.name, records) }
  }

  #placeIn({ id, name }: ListedZone): RecordPlace {
    const [wanted] = wantedRecords(this.#parts.request)
    const label = labelWithin(this.#hostname, name) || '@'
    return { zoneId: id, zone: name, hostname: this.#hostname, label, type: wanted?.type ?? 'A' }
  }
}

const callOf = (find: string | RowCall): RowCall =>
  typeof find === 'string' ? { method: 'GET', path: find } : find

const isPart = (listed: readonly unknown[], total: string | undefined): boolean =>
  total !== undefined && Number(total) > listed.length
