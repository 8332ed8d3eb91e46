import { type Html, html } from '../../../shared/html/html.ts'
import type { ApiAnswer } from '../ask.ts'
import type { ConsoleContext, ShownPage } from '../context.ts'
import { errorsOf, errorSummary } from '../parts.ts'
import type { Words } from '../words/words.ts'

/** The place of a page of a list, as its links have it. */
export const pageQuery = (query: URLSearchParams): Readonly<Record<string, string>> => {
  const after = query.get('after')
  return after === null ? {} : { after }
}

/** The links to the first and to the next page. */
export function pager(
  words: Words,
  { here, query }: Pick<ConsoleContext, 'here' | 'query'>,
  { page }: Pick<ApiAnswer<unknown>, 'page'>,
): Html {
  const to = (after: string | null): string => {
    const url = new URL(here, 'http://localhost')
    if (after === null) url.searchParams.delete('after')
    else url.searchParams.set('after', after)
    return `${url.pathname}${url.search}`
  }
  const first = query.has('after') ? html`<a href="${to(null)}">${words.firstPage}</a>` : ''
  const next = page.next === null ? '' : html`<a rel="next" href="${to(page.next)}">${words.nextPage}</a>`
  return first === '' && next === ''
    ? html``
    : html`<nav class="pages" aria-label="${words.pages}">${first}${next}</nav>`
}

/** A list that is cut must not look whole. */
export const cutNote = (words: Words, { data, page }: ApiAnswer<readonly unknown[]>): Html =>
  data.length < page.total ? html`<p class="soft">${words.firstOf(data.length, page.total)}</p>` : html``

/** In the place of a page that the API refuses. */
export const failedPage = (words: Words, answer: ApiAnswer<unknown>): ShownPage => ({
  title: words.notShown,
  status: answer.status,
  main: html`${errorSummary(errorsOf(answer, words), words)}<p><a href="/console/names">${words.toNames}</a></p>`,
})
