import { ACCOUNT_SETTINGS, CLIENT_SETTINGS, HOST_SETTINGS } from './client-settings.ts'
import type { JsonSchema } from '../../shared/settings/reader.ts'
import { propertiesOf, schemaDocument } from '../../shared/settings/schema.ts'

/** JSON Schema of the configuration file of the client, for editors. Generated from the tables that parse it. */
export function clientSchema(): JsonSchema {
  const account = propertiesOf(ACCOUNT_SETTINGS)
  return schemaDocument('Holdfast client', {
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
