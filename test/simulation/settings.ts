import type { ClientAccount, ResolvedSettings } from '../../src/client/settings/settings.ts'
import { NOTIFICATION_EVENTS } from '../../src/client/settings/notify-settings.ts'
import { parseDocument } from '../../src/shared/settings/document.ts'
import { readClientConfig } from '../../src/client/settings/read-client.ts'
import { STATE_FOLDERS } from './machine.ts'
import { WEBHOOK } from './receiver.ts'

export const HOSTNAMES = ['home.example.test', 'www.example.test'] as const

export const USERNAME = 'abc1234'

interface Choices {
  readonly password: string
  readonly hasIpv6: boolean
  readonly isVerified: boolean
  readonly hasWebhook: boolean
  readonly follows: boolean
}

const tomlWith = ({ password, hasIpv6, isVerified, hasWebhook, follows }: Choices): string => `
server = "https://dyn.example"
username = "${USERNAME}"
password = "${password}"
hostnames = ${JSON.stringify(HOSTNAMES)}
ipv6 = "${hasIpv6 ? 'yes' : 'no'}"
verify = "${isVerified ? 'yes' : 'no'}"
when_stopped = "idle"
follow = "${follows ? 'default-route' : 'home'}"
${hasWebhook ? `webhook = "${WEBHOOK}"\nwebhook_events = ${JSON.stringify(NOTIFICATION_EVENTS)}` : ''}
`

/** The settings of the home. */
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
    faults: [],
  }
}
