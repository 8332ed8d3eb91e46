import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Whether the chunk of the service is here: packages of the client leave it
 * out. In a checkout that is not bundled, it is.
 */
export const hasService = (): boolean =>
  typeof __dirname === 'undefined' || existsSync(join(__dirname, 'serve.cjs'))
