import { type Html, html } from '../../../shared/html/html.ts'
import { type ApiAnswer, isRefused } from '../context.ts'
import { card, dataTable, errorsOf, errorSummary, facts, foreign, moment, pathOf, state } from '../parts.ts'
import type { Words } from '../words/words.ts'
import type { Named } from '../../api/openapi/schemas.ts'

/** How the owner proves an unproved zone. */
export const proofCard = (
  { zoneProof: t, delegation }: Words,
  { name, proof, nameservers }: Named<'Zone'>,
): Html =>
  proof === null
    ? html``
    : card(
        t.title,
        html`<p>${t.delegate} <bdi>${nameservers.join(', ')}</bdi></p><p>${t.record}</p>${facts([
          [t.name, html`<code>${proof.name}</code>`],
          [t.value, html`<code>${proof.value}</code>`],
        ])}<p>${t.look} <a href="${pathOf`/console/zones/${name}`}?check=yes#delegation">${delegation.check}</a></p>`,
      )

/** What the parent zone and each name server answer. */
export function delegationCard(words: Words, found: ApiAnswer<Named<'Delegation'>>): Html {
  const t = words.delegation
  if (isRefused(found)) return card(t.title, errorSummary(errorsOf(found, words), words))
  const { parent, nameservers, advice, checked_at: at } = found.data
  const rows = nameservers.map((one) => [
    foreign(one.server),
    one.authoritative
      ? state('ok', '✓', t.authoritative)
      : one.answers
        ? state('bad', '✗', t.notAuthoritative)
        : state('bad', '✗', t.silent),
    one.serial === null ? t.unknown : String(one.serial),
    one.dnskeys === null ? t.unknown : String(one.dnskeys),
  ])
  const columns = [
    { label: t.server },
    { label: words.names.state, isFixed: true },
    { label: words.zone.serial, isFixed: true },
    { label: t.dnskeys, isFixed: true },
  ]
  return card(
    t.title,
    html`${
      advice.length === 0
        ? html`<p>${state('ok', '✓', t.fine)}</p>`
        : html`<ul class="bad">${advice.map((one) => html`<li><span aria-hidden="true">✗</span> ${one}</li>`)}</ul>`
    }${facts([
      [t.parent, parent.zone_name ?? t.unknown],
      [t.parentServers, html`<bdi>${parent.nameservers?.join(', ') ?? t.unknown}</bdi>`],
      [t.ds, html`<bdi>${parent.ds === null ? t.unknown : parent.ds.join(', ') || t.none}</bdi>`],
      [t.at, moment(at)],
    ])}${dataTable(t.title, columns, rows)}`,
    'delegation',
  )
}
