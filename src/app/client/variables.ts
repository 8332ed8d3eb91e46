import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from '../../config/client-settings.ts'
import { closestSetting, envOf, fileKeyOf } from '../../config/setting.ts'

const PREFIX = 'HOLDFAST_'
const KNOWN = ['HOLDFAST_CONFIG', ...Object.keys({ ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS }).map(envOf)]
/** For tests of the program, and for what a later version says to its users. */
const IGNORED = ['HOLDFAST_TEST_', 'HOLDFAST_NEWS_']

export interface UnknownVariable {
  readonly problem: string
  /** Near enough to a setting to be meant as one. */
  readonly isMeant: boolean
}

/** Variables of the environment that look like settings and are none. */
export async function unknownVariables(environment: NodeJS.ProcessEnv): Promise<readonly UnknownVariable[]> {
  const strange = Object.keys(environment).filter(
    (name) =>
      name.startsWith(PREFIX) &&
      environment[name] !== '' &&
      !KNOWN.includes(name) &&
      !IGNORED.some((prefix) => name.startsWith(prefix)),
  )
  if (strange.length === 0) return []
  // One environment file may serve both programs.
  const { SERVICE_SETTINGS } = await import('../../config/service-settings.ts')
  const ofService = new Set(Object.keys(SERVICE_SETTINGS).map(envOf))
  return strange.filter((name) => !ofService.has(name)).map(strangerOf)
}

function strangerOf(name: string): UnknownVariable {
  const keys = ['config', ...Object.keys({ ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS }).map(fileKeyOf)]
  const meant = closestSetting(name.slice(PREFIX.length).toLowerCase(), keys)
  return meant === undefined
    ? { problem: `${name} is not a setting`, isMeant: false }
    : { problem: `${name} is not a setting; did you mean ${PREFIX}${meant.toUpperCase()}?`, isMeant: true }
}
