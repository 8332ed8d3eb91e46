import { createHash } from 'node:crypto'
import { type ErrorName, ERRORS, type Refusal, refuse } from '../../model/errors.ts'
import { APEX, canonicalName, relativeTo } from '../../model/dns-name.ts'
import { quoted } from '../../model/rdata/strings.ts'
import { type Name, type RRSet, rrsetOf, type Zone } from '../../model/tree.ts'
import { changeRRSets } from '../records/batch.ts'
import {
  DONE,
  type HandlerResult,
  refusedWith,
  type RequestContext,
  type Success,
} from '../request/context.ts'
import { RRSET_CHANGES } from '../openapi/request-schemas.ts'
import { type Fields, ignoredFields, isObject, isText, withBody } from '../request/body.ts'
import { badBody, type Malformed } from '../request/faults.ts'
import { zoneChangeFault } from '../../rules/change.ts'
import { changeFault } from '../records/rrsets.ts'
import { CLEAN_UP, PRESENT } from '../refusal-groups.ts'

/** What a challenge of the type dns-01 needs: a TXT record at a name (RFC 8555 §8.4). */
interface Challenge {
  /** Fully qualified, in lower case, without a dot at the end. */
  readonly fqdn: string
  readonly value: string
}

type PresentFault = (typeof PRESENT)[number]
type CleanUpFault = (typeof CLEAN_UP)[number]

/** go-acme.github.io/lego/dns/httpreq: adds the TXT record of a challenge. The same request again changes nothing. */
export const presentChallenge = async (context: RequestContext): Promise<HandlerResult<PresentFault>> =>
  changed(context, {
    next: (values, value) => (values.includes(value) ? values : [...values, value]),
    refusals: PRESENT,
  })

/** Removes it, and not those of other challenges of the name. */
export const cleanUpChallenge = async (context: RequestContext): Promise<HandlerResult<CleanUpFault>> =>
  changed(context, { next: (values, value) => values.filter((one) => one !== value), refusals: CLEAN_UP })

interface ChallengeChange<R extends ErrorName> {
  readonly next: (values: readonly string[], value: string) => readonly string[]
  readonly refusals: readonly R[]
}

async function changed<R extends CleanUpFault | PresentFault>(
  context: RequestContext,
  { next, refusals }: ChallengeChange<R>,
): Promise<HandlerResult<R>> {
  const challenge = readChallenge(context.body)
  if ('malformed' in challenge) return challenge
  const refusedBy = (list: readonly Refusal[]) => refusedWith(list.map((one) => listedRefusal(one, refusals)))
  const place = await placeOf(context, challenge.fqdn)
  if ('lost' in place) return refusedBy([refuse('zoneNotFound', place.lost)])
  const { zone, name, stored } = place
  const fault = zoneChangeFault(context.caller, zone) ?? (stored && changeFault(context, zone, stored))
  if (fault !== undefined) return refusedBy([fault])
  const value = quoted(Buffer.from(challenge.value))
  const present = valuesOf(stored && rrsetOf(stored, 'TXT'))
  const values = next(present, value)
  const warnings = ignoredFields(context)
  if (values.length === present.length) return { ...DONE, warnings }
  const change = { name, dns_type: 'TXT', rdata: values.map((one) => ({ value: one })) }
  const result = await changeRRSets(
    withBody({ ...context, params: { zone_name: zone.name } }, RRSET_CHANGES, [change]),
  )
  if ('refusals' in result) return refusedBy(result.refusals)
  if ('malformed' in result) return result
  const done = { ...DONE, warnings: [...warnings, ...(result.warnings ?? [])] }
  const later = async (): Promise<Success> => {
    await context.service.whenServed({ zoneId: zone.id, apex: zone.name, names: [name] })
    return done
  }
  return { ...done, later }
}

/** A refusal that no challenge has says that the name cannot be changed; its detail says why. */
function listedRefusal<R extends ErrorName>(refusal: Refusal, refusals: readonly R[]): Refusal<R> {
  const name =
    refusals.find((one) => one === refusal.refused) ?? refusals.find((one) => one === 'nameChangeForbidden')
  if (name === undefined) throw new Error(`no refusal stands for ${refusal.refused}`)
  const { detail = ERRORS[refusal.refused].meaning } = refusal
  return refuse(name, name === refusal.refused ? refusal.detail : detail, { location: 'body' })
}

const valuesOf = (rrset: RRSet | undefined): readonly string[] => rrset?.rdata.map(({ value }) => value) ?? []

/** In octets: a string of a TXT record. */
const MAX_VALUE = 255

/** The default mode gives the record, the mode RAW what it is made of. */
function readChallenge(body: unknown): Challenge | Malformed {
  const fields: Fields = isObject(body) ? body : {}
  const isRaw = fields['domain'] !== undefined
  const wanted = isRaw ? (['domain', 'keyAuth'] as const) : (['fqdn', 'value'] as const)
  const malformed = wanted.flatMap((field) =>
    typeof fields[field] === 'string' &&
    fields[field] !== '' &&
    isText(fields[field]) &&
    fields[field].length <= 1000
      ? []
      : [badBody(`${field} is a string: {"fqdn", "value"}, or {"domain", "token", "keyAuth"}`, `/${field}`)],
  )
  if (malformed.length > 0) return { malformed }
  const [place = '', text = ''] = wanted.map((field) => String(fields[field]))
  const fqdn = canonicalName(isRaw ? `_acme-challenge.${place.replace(/^\*\./, '')}` : place)
  const value = isRaw ? createHash('sha256').update(text).digest('base64url') : text
  return Buffer.byteLength(value) > MAX_VALUE
    ? { malformed: [badBody(`value has at most ${MAX_VALUE} octets`, '/value')] }
    : { fqdn, value }
}

interface ChallengePlace {
  readonly zone: Zone
  /** Relative to the zone. */
  readonly name: string
  readonly stored: Name | undefined
}

/** As many as lego follows. */
const MAX_FOLLOWED = 50

/** Where the record belongs: a CNAME may lead to another zone, which is there for challenges (RFC 8555 §8.4). */
async function placeOf(
  { store }: RequestContext,
  asked: string,
): Promise<ChallengePlace | { readonly lost: string }> {
  let fqdn = asked
  for (let followed = 0; followed < MAX_FOLLOWED; followed++) {
    const containing = await store.zoneContaining(fqdn)
    // Locked until the end of the request.
    const zone = containing && (await store.zoneNamed(containing.name))
    if (zone === undefined)
      return {
        lost:
          fqdn === asked
            ? `no zone contains ${asked}`
            : `the CNAME of ${asked} leads to ${fqdn}, which is in no zone here`,
      }
    const name = relativeTo(fqdn, zone.name) ?? APEX
    const stored = await store.nameAt(zone.id, name)
    const target = stored && rrsetOf(stored, 'CNAME')?.rdata[0]?.value
    if (target === undefined) return { zone, name, stored }
    fqdn = canonicalName(target)
  }
  return { lost: `the CNAME of ${asked} leads into a loop` }
}
