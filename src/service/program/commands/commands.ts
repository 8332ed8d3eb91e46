import { tuneForService } from '../../../shared/platform/process/v8-flags.ts'
import { type Command, command } from '../../../shared/program/parse/command.ts'
import { hasService } from '../../../shared/program/has-service.ts'
import { ADMIN_FLAGS, SERVE_FLAGS } from './flags.ts'
import { adminSettings, serviceSettings } from './options.ts'

/** The commands of the service. Packages of the client have their texts, and not their chunks. */
export const SERVICE_COMMANDS: readonly Command[] = [
  command({
    name: 'serve',
    summary: 'run the update service with an embedded database',
    examples: [
      'holdfast serve --dev',
      'holdfast serve --dev --fault word:911,slow:2s',
      'holdfast serve --config /etc/holdfast/service.toml',
    ],
    details: ['Answers update requests at /nic/update and the management API at /v1.'],
    flags: SERVE_FLAGS,
    settings: serviceSettings,
    load: async () => {
      if (!hasService()) return (await import('../../../shared/program/service-package.ts')).handOver
      tuneForService()
      const { withSqlite } = await import('./with-sqlite.ts')
      return withSqlite('the service', async () => (await import('./serve.ts')).serveCommand)
    },
  }),
  command({
    name: 'admin',
    summary: 'manage plans, accounts, API keys, zones and locks of the update service',
    examples: [
      'holdfast admin',
      'holdfast admin plan add basic max-names=10 offline=yes',
      'holdfast admin account add alice basic',
      'holdfast admin zone add example.org alice',
    ],
    details: [
      'Changes the database directly; the service may be running. Without an operation, the list is printed.',
    ],
    flags: ADMIN_FLAGS,
    settings: adminSettings,
    load: async () => {
      if (!hasService()) return (await import('../../../shared/program/service-package.ts')).handOver
      const { withSqlite } = await import('./with-sqlite.ts')
      return withSqlite('admin', async () => (await import('./admin.ts')).adminCommand)
    },
  }),
]
