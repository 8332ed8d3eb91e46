import { html } from '../../../html/html.ts'
import { isRefused } from '../ask.ts'
import type { ConsoleContext, ConsoleResult, ShownPage } from '../context.ts'
import { button, card, copyable, facts, field, form, pathOf } from '../parts.ts'
import { errorsOf, errorSummary, type FormErrors, NO_ERRORS } from '../refusals.ts'
import { updateCard } from './key-state.ts'
import { recipes } from './recipes.ts'
import { type ShownKey, wholeName } from './shown.ts'

export const newKeyPage = async (context: ConsoleContext): Promise<ShownPage> => keyForm(context, NO_ERRORS)

function keyForm({ words, query, form: sent }: ConsoleContext, errors: FormErrors): ShownPage {
  const t = words.newKey
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
        field('hostnames', t.hostnames, {
          value: sent.get('hostnames') ?? query.get('hostname') ?? '',
          hint: t.hostnamesHint,
          errors,
        }),
        button(t.make),
      ]),
    )}`,
  }
}

/** Makes a key. Its password is in the answer to this alone. */
export async function createKeyAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { words, form: sent, ask } = context
  const hostnames = (sent.get('hostnames') ?? '').split(/[\s,]+/).filter((one) => one !== '')
  const missing = ['description', 'hostnames'].filter((one) => (sent.get(one) ?? '').trim() === '')
  if (missing.length > 0)
    return keyForm(context, { all: missing.map((one) => ({ field: one, text: words.needed })) })
  const made = await ask<ShownKey & { readonly password: string }>('createKey', {
    body: { description: sent.get('description') ?? '', hostnames },
  })
  const fieldOf = (pointer: string) => (pointer.startsWith('/description') ? 'description' : 'hostnames')
  return isRefused(made)
    ? keyForm(context, errorsOf(made, words, fieldOf))
    : secretPage(context, made.data, made.data.password)
}

/** The password, once, with how to enter it in the devices that people have; and whether the first update has come. */
export function secretPage({ words, origin }: ConsoleContext, key: ShownKey, password: string): ShownPage {
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
