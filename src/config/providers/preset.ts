import { ACCOUNT_SETTINGS } from '../client-settings.ts'
import { fileKeyOf, type SettingLayer } from '../setting.ts'
import { parseProvider, providerCalled } from './providers.ts'

const PLACE = 'the preset '
/** Whether a value comes from a preset, by its place. */
export const isPreset = (place: string): boolean => place.startsWith(PLACE)

/** The settings of the provider that the layers name, as the last layer: what is written wins. Empty without a provider. */
export function presetLayer(written: readonly SettingLayer[]): SettingLayer {
  const given = written.find((layer) => Object.hasOwn(layer, 'provider'))?.['provider']?.value
  const name = typeof given === 'string' ? parseProvider(given) : undefined
  if (name?.ok !== true) return {}
  const settings = providerCalled(name.value)?.settings ?? {}
  return Object.fromEntries(
    Object.keys(ACCOUNT_SETTINGS).flatMap((key) => {
      const value = settings[fileKeyOf(key)]
      return value === undefined ? [] : [[key, { value, where: `${PLACE}${name.value}` }]]
    }),
  )
}
