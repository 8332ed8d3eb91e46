import { type Html, html } from '../../../shared/html/html.ts'
import type { Schema } from '../openapi/schema.ts'
import { referredSchema, type Schemas } from './described.ts'

/** Parts with a word between each two of them. */
export const joinedHtml = (
  parts: readonly (Html | string)[],
  separator: string,
): readonly (Html | string)[] => parts.flatMap((part, at) => (at === 0 ? [part] : [separator, part]))

const codeHtml = (text: string): Html => html`<code>${text}</code>`

/** Limits of a schema, as words. */
// biome-ignore format: a table
const LIMITS: Readonly<Record<string, (value: unknown) => string>> = {
  format:    (value) => String(value),
  minimum:   (value) => `at least ${String(value)}`,
  maximum:   (value) => `at most ${String(value)}`,
  minLength: (value) => `at least ${String(value)} characters`,
  maxLength: (value) => `at most ${String(value)} characters`,
  minItems:  (value) => `at least ${String(value)}`,
  maxItems:  (value) => `at most ${String(value)}`,
  pattern:   (value) => `pattern ${String(value)}`,
  default:   (value) => `default ${JSON.stringify(value)}`,
}
const limitsIn = (schema: Schema): string => {
  const all = Object.entries(LIMITS).flatMap(([key, words]) =>
    schema[key] === undefined ? [] : [words(schema[key])],
  )
  return all.length === 0 ? '' : `, ${all.join(', ')}`
}

/** The type of a value in words; a schema with a name is a link to it. */
export function typeHtml(schema: Schema): Html {
  const name = referredSchema(schema)
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`
  const { type, enum: values, items, oneOf, properties, additionalProperties } = schema
  if (Array.isArray(values))
    return html`${joinedHtml(
      values.map((one) => codeHtml(String(one))),
      ' or ',
    )}${limitsIn(schema)}`
  if (Array.isArray(oneOf)) return html`${joinedHtml((oneOf as readonly Schema[]).map(typeHtml), ' or ')}`
  if (type === 'array') return html`list of ${typeHtml(items as Schema)}${limitsIn(schema)}`
  if (properties !== undefined) return html`object with ${fieldList(properties as Schemas)}`
  if (typeof additionalProperties === 'object')
    return html`object whose values are: ${typeHtml(additionalProperties as Schema)}`
  return html`${Array.isArray(type) ? type.join(' or ') : ((type ?? 'any value') as string)}${limitsIn(schema)}`
}

const fieldList = (properties: Schemas): readonly (Html | string)[] =>
  joinedHtml(
    Object.entries(properties).map(([name, schema]) => html`${codeHtml(name)} (${typeHtml(schema)})`),
    ', ',
  )

/** A table whose cells name their column on a narrow screen. */
export function docsTable(columns: readonly string[], rows: readonly (readonly (Html | string)[])[]): Html {
  const head = columns.map((column) => html`<th scope="col">${column}</th>`)
  const body = rows.map(
    (cells) =>
      html`<tr>${cells.map((cell, at) => html`<td data-label="${columns[at]}">${cell}</td>`)}</tr>\n`,
  )
  return html`<table><thead><tr>${head}</tr></thead><tbody>\n${body}</tbody></table>\n`
}

/** A named schema, with an anchor. */
export function schemaSection(name: string, schema: Schema): Html {
  const { description = '', properties, required = [] } = schema
  const needed = required as readonly string[]
  const rows = Object.entries((properties ?? {}) as Schemas).map(([field, one]) => [
    codeHtml(field),
    typeHtml(one),
    needed.includes(field) ? 'always' : 'optional',
    (one['description'] ?? '') as string,
  ])
  const content =
    rows.length === 0
      ? html`<p>${typeHtml(schema)}</p>\n`
      : docsTable(['Field', 'Type', 'Present', 'Meaning'], rows)
  return html`<section id="schema-${name}"><h3><a href="#schema-${name}">${name}</a></h3>
<p>${description as string}</p>
${content}</section>
`
}
