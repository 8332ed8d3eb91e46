import { listed } from '../../net/address.ts'
import { labelOf } from '../report/account-name.ts'
import type { RecordedEvent } from '../report/event-ring.ts'
import { OUTCOMES, type Outcome } from '../report/outcome.ts'
import type { AccountReport, HostReport } from '../report/report.ts'
import { formatCause } from '../report/report-text.ts'
import type { LastAnswer } from '../report/source-answers.ts'
import type { Trouble } from '../report/troubles.ts'
import type { PublicationState } from '../verify/publication.ts'
import { formatPublication } from '../verify/publication-text.ts'
import { type Html, html } from './html.ts'
import { cell, optionalTime, table, timeElement } from './parts.ts'
import { lookSection } from './sources-view.ts'

/** Everything that the page shows. */
export interface PageView {
  readonly accounts: readonly AccountReport[]
  readonly troubles: readonly Trouble[]
  readonly events: readonly RecordedEvent[]
  readonly answers: readonly LastAnswer[]
  readonly about: {
    readonly version: string
    readonly node: string
    /** RFC 3339. */
    readonly started: string
    readonly stateDir: string
    readonly configFile: string | null
  }
}

type Tone = 'ok' | 'wait' | 'bad'

interface Appearance {
  readonly tone: Tone
  readonly mark: string
  readonly title: string
  /** For people who do not know DNS. */
  readonly meaning: string
}

// biome-ignore format: a table
const APPEARANCES: Readonly<Record<Outcome, Appearance>> = {
  settled:        { tone: 'ok', mark: '✓', title: 'In order',            meaning: 'The service has confirmed the address. The names lead to this network.' },
  addressUnknown: { tone: 'bad',  mark: '!', title: 'No address to publish', meaning: 'No source can tell which public address this network has, so nothing is sent. The names keep the address that was confirmed last.' },
  unreached:      { tone: 'wait', mark: '…', title: 'The service is not reached', meaning: 'Holdfast tries again by itself. Until then the names keep the address that was confirmed last.' },
  waiting:        { tone: 'wait', mark: '…', title: 'Waiting', meaning: 'Nothing is sent before the pause is over. Holdfast continues by itself.' },
  stopped:        { tone: 'bad',  mark: '✗', title: 'Stopped until you act', meaning: 'The service refused, and asking again without a change would be abuse. What is stopped sends nothing until the cause is corrected.' },
}

const UNDER_WAY: Appearance = {
  tone: 'wait',
  mark: '…',
  title: 'An update is on its way',
  meaning: 'The answer of the service is not here yet.',
}
const OFFLINE: Appearance = {
  tone: 'wait',
  mark: '–',
  title: 'Offline',
  meaning: 'The names are set offline, as the settings say. They do not lead to this network.',
}

const DIFFERENT: Appearance = {
  tone: 'wait',
  mark: '!',
  title: 'The service has another address',
  meaning:
    'The service answered with another address than the one that was sent. The names may not lead to this network.',
}
const NOT_PUBLISHED: Appearance = {
  tone: 'wait',
  mark: '…',
  title: 'Confirmed, not published yet',
  meaning:
    'The service has confirmed the address, but not all of its name servers give it yet. Until they do, ' +
    'the names may lead elsewhere.',
}

const UNPUBLISHED: readonly (PublicationState | undefined)[] = ['pending', 'stale', 'different']

const isNew = ({ hostnames }: AccountReport): boolean =>
  hostnames.every(({ confirmed }) => listed(confirmed).length === 0)

function appearanceOf(account: AccountReport): Appearance {
  const { outcome, isDue, hostnames } = account
  if (isDue === true && outcome !== 'stopped') return UNDER_WAY
  if (outcome !== 'settled') return isNew(account) ? withoutNames(APPEARANCES[outcome]) : APPEARANCES[outcome]
  if (hostnames.every(({ isOffline }) => isOffline)) return OFFLINE
  if (hostnames.some(({ different }) => listed(different ?? {}).length > 0)) return DIFFERENT
  const isElsewhere = hostnames.some(({ published }) => UNPUBLISHED.includes(published?.state))
  return isElsewhere ? NOT_PUBLISHED : APPEARANCES.settled
}

