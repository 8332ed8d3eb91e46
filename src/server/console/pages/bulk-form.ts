import { type Html, html } from '../../../html/html.ts'
import { button, choiceField, dataTable, field, form, hostname } from '../parts.ts'
import type { Words } from '../words/words.ts'
import { addressesOf, type ShownKey, type ShownName, wholeName } from './shown.ts'
import { ACTS } from './bulk-plan.ts'

export const BULK_PAGE = '/console/names/bulk'

/** The list of names as a form: what is done with those that are ticked. */
export const bulkForm = (words: Words, table: Html, keys: readonly ShownKey[]): Html => {
  const t = words.bulk
  return form(BULK_PAGE, [
    table,
    html`<fieldset class="row"><legend>${t.what}</legend>${choiceField('act', t.act, {
      choices: ACTS.map((value) => ({ value, label: t.acts[value] })),
      chosen: 'ttl',
    })}${field('value', t.value, { isOptional: true })}${choiceField('key', t.key, {
      choices: [
        { value: '', label: '–' },
        ...keys.map(({ username, description }) => ({ value: username, label: description || username })),
      ],
      chosen: '',
    })}${button(t.review, 'quiet')}</fieldset>`,
  ])
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
