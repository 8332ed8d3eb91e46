import { createHash } from 'node:crypto'
import { Html, html } from '../../../shared/html/html.ts'
import { STYLE } from '../../../shared/html/style.ts'
import type { Schema } from '../openapi/schema.ts'
import { type DescribedApi, type PlacedOperation, placedOperations } from './described.ts'
import { operationSection } from './operation-view.ts'
import { schemaSection } from './schema-view.ts'

const DOCS_STYLE = `${STYLE}header,nav,main{max-width:var(--width);margin:0 auto;padding:var(--space-s) var(--space-m)}
h1{font-size:var(--text-xl)}h2{font-size:var(--text-l);margin:var(--space-l) 0 var(--space-s)}
h3 a{color:inherit;text-decoration:none}h4{font-size:var(--text-s);color:var(--soft);margin:var(--space-m) 0 0}
nav li{padding:.1rem 0}
section{background:var(--card);border:1px solid var(--line);border-radius:var(--radius);padding:var(--space-m);
margin:var(--space-m) 0;scroll-margin-top:var(--space-m)}
section:target{border-color:var(--link)}
code,pre{font-family:var(--mono);font-size:var(--text-s);overflow-wrap:anywhere}
pre{white-space:pre-wrap;margin:var(--space-xs) 0 0;padding:var(--space-s);border:1px solid var(--line);border-radius:.4rem}
details{margin:var(--space-s) 0}
@media (max-width:50rem){td:empty{display:none}}
`

/** Nothing but its own style: no script, no other host, in no frame (CSP Level 3). */
const DOCS_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(DOCS_STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The headers of the response with the page. */
export const DOCS_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': DOCS_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const

const SETTING = `URL is that of the service and KEY an API key, as in: URL=http://127.0.0.1:43075 KEY=Q2rhJFxChHsDbner8ACgb`

/** `zone_authorities` as a title. */
const titleOfTag = (tag: string): string => {
  const words = tag.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
const anchorOfTag = (tag: string): string => `tag-${tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`

type Group = readonly [tag: string, operations: readonly PlacedOperation[]]

function groupsIn(document: DescribedApi): readonly Group[] {
  const groups = new Map<string, PlacedOperation[]>()
  for (const operation of placedOperations(document)) {
    const [tag = 'other'] = operation.tags
    groups.set(tag, [...(groups.get(tag) ?? []), operation])
  }
  return [...groups]
}

function navigation(groups: readonly Group[]): Html {
  const lists = groups.map(
    ([tag, operations]) => html`<h2><a href="#${anchorOfTag(tag)}">${titleOfTag(tag)}</a></h2>
<ul>${operations.map(
      ({ operationId, summary, method }) =>
        html`<li><a href="#${operationId}">${summary}</a> <span class="soft">${method}</span></li>\n`,
    )}</ul>
`,
  )
  return html`<nav aria-label="Operations">${lists}<h2><a href="#schemas">Schemas</a></h2></nav>`
}

/** The OpenAPI document as a page in HTML, complete without scripts, images and other hosts. */
export function docsPage(given: Schema): string {
  const document = given as unknown as DescribedApi
  const { info, components } = document
  const groups = groupsIn(document)
  const operations = groups.map(
    ([tag, list]) => html`<h2 id="${anchorOfTag(tag)}">${titleOfTag(tag)}</h2>
${list.map((one) => operationSection(one, components.schemas))}`,
  )
  const schemas = Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema))
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${info.title} ${info.version}</title><style>${new Html(DOCS_STYLE)}</style></head>
<body><a class="skip" href="#main">To the operations</a>
<header><h1>${info.title} ${info.version}</h1>
${info.description.split('\n\n').map((text) => html`<p>${text}</p>\n`)}
<p>The same as an <a href="openapi.json">OpenAPI document</a>. In the examples, ${SETTING}</p></header>
${navigation(groups)}
<main id="main" tabindex="-1">${operations}<h2 id="schemas">Schemas</h2>
${schemas}</main></body></html>`.text
}