/** Before the first confirmation, no name keeps anything. */
const withoutNames = (one: Appearance): Appearance => ({
  ...one,
  meaning: one.meaning.replace(/ [^.]*names keep the address that was confirmed last\./, ''),
})

const TONE_ORDER: readonly Tone[] = ['bad', 'wait', 'ok']

/** One line over all accounts: the appearance that needs the reader most. */
export function summaryOf({ accounts, troubles }: PageView): { readonly text: string; readonly html: Html } {
  const hostnames = accounts.reduce((count, one) => count + one.hostnames.length, 0)
  const all = accounts.map(appearanceOf)
  const rank = ({ outcome }: AccountReport): number => OUTCOMES.indexOf(outcome)
  const [worst = APPEARANCES.settled] = accounts
    .toSorted((one, other) => rank(one) - rank(other))
    .map(appearanceOf)
    .toSorted((one, other) => TONE_ORDER.indexOf(one.tone) - TONE_ORDER.indexOf(other.tone))
  const { tone, mark, title } = worst
  const affected = all.filter((one) => one.title === title).length
  const where = accounts.length > 1 && tone !== 'ok' ? ` (${affected} of ${accounts.length} accounts)` : ''
  if (tone === 'ok' && troubles.length > 0) {
    const what = troubles.length === 1 ? 'something needs' : `${troubles.length} things need`
    const text = `The names are in order, but ${what} you`
    return { text, html: html`<span class="wait"><span aria-hidden="true">!</span> ${text}</span>` }
  }
  const text =
    tone === 'ok' ? `All in order: ${hostnames === 1 ? '1 name' : `${hostnames} names`}` : `${title}${where}`
  return { text, html: html`<span class="${tone}"><span aria-hidden="true">${mark}</span> ${text}</span>` }
}

/** The changing part of the page. */
export const mainOf = (view: PageView): Html =>
  html`${troubleSection(view)}${worstFirst(view.accounts)}${lookSection(view)}${eventSection(view)}`

/** In the order of the file within one tone; an account keeps its number, so that what is open stays open. */
const worstFirst = (accounts: readonly AccountReport[]): readonly Html[] =>
  accounts
    .map((account, at) => ({ rank: TONE_ORDER.indexOf(appearanceOf(account).tone), account, at }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ account, at }) => accountSection(account, at))

const troubleSection = ({ troubles }: PageView): Html =>
  troubles.length === 0
    ? html``
    : html`<section aria-labelledby="troubles"><h2 id="troubles">What needs you</h2>${troubles.map(
        ({ text, remedy, since }) =>
          html`<p class="wait"><strong><span aria-hidden="true">!</span> ${text}</strong>,
since ${timeElement(since, true)}</p><p><strong>What to do:</strong> ${remedy}</p>`,
      )}</section>`

function accountSection(account: AccountReport, at: number): Html {
  const { tone, mark, title, meaning } = appearanceOf(account)
  const since = optionalTime(' since ', account.since)
  const times = [
    optionalTime('Last check of the address ', account.lastLook),
    optionalTime('; next check ', account.nextLook),
    optionalTime('; next attempt ', account.nextAttempt),
  ]
  return html`<section aria-labelledby="account-${at}"><h2 id="account-${at}">${labelOf(account)}</h2>
<p class="${tone}"><strong><span aria-hidden="true">${mark}</span> ${title}</strong>${since}</p>
<p>${meaning}</p>${causeLines(account)}${tone === 'ok' ? foldedNames(account, at) : nameTable(account)}
<p class="soft">${times}</p></section>`
}

