/**
 * The only script of the console: times in the reader's zone, copies, and what changes by itself. Every page works without
 * it.
 */
export const CONSOLE_SCRIPT = `'use strict'
const main = document.getElementById('main')
const pending = () => document.body.hasAttribute('data-pending')
const language = document.documentElement.lang
const near = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
const far = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
const units = [['hour', 3600], ['minute', 60], ['second', 1]]
function showTimes() {
  for (const one of document.querySelectorAll('time')) {
    const at = new Date(one.dateTime)
    const seconds = Math.round((at - Date.now()) / 1000)
    const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? units[2]
    one.textContent = Math.abs(seconds) < 86400 ? near.format(Math.trunc(seconds / size), unit) : far.format(at)
    one.title = far.format(at)
  }
}
function addCopies(within) {
  for (const one of within.querySelectorAll('.copy')) {
    if (!navigator.clipboard || one.dataset.ready) continue
    one.dataset.ready = 'yes'
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'quiet'
    button.textContent = document.body.dataset.copy
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(one.textContent)
      button.textContent = document.body.dataset.copied
    })
    /* Next to a block that scrolls, and not in it. */
    const block = one.closest('pre')
    if (block) block.before(button)
    else one.after(' ', button)
  }
}
/* The parts of the page that change by themselves are read again: soon while something is expected, else seldom. */
let tag
let touched = Date.now()
const known = new Map()
const parts = () => ['live', 'rows'].flatMap((id) => document.getElementById(id) ?? [])
async function refresh() {
  if (document.hidden || parts().some((one) => one.contains(document.activeElement))) return
  const headers = tag ? { 'If-None-Match': tag } : {}
  const answer = await fetch(parts()[0].dataset.from ?? location.href, { headers }).catch(() => undefined)
  if (!answer || answer.status !== 200 || answer.redirected) return
  tag = answer.headers.get('ETag')
  const page = new DOMParser().parseFromString(policy.createHTML(await answer.text()), 'text/html')
  for (const part of parts()) {
    const next = page.getElementById(part.id)
    const before = known.get(part.id)
    known.set(part.id, next?.innerHTML)
    if (next && next.innerHTML !== before) part.replaceChildren(...next.childNodes)
  }
  document.body.toggleAttribute('data-pending', page.body.hasAttribute('data-pending'))
  showTimes()
}
const policy = window.trustedTypes?.createPolicy('page', { createHTML: (text) => text }) ?? { createHTML: (text) => text }
for (const event of ['pointerdown', 'keydown']) addEventListener(event, () => { touched = Date.now() })
/* A page that is left open does not keep its session alive. */
const isUsed = () => Date.now() - touched < 15 * 60000
function next() {
  setTimeout(async () => {
    if (isUsed()) await refresh()
    next()
  }, pending() ? 2000 : 30000)
}
/* The code of a link is after "#", which is sent to no one; it leaves the address bar. */
const code = document.getElementById('code')
if (code && location.hash.length > 1) {
  code.value = location.hash.slice(1)
  code.closest('.field').hidden = true
  history.replaceState(null, '', location.pathname)
}
/* A file is read into its field, where it can be seen before it is sent. */
for (const one of document.querySelectorAll('[data-file]')) {
  one.hidden = false
  one.querySelector('input').addEventListener('change', async ({ target }) => {
    const [file] = target.files
    if (file) document.getElementById(one.dataset.file).value = await file.text()
  })
}
/* The form of a passkey is sent with what the browser made of it. */
const keys = window.PublicKeyCredential
const made = {
  create: async (options) => navigator.credentials.create({ publicKey: keys.parseCreationOptionsFromJSON(options) }),
  get: async (options) => navigator.credentials.get({ publicKey: keys.parseRequestOptionsFromJSON(options) }),
}
for (const form of document.querySelectorAll('[data-passkey]')) {
  if (!keys || !keys.parseCreationOptionsFromJSON) continue
  form.hidden = false
  const field = form.querySelector('[data-credential]')
  form.addEventListener('submit', async (event) => {
    if (field.value) return
    event.preventDefault()
    const { passkey, options } = form.dataset
    const credential = await made[passkey](JSON.parse(options)).catch(() => undefined)
    form.querySelector('[role=alert]').hidden = Boolean(credential)
    if (!credential) return
    field.value = JSON.stringify(credential)
    form.submit()
  })
}
showTimes()
addCopies(document)
setInterval(showTimes, 30000)
document.getElementById('errors')?.focus()
if (parts().length > 0) next()
`
