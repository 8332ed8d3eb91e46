import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from '../../../config/client-settings.ts'
import { closestSetting, envOf, fileKeyOf } from '../../../config/setting.ts'

const PREFIX = 'HOLDFAST_'
const KNOWN = ['HOLDFAST_CONFIG', ...Object.keys({ ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS }).map(envOf)]
/** Variables of the tests, and for announcements of a later version. */
const IGNORED = ['HOLDFAST_TEST_', 'HOLDFAST_NEWS_', 'HOLDFAST_PROGRAM']

export interface UnknownVariable {
  readonly problem: string
  /** Similar to a setting, so probably a spelling mistake. */
  readonly isMeant: boolean
}

/** Environment variables that begin like a setting and are not one. */
export async function unknownVariables(environment: NodeJS.ProcessEnv): Promise<readonly UnknownVariable[]> {
  const unknown = Object.keys(environment).filter(
    (name) =>
      name.startsWith(PREFIX) &&
      environment[name] !== '' &&
      !KNOWN.includes(name) &&
      !IGNORED.some((prefix) => name.startsWith(prefix)),
  )
  if (unknown.length === 0) return []
  // One environment file may serve both programs.
  const { SERVICE_SETTINGS } = await import('../../../config/service-settings.ts')
  const ofService = new Set(Object.keys(SERVICE_SETTINGS).map(envOf))
  return unknown.filter((name) => !ofService.has(name)).map(describe)
}

function describe(name: string): UnknownVariable {
  const keys = ['config', ...Object.keys({ ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS }).map(fileKeyOf)]
  const meant = closestSetting(name.slice(PREFIX.length).toLowerCase(), keys)
  return meant === undefined
    ? { problem: `${name} is not a setting`, isMeant: false }
    : { problem: `${name} is not a setting; did you mean ${PREFIX}${meant.toUpperCase()}?`, isMeant: true }
}
