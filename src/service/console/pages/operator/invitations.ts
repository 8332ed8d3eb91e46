import { type Html, html } from '../../../../shared/html/html.ts'
import type { ApiAnswer } from '../../ask.ts'
import type { ConsoleContext, ShownPage } from '../../context.ts'
import {
  action,
  button,
  card,
  choiceField,
  type Column,
  copyable,
  dataTable,
  field,
  foreign,
  form,
  type FormErrors,
  moment,
  warningList,
} from '../../parts.ts'
import { cutNote } from '../listing.ts'

/** The page of operators. */
export const OPERATOR_PATH = '/console/operator'

export interface ShownInvitation {
  readonly id: number
  readonly plan: string
  readonly zone: string | null
  readonly email: string | null
  readonly expires_at: string
}

export const columnsNamed = (...labels: readonly string[]): readonly Column[] =>
  labels.map((label, at) => ({ label, isFixed: at > 0 }))

/** Of buttons that say what they do. */
export const actionColumn = (label: string): Column => ({ label, isFixed: true, isPlain: true })

interface InvitationView {
  readonly invitations: ApiAnswer<readonly ShownInvitation[]>
  readonly plans: readonly string[]
  readonly errors: FormErrors
}

/** Invitations that were not accepted, and the form of another. */
export function invitationCard(
  { words, form: sent }: ConsoleContext,
  { invitations, plans, errors }: InvitationView,
): Html {
  const t = words.operator
  const rows = invitations.data.map((one) => [
    foreign(one.plan),
    one.zone === null ? '' : foreign(one.zone),
    one.email === null ? '' : foreign(one.email),
    moment(one.expires_at),
    action(`${OPERATOR_PATH}/invitations/${String(one.id)}/delete`, t.remove, 'danger'),
  ])
  const columns = [...columnsNamed(t.plan, t.zones, t.mail, t.until), actionColumn(t.remove)]
  return card(t.invitations, [
    html`<p class="soft">${t.invitationsWhat}</p>`,
    rows.length === 0 ? html`` : dataTable(t.invitations, columns, rows),
    cutNote(words, invitations),
    form(`${OPERATOR_PATH}/invitations`, [
      choiceField('plan', t.plan, {
        choices: plans.map((value) => ({ value, label: value })),
        chosen: sent.get('plan') ?? '',
      }),
      field('zone', t.zone, { value: sent.get('zone') ?? '', isOptional: true, errors }),
      field('expires', t.expires, { value: sent.get('expires') ?? '7d', hint: t.expiresHint, errors }),
      field('email', t.email, {
        type: 'email',
        value: sent.get('email') ?? '',
        hint: t.emailHint,
        isOptional: true,
        errors,
      }),
      button(t.invite),
    ]),
  ])
}

export interface NewLink {
  readonly link: string
  readonly mailed: boolean
}

/** The link, once. On loopback the service does not know its own port, so it gets that of the request. */
export function newLinkPage(
  { words, origin }: ConsoleContext,
  { data, warnings }: ApiAnswer<NewLink>,
): ShownPage {
  const t = words.operator
  const { pathname, hash } = new URL(data.link)
  return {
    title: t.title,
    main: html`${warningList(warnings)}${card(t.link, [
      html`<pre>${copyable(`${origin}${pathname}${hash}`)}</pre>`,
      data.mailed ? html`<p>${t.mailed}</p>` : html``,
      html`<p><a href="${OPERATOR_PATH}">${t.title}</a></p>`,
    ])}`,
  }
}
