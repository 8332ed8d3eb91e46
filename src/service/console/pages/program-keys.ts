import { type Html, html } from '../../../shared/html/html.ts'
import { type ApiAnswer, type ConsoleContext, type ConsoleResult, isRefused } from '../context.ts'
import { action, card, cutNote, dataTable, failedPage, foreign, moment, pathOf } from '../parts.ts'
import type { Words } from '../words/words.ts'
import { scopeSentence } from './scopes.ts'
import type { ShownProgramKey } from './shown.ts'

/** The kinds of keys that programs use besides updates, each with what lists, makes and deletes it. */
const PROGRAM_KEYS = {
  api: { list: 'listApiKeys', remove: 'deleteApiKey', parameter: 'id' },
  tsig: { list: 'listTsigKeys', remove: 'deleteTsigKey', parameter: 'key_name' },
} as const
export type ProgramKeyKind = keyof typeof PROGRAM_KEYS

const MAX_LISTED = '100'

/** The API keys and the TSIG keys; nothing where the session may not read them. */
export async function programKeyCards({ words, ask }: ConsoleContext): Promise<Html> {
  const cards = await Promise.all(
    (['api', 'tsig'] as const).map(async (kind) => {
      const list = await ask(PROGRAM_KEYS[kind].list, {
        query: { limit: MAX_LISTED },
      })
      return isRefused(list) ? html`` : keyCard(words, kind, list)
    }),
  )
  return html`${cards}`
}

function keyCard(words: Words, kind: ProgramKeyKind, list: ApiAnswer<readonly ShownProgramKey[]>): Html {
  const t = words.programKeys
  const rows = list.data.map((key) => {
    const id = String(key.id ?? key.name)
    return [
      html`<bdi>${key.description}</bdi> <span class="soft">${kind === 'api' ? `API key ${id}` : id}</span>`,
      html`<ul>${scopeLines(words, key.scopes).map((one) => html`<li>${one}</li>`)}</ul>`,
      moment(key.expires_at, t.endless),
      moment(key.last_used_at, words.names.never),
      action(pathOf`/console/keys/${kind}/${id}/delete`, t.remove, 'danger'),
    ]
  })
  const columns = [
    { label: words.keys.key },
    { label: t.may },
    { label: t.expires, isFixed: true },
    { label: t.used, isFixed: true },
    { label: t.remove, isFixed: true, isPlain: true },
  ]
  return card(
    t[kind].title,
    html`<p class="soft">${t[kind].what}</p>${
      rows.length === 0 ? '' : dataTable(t[kind].title, columns, rows)
    }${cutNote(words, list)}
<p><a href="/console/keys/new-${kind}-key">${t[kind].makeOne}</a></p>`,
  )
}

const scopeLines = (words: Words, scopes: readonly string[]): readonly Html[] =>
  scopes.length === 0 ? [html`${words.scopes.all}`] : scopes.map((one) => foreign(scopeSentence(words, one)))

const deletionOf =
  (kind: ProgramKeyKind) =>
  async ({ ask, params, words }: ConsoleContext): Promise<ConsoleResult> => {
    const { remove, parameter } = PROGRAM_KEYS[kind]
    const deleted = await ask(remove, { params: { [parameter]: params['key'] ?? '' } })
    return isRefused(deleted) ? failedPage(words, deleted) : { see: '/console/keys' }
  }

export const apiKeyDeletion = deletionOf('api')
export const tsigKeyDeletion = deletionOf('tsig')
