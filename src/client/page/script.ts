/** The only script of the page: shows changes as they happen, and times as the reader's language writes them. */
export const PAGE_SCRIPT = `'use strict'
const byId = (id) => document.getElementById(id)
const units = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const lasting = (count, unit) => new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(count)
function showTimes() {
  for (const one of document.querySelectorAll('time')) {
    const at = new Date(one.dateTime)
    const seconds = Math.round((at - Date.now()) / 1000)
    const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? units[3]
    const count = Math.trunc(seconds / size)
    one.textContent = 'since' in one.dataset ? 'for ' + lasting(Math.max(0, -count), unit) : relative.format(count, unit)
    one.title = at.toLocaleString()
  }
}
function element(text) {
  const template = document.createElement('template')
  template.innerHTML = text
  return template.content.firstElementChild
}
const isOpen = () => [...document.querySelectorAll('details[open]')].map(({ id }) => id)
function apply({ elements, lists }) {
  for (const [id, text] of elements) byId(id)?.replaceWith(element(text))
  for (const [id, members, added] of lists)
    byId(id)?.replaceChildren(...members.map((one) => byId(one) ?? element(added[one])))
}
function show({ title: next, icon, summary, main, changes }) {
  const focused = document.activeElement?.id
  const open = isOpen()
  if (changes) apply(changes)
  else byId('main').innerHTML = main
  for (const id of open) byId(id)?.setAttribute('open', '')
  if (byId('summary').textContent !== summary) byId('summary').textContent = summary
  byId('icon').href = icon
  byId('mark').src = icon
  document.title = title = next
  if (focused && document.activeElement?.id !== focused) (byId(focused) ?? byId('main')).focus({ preventScroll: true })
  showTimes()
  showTried()
}
/* The button of a resume that has not helped. */
let tried
function showTried() {
  const button = tried && byId(tried)
  if (!button) return
  button.nextElementSibling.textContent = 'Tried just now; nothing has changed.'
  if (document.activeElement === byId('main')) button.focus({ preventScroll: true })
}
let polling
let heard = Date.now()
let title = document.title
function setSilent(isSilent) {
  byId('offline').hidden = !isSilent
  document.body.classList.toggle('silent', isSilent)
  document.title = isSilent ? 'No answer - Holdfast' : title
  for (const button of document.querySelectorAll('button')) button.disabled = isSilent
}
function isHeard() {
  heard = Date.now()
  setSilent(false)
}
function isSilent() {
  byId('asof').textContent = new Date(heard).toLocaleTimeString()
  setSilent(true)
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
function follow() {
  const events = new EventSource('events')
  const stop = () => { clearInterval(polling); polling = undefined; isHeard() }
  events.addEventListener('tick', stop)
  events.addEventListener('view', ({ data }) => { stop(); show(JSON.parse(data)) })
  events.addEventListener('error', () => { isSilent(); if (events.readyState === EventSource.CLOSED) poll() })
}
let isBusy = false
document.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (isBusy) return
  isBusy = true
  const form = event.target
  const { id } = event.submitter
  const isLook = id === 'look'
  if (!isLook) byId(id).nextElementSibling.textContent = 'Trying …'
  const body = new URLSearchParams(new FormData(form))
  const late = new AbortController()
  // A resume is answered when its update is.
  setTimeout(() => late.abort(), isLook ? 5000 : 60000)
  const answer = await fetch(form.action, { method: 'POST', body, signal: late.signal }).catch(() => undefined)
  isBusy = false
  if (!answer?.ok) return isSilent()
  if (isLook) return
  // Its event is here by then.
  setTimeout(() => { tried = id; showTried() }, 500)
  setTimeout(() => { tried = undefined }, 10000)
})
// A stream that a proxy swallows is open, and says nothing.
setInterval(() => { if (Date.now() - heard > 55000) { isSilent(); poll() } }, 5000)
showTimes()
setInterval(showTimes, 2000)
follow()
`
