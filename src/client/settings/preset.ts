import { ACCOUNT_SETTINGS } from './client-settings.ts'
import { type Complaint, fileKeyOf, type SettingLayer } from '../../shared/settings/setting.ts'
import { parseProvider, providerCalled } from '../services/providers/providers.ts'

const PLACE = 'the preset '
/** Whether a value comes from a preset, by its place. */
export const isPreset = (place: string): boolean => place.startsWith(PLACE)

/** The form of a request of the update protocol at one service. */
export const FORM_KEYS = [
  'path',
  'families',
  'absentFamily',
  'ipv6Server',
  'ipv6Parameter',
  'addressParameter',
  'hostnameParameter',
  'parameters',
] as const
/** Settings that mean something at one service only. */
const SERVICE_KEYS = ['server', ...FORM_KEYS] as const

/**
 * A provider and settings of another service, from places of which one is nearer to the account: a password would go to the
 * wrong service. `layers`: the nearest first; flags and environment may replace the server of a file on purpose.
 */
export function mixedServices(layers: readonly SettingLayer[], overrides: number): readonly Complaint[] {
  const chosen = layers.findIndex((layer) => Object.hasOwn(layer, 'provider'))
  const provider = layers[chosen]?.['provider']
  if (provider === undefined) return []
  const farther = layers.slice(chosen + 1).flatMap((layer) => SERVICE_KEYS.flatMap((key) => layer[key] ?? []))
  const nearer = layers.slice(overrides, chosen).flatMap((layer) => layer['server'] ?? [])
  return [...nearer, ...farther].slice(0, 1).map(({ where }) => ({
    where,
    problem:
      `this and provider ${String(provider.value)} (${provider.where}) are for different services; ` +
      'write both in the same place',
  }))
}

/** The settings of the provider that the layers name, as the last layer: what is written wins. Empty without a provider. */
export function presetLayer(written: readonly SettingLayer[]): SettingLayer {
  const given = written.find((layer) => Object.hasOwn(layer, 'provider'))?.['provider']?.value
  const name = typeof given === 'string' ? parseProvider(given) : undefined
  if (name?.ok !== true) return {}
  const provider = providerCalled(name.value)
  const settings: Readonly<Record<string, unknown>> = {
    ...provider?.settings,
    ...provider?.replies,
    ...(provider?.headers !== undefined && { headers: provider.headers }),
  }
  return Object.fromEntries(
    Object.keys(ACCOUNT_SETTINGS).flatMap((key) => {
      const value = settings[fileKeyOf(key)]
      return value === undefined ? [] : [[key, { value, where: `${PLACE}${name.value}` }]]
    }),
  )
}
