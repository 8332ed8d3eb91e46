import type { TestProject } from 'vitest/node'
import { startPostgres, whyNoPostgres } from './postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The port of the server with a template for stores. */
    readonly postgresPort: number
  }
}

/** One server for all files of the project. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const lacking = whyNoPostgres()
  if (lacking !== undefined) throw new Error(lacking)
  const postgres = await startPostgres(['max_connections=500'])
  project.provide('postgresPort', postgres.port)
  return async () => postgres.stop()
}
