import { FAMILY_NAMES } from '../../net/address.ts'
import type { AccountReport } from '../report/report.ts'
import type { LastAnswer } from '../report/source-answers.ts'
import { type Html, html } from './html.ts'
import { cell, table, timeElement } from './parts.ts'

/** What each source said last. What only one outside source says is not believed. */
export function lookSection({
  accounts,
  answers,
}: {
  readonly accounts: readonly AccountReport[]
  readonly answers: readonly LastAnswer[]
}): Html {
  const seen = accounts.flatMap(({ hostnames }) => hostnames.flatMap((host) => host.seen))
  const rows = answers.map(({ source, family, result, address, because, isUnneeded, at }) => {
    const isBelieved = seen.some((one) => one.family === family && one.by?.includes(source) === true)
    const verdict =
      result === 'unknown'
        ? `${isUnneeded ? '' : 'no answer: '}${because}`
        : result === 'none'
          ? 'sees none'
          : isBelieved
            ? 'agrees'
            : seen.some((one) => one.family === family && one.address !== null && one.address !== address)
              ? 'differs; not believed'
              : 'stands alone; not believed'
    const cells = [
      cell('Kind', FAMILY_NAMES[family]),
      cell('Address', address ?? 'none'),
      cell('Verdict', verdict),
      cell('Asked', timeElement(at, true)),
    ]
    return html`<tr><th scope="row">${source}</th>${cells}</tr>`
  })
  const causes = accounts.flatMap(({ hostnames }) =>
    hostnames.flatMap(({ seen }) => seen.flatMap(({ because }) => because ?? [])),
  )
  const given = [...new Set(seen.flatMap(({ address, by }) => (by === 'given' ? (address ?? []) : [])))]
  const hasLooked = accounts.some(({ lastLook }) => lastLook !== null)
  const nothing = hasLooked
    ? 'No source is asked: the settings or the service decide on the address.'
    : 'Not looked up yet.'
  const remarks = [...given.map((address) => `${address}, as the settings say`), ...new Set(causes)]
  return html`<section aria-labelledby="seen"><h2 id="seen">The address of this network now</h2>
<p class="soft">IPv4 and IPv6 are the two kinds of addresses on the internet. A name leads to this network only with its
present address. A new address counts when enough sources agree on it.</p>
${remarks.map((text) => html`<p>${text}</p>`)}
${rows.length > 0 ? table(SOURCE_COLUMNS, rows) : given.length === 0 ? html`<p>${nothing}</p>` : ''}</section>`
}

const SOURCE_COLUMNS = ['Source', 'Kind', 'Address', 'Verdict', 'Asked']
