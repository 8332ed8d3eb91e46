import { MAX_CHANGES } from '../../../api/request/limits.ts'
import { isIP } from 'node:net'
import {
  type ApiAnswer,
  type Ask,
  type ConsoleContext,
  isRefused,
  type OperationCall,
  type ShownPage,
} from '../../context.ts'
import { addressesOf, isOfValues, wholeName, wholeNamesOf } from '../shown.ts'
import { type Html, html } from '../../../../shared/html/html.ts'
import {
  button,
  card,
  choiceField,
  dataTable,
  errorText,
  field,
  foreign,
  form,
  type FormErrors,
  hidden,
  hostname,
  NO_ERRORS,
} from '../../parts.ts'
import type { Words } from '../../words/words.ts'
import type { Named } from '../../../api/openapi/schemas.ts'

export const ACTS = ['ttl', 'address', 'key', 'delete'] as const
export type Act = (typeof ACTS)[number]

/** One request to `/v1`, and the names that it is about, in the order of its changes. */
export interface BulkCall {
  readonly operation: 'changeRRSets' | 'changeKey' | 'deleteName' | 'createName'
  readonly call: OperationCall
  readonly names: readonly string[]
}

/** What is done, and what puts it back. */
export interface BulkPlan {
  readonly calls: readonly BulkCall[]
  readonly inverse: readonly BulkCall[]
}

export type PlanFault = 'none' | 'noTtl' | 'noAddress' | 'noKey' | 'ofValues' | 'tooMany'

interface BulkChoice {
  readonly act: Act
  readonly value: string
  /** ZONE/NAME */
  readonly picks: readonly string[]
}

/** Reads the names as they are, and plans one request for each zone. */
export async function bulkPlan(ask: Ask, { act, value, picks }: BulkChoice): Promise<BulkPlan | PlanFault> {
  if (picks.length === 0) return 'none'
  if (act === 'ttl' && !/^\d{1,10}$/.test(value)) return 'noTtl'
  if (act === 'address' && isIP(value) === 0) return 'noAddress'
  if (act === 'key' && value === '') return 'noKey'
  const names = await namesOf(ask, picks)
  if (names.length === 0) return 'none'
  if (act === 'delete') return deletions(names)
  if (act === 'key') return attachment(ask, value, names)
  const changesOf = act === 'ttl' ? ttlChanges(Number(value)) : addressChanges(value)
  return patches(names, changesOf)
}

/** Those that are gone are left out. */
async function namesOf(ask: Ask, picks: readonly string[]): Promise<readonly Named<'Name'>[]> {
  const all = await Promise.all(
    picks.map(async (pick) => {
      const [zone = '', name = ''] = pick.split('/')
      const found = await ask('getName', { params: { zone_name: zone, name } })
      return isRefused(found) ? [] : [found.data]
    }),
  )
  return all.flat()
}

interface PlannedWay {
  readonly to: Readonly<Record<string, unknown>>
  readonly back: Readonly<Record<string, unknown>>
}

/** The name servers of a zone are the service's. */
const isOwn = ({ name }: Named<'Name'>, { dns_type: type }: Named<'RRSet'>): boolean =>
  name !== '@' || type !== 'NS'

const ttlChanges =
  (ttl: number) =>
  (name: Named<'Name'>): readonly PlannedWay[] =>
    name.rrsets
      .filter((one) => isOwn(name, one) && one.ttl !== ttl)
      .map(({ dns_type, ttl: before }) => ({ to: { dns_type, ttl }, back: { dns_type, ttl: before } }))

const addressChanges =
  (value: string) =>
  ({ rrsets }: Named<'Name'>): readonly PlannedWay[] => {
    const type = isIP(value) === 4 ? 'A' : 'AAAA'
    const before = rrsets.find(({ dns_type: one }) => one === type)
    return [
      {
        to: { dns_type: type, rdata: [{ value }] },
        back: { dns_type: type, rdata: before === undefined ? [] : rdataOf(before) },
      },
    ]
  }

/** A label that the service made is made again. */
const rdataOf = ({ rdata }: Named<'RRSet'>) =>
  rdata.map(({ value, label, update_group: key }) => ({
    value,
    ...(!label.startsWith('_') && { label }),
    ...(key !== null && { update_group: key }),
  }))

