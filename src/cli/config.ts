import { formatDuration } from '../base/time.ts'
import { CLIENT_SETTINGS } from '../config/client-settings.ts'
import { clientSchema } from '../config/schema.ts'
import { fileKeyOf } from '../config/setting.ts'
import { type SourceSpec, formatSource } from '../config/source.ts'
import { scheduleOf, userAgentOf } from './client.ts'
import type { Exit } from './exit-codes.ts'
import type { Flags } from './commands.ts'
import { fail, print, printJson } from './output.ts'
import { type Settings, readSettings } from './settings.ts'
import { writeError } from './streams.ts'

/** `holdfast config`: what is wrong, what is in force, and what there is. Sends nothing. */
export async function configCommand(flags: Flags): Promise<Exit> {
  const asJson = flags['json'] === true
  if (flags['what'] === 'schema') {
    print(JSON.stringify(clientSchema(), null, 2))
    return 'settled'
  }
  const settings = await readSettings(flags)
  if (!settings.ok) return fail(settings.error, asJson)
  const schedule = await scheduleOf(settings.value)
  if (!schedule.ok) return fail(schedule.error, asJson)
  for (const warning of settings.value.warnings) writeError(`holdfast: ${warning}\n`)
  if (flags['what'] === 'show') printJson(inForce(settings.value))
  else print('the configuration is in order')
  return 'settled'
}

/** Secrets print as «secret» by their type; spans as people write them. */
function inForce(settings: Settings): unknown {
  const { config, accounts, stateDir } = settings
  const spans = ['interval', 'connectWithin', 'answerWithin', 'refresh']
  const plain = (values: object): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]: [string, unknown]) => [
        fileKeyOf(key),
        spans.includes(key) ? formatDuration(value as Parameters<typeof formatDuration>[0]) : value,
      ]),
    )
  return {
    ...plain(
      Object.fromEntries(
        Object.keys(CLIENT_SETTINGS).map((key) => [key, config[key as keyof typeof config]]),
      ),
    ),
    sources: (config.sources ?? []).map((spec: SourceSpec) => formatSource(spec)),
    user_agent: userAgentOf(settings),
    state_dir: stateDir,
    account: accounts.map(({ authorities: _authorities, places: _places, hosts, ...account }) =>
      plain({ ...account, hosts: hosts.map(({ places: _, ...host }) => host) }),
    ),
  }
}
