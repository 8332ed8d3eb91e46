import type { JsonSchema } from '../../shared/settings/reader.ts'
import { propertiesOf, schemaDocument } from '../../shared/settings/schema.ts'
import { SERVICE_SETTINGS } from './service-settings.ts'

/** JSON Schema of the configuration file of the service, for editors. */
export const serviceSchema = (): JsonSchema =>
  schemaDocument('Holdfast service', propertiesOf(SERVICE_SETTINGS))
