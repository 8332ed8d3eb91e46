import { FAMILIES, listed } from '../../shared/base/address.ts'
import { type Html, html, part } from '../../shared/html/html.ts'
import { humanLabel } from '../report/account-name.ts'
import { isElsewhere } from '../report/elsewhere.ts'
import type { AccountReport } from '../report/report.ts'
import type { Trouble } from '../report/troubles.ts'
import { appearanceOf, TONE_ORDER, type Tone, UNDER_WAY } from './appearance.ts'
import { sinceElement, timeElement } from './parts.ts'

/** A check that a person asked for: when, and what was seen before. */
export interface AskedCheck {
  /** RFC 3339. */
  readonly at: string
  readonly addresses: readonly string[]
}

/** The addresses that the sources see now, of all hostnames. */
export const seenAddresses = (accounts: readonly AccountReport[]): readonly string[] => [
  ...new Set(
    FAMILIES.flatMap((family) =>
      accounts.flatMap(({ hostnames }) =>
        hostnames.flatMap(({ seen }) =>
          seen.flatMap((one) => (one.family === family ? (one.address ?? []) : [])),
        ),
      ),
    ),
  ),
]

/** Hostnames of different interfaces have addresses of their own. */
const MAX_ADDRESSES = 4

/** What a person wants to know first: the address, and whether the names lead to it. */
export function nowSection(accounts: readonly AccountReport[], check: AskedCheck | undefined): Html {
  const addresses = seenAddresses(accounts)
  const shown = addresses.slice(0, MAX_ADDRESSES).map((one) => html`<p class="address">${one}</p>`)
  const { tone, text } = leadsOf(accounts)
  return part(
    'now',
    html`<section id="now" aria-label="The address of this network">${
      shown.length > 0 ? shown : html`<p class="address soft">no address</p>`
    }<p id="leads" class="${tone}">${text}</p><p class="soft">${checkLine(accounts, check)}</p></section>`,
  )
}

function leadsOf(accounts: readonly AccountReport[]): { readonly tone: Tone; readonly text: Html } {
  const all = accounts.flatMap((account) => account.hostnames.map((host) => ({ account, host })))
  const online = all.filter(({ host }) => !host.isOffline)
  const known = online.filter(({ host }) => listed(host.confirmed).length > 0)
  const elsewhere = online.filter(({ host }) => isElsewhere(host))
  const names = all.length === 1 ? 'Your name leads' : 'Your names lead'
  if (online.length === 0)
    return { tone: 'wait', text: html`${all.length === 1 ? 'Your name is' : 'Your names are'} offline` }
  if (known.length === 0) return { tone: 'wait', text: html`No name leads here yet` }
  if (elsewhere.length > 0 && elsewhere.every(({ account }) => appearanceOf(account) === UNDER_WAY))
    return {
      tone: 'wait',
      text: html`The new address is on its way to ${all.length === 1 ? 'your name' : 'your names'}`,
    }
  if (elsewhere.length > 0) {
    const which =
      elsewhere.length === all.length
        ? `${names} elsewhere`
        : `${elsewhere.length} of ${all.length} names ${elsewhere.length === 1 ? 'leads' : 'lead'} elsewhere`
    const [since] = elsewhere.flatMap(({ account }) => account.since ?? []).toSorted()
    const isBad = elsewhere.some(({ account }) => appearanceOf(account).tone === 'bad')
    return {
      tone: isBad ? 'bad' : 'wait',
      text: html`${which}${since === undefined ? '' : html`, ${sinceElement(since)}`}`,
    }
  }
  if (seenAddresses(accounts).length === 0 && accounts.some(({ outcome }) => outcome === 'addressUnknown'))
    return { tone: 'bad', text: html`The address of this network is not known` }
  const missing = online.length - known.length
  return missing > 0
    ? {
        tone: 'wait',
        text: html`${missing} of ${all.length} names ${missing === 1 ? 'does' : 'do'} not lead here yet`,
      }
    : { tone: 'ok', text: html`${names} here` }
}

/** A check that a person asked for is not over. */
export const isChecking = (accounts: readonly AccountReport[], check: AskedCheck | undefined): boolean =>
  check !== undefined && accounts.some(({ lastLook }) => (lastLook ?? '') < check.at)

/** What the last check found, and that one is under way. */
function checkLine(accounts: readonly AccountReport[], check: AskedCheck | undefined): Html {
  const looks = accounts.flatMap(({ lastLook }) => lastLook ?? []).toSorted()
  const [last, next] = [looks.at(-1), accounts.flatMap(({ nextLook }) => nextLook ?? []).toSorted()[0]]
  if (isChecking(accounts, check)) return html`Checking the address: all sources have ten seconds to answer …`
  if (last === undefined) return html`Not checked yet`
  const rest = next === undefined ? '' : html`; next check ${timeElement(next)}`
  if (check === undefined) return html`Checked ${timeElement(last)}${rest}`
  const isSame = seenAddresses(accounts).join() === check.addresses.join()
  return html`Checked ${timeElement(last)}: ${isSame ? 'nothing has changed' : 'the address has changed'}${rest}`
}

/** Everything that is not in order in a line each, with links; nothing where the one account says it below. */
export function attentionSection(accounts: readonly AccountReport[], troubles: readonly Trouble[]): Html {
  const lines = accounts
    .map((account, at) => ({ account, at, appearance: appearanceOf(account) }))
    .filter(({ appearance }) => appearance.tone !== 'ok' && appearance !== UNDER_WAY)
    .toSorted(
      (one, other) => TONE_ORDER.indexOf(one.appearance.tone) - TONE_ORDER.indexOf(other.appearance.tone),
    )
  if (troubles.length === 0 && accounts.length < 2) return part('attention', html`<div id="attention"></div>`)
  const items = lines.map(
    ({ account, at, appearance: { tone, mark, title } }) =>
      html`<li><a href="#account-${at}">${humanLabel(account, accounts)}</a>
<span class="${tone}"><span aria-hidden="true">${mark}</span> ${title}</span>${
        account.since === null ? '' : html` ${sinceElement(account.since)}`
      }</li>`,
  )
  const more = troubles.map(
    ({ text, remedy, since }) =>
      html`<li><span class="wait"><strong><span aria-hidden="true">!</span> ${text}</strong></span>,
${sinceElement(since)}<br><strong>What to do:</strong> ${remedy}</li>`,
  )
  const isBad = lines.filter(({ appearance: { tone } }) => tone === 'bad').length
  const all = [...items.slice(0, isBad), ...more, ...items.slice(isBad)]
  return part(
    'attention',
    all.length === 0
      ? html`<div id="attention"></div>`
      : html`<section id="attention" class="attention" aria-labelledby="needed">
<h2 id="needed">Not in order</h2><ul>${all}</ul></section>`,
  )
}
