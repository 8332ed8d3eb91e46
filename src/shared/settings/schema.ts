import type { JsonSchema } from './reader.ts'
import { fileKeyOf, type SettingTable } from './setting.ts'

/** The properties of a table of settings, for JSON Schema. */
export const propertiesOf = (table: SettingTable): JsonSchema =>
  Object.fromEntries(
    Object.entries(table).map(([key, setting]) => [
      fileKeyOf(key),
      { description: setting.help, ...setting.reader.schema },
    ]),
  )

/** A JSON Schema of a configuration file, for editors. */
export const schemaDocument = (title: string, properties: JsonSchema): JsonSchema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title,
  type: 'object',
  properties: { $schema: { type: 'string' }, ...properties },
  additionalProperties: false,
})
