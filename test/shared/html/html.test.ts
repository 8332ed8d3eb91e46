import { describe, expect, it } from 'vitest'
import { changesBetween, html, type Html, part } from '../../../src/shared/html/html.ts'

const row = (id: string, text: string): Html => part(id, html`<li id="${id}">${text}</li>`)
const list = (...rows: readonly Html[]): Html => part('list', html`<ol id="list">${rows}</ol>`)
const page = (heading: string, ...rows: readonly Html[]): Html =>
  html`<h1>Rows</h1>${part('head', html`<p id="head">${heading}</p>`)}${list(...rows)}`

describe('the changes between two pages', () => {
  const [one, two, three] = [row('a', '1'), row('b', '2'), row('c', '3')]
  // biome-ignore format: a table
  it.each([
    ['nothing',                  page('h', one, two),  page('h', one, two),             [], []],
    ['an element',               page('h', one, two),  page('i', one, two),             [['head', '<p id="head">i</p>']], []],
    ['an element in another',    page('h', one, two),  page('h', one, row('b', '<')),   [['b', '<li id="b">&lt;</li>']], []],
    ['a new member at the top',  page('h', one, two),  page('h', three, one, two),      [], [['list', ['c', 'a', 'b'], { c: '<li id="c">3</li>' }]]],
    ['one that went',            page('h', one, two),  page('h', two),                  [], [['list', ['b'], {}]]],
    ['another order, and a text', page('h', one, two), page('h', two, row('a', '9')),   [['a', '<li id="a">9</li>']], [['list', ['b', 'a'], {}]]],
    ['all members',              page('h', one),       page('h'),                       [['list', '<ol id="list"></ol>']], []],
  ] as const)('are %s', (_, before, after, elements, lists) =>
    expect(changesBetween(before, after)).toEqual({ elements, lists }))

  it('are everything where the page itself is another one', () =>
    expect(changesBetween(page('h', one), html`<h2>Other</h2>`)).toBeUndefined())
})
