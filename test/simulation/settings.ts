import type { ClientAccount, ResolvedSettings } from '../../src/app/client/settings/settings.ts'
import { parseDocument } from '../../src/config/document.ts'
import { readClientConfig } from '../../src/config/read-client.ts'

export const HOSTNAMES = ['home.example.test', 'www.example.test'] as const

const TOML = `
server = "https://dyn.example"
username = "abc1234"
password = "secret"
hostnames = ${JSON.stringify(HOSTNAMES)}
ipv6 = "no"
verify = "no"
when_stopped = "idle"
`

/** The settings of the home: IPv4 alone, and no name server is asked. */
export function settingsOf(): ResolvedSettings {
  const config = readClientConfig({
    flags: {},
    environment: {},
    chosen: [],
    lookedFor: 'holdfast.toml',
    file: { name: 'holdfast.toml', document: parseDocument(TOML, 'holdfast.toml') },
  })
  if (!config.ok) throw new Error(JSON.stringify(config.error))
  const { accounts, ...client } = config.value
  return {
    config: client,
    accounts: accounts as readonly ClientAccount[],
    stateDir: '/state',
    stateFolders: ['/state', '/fallback'],
    runtimeDir: '/run',
    configFile: undefined,
    warnings: [],
    strictWarnings: [],
  }
}
