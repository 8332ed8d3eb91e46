import { type Html, html, part } from '../../shared/html/html.ts'
import type { PastAddress } from '../report/address-history.ts'
import type { RecordedEvent } from '../report/event-ring.ts'
import type { Tone } from './appearance.ts'
import { cell, sinceElement, table, timeElement, withTimes } from './parts.ts'

const HISTORY_COLUMNS = ['Address', 'From', 'Until']

/** The addresses that services have confirmed, the newest first. */
export function historyCard(history: readonly PastAddress[]): Html {
  const rows = history.toReversed().map(({ address, from, until }, at) => {
    const id = `past-${history.length - at}`
    const cells = [
      cell('From', timeElement(from)),
      cell('Until', until === null ? 'a name has it now' : timeElement(until)),
    ]
    return part(id, html`<tr id="${id}"><th scope="row" class="fixed">${address}</th>${cells}</tr>`)
  })
  const [first] = history
  if (first === undefined) return part('history', html`<div id="history"></div>`)
  const count = html`<span class="soft" id="history-count">${
    history.length === 1 ? 'one' : history.length
  }, ${sinceElement(first.from)}</span>`
  return part(
    'history',
    html`<details class="card" id="history"><summary><h2>Addresses of your names</h2>
${part('history-count', count)}</summary>${table(HISTORY_COLUMNS, [
      part('past-rows', html`<tbody id="past-rows">${rows}</tbody>`),
    ])}</details>`,
  )
}

const TONES: Readonly<Record<string, Tone>> = { error: 'bad', warn: 'wait' }
const SHOWN_EVENTS = 8

/** What happened since the start, the newest first; older events on demand. */
export function eventSection(events: readonly RecordedEvent[], started: string): Html {
  const items = events.map(({ nth, at, level, text, times }) => {
    const id = `event-${nth}`
    const repeated = times > 1 ? ` (${times} times)` : ''
    const what = html`<span class="${TONES[level] ?? ''}">${withTimes(text)}${repeated}</span>`
    return part(id, html`<li id="${id}"><span class="soft">${timeElement(at)}</span>${what}</li>`)
  })
  const list = (id: string, some: readonly Html[]): Html => part(id, html`<ol id="${id}">${some}</ol>`)
  const older = items.slice(SHOWN_EVENTS)
  return html`<section aria-labelledby="happened"><h2 id="happened">What happened</h2>
<p class="soft">Since Holdfast started ${timeElement(started)}, newest first.</p>
${list('events', items.slice(0, SHOWN_EVENTS))}${part(
  'older',
  older.length === 0
    ? html`<div id="older"></div>`
    : html`<details id="older"><summary>Older events</summary>${list('older-events', older)}</details>`,
)}</section>`
}
