import { type Html, html } from '../../../shared/html/html.ts'
import { type ConsoleContext, type ConsoleResult, isRefused, type ShownPage } from '../context.ts'
import {
  button,
  card,
  copyable,
  errorsAt,
  errorsOf,
  errorSummary,
  facts,
  field,
  form,
  type FormErrors,
  hostname,
  NO_ERRORS,
  pathOf,
} from '../parts.ts'
import { updateCard } from './key-state.ts'
import { recipes } from './recipes.ts'
import { wholeName } from './shown.ts'
import type { Named } from '../../api/openapi/schemas.ts'

export const newKeyPage = async (context: ConsoleContext): Promise<ShownPage> => keyForm(context, NO_ERRORS)

/** Accounts with more names get a text field. */
const MAX_BOXES = 200

async function keyForm(
  { words, query, form: sent, ask }: ConsoleContext,
  errors: FormErrors,
): Promise<ShownPage> {
  const t = words.newKey
  const list = await ask('listNames', {
    query: { view: 'name_only', limit: String(MAX_BOXES), 'sort[name_labels_reversed]': 'asc' },
  })
  const names = isRefused(list) ? [] : list.data.map(wholeName)
  const given = hostnamesIn(sent)
  const asked = given.length > 0 || sent.has('description') ? given : [query.get('hostname') ?? '']
  // Preselect the only name.
  const chosen = names.length === 1 && asked.join('') === '' ? names : asked
  const isShort = !isRefused(list) && names.length > 0 && names.length === list.page.total
  return {
    title: t.title,
    ...(errors === NO_ERRORS ? {} : { status: 422 }),
    main: html`${errorSummary(errors, words)}${card(
      t.what,
      form('/console/keys/new', [
        field('description', t.description, {
          value: sent.get('description') ?? '',
          hint: t.descriptionHint,
          errors,
        }),
        isShort
          ? nameBoxes(t.hostnames, { names, chosen, errors })
          : field('hostnames', t.hostnames, { value: chosen.join(' '), hint: t.hostnamesHint, errors }),
        button(t.make),
      ]),
    )}`,
  }
}

interface Boxes {
  readonly names: readonly string[]
  readonly chosen: readonly string[]
  readonly errors: FormErrors
}

/** A check box for each name. */
function nameBoxes(label: string, { names, chosen, errors }: Boxes): Html {
  const wrong = errorsAt(errors, 'hostnames')
  return html`<fieldset id="hostnames"><legend>${label}</legend>${
    wrong.length === 0 ? '' : html`<p class="bad"><span aria-hidden="true">✗</span> ${wrong.join(' ')}</p>`
  }${names.map(
    (name) =>
      html`<label class="choice"><input type="checkbox" name="hostnames" value="${name}"${
        chosen.includes(name) ? html` checked` : ''
      }>${hostname(name)}</label>`,
  )}</fieldset>`
}

const hostnamesIn = (sent: URLSearchParams): readonly string[] =>
  sent.getAll('hostnames').flatMap((one) => one.split(/[\s,]+/).filter((name) => name !== ''))

/** Makes a key. Its password is in the answer to this alone. */
export async function createKeyAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { words, form: sent, ask } = context
  const hostnames = hostnamesIn(sent)
  const missing = [
    ...((sent.get('description') ?? '').trim() === '' ? ['description'] : []),
    ...(hostnames.length === 0 ? ['hostnames'] : []),
  ]
  if (missing.length > 0)
    return keyForm(context, { all: missing.map((one) => ({ field: one, text: words.needed })) })
  const made = await ask('createKey', {
    body: { description: sent.get('description') ?? '', hostnames },
  })
  const fieldOf = (pointer: string) => (pointer.startsWith('/description') ? 'description' : 'hostnames')
  return isRefused(made)
    ? keyForm(context, errorsOf(made, words, fieldOf))
    : secretPage(context, made.data, made.data.password ?? '')
}

/** The password, once, with how to enter it in the devices that people have; and whether the first update has come. */
export function secretPage(
  { words, origin }: ConsoleContext,
  key: Named<'Key'>,
  password: string,
): ShownPage {
  const t = words.newKey
  const hostnames = key.targets.map(wholeName)
  const page = pathOf`/console/keys/ddns/${key.username}`
  const all = recipes({
    origin,
    username: key.username,
    password,
    hostnames: hostnames.length === 0 ? ['home.example.com'] : hostnames,
    fritzBox: t.fritzBox,
  })
  return {
    title: t.made(key.description || key.username),
    isPending: key.last_update === null,
    main: html`${card(t.secret, [
      html`<p>${t.once}</p>`,
      facts([
        [words.key.username, copyable(key.username)],
        [words.signIn.password, copyable(password)],
        [words.keys.names, html`<bdi>${hostnames.join(', ')}</bdi>`],
      ]),
    ])}<div id="live" data-from="${page}">${updateCard(words, key)}</div><p><a href="${page}">${t.toKey}</a></p>${card(
      t.recipes,
      all.map(
        ({ device, where, texts, entries }) =>
          html`<details><summary>${device}</summary>${where === '' ? '' : html`<p>${where}</p>`}${
            entries === undefined
              ? texts.map((text) => html`<pre>${copyable(text)}</pre>`)
              : entries.map((entry) =>
                  facts(Object.entries(entry).map(([label, value]) => [label, copyable(value)] as const)),
                )
          }</details>`,
      ),
    )}`,
  }
}
