import { html } from '../../../../shared/html/html.ts'
import type { ShownPage } from '../../context.ts'
import {
  button,
  card,
  errorSummary,
  field,
  form,
  type FormErrors,
  hidden,
  NO_ERRORS,
  refusedStatus,
} from '../../parts.ts'
import { FORGOTTEN, SIGN_IN } from '../../paths.ts'
import { passkeyCard } from './passkey.ts'
import type { Words } from '../../words/words.ts'

/** What a person gives to sign in. */
export type SignIn = { readonly account: string; readonly password: string } | { readonly apiKey: string }

interface Refused {
  readonly given: SignIn | { readonly passkey: string }
  /** In seconds, if nothing was checked. */
  readonly wait: number | undefined
}

interface SignInView {
  /** What a browser needs to use a passkey. */
  readonly passkey: string | undefined
  /** Where the person wanted to go. */
  readonly back?: string | undefined
  readonly refused?: Refused
}

export function signInPage(words: Words, { passkey, back, refused }: SignInView): ShownPage {
  const t = words.signIn
  const isKey = refused !== undefined && 'apiKey' in refused.given
  const isPasskey = refused !== undefined && 'passkey' in refused.given
  const wrong = isPasskey ? t.wrongPasskey : isKey ? t.wrongKey : t.wrong
  const text = refused?.wait === undefined ? wrong : words.retryAfter(refused.wait)
  const errors: FormErrors =
    refused === undefined
      ? NO_ERRORS
      : { all: [{ field: isPasskey ? undefined : isKey ? 'key' : 'account', text }] }
  const account = refused !== undefined && 'account' in refused.given ? refused.given.account : ''
  const kept = back === undefined ? [] : [hidden('back', back)]
  return {
    title: t.title,
    ...(refused !== undefined && refusedStatus(refused.wait)),
    main: html`${errorSummary(errors, words)}${card(
      t.byPassword,
      form('/console/sign-in', [
        ...kept,
        field('account', t.account, { fill: 'username', value: account, hasFocus: true, errors }),
        field('password', t.password, { type: 'password', fill: 'current-password' }),
        button(t.title),
      ]),
    )}<p><a href="${FORGOTTEN}">${words.forgotten.title}</a></p>${passkeyCard(words, {
      to: SIGN_IN,
      options: passkey,
      kept,
    })}${card(
      t.byKey,
      form('/console/sign-in', [
        ...kept,
        field('key', t.key, { type: 'password', hint: t.keyHint, errors }),
        button(t.withKey, 'quiet'),
      ]),
    )}`,
  }
}
