import { type Html, html } from '../../../../shared/html/html.ts'
import {
  type ApiAnswer,
  type ConsoleContext,
  type ConsoleResult,
  isRefused,
  type ShownPage,
} from '../../context.ts'
import {
  action,
  button,
  card,
  choiceField,
  type Column,
  copyable,
  cutNote,
  dataTable,
  errorsOf,
  errorSummary,
  failedPage,
  field,
  foreign,
  form,
  type FormErrors,
  hidden,
  moment,
  NO_ERRORS,
  pathOf,
  warningList,
} from '../../parts.ts'
import type { Words } from '../../words/words.ts'
import type { Named } from '../../../api/openapi/schemas.ts'

/** The page of operators. */
const OPERATOR_PATH = '/console/operator'

const columnsNamed = (...labels: readonly string[]): readonly Column[] =>
  labels.map((label, at) => ({ label, isFixed: at > 0 }))

/** Of buttons that say what they do. */
const actionColumn = (label: string): Column => ({ label, isFixed: true, isPlain: true })

interface InvitationView {
  readonly invitations: ApiAnswer<readonly Named<'Invitation'>[]>
  readonly plans: readonly string[]
  readonly errors: FormErrors
}

/** Invitations that were not accepted, and the form of another. */
function invitationCard(
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

/** The link, once. On loopback the service does not know its own port, so it gets that of the request. */
export function newLinkPage(
  { words, origin }: ConsoleContext,
  { data, warnings }: ApiAnswer<Named<'NewLink'>>,
): ShownPage {
  const t = words.operator
  const { pathname, hash } = new URL(data.link ?? '', origin)
  return {
    title: t.title,
    main: html`${warningList(warnings)}${card(t.link, [
      html`<pre>${copyable(`${origin}${pathname}${hash}`)}</pre>`,
      data.mailed ? html`<p>${t.mailed}</p>` : html``,
      html`<p><a href="${OPERATOR_PATH}">${t.title}</a></p>`,
    ])}`,
  }
}

const LIMIT = '100'
/** Plans are chosen from one list, and found in it. */
export const PLANS_LIMIT = '1000'

/** What needs an operator, on one page. */
export const operatorPage = async (context: ConsoleContext): Promise<ConsoleResult> =>
  operatorShown(context, NO_ERRORS)

async function operatorShown(context: ConsoleContext, errors: FormErrors): Promise<ShownPage> {
  const { words, ask } = context
  const t = words.operator
  const query = { limit: LIMIT }
  const plans = await ask('listPlans', {
    query: { limit: PLANS_LIMIT },
  })
  if (isRefused(plans)) return operatorRefused(words, plans)
  const invitations = await ask('listInvitations', { query })
  const blocks = await ask('listBlocks', { query })
  const lockouts = await ask('listLockouts', { query })
  const load = await ask('getLoad')
  const secondaries = await ask('listSecondaries')
  const refused = [invitations, blocks, lockouts, load, secondaries].find(isRefused)
  if (refused !== undefined) return operatorRefused(words, refused)
  const names = plans.data.map(({ name }) => name)
  return {
    title: t.title,
    ...(errors === NO_ERRORS ? {} : { status: 422 }),
    main: html`${errorSummary(errors, words)}<p class="row">
<a class="button quiet" href="${OPERATOR_PATH}/accounts">${t.accounts}</a>
<a class="button quiet" href="${OPERATOR_PATH}/plans">${t.plans}</a></p>${secondaryCard(words, secondaries.data)}${blockCard(
      words,
      blocks,
      errors,
    )}${lockoutCard(words, lockouts)}${loadCard(words, load.data)}${invitationCard(context, {
      invitations,
      plans: names,
      errors,
    })}`,
  }
}

/** For an operator without a second factor: where to get one. */
export const operatorRefused = (words: Words, answer: ApiAnswer<unknown>): ShownPage =>
  answer.errors.some(({ title }) => title.startsWith('an operator needs'))
    ? {
        title: words.operator.title,
        status: answer.status,
        main: html`<p>${words.operator.needsFactor}</p>
<p><a href="/console/account">${words.operator.toAccount}</a></p>`,
      }
    : failedPage(words, answer)

const tableOrNone = (words: Words, rows: readonly (readonly (Html | string)[])[], table: Html): Html =>
  rows.length === 0 ? html`<p>${words.operator.none}</p>` : table

function secondaryCard(words: Words, { at, secondaries }: Named<'Secondaries'>): Html {
  const t = words.operator
  if (secondaries.length === 0) return html``
  const rows = secondaries.map((one) => [
    html`${foreign(one.name)} <span class="soft">${one.address}</span>`,
    String(one.zones),
    String(one.behind),
    String(one.stuck),
    t.seconds(one.lag),
  ])
  const columns = columnsNamed(t.secondaries, t.zones, t.behind, t.stuck, t.lag)
  return card(
    t.secondaries,
    html`${tableOrNone(words, rows, dataTable(t.secondaries, columns, rows))}${
      at === null ? '' : html`<p class="soft">${t.asOf} ${moment(at)}</p>`
    }`,
  )
}

const endPath = (subject: string): string => pathOf`/console/operator/blocks/${subject}/end`

function blockCard(words: Words, blocks: ApiAnswer<readonly Named<'Block'>[]>, errors: FormErrors): Html {
  const t = words.operator
  const rows = blocks.data.map(({ username, reason, blocked_until: until, agent, address }) => [
    foreign(username ?? ''),
    t.reasons[reason],
    moment(until, t.endless),
    agent === null && address === null
      ? ''
      : html`${foreign(agent ?? '')} <span class="soft">${address ?? ''}</span>`,
    username === null ? '' : action(endPath(username), t.unblock),
  ])
  return card(t.blocks, [
    tableOrNone(
      words,
      rows,
      dataTable(
        t.blocks,
        [...columnsNamed(t.who, t.reason, t.until, t.agent), actionColumn(t.unblock)],
        rows,
      ),
    ),
    cutNote(words, blocks),
    form(`${OPERATOR_PATH}/blocks`, [
      field('subject', t.blockWhat, { errors }),
      html`<p class="row">${button(t.blockReview, 'quiet')}<button class="quiet" formaction="${OPERATOR_PATH}/blocks/end">${
        t.unblock
      }</button></p>`,
    ]),
  ])
}

function lockoutCard(words: Words, lockouts: ApiAnswer<readonly Named<'Lockout'>[]>): Html {
  const t = words.operator
  const rows = lockouts.data.map(({ network, endpoint, blocked_until: until }) => [
    network,
    t.endpoints[endpoint],
    moment(until),
    action(pathOf`/console/operator/lockouts/${network}/end`, t.unblock),
  ])
  const columns = [...columnsNamed(t.network, t.where, t.until), actionColumn(t.unblock)]
  return card(t.lockouts, [
    tableOrNone(words, rows, dataTable(t.lockouts, columns, rows)),
    cutNote(words, lockouts),
  ])
}

function loadCard(words: Words, { at, heaviest }: Named<'Load'>): Html {
  const t = words.operator
  const rows = heaviest.map(({ key, ms, waiting }) => [loadOf(key), t.ms(ms), String(waiting)])
  return card(t.heaviest, [
    html`<p class="soft">${t.heaviestWhat} ${at === null ? '' : html`${t.asOf} ${moment(at)}`}</p>`,
    tableOrNone(words, rows, dataTable(t.heaviest, columnsNamed(t.account, t.time, t.waiting), rows)),
  ])
}

/** The key of an account is its name after a word; the others are of networks. */
function loadOf(key: string): Html {
  const [, name] = /^account (\S+)$/.exec(key) ?? []
  return name === undefined
    ? foreign(key)
    : html`<a href="${pathOf`/console/operator/accounts/${name}`}">${foreign(name)}</a>`
}

export async function createInvitationAction(context: ConsoleContext): Promise<ConsoleResult> {
  const { ask, form: sent, words } = context
  const given = ['plan', 'zone', 'expires', 'email'].flatMap((name) => {
    const value = (sent.get(name) ?? '').trim()
    return value === '' ? [] : [[name, value] as const]
  })
  const made = await ask('createInvitation', { body: Object.fromEntries(given) })
  // A refusal says in its text which of them it is about.
  return isRefused(made)
    ? operatorShown(
        context,
        errorsOf(made, words, (pointer) => pointer.slice(1)),
      )
    : newLinkPage(context, made)
}

export const deleteInvitationAction = async (context: ConsoleContext): Promise<ConsoleResult> =>
  afterwards(context, await context.ask('deleteInvitation', { params: { id: context.params['id'] ?? '' } }))

const subjectIn = ({ params, form: sent }: ConsoleContext): string =>
  params['subject'] ?? (sent.get('subject') ?? '').trim()

/** Enter in a field must not block anybody. */
export const blockReview = async (context: ConsoleContext): Promise<ConsoleResult> => {
  const t = context.words.operator
  const subject = subjectIn(context)
  const allowed = await context.ask('listBlocks', { query: { limit: '1' } })
  if (isRefused(allowed)) return operatorRefused(context.words, allowed)
  return {
    title: t.block,
    main: card(t.blockAsk(subject), [
      html`<p>${t.blockMeans}</p>`,
      form(`${OPERATOR_PATH}/blocks/set`, [hidden('subject', subject), button(t.block, 'danger')]),
      html`<p><a href="${OPERATOR_PATH}">${context.words.bulk.cancel}</a></p>`,
    ]),
  }
}

export const blockAction = async (context: ConsoleContext): Promise<ConsoleResult> =>
  afterwards(context, await context.ask('setBlock', { params: { subject: subjectIn(context) } }))

export const unblockAction = async (context: ConsoleContext): Promise<ConsoleResult> =>
  afterwards(context, await context.ask('deleteBlock', { params: { subject: subjectIn(context) } }))

export const lockoutEnd = async (context: ConsoleContext): Promise<ConsoleResult> =>
  afterwards(context, await context.ask('deleteLockout', { params: { subject: subjectIn(context) } }))

/** A refusal says in its text what it is about; here, there is one field. */
const ofSubject = ({ all }: FormErrors): FormErrors => ({
  all: all.map((one) => ({ ...one, field: 'subject' })),
})

const afterwards = async (context: ConsoleContext, answer: ApiAnswer<unknown>): Promise<ConsoleResult> =>
  isRefused(answer)
    ? operatorShown(context, ofSubject(errorsOf(answer, context.words)))
    : { see: OPERATOR_PATH, isSaved: true }
