import { type Html, html } from '../../../../shared/html/html.ts'
import type { ShownPage } from '../../context.ts'
import { button, form as formOf, hidden } from '../../parts.ts'
import { SIGN_IN } from '../../paths.ts'
import type { Words } from '../../words/words.ts'

/** What a page does not send back to the browser: a person types it again. */
// biome-ignore format: a table
const NOT_KEPT = [
  'unsent', 'token', 'proof', 'passkey', 'credential', 'code', 'secret', 'uri', 'password', 'old_password', 'new_password', 'again',
]

/** What was sent, as hidden fields: it is sent again with one press. */
const unsentFields = (form: URLSearchParams): readonly Html[] =>
  [...form].filter(([name]) => !NOT_KEPT.includes(name)).map(([name, value]) => hidden(name, value))

interface UnsentView {
  readonly path: string
  readonly form: URLSearchParams
  /** Of the account whose page it was. */
  readonly mark: string
  readonly isSignedIn: boolean
}

/** For a form that was opened in an earlier session, or before a proof: nothing that was typed is lost. */
export const unsentPage = (
  { unsent: t }: Words,
  { path, form, mark, isSignedIn }: UnsentView,
): ShownPage => ({
  title: t.title,
  status: 403,
  main: html`<section><p>${isSignedIn ? t.isOld : t.isSignedOut}</p>${
    isSignedIn ? '' : html`<p><a href="${SIGN_IN}" target="_blank" rel="noopener">${t.signIn}</a></p>`
  }${formOf(path, [...unsentFields(form), hidden('unsent', mark), button(t.send)])}</section>`,
})
