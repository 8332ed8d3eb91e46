import { html } from '../../../html/html.ts'
import type { ShownPage } from '../context.ts'
import { button, card, field, form } from '../parts.ts'
import { errorSummary, fieldError, NO_ERRORS } from '../refusals.ts'
import type { Words } from '../words/words.ts'

/** Asks for the second factor, after the password. `refused`: the last code is wrong, or was not checked. */
export function factorPage(words: Words, refused?: { readonly wait?: number }): ShownPage {
  const t = words.factor
  const text = refused?.wait === undefined ? t.wrong : words.retryAfter(refused.wait)
  const errors = refused === undefined ? NO_ERRORS : fieldError('code', text)
  return {
    title: t.title,
    ...(refused !== undefined && { status: refused.wait === undefined ? 403 : 429 }),
    main: html`${errorSummary(errors, words)}${card(
      t.what,
      form('/console/second-factor', [
        field('code', t.code, { hint: t.codeHint, fill: 'one-time-code', errors }),
        button(words.proof.go),
      ]),
    )}`,
  }
}
