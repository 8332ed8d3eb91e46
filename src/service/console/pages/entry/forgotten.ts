import { html } from '../../../../shared/html/html.ts'
import type { ShownPage } from '../../context.ts'
import { button, card, errorSummary, field, fieldError, form, NO_ERRORS, refusedStatus } from '../../parts.ts'
import { FORGOTTEN, SIGN_IN } from '../../paths.ts'
import type { Words } from '../../words/words.ts'

interface ForgottenView {
  readonly hasMail: boolean
  readonly isSent?: boolean
  /** In seconds: too many links were asked for. */
  readonly retryAfter?: number
}

/** For a person who cannot sign in: a link by mail, or the person to ask. */
export function forgottenPage(words: Words, view: ForgottenView): ShownPage {
  const { hasMail, isSent = false, retryAfter } = view
  const t = words.forgotten
  const errors = retryAfter === undefined ? NO_ERRORS : fieldError('account', words.retryAfter(retryAfter))
  const back = html`<p><a href="${SIGN_IN}">${t.back}</a></p>`
  if (!hasMail || (isSent && retryAfter === undefined))
    return { title: t.title, main: html`<section><p>${hasMail ? t.sent : t.ask}</p>${back}</section>` }
  return {
    title: t.title,
    ...(retryAfter !== undefined && refusedStatus(retryAfter)),
    main: html`${errorSummary(errors, words)}${card(
      t.what,
      form(FORGOTTEN, [
        field('account', words.signIn.account, { fill: 'username', hasFocus: true, errors }),
        button(t.send),
      ]),
    )}${back}`,
  }
}