function patches(
  names: readonly Named<'Name'>[],
  changesOf: (name: Named<'Name'>) => readonly PlannedWay[],
): BulkPlan | PlanFault {
  const zones = [...new Set(names.map(({ zone_name: zone }) => zone))]
  const all = zones.map((zone) => {
    const own = names.filter(({ zone_name: one }) => one === zone)
    return { zone, changes: own.flatMap((name) => changesOf(name).map((change) => ({ name, change }))) }
  })
  if (all.some(({ changes }) => changes.length > MAX_CHANGES)) return 'tooMany'
  const callsOf = (way: keyof PlannedWay): readonly BulkCall[] =>
    all.flatMap(({ zone, changes }) =>
      changes.length === 0
        ? []
        : [
            {
              operation: 'changeRRSets',
              call: {
                params: { zone_name: zone },
                body: changes.map(({ name, change }) => ({ name: name.name, ...change[way] })),
              },
              names: changes.map(({ name }) => wholeName(name)),
            },
          ],
    )
  return { calls: callsOf('to'), inverse: callsOf('back') }
}

const deletions = (names: readonly Named<'Name'>[]): BulkPlan => ({
  calls: names.map((one) => ({
    operation: 'deleteName',
    call: { params: { zone_name: one.zone_name, name: one.name } },
    names: [wholeName(one)],
  })),
  inverse: names.map((one) => ({
    operation: 'createName',
    call: {
      params: { zone_name: one.zone_name },
      body: {
        name: one.name,
        rrsets: one.rrsets.map((rrset) => ({
          dns_type: rrset.dns_type,
          ttl: rrset.ttl,
          rdata: rdataOf(rrset),
        })),
      },
    },
    names: [wholeName(one)],
  })),
})

/** A key that does not exist is refused by the change. */
async function attachment(
  ask: Ask,
  username: string,
  names: readonly Named<'Name'>[],
): Promise<BulkPlan | PlanFault> {
  const params = { ddns_key_username: username }
  const found = await ask('getKey', { params })
  const before = isRefused(found) ? [] : wholeNamesOf(found.data)
  // The way back would be an empty list, which ends its single values too.
  if (!isRefused(found) && before.length === 0 && isOfValues(found.data)) return 'ofValues'
  const added = names.map(wholeName)
  const hostnames = [...new Set([...before, ...added])]
  return {
    calls: [{ operation: 'changeKey', call: { params, body: { hostnames } }, names: added }],
    inverse: [],
  }
}

/** The names that the key has still, from which these are taken. */
export async function detachment(
  ask: Ask,
  username: string,
  names: readonly string[],
): Promise<readonly BulkCall[] | PlanFault> {
  const params = { ddns_key_username: username }
  const found = await ask('getKey', { params })
  if (isRefused(found)) return 'noKey'
  const held = wholeNamesOf(found.data)
  const gone = held.filter((one) => names.includes(one))
  const hostnames = held.filter((one) => !names.includes(one))
  if (hostnames.length === 0 && isOfValues(found.data)) return 'ofValues'
  return gone.length === 0
    ? []
    : [{ operation: 'changeKey', call: { params, body: { hostnames } }, names: gone }]
}

export const BULK_PAGE = '/console/names/bulk'

/** The list of names as a form: what is done with those that are ticked. */
export const bulkForm = (
  words: Words,
  table: Html,
  { keys, back }: { readonly keys: readonly Named<'Key'>[]; readonly back: string },
): Html => form(BULK_PAGE, [table, hidden('back', back), bulkFields(words, keys)])

interface BulkEntries {
  readonly act?: Act
  readonly value?: string
  readonly errors?: FormErrors
}

export const bulkFields = (
  { bulk: t }: Words,
  keys: readonly Named<'Key'>[],
  { act = 'ttl', value = '', errors = NO_ERRORS }: BulkEntries = {},
): Html =>
  html`<fieldset class="row"><legend>${t.what}</legend>${choiceField('act', t.act, {
    choices: ACTS.map((one) => ({ value: one, label: t.acts[one] })),
    chosen: act,
  })}${field('value', t.value, { value: act === 'key' ? '' : value, isOptional: true, errors })}${choiceField(
    'key',
    t.key,
    {
      choices: [
        { value: '', label: '–' },
        ...keys.map(({ username, description }) => ({ value: username, label: description || username })),
      ],
      chosen: act === 'key' ? value : '',
    },
  )}${button(t.review, 'quiet')}</fieldset>`

