import { type Html, html } from '../../../../shared/html/html.ts'
import { type Ask, isRefused } from '../../ask.ts'
import { button, choiceField, dataTable, field, form, hidden, hostname } from '../../parts.ts'
import { type FormErrors, NO_ERRORS } from '../../refusals.ts'
import type { Words } from '../../words/words.ts'
import { addressesOf, type ShownKey, type ShownName, wholeName } from '../shown.ts'
import { type Act, ACTS } from './bulk-plan.ts'

export const BULK_PAGE = '/console/names/bulk'

/** The list of names as a form: what is done with those that are ticked. */
export const bulkForm = (
  words: Words,
  table: Html,
  { keys, back }: { readonly keys: readonly ShownKey[]; readonly back: string },
): Html => form(BULK_PAGE, [table, hidden('back', back), bulkFields(words, keys)])

interface BulkEntries {
  readonly act?: Act
  readonly value?: string
  readonly errors?: FormErrors
}

export const bulkFields = (
  { bulk: t }: Words,
  keys: readonly ShownKey[],
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
export async function keysToAttach(ask: Ask): Promise<readonly ShownKey[]> {
  const list = await ask<readonly ShownKey[]>('listKeys', { query: { limit: '100' } })
  return isRefused(list) ? [] : list.data
}

/** A box at each name. */
export const pickTable = (words: Words, names: readonly ShownName[]): Html =>
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
