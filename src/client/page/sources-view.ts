import { FAMILY_NAMES } from '../../shared/base/address.ts'
import { type Html, html, part } from '../../shared/html/html.ts'
import type { SeenReport } from '../report/cause.ts'
import type { AccountReport } from '../report/report.ts'
import type { LastAnswer } from '../report/source-answers.ts'
import { cell, table, timeElement } from './parts.ts'

const SOURCE_COLUMNS = ['Source', 'Kind', 'Address', 'Verdict', 'Asked']

/** What each source said last, for those who ask. What only one outside source says is not believed. */
export function sourcesCard(accounts: readonly AccountReport[], answers: readonly LastAnswer[]): Html {
  const seen = accounts.flatMap(({ hostnames }) => hostnames.flatMap((host) => host.seen))
  const rows = answers.map((answer, at) => {
    const { source, family, address, at: asked } = answer
    const id = `source-${at}`
    return part(
      id,
      html`<tr id="${id}"><th scope="row">${source}</th>${[
        cell('Kind', FAMILY_NAMES[family]),
        cell('Address', address ?? 'none'),
        cell('Verdict', verdictOn(answer, seen)),
        cell('Asked', timeElement(asked)),
      ]}</tr>`,
    )
  })
  const needed = answers.filter(({ isUnneeded }) => !isUnneeded)
  // One source may report both families.
  const count = (some: readonly LastAnswer[]): number => new Set(some.map(({ source }) => source)).size
  const agree = count(needed.filter((answer) => verdictOn(answer, seen) === 'agrees'))
  const given = [...new Set(seen.flatMap(({ address, by }) => (by === 'given' ? (address ?? []) : [])))]
  const hasLooked = accounts.some(({ lastLook }) => lastLook !== null)
  const nothing = hasLooked
    ? 'No source is needed: the settings or the service determine the address.'
    : 'Not looked up yet.'
  const causes = [...new Set(seen.flatMap(({ because }) => because ?? []))]
  const remarks = [...given.map((address) => `${address}, as the settings say`), ...causes]
  return html`<details class="card" id="sources"><summary><h2>How the address is found</h2>
${part('sources-count', html`<span class="soft" id="sources-count">${countText(agree, count(needed))}</span>`)}</summary>
<p class="soft">IPv4 and IPv6 are the two kinds of addresses on the internet. A name leads to this network only with its
present address. A new address counts when enough sources agree on it.</p>
${part(
  'sources-remarks',
  html`<div id="sources-remarks">${remarks.map((text) => html`<p>${text}</p>`)}${
    rows.length === 0 && given.length === 0 ? html`<p>${nothing}</p>` : ''
  }</div>`,
)}${
  rows.length === 0
    ? part('sources-rows', html`<div id="sources-rows"></div>`)
    : table(SOURCE_COLUMNS, [part('sources-rows', html`<tbody id="sources-rows">${rows}</tbody>`)])
}</details>`
}

function countText(agree: number, all: number): string {
  if (all === 0) return ''
  if (all === 1) return agree === 1 ? 'by one source' : 'one source'
  return agree === all
    ? `${all} sources agree`
    : `${agree} of ${all} sources ${agree === 1 ? 'agrees' : 'agree'}`
}

function verdictOn(
  { source, family, result, address, because, isUnneeded }: LastAnswer,
  seen: readonly SeenReport[],
): string {
  if (result === 'unknown') return `${isUnneeded ? '' : 'no answer: '}${because}`
  if (result === 'none') return 'sees none'
  const ofFamily = seen.filter((one) => one.family === family)
  if (ofFamily.some(({ by }) => by?.includes(source) === true)) return 'agrees'
  // It was not needed, and says the same.
  if (ofFamily.some((one) => one.address !== null && one.address === address)) return 'agrees'
  return ofFamily.some((one) => one.address !== null && one.address !== address)
    ? 'differs; ignored'
    : 'no other source agrees; ignored'
}
