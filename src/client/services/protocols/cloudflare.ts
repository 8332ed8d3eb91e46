import { domainToASCII } from 'node:url'
import { SecretText } from '../../../shared/base/secret.ts'
import type { UpdateRequest } from '../../../shared/protocol/request.ts'
import { notUnderstood } from './answers.ts'
import { memberList, memberOfDocument, memberText } from './json.ts'
import type { ServiceAccount, Step, StepOutcome, UpdateProtocol } from './protocol.ts'
import {
  changed,
  current,
  type FoundRecord,
  foundText,
  isSameAddress,
  planOf,
  proxied,
  type RecordPlan,
  withFound,
  zoneAmong,
} from './records.ts'
import { refusalBy } from './refusals.ts'
import { type RestService, restStep, whileZoneIsKnown } from './rest.ts'

/** By `errors[].code` (developers.cloudflare.com/api). */
// biome-ignore format: a table
export const CLOUDFLARE_REFUSALS = {
  6003: 'badauth', 9109: 'badauth', 10000: 'badauth', 7003: 'no-zone', 81044: '911', 81053: 'conflicting-record', 81054: 'conflicting-record', 81057: '911', 81058: '911',
} as const
/** What was remembered is not so: the record does not exist any more, or there is one with this address. */
const CHANGED_BY_OTHERS = ['81044', '81058']

const service = ({ password }: ServiceAccount): RestService => ({
  headers: { authorization: new SecretText('Bearer ', password) },
  isSuccess: (document) => memberOfDocument(document, 'success') === true,
  codesIn: (document) =>
    (memberList(document, 'errors') ?? []).flatMap((one) => memberText(one, 'code') ?? []),
  refusals: CLOUDFLARE_REFUSALS,
})

const recordIn = (document: unknown): FoundRecord => ({
  id: memberText(document, 'id') ?? '',
  type: memberText(document, 'type') ?? '',
  value: memberText(document, 'content') ?? '',
  ...(memberOfDocument(document, 'proxied') === true && { isProxied: true }),
})

const seenAs = (records: readonly FoundRecord[], outcome: StepOutcome): StepOutcome =>
  records.some(({ isProxied }) => isProxied === true) ? proxied(outcome) : outcome

/** A name in an answer that is not the hostname: what it belongs to is not ours, whatever was asked for. */
const otherName = (records: readonly unknown[], hostname: string): string | undefined =>
  records
    .map((one) => memberText(one, 'name') ?? hostname)
    .find((name) => (domainToASCII(name) || name) !== hostname)

/** By hostname: its zone, and the records that this process has read or written. */
interface Known {
  readonly zones: Map<string, { readonly id: string; readonly name: string }>
  readonly records: Map<string, readonly FoundRecord[]>
}

/**
 * The zone of a hostname is looked up once, its records at the first update; both families are written together. A write
 * names the addresses alone: TTL, proxy, comment and tags of a record stay.
 */
export function cloudflare(account: ServiceAccount): UpdateProtocol {
  const known: Known = { zones: new Map(), records: new Map() }
  return {
    begin: ({ request }) => new CloudflareUpdate(account, known, request).begin(),
    forget: () => known.records.clear(),
  }
}

type Writing = Extract<RecordPlan, { kind: 'write' }>

class CloudflareUpdate {
  readonly #account: ServiceAccount
  readonly #known: Known
  readonly #request: UpdateRequest
  readonly #hostname: string
  readonly #step: ReturnType<typeof restStep>

