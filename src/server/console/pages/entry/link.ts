import { html } from '../../../../html/html.ts'
import { isNewPassword } from '../../../api/account/password.ts'
import type { ShownPage } from '../../context.ts'
import { button, card, field, form } from '../../parts.ts'
import { errorSummary, fieldError, type FormErrors, NO_ERRORS } from '../../refusals.ts'
import type { Words } from '../../words/words.ts'

/** The pages that links lead to, by the last part of their paths. */
export const LINKS = { invitation: 'invitation', reset: 'reset', open: 'open' } as const
export type Link = keyof typeof LINKS

export const linkAt = (path: string): Link | undefined =>
  (Object.keys(LINKS) as Link[]).find((one) => path === `/console/${one}`)

interface LinkView {
  readonly link: Link
  readonly form?: URLSearchParams
  readonly errors?: FormErrors
}

/** The code of the link is after "#", so only the script has it; without it, the person copies it. */
export function linkPage(words: Words, { link, form: sent, errors = NO_ERRORS }: LinkView): ShownPage {
  const t = words.links
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
      form(`/console/${link}`, [
        field('code', t.code, { value: sent?.get('code') ?? '', hint: t.codeHint, errors }),
        ...(link === 'invitation'
          ? [
              field('account', t.account, {
                fill: 'username',
                value: sent?.get('account') ?? '',
                hint: t.accountHint,
                errors,
              }),
            ]
          : []),
        ...(link === 'open' ? [] : password),
        button(t[link].go),
      ]),
    )}`,
  }
}

/** What is wrong in the form before anything is asked for. */
export function linkFormFault(words: Words, link: Link, sent: URLSearchParams): FormErrors | undefined {
  const password = sent.get('password') ?? ''
  if (link === 'open') return undefined
  if (!isNewPassword(password)) return fieldError('password', words.links.weak)
  return password === sent.get('again') ? undefined : fieldError('again', words.account.notSame)
}
