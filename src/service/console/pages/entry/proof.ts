import { html } from '../../../../shared/html/html.ts'
import type { ShownPage } from '../../context.ts'
import {
  button,
  card,
  errorSummary,
  field,
  fieldError,
  form as formOf,
  hidden,
  NO_ERRORS,
  refusedStatus,
} from '../../parts.ts'
import { passkeyCard } from './passkey.ts'
import type { Words } from '../../words/words.ts'

interface ProofView {
  readonly path: string
  /** What was sent; it is sent again with the proof. */
  readonly form: URLSearchParams
  readonly byKey: boolean
  /** What a browser needs to use a passkey, if the person has one. */
  readonly passkey: string | undefined
  /** What was given is wrong; or it was not checked, and may be given again after these seconds. */
  readonly refused?: { readonly wait?: number }
}

const OF_PROOF = ['token', 'proof', 'passkey']

/** Asks for the password before something that must not happen at an open browser. */
export function proofPage(words: Words, { path, form, refused, byKey, passkey }: ProofView): ShownPage {
  const t = words.proof
  const { wait } = refused ?? {}
  const wrong = wait !== undefined ? words.retryAfter(wait) : byKey ? words.signIn.wrongKey : t.wrong
  const errors = refused === undefined ? NO_ERRORS : fieldError('proof', wrong)
  const again = [...form].flatMap(([name, value]) => (OF_PROOF.includes(name) ? [] : [hidden(name, value)]))
  return {
    title: t.title,
    ...(refused !== undefined && refusedStatus(wait)),
    main: html`${errorSummary(errors, words)}${card(
      byKey ? t.whyKey : t.why,
      formOf(path, [
        ...again,
        field('proof', byKey ? words.signIn.key : words.signIn.password, {
          type: 'password',
          fill: 'current-password',
          hasFocus: true,
          errors,
        }),
        button(t.go),
      ]),
    )}${passkeyCard(words, { to: path, options: passkey, field: 'passkey', kept: again })}`,
  }
}
