import { html } from '../../../../shared/html/html.ts'
import type { ShownPage } from '../../context.ts'
import {
  button,
  card,
  errorSummary,
  field,
  fieldError,
  form,
  hidden,
  NO_ERRORS,
  refusedStatus,
} from '../../parts.ts'
import { SECOND_FACTOR } from '../../paths.ts'
import { passkeyCard } from './passkey.ts'
import type { Words } from '../../words/words.ts'

interface FactorView {
  /** What a browser needs to use a passkey, if the person has one. */
  readonly passkey: string | undefined
  /** Where the person wanted to go. */
  readonly back: string
  /** The last code is wrong; or it was not checked, and may be given again after these seconds. */
  readonly refused?: { readonly wait: number | undefined }
}

/** Asks for the second factor, after the password. */
export function factorPage(words: Words, { passkey, back, refused }: FactorView): ShownPage {
  const t = words.factor
  const text = refused?.wait === undefined ? t.wrong : words.retryAfter(refused.wait)
  const errors = refused === undefined ? NO_ERRORS : fieldError('code', text)
  return {
    title: t.title,
    ...(refused !== undefined && refusedStatus(refused.wait)),
    main: html`${errorSummary(errors, words)}${card(
      t.what,
      form(SECOND_FACTOR, [
        hidden('back', back),
        field('code', t.code, { hint: t.codeHint, fill: 'one-time-code', hasFocus: true, errors }),
        button(words.proof.go),
      ]),
    )}${passkeyCard(words, { to: SECOND_FACTOR, options: passkey, kept: [hidden('back', back)] })}`,
  }
}
