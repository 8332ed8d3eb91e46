/** The only script of the page: shows changes as they happen, and times as the reader's language writes them. */
export const PAGE_SCRIPT = `'use strict'
const byId = (id) => document.getElementById(id)
const units = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]]
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
function showTimes() {
  for (const one of document.querySelectorAll('time')) {
    const at = new Date(one.dateTime)
    const seconds = Math.round((at - Date.now()) / 1000)
    const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? units[3]
    one.textContent = 'ago' in one.dataset ? relative.format(Math.trunc(seconds / size), unit) : at.toLocaleString()
    one.title = at.toLocaleString()
  }
}
function show(view) {
  const focused = document.activeElement?.id
  const open = [...document.querySelectorAll('details[open]')].map(({ id }) => id)
  byId('main').innerHTML = view.main
  for (const id of open) byId(id)?.setAttribute('open', '')
  if (byId('summary').innerHTML !== view.summary) byId('summary').innerHTML = view.summary
  document.title = view.title
  if (focused && document.activeElement?.id !== focused) byId(focused)?.focus()
  showTimes()
}
let polling
let heard = Date.now()
function isHeard() {
  heard = Date.now()
  byId('offline').hidden = true
}
async function refresh() {
  const answer = await fetch('view.json').catch(() => undefined)
  if (answer?.ok) { isHeard(); show(await answer.json()) }
}
function poll() {
  if (polling) return
  polling = setInterval(refresh, 30000)
  refresh()
}
function isSilent() {
  byId('asof').textContent = 'at ' + new Date(heard).toLocaleTimeString()
  byId('offline').hidden = false
}
function follow() {
  const events = new EventSource('events')
  const stop = () => { clearInterval(polling); polling = undefined; isHeard() }
  events.addEventListener('tick', stop)
  events.addEventListener('view', ({ data }) => { stop(); show(JSON.parse(data)) })
  events.addEventListener('error', () => { isSilent(); if (events.readyState === EventSource.CLOSED) poll() })
}
// A stream that a proxy swallows is open, and says nothing.
setInterval(() => { if (Date.now() - heard > 55000) { isSilent(); poll() } }, 5000)
showTimes()
setInterval(showTimes, 10000)
follow()
`
