import { html } from '../../../../shared/html/html.ts'
import { isNewPassword } from '../../../api/request/limits.ts'
import type { ShownPage } from '../../context.ts'
import {
  button,
  card,
  errorsAt,
  errorSummary,
  field,
  form,
  type FormErrors,
  hidden,
  NO_ERRORS,
} from '../../parts.ts'
import type { Words } from '../../words/words.ts'

/** The pages that links lead to, by the last part of their paths. */
const LINKS = { invitation: 'invitation', reset: 'reset', open: 'open', confirm: 'confirm' } as const
export type Link = keyof typeof LINKS

const TAKES_PASSWORD: Readonly<Record<Link, boolean>> = {
  invitation: true,
  reset: true,
  open: false,
  confirm: false,
}

export const linkAt = (path: string): Link | undefined =>
  (Object.keys(LINKS) as Link[]).find((one) => path === `/console/${one}`)

interface LinkView {
  readonly link: Link
  readonly form?: URLSearchParams
  /** The host name of the service. */
  readonly host: string
  /** The zone of an invitation, if its code is valid. */
  readonly zone?: string | undefined
  readonly errors?: FormErrors
}

/** The code of the link is after "#", so only the script has it; without it, the person copies it. */
export function linkPage(
  words: Words,
  { link, form: sent, host, zone, errors = NO_ERRORS }: LinkView,
): ShownPage {
  const t = words.links
  // It was right so far, and people must not take it for their name.
  const isCodeGiven = /^[\w-]{43}$/.test(sent?.get('code') ?? '') && errorsAt(errors, 'code').length === 0
  const password = [
    field('password', words.account.newPassword, {
      type: 'password',
      fill: 'new-password',
      hint: words.account.passwordHint,
      errors,
    }),
    field('again', words.account.again, { type: 'password', fill: 'new-password', errors }),
  ]
  return {
    title: t[link].title,
    ...(errors === NO_ERRORS ? {} : { status: 422 }),
    main: html`${errorSummary(errors, words)}${card(
      t[link].what,
      html`${link === 'invitation' ? html`<p>${t.whose(host, zone)}</p>` : ''}${form(`/console/${link}`, [
        isCodeGiven
          ? hidden('code', sent?.get('code') ?? '')
          : field('code', t.code, { value: sent?.get('code') ?? '', hint: t.codeHint, errors }),
        ...(link === 'invitation'
          ? [
              field('account', t.account, {
                fill: 'username',
                hasFocus: true,
                value: sent?.get('account') ?? '',
                hint: t.accountHint,
                errors,
              }),
            ]
          : []),
        ...(TAKES_PASSWORD[link] ? password : []),
        button(t[link].go),
      ])}`,
    )}`,
  }
}

/** What is wrong in the form before anything is asked for. */
export function linkFormFault(words: Words, link: Link, sent: URLSearchParams): FormErrors | undefined {
  if (!TAKES_PASSWORD[link]) return undefined
  const password = sent.get('password') ?? ''
  const all = [
    ...(isNewPassword(password) ? [] : [{ field: 'password', text: words.links.weak }]),
    ...(password === sent.get('again') ? [] : [{ field: 'again', text: words.account.notSame }]),
  ]
  return all.length === 0 ? undefined : { all }
}
