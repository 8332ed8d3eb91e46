import { type Html, html } from '../../../shared/html/html.ts'
import { card, facts, foreign, moment, pathOf, state } from '../parts.ts'
import type { Words } from '../words/words.ts'
import { isRefusedReply, wholeName } from './shown.ts'
import type { Named } from '../../api/openapi/schemas.ts'

const nameLinks = ({ targets }: Named<'Key'>): Html => {
  const names = new Map(targets.map((one) => [wholeName(one), one]))
  return html`<ul>${[...names].map(
    ([name, one]) =>
      html`<li><a href="${pathOf`/console/names/${one.zone_name}/${one.name}`}"><bdi>${name}</bdi></a></li>`,
  )}</ul>`
}

/** What the key last did; of a new one, that its first update is awaited. */
/** What a reply that refuses means, and what a person does about it. */
const whyRefused = ({ key: t }: Words, reply: string): Html => {
  const [word = ''] = reply.split(' ')
  const why = Object.hasOwn(t.refusals, word) ? t.refusals[word as keyof typeof t.refusals] : ''
  return why === '' ? html`` : html`</p><p>${why}`
}

export function updateCard(words: Words, key: Named<'Key'>): Html {
  const t = words.key
  const { last_update: last, block } = key
  return card(
    t.now,
    html`${
      block === null
        ? ''
        : html`<div class="note bad"><p>${state('bad', '✗', words.keys.blocked)} ${t.blockedFor[block.reason]}${
            block.until === null ? '' : html` ${t.until} ${moment(block.until)}.`
          }</p></div>`
    }<p>${
      last === null
        ? state('wait', '…', t.waiting)
        : isRefusedReply(last.reply)
          ? html`${state('bad', '✗', t.refused)} ${moment(last.at)}${block === null ? whyRefused(words, last.reply) : ''}`
          : html`${state('ok', '✓', t.came)} ${moment(last.at)}`
    }</p>${facts([
      [t.username, html`<code>${key.username}</code>`],
      [words.keys.names, nameLinks(key)],
      ...(last === null
        ? []
        : ([
            [t.reply, html`<code>${foreign(last.reply)}</code>`],
            [t.requestFrom, last.address],
            [words.name.program, foreign(last.user_agent)],
          ] as const)),
      [t.created, moment(key.created_at)],
    ])}`,
  )
}
