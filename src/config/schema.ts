import { ACCOUNT_SETTINGS, CLIENT_SETTINGS, HOST_SETTINGS } from './client-settings.ts'
import type { JsonSchema } from './reader.ts'
import { SERVICE_SETTINGS } from './service-settings.ts'
import { fileKeyOf, type SettingTable } from './setting.ts'

const propertiesOf = (table: SettingTable): JsonSchema =>
  Object.fromEntries(
    Object.entries(table).map(([key, setting]) => [
      fileKeyOf(key),
      { description: setting.help, ...setting.reader.schema },
    ]),
  )

const documentOf = (title: string, properties: JsonSchema): JsonSchema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title,
  type: 'object',
  properties: { $schema: { type: 'string' }, ...properties },
  additionalProperties: false,
})

/** JSON Schema of the configuration file of the client, for editors. Generated from the tables that parse it. */
export function clientSchema(): JsonSchema {
  const account = propertiesOf(ACCOUNT_SETTINGS)
  return documentOf('Holdfast client', {
    ...propertiesOf(CLIENT_SETTINGS),
    ...account,
    account: {
      description: 'one table per account; settings at the top of the file apply to all accounts',
      type: 'array',
      items: {
        type: 'object',
        properties: {
          ...account,
          host: {
            description: 'one table per hostname that needs settings of its own',
            type: 'array',
            items: { type: 'object', properties: propertiesOf(HOST_SETTINGS), additionalProperties: false },
          },
        },
        additionalProperties: false,
      },
    },
  })
}

export const serviceSchema = (): JsonSchema => documentOf('Holdfast service', propertiesOf(SERVICE_SETTINGS))