  constructor(account: ServiceAccount, known: Known, request: UpdateRequest) {
    this.#account = account
    this.#known = known
    this.#request = request
    this.#hostname = request.hostnames[0] ?? ''
    const step = restStep(account, service(account), request)
    const guarded = whileZoneIsKnown(known.zones, this.#hostname)
    this.#step = (call) => guarded(step(call))
  }

  begin(): Step {
    const [zone, records] = [
      this.#known.zones.get(this.#hostname)?.id,
      this.#known.records.get(this.#hostname),
    ]
    if (zone === undefined) return this.#findZone()
    const plan = records && planOf(this.#request, records, this.#account)
    // What this process wrote last may have been changed by others: only a difference is sure.
    return plan?.kind === 'write' ? this.#write(zone, plan, true) : this.#findRecords(zone)
  }

  #findZone(): Step {
    const { zone: named } = this.#account
    const path = `/client/v4/zones?${named === undefined ? 'per_page=50' : `name=${named}`}`
    return this.#step({ method: 'GET', path, read: (document) => this.#zoneIn(document) })
  }

  #zoneIn(document: unknown): Step | StepOutcome {
    const listed = memberList(document, 'result') ?? []
    const zones = listed.map((one) => ({
      id: memberText(one, 'id') ?? '',
      name: domainToASCII(memberText(one, 'name') ?? ''),
      isActive: memberText(one, 'status') === 'active',
    }))
    // A zone that moved to another account is still listed in the old one.
    const zone =
      zoneAmong(
        this.#hostname,
        zones.filter(({ isActive }) => isActive),
      ) ?? zoneAmong(this.#hostname, zones)
    const total = Number(memberText(document, 'result_info', 'total_count') ?? 0)
    if (zone === undefined) return refusalBy(this.#request, total > listed.length ? 'zone-needed' : 'no-zone')
    this.#known.zones.set(this.#hostname, zone)
    return this.#findRecords(zone.id)
  }

  #findRecords(zone: string): Step {
    const path = `/client/v4/zones/${zone}/dns_records?name=${this.#hostname}&per_page=100`
    return this.#step({
      method: 'GET',
      path,
      read: (document, answer) => {
        const listed = memberList(document, 'result')
        if (listed === undefined) return notUnderstood(answer)
        const other = otherName(listed, this.#hostname)
        if (other !== undefined) return notUnderstood(answer, { what: `records of "${other}" were listed` })
        const found = listed.map(recordIn)
        this.#known.records.set(this.#hostname, found)
        const plan = planOf(this.#request, found, this.#account)
        if (plan.kind === 'write') return this.#write(zone, plan, false)
        const outcome = plan.kind === 'refused' ? plan.outcome : seenAs(found, current(this.#request))
        return withFound(outcome, this.#found(found))
      },
    })
  }

  #write(zone: string, { changes }: Writing, isRemembered: boolean): Step {
    const patches = changes.flatMap(({ replaced, address }) =>
      replaced === undefined ? [] : [{ id: replaced.id, content: address }],
    )
    const ttl = this.#account.ttl ?? AUTOMATIC
    const posts = changes.flatMap(({ replaced, type, address }) =>
      replaced === undefined ? [{ type, name: this.#hostname, content: address, ttl, proxied: false }] : [],
    )
    const step = this.#step({
      method: 'POST',
      path: `/client/v4/zones/${zone}/dns_records/batch`,
      body: { ...(patches.length > 0 && { patches }), ...(posts.length > 0 && { posts }) },
      instead: (codes) =>
        isRemembered && CHANGED_BY_OTHERS.some((code) => codes.includes(code))
          ? this.#findRecords(zone)
          : undefined,
      read: (document, answer) => {
        const listed = ['patches', 'posts'].flatMap((kind) => memberList(document, 'result', kind) ?? [])
        const other = otherName(listed, this.#hostname)
        if (other !== undefined) {
          // Renamed since it was read. What it was before is not known here.
          this.#known.records.delete(this.#hostname)
          return notUnderstood(answer, {
            what: `the record now belongs to "${other}", and has this address`,
          })
        }
        const written = listed.map(recordIn)
        const isDone = changes.every(({ type, address }) =>
          written.some((one) => one.type === type && isSameAddress(one.value, address)),
        )
        if (!isDone) return notUnderstood(answer)
        const before = this.#known.records.get(this.#hostname) ?? []
        const kept = before.filter(({ id }) => !written.some((one) => one.id === id))
        this.#known.records.set(this.#hostname, [...kept, ...written])
        return seenAs(written, changed(this.#request))
      },
    })
    return { ...step, found: this.#found(this.#known.records.get(this.#hostname) ?? []) }
  }

  #found(records: readonly FoundRecord[]): string {
    return foundText(this.#hostname, this.#known.zones.get(this.#hostname)?.name ?? '', records)
  }
}

/** A TTL that the service chooses. */
const AUTOMATIC = 1
