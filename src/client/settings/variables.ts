import { ACCOUNT_SETTINGS, CLIENT_SETTINGS } from './client-settings.ts'
import { closestSetting, fileKeyOf } from '../../shared/settings/setting.ts'

const PREFIX = 'HOLDFAST_'
/** Variables of the tests, and for announcements of a later version. */
const IGNORED = ['HOLDFAST_TEST_', 'HOLDFAST_NEWS_', 'HOLDFAST_PROGRAM']

export interface UnknownVariable {
  readonly problem: string
  /** Similar to a setting, so probably a spelling mistake. */
  readonly isMeant: boolean
}

/** Environment variables that begin like a setting and are not one. */
export async function unknownVariables(
  environment: NodeJS.ProcessEnv,
  knownVariables: () => Promise<readonly string[]>,
): Promise<readonly UnknownVariable[]> {
  const named = Object.keys(environment).filter(
    (name) =>
      name.startsWith(PREFIX) &&
      environment[name] !== '' &&
      name !== 'HOLDFAST_CONFIG' &&
      !IGNORED.some((prefix) => name.startsWith(prefix)),
  )
  if (named.length === 0) return []
  const known = new Set(await knownVariables())
  return named.filter((name) => !known.has(name)).map(describe)
}

function describe(name: string): UnknownVariable {
  const keys = ['config', ...Object.keys({ ...CLIENT_SETTINGS, ...ACCOUNT_SETTINGS }).map(fileKeyOf)]
  const meant = closestSetting(name.slice(PREFIX.length).toLowerCase(), keys)
  return meant === undefined
    ? { problem: `${name} is not a setting`, isMeant: false }
    : { problem: `${name} is not a setting; did you mean ${PREFIX}${meant.toUpperCase()}?`, isMeant: true }
}
