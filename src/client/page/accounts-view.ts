import { listed } from '../../shared/base/address.ts'
import { type Html, html, type Part, part } from '../../shared/html/html.ts'
import { humanLabel } from '../report/account-name.ts'
import type { AccountReport, HostReport } from '../report/report.ts'
import { publicationText } from '../report/elsewhere.ts'
import { formatCause } from '../report/report-text.ts'
import { PUBLICATION_ADVICE } from '../verify/publication-text.ts'
import { type Appearance, appearanceOf, TONE_ORDER } from './appearance.ts'
import { cell, optionalTime, sinceElement, table, timeElement } from './parts.ts'

/** In the order of the file within one tone; an account keeps its number, so that what is open stays open. */
export const accountList = (accounts: readonly AccountReport[]): Html =>
  part(
    'accounts',
    html`<div id="accounts">${accounts
      .map((account, at) => ({ rank: TONE_ORDER.indexOf(appearanceOf(account).tone), account, at }))
      .toSorted((one, other) => one.rank - other.rank)
      .map(({ account, at }) =>
        accountSection(account, { at, isOnly: accounts.length === 1, label: humanLabel(account, accounts) }),
      )}</div>`,
  )

interface Position {
  readonly at: number
  readonly isOnly: boolean
  readonly label: string
}

/** One of several that is in order is folded. */
function accountSection(account: AccountReport, position: Position): Part {
  const { at, isOnly, label } = position
  const appearance = appearanceOf(account)
  const heading = html`<h2 id="account-${at}">${label}</h2>`
  const isFolded = appearance.tone === 'ok' && !isOnly
  const content = [
    stateLine(account, appearance, at),
    causeLines(account, at),
    nameList(account, { at, isFolded }),
    timeLine(account, position),
  ]
  return part(
    `section-${at}`,
    isFolded
      ? html`<details class="card" id="section-${at}"><summary>${heading}
<span class="ok"><span aria-hidden="true">✓</span> ${appearance.title}</span>
<span class="soft">${countOf(account)}</span></summary>${content}</details>`
      : html`<section id="section-${at}" aria-labelledby="account-${at}">${heading}${content}</section>`,
  )
}

const countOf = ({ hostnames }: AccountReport): string =>
  hostnames.length === 1 ? (hostnames[0]?.hostname ?? '') : `${hostnames.length} names`

const stateLine = ({ since }: AccountReport, { tone, mark, title, meaning }: Appearance, at: number): Html =>
  part(
    `state-${at}`,
    html`<div id="state-${at}"><p class="${tone}"><strong><span aria-hidden="true">${mark}</span> ${title}</strong>${
      since === null ? '' : html` ${sinceElement(since)}`
    }</p><p>${meaning}</p></div>`,
  )

/** The checks of a single account are those of the whole page. */
const timeLine = ({ lastLook, nextLook, nextAttempt }: AccountReport, { at, isOnly }: Position): Html =>
  part(
    `times-${at}`,
    html`<p class="soft" id="times-${at}">${[
      ...(isOnly
        ? []
        : [optionalTime('Last check of the address ', lastLook), optionalTime('; next check ', nextLook)]),
      optionalTime(isOnly ? 'Next attempt ' : '; next attempt ', nextAttempt),
    ]}</p>`,
  )

function causeLines(report: AccountReport, at: number): Html {
  const { account, outcome, because, remedy, since, isDue } = report
  // An account that is on its way has failed at nothing.
  const isFirst = outcome === 'unreached' && since === null && isDue === true
  const cause =
    outcome === 'settled' || because === null || isFirst
      ? html``
      : html`<p>Cause: ${formatCause(report)}.</p>`
  const hasButton = outcome === 'stopped' || remedy?.includes('holdfast resume') === true
  const here = remedy
    ?.replaceAll(/\brun holdfast resume\b/g, 'press Resume')
    .replaceAll('holdfast resume', 'Resume')
  const states = report.hostnames.map(({ published }) => published?.state)
  const late = outcome === 'settled' ? LATE_STATES.find((state) => states.includes(state)) : undefined
  if (late !== undefined)
    return part(
      `cause-${at}`,
      html`<div id="cause-${at}"><p><strong>What to do:</strong> ${PUBLICATION_ADVICE[late]}</p></div>`,
    )
  const advice =
    here === undefined ? html`` : html`<p><strong>What to do:</strong> ${hasButton ? here : remedy}</p>`
  const resume = hasButton
    ? html`<form method="post" action="resume"><input type="hidden" name="account" value="${account}">
<p><button id="resume-${account}">Resume</button>
<span class="soft">Press it when the cause is corrected; the next update is then sent at once.</span></p></form>`
    : html``
  return part(`cause-${at}`, html`<div id="cause-${at}">${cause}${advice}${resume}</div>`)
}

const LATE_STATES = ['different', 'stale'] as const

const NAME_COLUMNS = ['Name', 'IPv4 address', 'IPv6 address', 'Confirmed']
const MAX_NAMES = 200
const MAX_UNFOLDED = 5

/** A long list is of interest when a person asks for it. */
function nameList(
  account: AccountReport,
  { at, isFolded }: { readonly at: number; readonly isFolded: boolean },
): Html {
  const count = account.hostnames.length
  return count <= MAX_UNFOLDED || isFolded
    ? nameTable(account, at)
    : html`<details id="names-${at}"><summary>${count} names</summary>${nameTable(account, at)}</details>`
}

function nameTable({ hostnames }: AccountReport, at: number): Html {
  const more = hostnames.length - MAX_NAMES
  const rest = more > 0 ? html`<p class="soft">and ${more} more names; holdfast status shows all</p>` : ''
  const rows = hostnames.slice(0, MAX_NAMES).map((host, nth) => nameRow(host, `name-${at}-${nth}`))
  return html`${table(NAME_COLUMNS, [part(`rows-${at}`, html`<tbody id="rows-${at}">${rows}</tbody>`)])}${rest}`
}

function nameRow(host: HostReport, id: string): Part {
  const { hostname, confirmed, since, published, remarks } = host
  // Below an address that the service does not confirm, it would be taken for the new one.
  const isOfInterest = published !== null && (published.state !== 'published' || remarks.length === 0)
  const details = [...(isOfInterest ? [publicationText(host)] : []), ...remarks]
  const isNone = listed(confirmed).length === 0
  const cells = [
    cell('IPv4 address', confirmed.v4 ?? 'none'),
    cell('IPv6 address', confirmed.v6 ?? 'none'),
    cell('Confirmed', isNone || since === null ? 'not yet' : timeElement(since)),
  ]
  const lines = details.map((text) => html`<br><span class="soft">${text}</span>`)
  return part(id, html`<tr id="${id}"><th scope="row">${hostname}${lines}</th>${cells}</tr>`)
}
