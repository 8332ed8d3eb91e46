import { hasOtherProtocol, NIC_UPDATE_KEYS } from './protocol-checks.ts'
import type { SettingLayer } from '../../shared/settings/setting.ts'

const PASSWORD_KEYS = ['password', 'passwordFile'] as const

/** Drops both password settings from every layer below the first that has one of them: the most important origin wins. */
export function withOnePassword(layers: readonly SettingLayer[]): readonly SettingLayer[] {
  const top = layers.findIndex((layer) => PASSWORD_KEYS.some((key) => layer[key] !== undefined))
  const withoutPassword = ({
    password: _password,
    passwordFile: _file,
    ...others
  }: SettingLayer): SettingLayer => others
  return layers.map((layer, at) => (at > top && top >= 0 ? withoutPassword(layer) : layer))
}

/** A service with another protocol takes the place of that of farther layers, with the settings of its requests. */
export function withOneService(layers: readonly SettingLayer[]): readonly SettingLayer[] {
  const nearest = layers.findIndex(isOther)
  const service = layers[nearest]?.['url'] === undefined ? [] : ['provider', 'server']
  const dropped: readonly string[] = [...service, ...NIC_UPDATE_KEYS]
  const others = (layer: SettingLayer): SettingLayer =>
    Object.fromEntries(Object.entries(layer).filter(([key]) => !dropped.includes(key)))
  return layers.map((layer, at) => (nearest >= 0 && at > nearest ? others(layer) : layer))
}

const isOther = ({ url, provider }: SettingLayer): boolean =>
  url !== undefined || (provider !== undefined && hasOtherProtocol(String(provider.value)))