function causeLines({ account, outcome, because, remedy, since, isDue }: AccountReport): Html {
  // An account that is on its way has failed at nothing.
  const isFirst = outcome === 'unreached' && since === null && isDue === true
  const cause =
    outcome === 'settled' || because === null || isFirst
      ? html``
      : html`<p>Cause: ${formatCause(because)}.</p>`
  const advice = remedy === null ? html`` : html`<p><strong>What to do:</strong> ${remedy}</p>`
  const resume =
    outcome === 'stopped'
      ? html`<form method="post" action="resume"><input type="hidden" name="account" value="${account}">
<p><button id="resume-${account}">Resume</button>
<span class="soft">Press it after the cause is corrected: the next update is sent at once.</span></p></form>`
      : html``
  return html`${cause}${advice}${resume}`
}

const NAME_COLUMNS = ['Name', 'IPv4 address', 'IPv6 address', 'Confirmed']
const MAX_NAMES = 200

/** A long list of names is of interest only if something is wrong. */
function foldedNames(account: AccountReport, at: number): Html {
  const count = account.hostnames.length
  return count <= UNFOLDED_NAMES
    ? nameTable(account)
    : html`<details id="names-${at}"><summary>${count} names</summary>${nameTable(account)}</details>`
}
const UNFOLDED_NAMES = 5

function nameTable({ hostnames }: AccountReport): Html {
  const more = hostnames.length - MAX_NAMES
  const rest = more > 0 ? html`<p class="soft">and ${more} more names; holdfast status shows all</p>` : ''
  return html`${table(NAME_COLUMNS, hostnames.slice(0, MAX_NAMES).map(nameRow))}${rest}`
}

function nameRow({ hostname, confirmed, since, published, remarks }: HostReport): Html {
  const details = [...(published === null ? [] : [formatPublication(published)]), ...remarks]
  const isNone = listed(confirmed).length === 0
  const cells = [
    cell('IPv4 address', confirmed.v4 ?? 'none'),
    cell('IPv6 address', confirmed.v6 ?? 'none'),
    cell('Confirmed', isNone || since === null ? 'not yet' : timeElement(since, true)),
  ]
  const lines = details.map((text) => html`<br><span class="soft">${text}</span>`)
  return html`<tr><th scope="row">${hostname}${lines}</th>${cells}</tr>`
}

const TONES: Readonly<Record<string, Tone>> = { error: 'bad', warn: 'wait' }

function eventSection({ events, about }: PageView): Html {
  const items = events.map(({ at, level, text, times }) => {
    const repeated = times > 1 ? ` (${times} times)` : ''
    const what = html`<span class="${TONES[level] ?? ''}">${text}${repeated}</span>`
    return html`<li><span class="soft">${timeElement(at)}</span>${what}</li>`
  })
  return html`<section aria-labelledby="happened"><h2 id="happened">What happened</h2>
<p class="soft">The last events since Holdfast started ${timeElement(about.started, true)}, newest first.</p>
${items.length === 0 ? html`<p>Nothing yet.</p>` : html`<ol>${items}</ol>`}</section>`
}

/** The whole page, complete without its script. */
export function pageOf(view: PageView): string {
  const summary = summaryOf(view)
  const { version, node, stateDir, configFile } = view.about
  const settings = configFile === null ? '' : `, its settings are in ${configFile}`
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${titleOf(view)}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="page.css">
<script src="page.js" defer></script><noscript><meta http-equiv="refresh" content="60"></noscript></head>
<body><a class="skip" href="#main">To the accounts</a>
<header><h1>Holdfast</h1><p id="summary" role="status">${summary.html}</p>
<form method="post" action="look"><button id="look">Check now</button></form></header>
<main id="main" tabindex="-1">${mainOf(view)}</main>
<footer><p id="offline" class="bad" hidden>Holdfast does not answer;
this page shows what it said <span id="asof">last</span>.</p>
Holdfast ${version} on Node ${node}; its state is in ${stateDir}${settings}.
<a href="status.json">The same as JSON</a>, <a href="metrics">as metrics</a>.</footer></body></html>
`.text
}

export const titleOf = (view: PageView): string => `${summaryOf(view).text} - Holdfast`