/** Those that names can be attached to. */
export async function keysToAttach(ask: Ask): Promise<readonly Named<'Key'>[]> {
  const list = await ask('listKeys', { query: { limit: '100' } })
  return isRefused(list) ? [] : list.data
}

/** A box at each name. */
export const pickTable = (words: Words, names: readonly Named<'Name'>[]): Html =>
  dataTable(
    words.bulk.title,
    [{ label: words.names.name }, { label: words.names.addresses }],
    names.map((one) => [
      html`<label class="choice"><input type="checkbox" name="pick" value="${one.zone_name}/${one.name}">${hostname(
        wholeName(one),
      )}</label>`,
      addressesOf(one).join(', ') || words.names.noAddress,
    ]),
  )

/** One line for each name that a request would not change, or for the request as a whole. */
export interface BulkOutcome {
  /** Of the requests, those that changed something. */
  readonly succeeded: readonly BulkCall[]
  readonly changed: number
  readonly changes: readonly Named<'PreviewedChange'>[]
  readonly refused: readonly string[]
  readonly warnings: ApiAnswer<unknown>['warnings']
}

export async function bulkOutcome(
  { ask, words }: ConsoleContext,
  calls: readonly BulkCall[],
  dryRun: boolean,
): Promise<BulkOutcome> {
  let all: BulkOutcome = { succeeded: [], changed: 0, changes: [], refused: [], warnings: [] }
  for (const one of calls) {
    const { operation, call, names } = one
    const answer = await ask(operation, { ...call, query: { dry_run: dryRun ? 'true' : undefined } })
    all = isRefused(answer)
      ? { ...all, refused: [...all.refused, ...refusalsOf(words, answer, names)] }
      : {
          ...all,
          succeeded: [...all.succeeded, one],
          changed: all.changed + new Set(names).size,
          changes: [...all.changes, ...answer.changes],
          warnings: [...all.warnings, ...answer.warnings],
        }
  }
  return all
}

/** A pointer such as /3/ttl is to the change of a name. */
const refusalsOf = (
  words: Words,
  { errors, retryAfter }: ApiAnswer<unknown>,
  names: readonly string[],
): readonly string[] =>
  errors.map((one) => {
    const [, nth] = /^\/(\d+)/.exec(one.pointer ?? '') ?? []
    const name = nth === undefined ? names[0] : names[Number(nth)]
    return `${name ?? ''}: ${errorText(one, words, retryAfter)}`
  })

export const refusedNote = ({ bulk: t }: Words, refused: readonly string[]): Html =>
  refused.length === 0
    ? html``
    : html`<div class="note bad" role="alert"><h2><span aria-hidden="true">✗</span> ${t.refused}</h2><ul>${refused.map(
        (one) => html`<li>${foreign(one)}</li>`,
      )}</ul></div>`

export const changedRecords = ({ changes }: BulkOutcome): readonly Named<'PreviewedChange'>[] =>
  changes.filter(({ before, after: next }) => before !== null || next !== null)

/** What a person sees before the press: the names too, since an attachment changes no record. */
export const seenOf = (calls: readonly BulkCall[], outcome: BulkOutcome): unknown => [
  changedRecords(outcome),
  calls.flatMap(({ names }) => names),
]

export const otherNote = ({ bulk: t }: Words, isOther: boolean): Html =>
  isOther ? html`<div class="note wait" role="alert"><p>${t.isOther}</p></div>` : html``

export const donePage = (
  words: Words,
  { changed, refused }: BulkOutcome,
  {
    said = words.bulk.changed,
    more = [],
  }: { readonly said?: (count: number) => string; readonly more?: readonly Html[] },
): ShownPage => {
  const t = words.bulk
  return {
    title: t.title,
    ...(refused.length > 0 && { status: 422 }),
    main: html`${refusedNote(words, refused)}${card(t.done, [
      html`<p>${said(changed)}</p>`,
      ...(changed === 0 ? [] : more),
    ])}<p><a href="/console/names">${words.toNames}</a></p>`,
  }
}
