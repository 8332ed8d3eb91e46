import { type Html, html } from '../../../shared/html/html.ts'
import {
  type DescribedContent,
  type DescribedParameter,
  type DescribedResponse,
  type PlacedOperation,
  parameterSchema,
  type Schemas,
} from './described.ts'
import { curlLines } from './example.ts'
import { docsTable, joinedHtml, typeHtml } from './schema-view.ts'

const isFailure = (status: string): boolean => Number(status) >= 400

/** The codes of a status: its description lists them, separated by semicolons, which a title may have too. */
export const refusalsIn = (description: string): readonly (readonly [code: string, title: string])[] =>
  description.split(/; (?=\d+ )/).map((one) => {
    const [code = '', ...title] = one.split(' ')
    return [code, title.join(' ')]
  })

const contentHtml = (content: DescribedContent): readonly (Html | string)[] =>
  joinedHtml(
    Object.entries(content).map(([type, { schema }]) => html`<code>${type}</code>: ${dataHtml(schema)}`),
    ' or ',
  )

/** A response of one object or a list is described by its data, all others by themselves. */
function dataHtml(schema: DescribedContent[string]['schema']): Html {
  const { data, page } = (schema['properties'] ?? {}) as Schemas
  if (data === undefined) return typeHtml(schema)
  return html`<code>data</code> is ${typeHtml(data)}${page === undefined ? '' : html`, with ${typeHtml(page)}`}`
}

const parameterTable = (parameters: readonly DescribedParameter[]): Html =>
  docsTable(
    ['Parameter', 'In', 'Type', 'Meaning'],
    parameters.map((one) => [
      html`<code>${one.name}</code>${one.required ? '' : ' (optional)'}`,
      one.in,
      typeHtml(parameterSchema(one)),
      one.description ?? '',
    ]),
  )

const answerTable = (responses: readonly (readonly [string, DescribedResponse])[]): Html =>
  docsTable(
    ['Status', 'Meaning', 'Body', 'Headers'],
    responses.map(([status, { description, content = {}, headers = {} }]) => [
      status,
      description,
      html`${contentHtml(content)}`,
      Object.keys(headers).join(', '),
    ]),
  )

function refusalDetails(responses: readonly (readonly [string, DescribedResponse])[]): Html {
  const rows = responses.map(([status, { description, headers = {} }]) => [
    status,
    html`<ul>${refusalsIn(description).map(([code, title]) => html`<li><code>${code}</code> ${title}</li>\n`)}</ul>`,
    Object.keys(headers).join(', '),
  ])
  return rows.length === 0
    ? html``
    : html`<details><summary>Refusals</summary>
${docsTable(['Status', 'Codes and titles', 'Headers'], rows)}</details>`
}

/** An operation, with its name as an anchor. */
export function operationSection(operation: PlacedOperation, schemas: Schemas): Html {
  const { operationId, summary, method, path, parameters = [], requestBody, responses } = operation
  const all = Object.entries(responses)
  const body =
    requestBody === undefined
      ? ''
      : html`<h4>Body${requestBody.required ? '' : ' (optional)'}</h4>\n<p>${contentHtml(requestBody.content)}</p>\n`
  return html`<section id="${operationId}"><h3><a href="#${operationId}">${summary}</a></h3>
<p class="path"><b>${method}</b> <code>${path}</code> <span class="soft">${operationId}</span></p>
${parameters.length === 0 ? '' : html`<h4>Parameters</h4>\n${parameterTable(parameters)}`}${body}<h4>Answers</h4>
${answerTable(all.filter(([status]) => !isFailure(status)))}${refusalDetails(all.filter(([status]) => isFailure(status)))}
<h4>Example</h4>
<pre>${curlLines(operation, schemas).map((line) => html`${line}\n`)}</pre>
</section>
`
}
