import { type Html, html } from '../../shared/html/html.ts'
import { ICON } from './assets.ts'
import { action, TOKEN_PLACE } from './parts.ts'
import { LANGUAGES } from './words/languages.ts'
import type { Words } from './words/words.ts'

interface Document {
  readonly title: string
  readonly main: Html
  readonly isPending: boolean
  readonly words: Words
  /** Of the person who is signed in. */
  readonly account: string | undefined
  /** Whether there are places to go to. */
  readonly hasPlaces: boolean
  readonly isOperator: boolean
  /** An API key that is for some names sees neither keys nor the trail. */
  readonly isScoped: boolean
  /** It is the answer to a form, and cannot be opened again. */
  readonly isAnswer: boolean
  /** The keyboard begins at its content. */
  readonly isFocused: boolean
  /** Something was stored just now. */
  readonly isSaved: boolean
  /** Where a person goes on after another choice of the language. */
  readonly back: string
  /** The path of the page, without its query. */
  readonly path: string
  /** What stands in each form, so that no other site can send it. */
  readonly token: string
  readonly style: string
  readonly script: string
}

const PLACES = ['names', 'zones', 'keys', 'trail', 'account'] as const

const OF_WHOLE_ACCOUNT: readonly string[] = ['keys', 'trail']

const navigation = ({ words, path, isOperator, isScoped }: Document): Html =>
  html`<nav aria-label="${words.navigation}"><ul>${[
    ...PLACES.filter((one) => !isScoped || !OF_WHOLE_ACCOUNT.includes(one)),
    ...(isOperator ? (['operator'] as const) : []),
  ].map((place) => {
    const to = `/console/${place}`
    const isHere = path === to || path.startsWith(`${to}/`)
    return html`<li><a href="${to}"${isHere ? html` aria-current="page"` : ''}>${words.places[place]}</a></li>`
  })}</ul></nav>`

/** The other languages, each in its own words. */
const languageLinks = ({ words, back }: Document): Html =>
  html`${Object.entries(LANGUAGES).flatMap(([language, { name }]) => {
    const to = `/console/language/${language}?back=${encodeURIComponent(back)}`
    return language === words.language
      ? []
      : [html`<a lang="${language}" hreflang="${language}" href="${to}">${name}</a>`]
  })}`

const signOut = (words: Words): Html => action('/console/sign-out', words.signOut)

/** A whole page, complete without its script. */
export function documentOf(document: Document): string {
  const {
    title,
    main,
    words,
    account,
    hasPlaces,
    isPending,
    isAnswer,
    isFocused,
    isSaved,
    token,
    style,
    script,
  } = document
  const text = html`<!doctype html>
<html lang="${words.language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${title} - Holdfast</title><link rel="icon" href="${ICON.path}"><link rel="stylesheet" href="${style}">
<script src="${script}" defer></script></head>
<body${isPending ? html` data-pending` : ''} data-copy="${words.copy}" data-copied="${words.copied}">
<a class="skip" href="#main">${words.toContent}</a>
<header><p class="brand"><a href="/console/names"><img alt="" width="24" height="24" src="${ICON.path}"> Holdfast</a></p>${
    account === undefined
      ? ''
      : html`${hasPlaces ? navigation(document) : ''}
<div class="who"><span class="soft">${account}</span>${signOut(words)}</div>`
  }</header>
<main id="main" tabindex="-1"${isFocused ? html` autofocus` : ''}><h1>${title}</h1>${
    isSaved ? html`<p class="note ok" role="status"><span aria-hidden="true">✓</span> ${words.saved}</p>` : ''
  }${main}</main>
<footer>${isAnswer ? '' : languageLinks(document)}</footer></body></html>
`.text
  return text.replaceAll(TOKEN_PLACE, TOKEN_PLACE.replace('value=""', `value="${token}"`))
}
