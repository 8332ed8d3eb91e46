import type { ClientAccount, ResolvedSettings } from '../../src/app/client/settings/settings.ts'
import { parseDocument } from '../../src/config/document.ts'
import { readClientConfig } from '../../src/config/read-client.ts'
import { STATE_FOLDERS } from './machine.ts'

export const HOSTNAMES = ['home.example.test', 'www.example.test'] as const

export const USERNAME = 'abc1234'

interface Choices {
  readonly password: string
  readonly hasIpv6: boolean
}

const tomlWith = ({ password, hasIpv6 }: Choices): string => `
server = "https://dyn.example"
username = "${USERNAME}"
password = "${password}"
hostnames = ${JSON.stringify(HOSTNAMES)}
ipv6 = "${hasIpv6 ? 'yes' : 'no'}"
verify = "no"
when_stopped = "idle"
`

/** The settings of the home; no name server is asked. */
export function settingsOf(choices: Choices): ResolvedSettings {
  const config = readClientConfig({
    flags: {},
    environment: {},
    chosen: [],
    lookedFor: 'holdfast.toml',
    file: { name: 'holdfast.toml', document: parseDocument(tomlWith(choices), 'holdfast.toml') },
  })
  if (!config.ok) throw new Error(JSON.stringify(config.error))
  const { accounts, ...client } = config.value
  return {
    config: client,
    accounts: accounts as readonly ClientAccount[],
    stateDir: STATE_FOLDERS[0],
    stateFolders: STATE_FOLDERS,
    runtimeDir: '/run',
    configFile: undefined,
    warnings: [],
    strictWarnings: [],
  }
}
