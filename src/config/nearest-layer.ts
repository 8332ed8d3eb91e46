import { NIC_UPDATE_KEYS } from './protocol-checks.ts'
import type { SettingLayer } from './setting.ts'

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

const OTHER_SERVICE = ['provider', 'server', ...NIC_UPDATE_KEYS] as const

/** A `url` takes the place of the service of farther layers. */
export function withOneService(layers: readonly SettingLayer[]): readonly SettingLayer[] {
  const nearest = layers.findIndex((layer) => Object.hasOwn(layer, 'url'))
  const others = (layer: SettingLayer): SettingLayer =>
    Object.fromEntries(Object.entries(layer).filter(([key]) => !OTHER_SERVICE.some((one) => one === key)))
  return layers.map((layer, at) => (nearest >= 0 && at > nearest ? others(layer) : layer))
}
