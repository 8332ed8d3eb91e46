import type { Named } from '../../api/openapi/schemas.ts'
import { type Html, html } from '../../../shared/html/html.ts'
import {
  type ApiAnswer,
  type ConsoleContext,
  type ConsoleResult,
  isRefused,
  type ShownPage,
} from '../context.ts'
import {
  button,
  card,
  dataTable,
  errorsOf,
  errorSummary,
  failedPage,
  field,
  form,
  type FormErrors,
  hidden,
  NO_ERRORS,
  pathOf,
  warningList,
} from '../parts.ts'
import type { Words } from '../words/words.ts'
import { isOtherSince, seenDigest } from './seen-digest.ts'

const LINES = 12
/** Rows of a preview that a page has; the counts are of all. */
const MAX_SHOWN = 100

const hereOf = ({ params }: Pick<ConsoleContext, 'params'>): string =>
  pathOf`/console/zones/${params['zone'] ?? ''}`

/** A zone file replaces the records of a zone; first it is shown what that would change. */
export async function importPage(context: ConsoleContext): Promise<ShownPage> {
  const found = await context.ask('getZone', { params: { zone_name: context.params['zone'] ?? '' } })
  return isRefused(found) ? failedPage(context.words, found) : importForm(context, NO_ERRORS)
}

function importForm(context: ConsoleContext, errors: FormErrors, more: Html = html``): ShownPage {
  const { words, params, form: sent } = context
  const t = words.import
  return {
    title: t.title(params['zone'] ?? ''),
    ...(errors === NO_ERRORS ? {} : { status: 422 }),
    main: html`${errorSummary(errors, words)}${more}${card(
      t.what,
      form(`${hereOf(context)}/import/preview`, [
        html`<p class="field" data-file="text" hidden><label for="file">${t.file}</label><input type="file" id="file"></p>`,
        field('text', t.text, { value: sent.get('text') ?? '', hint: t.hint, rows: LINES, errors }),
        button(t.preview),
      ]),
    )}`,
  }
}

const sendFile = async (
  { ask, params, form: sent }: ConsoleContext,
  isDryRun: boolean,
): Promise<ApiAnswer<Named<'ZoneImport'>>> =>
  ask('importZone', {
    params: { zone_name: params['zone'] ?? '' },
    query: { dry_run: isDryRun ? 'true' : undefined },
    body: sent.get('text') ?? '',
  })

const refusedFile = (context: ConsoleContext, answer: ApiAnswer<unknown>): ShownPage =>
  importForm(
    context,
    errorsOf(answer, context.words, () => 'text'),
  )

export async function importPreview(context: ConsoleContext): Promise<ConsoleResult> {
  const tried = await sendFile(context, true)
  if (isRefused(tried)) return refusedFile(context, tried)
  return previewShown(context, tried)
}

function previewShown(
  context: ConsoleContext,
  tried: ApiAnswer<Named<'ZoneImport'>>,
  isOther = false,
): ShownPage {
  const { words, params, form: sent } = context
  const t = words.import
  const { data } = tried
  if (data.refused.length > 0) return importForm(context, NO_ERRORS, refusedLines(words, data))
  const counts = html`<p>${t.counts(data)}</p>`
  if (data.changes.length === 0) return importForm(context, NO_ERRORS, card(t.same, counts))
  return {
    title: t.title(params['zone'] ?? ''),
    ...(isOther && { status: 422 }),
    main: html`${isOther ? html`<div class="note wait" role="alert"><p>${t.isOther}</p></div>` : ''}${warningList(
      tried.warnings,
    )}${card(
      t.changes,
      html`${counts}${changeRows(words, data)}${finalNote(context, data)}${form(`${hereOf(context)}/import`, [
        hidden('text', sent.get('text') ?? ''),
        hidden('seen', seenDigest(data)),
        html`<p class="row">${button(t.go)}
<button class="quiet" formaction="${hereOf(context)}/import/again">${t.back}</button></p>`,
      ])}`,
    )}`,
  }
}

/** An import is one line of the trail, without what was there. */
const finalNote = ({ words, params }: ConsoleContext, { changed, removed }: Named<'ZoneImport'>): Html =>
  changed + removed === 0
    ? html``
    : html`<p>${words.import.isFinal} <a href="${hereOf({ params })}/export">${words.zone.export}</a></p>`

const refusedLines = (words: Words, { refused, more_refused: more }: Named<'ZoneImport'>): Html =>
  html`<div class="note bad" role="alert" tabindex="-1" id="errors">
<h2><span aria-hidden="true">✗</span> ${words.import.refused}</h2><ul>${refused
    .slice(0, MAX_SHOWN)
    .map(
      ({ line, title, detail }) =>
        html`<li>${line === null ? '' : `${words.import.line(line)}: `}${detail ?? title}</li>`,
    )}</ul>${moreNote(words, refused.length + more)}</div>`

/** A list that is cut must not look whole. */
const moreNote = (words: Words, count: number): Html =>
  count > MAX_SHOWN ? html`<p class="soft">${words.import.more(count - MAX_SHOWN)}</p>` : html``

function changeRows(words: Words, { changes, more_changes: more }: Named<'ZoneImport'>): Html {
  const t = words.records
  const rows = changes
    .toSorted((one, other) => Number(other.change === 'removed') - Number(one.change === 'removed'))
    .slice(0, MAX_SHOWN)
    .map(({ name, dns_type: type, before, after }) => [
      html`<bdi>${name}</bdi> ${type}`,
      before === null ? t.nothing : html`<del><code><bdi>${before}</bdi></code></del>`,
      after === null ? t.nothing : html`<ins><code><bdi>${after}</bdi></code></ins>`,
    ])
  const columns = [{ label: t.record }, { label: t.before }, { label: t.after }]
  return html`${dataTable(words.import.changes, columns, rows)}${moreNote(words, changes.length + more)}`
}

export const importAgain = async (context: ConsoleContext): Promise<ShownPage> =>
  importForm(context, NO_ERRORS)

export async function importAction(context: ConsoleContext): Promise<ConsoleResult> {
  const tried = await sendFile(context, true)
  if (isRefused(tried)) return refusedFile(context, tried)
  if (isOtherSince(context.form, tried.data)) return previewShown(context, tried, true)
  const done = await sendFile(context, false)
  return isRefused(done) ? refusedFile(context, done) : { see: hereOf(context), isSaved: true }
}
