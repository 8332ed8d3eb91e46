import { changesBetween, type Html, html } from '../../shared/html/html.ts'
import type { PastAddress } from '../report/address-history.ts'
import type { RecordedEvent } from '../report/event-ring.ts'
import { OUTCOMES } from '../report/cause.ts'
import type { AccountReport } from '../report/report.ts'
import type { LastAnswer } from '../report/source-answers.ts'
import type { Trouble } from '../report/troubles.ts'
import { accountList } from './accounts-view.ts'
import { appearanceOf, APPEARANCES, TONE_ORDER, type Tone } from './appearance.ts'
import { type AskedCheck, attentionSection, isChecking, nowSection } from './now-view.ts'
import { eventSection, historyCard } from './past-view.ts'
import { sourcesCard } from './sources-view.ts'

/** Everything that the page shows. */
export interface PageView {
  readonly accounts: readonly AccountReport[]
  readonly troubles: readonly Trouble[]
  readonly events: readonly RecordedEvent[]
  readonly answers: readonly LastAnswer[]
  readonly history: readonly PastAddress[]
  /** The last check that a person asked for. */
  readonly check?: AskedCheck
  readonly about: {
    readonly version: string
    readonly node: string
    /** RFC 3339. */
    readonly started: string
    readonly stateDir: string
    readonly configFile: string | null
  }
}

interface Summary {
  readonly text: string
  readonly tone: Tone
}

/** One line over all accounts: the appearance that needs the reader most. */
export function summaryOf({ accounts, troubles }: PageView): Summary {
  const hostnames = accounts.reduce((count, one) => count + one.hostnames.length, 0)
  const all = accounts.map(appearanceOf)
  const rank = ({ outcome }: AccountReport): number => OUTCOMES.indexOf(outcome)
  const [worst = APPEARANCES.settled] = accounts
    .toSorted((one, other) => rank(one) - rank(other))
    .map(appearanceOf)
    .toSorted((one, other) => TONE_ORDER.indexOf(one.tone) - TONE_ORDER.indexOf(other.tone))
  const { tone, title } = worst
  const affected = all.filter((one) => one.title === title).length
  const others = all.filter((one) => one.title !== title && one.tone !== 'ok').length
  const rest = others === 0 ? '' : `, ${others} more ${others === 1 ? 'needs' : 'need'} a look`
  const where =
    accounts.length > 1 && tone !== 'ok' ? ` (${affected} of ${accounts.length} accounts${rest})` : ''
  if (tone === 'ok' && troubles.length > 0) {
    const what = troubles.length === 1 ? 'something needs' : `${troubles.length} things need`
    const text = `The names are in order, but ${what} you`
    return { text, tone: 'wait' }
  }
  const text =
    tone === 'ok' ? `All in order: ${hostnames === 1 ? '1 name' : `${hostnames} names`}` : `${title}${where}`
  return { text, tone }
}

/** The changing part of the page. */
export const mainOf = ({ accounts, troubles, answers, events, history, check, about }: PageView): Html =>
  html`${nowSection(accounts, check)}${attentionSection(accounts, troubles)}${accountList(accounts)}${sourcesCard(
    accounts,
    answers,
  )}${historyCard(history)}${eventSection(events, about.started)}`

/** A disc with a sign that tells the state without its colour. */
const SIGNS: Readonly<Record<Tone, readonly [colour: string, path: string]>> = {
  ok: ['#1a7f37', 'M9 16.5l5 5 9-10'],
  wait: ['#9a6700', 'M16 8v10M16 23v1'],
  bad: ['#cf222e', 'M10 10l12 12M22 10L10 22'],
}
const iconSvg = (tone: Tone): string => {
  const [colour, path] = SIGNS[tone]
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="${colour}"/>` +
    `<path d="${path}" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/></svg>`
  )
}
const iconUrl = (tone: Tone): string => `data:image/svg+xml,${encodeURIComponent(iconSvg(tone))}`

/** The whole page, complete without its script. */
export function pageOf(view: PageView): string {
  const { title, icon, main } = documentOf(view)
  const { version, node, stateDir, configFile } = view.about
  const settings = configFile === null ? '' : `, its settings are in ${configFile}`
  const refresh = isChecking(view.accounts, view.check) ? 3 : 60
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${title}</title><link rel="icon" id="icon" href="${icon}"><link rel="stylesheet" href="page.css">
<script src="page.js" defer></script><noscript><meta http-equiv="refresh" content="${refresh}"></noscript></head>
<body><a class="skip" href="#main">To the content</a>
<header><h1><img id="mark" alt="" width="24" height="24" src="${icon}"> Holdfast</h1>
<p id="summary" role="status">${summaryOf(view).text}</p>
<form method="post" action="look"><button id="look">Check now</button></form>
<p id="offline" class="bad" role="alert" hidden>No answer from Holdfast since <span id="asof">now</span>.
The page shows the state at that time.</p></header>
<main id="main" tabindex="-1">${main}</main>
<footer>Holdfast ${version} on Node ${node}; its state is in ${stateDir}${settings}.
<a href="status.json">The same as JSON</a>, <a href="metrics">as metrics</a>.</footer></body></html>
`.text
}

const titleOf = (view: PageView): string => `${summaryOf(view).text} - Holdfast`

interface PageDocument {
  readonly title: string
  readonly icon: string
  readonly summary: string
  readonly main: Html
}

const documentOf = (view: PageView): PageDocument => ({
  title: titleOf(view),
  icon: iconUrl(summaryOf(view).tone),
  summary: summaryOf(view).text,
  main: mainOf(view),
})

/** What the script of the page gets: everything, or what has changed since the view before; undefined where nothing has. */
export function updateOf(view: PageView, before?: PageView): object | undefined {
  const { main, ...rest } = documentOf(view)
  const earlier = before === undefined ? undefined : documentOf(before)
  const changes = earlier === undefined ? undefined : changesBetween(earlier.main, main)
  if (changes === undefined || earlier === undefined) return { ...rest, main: main.text }
  const isSame = earlier.main.text === main.text && earlier.title === rest.title && earlier.icon === rest.icon
  return isSame ? undefined : { ...rest, changes }
}
