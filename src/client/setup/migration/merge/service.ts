import { providerCalled, presetServer } from '../../../services/providers/providers.ts'
import { UPDATE_PATH } from '../../../../shared/protocol/request.ts'
import type { ImportContext, ImportedUpdate, Remark } from '../imported.ts'
import { endedAt, providerOfServer } from '../services/service-names.ts'

/** A service that has ended keeps no hostname, with any client. */
export function isAlive(
  { service: { server }, settings, hostnames, place }: ImportedUpdate,
  remarks: Remark[],
): boolean {
  const address = server ?? String(settings['url'] ?? '')
  const ended = URL.canParse(address) ? endedAt(new URL(address).hostname) : undefined
  if (ended !== undefined)
    remarks.push({ kind: 'not taken', place, text: `${hostnames.join(', ')}: ${ended}` })
  return ended === undefined
}

/** Where a service wants the hostname, or its domain, as username. */
export function withUsername(
  update: ImportedUpdate,
  domainOf: ImportContext['domainOf'],
  remarks: Remark[],
): ImportedUpdate {
  const { service, username, hostnames, place } = update
  const preset = service.provider === undefined ? undefined : providerCalled(service.provider)
  if (preset?.userIs === undefined || preset.replies !== undefined) return update
  const wanted = new Set(
    hostnames.flatMap((name) => (preset.userIs === 'hostname' ? name : (domainOf(name) ?? []))),
  )
  const [only] = wanted
  if (username === undefined && only !== undefined && wanted.size === 1) {
    remarks.push({
      kind: 'changed',
      place,
      text: `the username is not in this file; ${preset.name} takes ${preset.username}, so ${only} is written`,
    })
    return { ...update, username: only }
  }
  if (username !== undefined && preset.userIs === 'hostname' && !wanted.has(username))
    remarks.push({
      kind: 'changed',
      place,
      text: `the username: ${preset.name} takes ${preset.username} as username, and this file has another word`,
    })
  return update
}

/** Services whose update protocol takes IPv4 alone, with the preset of their interface for both families. */
const WITH_BOTH_FAMILIES: Readonly<Record<string, string>> = { dynv6: 'dynv6-api' }

/** A service that is asked for IPv6 by another interface than that of the update protocol, with the same token. */
export function withIpv6(update: ImportedUpdate, remarks: Remark[]): ImportedUpdate {
  const other = update.ipv6 ? WITH_BOTH_FAMILIES[update.service.provider ?? ''] : undefined
  if (other === undefined) return update
  const text = `${update.hostnames.join(', ')}: ${other} is used, which takes IPv6 addresses, with the same token`
  remarks.push({ kind: 'changed', place: update.place, text })
  return { ...update, service: { provider: other }, username: undefined }
}

/** The provider of a server. A server and a path that its preset sets too are left out. */
export function withProvider(update: ImportedUpdate): ImportedUpdate {
  const { service } = update
  const key =
    service.provider ?? (service.server === undefined ? undefined : providerOfServer(service.server))
  const preset = key === undefined ? undefined : providerCalled(key)
  if (preset === undefined) {
    const path = service.path === UPDATE_PATH ? undefined : service.path
    return { ...update, service: { server: service.server, path } }
  }
  const isOther =
    service.path !== undefined && service.path !== UPDATE_PATH && service.path !== preset.settings['path']
  const isOwnServer = service.server !== undefined && providerOfServer(service.server) === key
  // The path of another host of the service means nothing at the host of the preset.
  const isElsewhere = isOwnServer && service.server !== presetServer(preset)
  return {
    ...update,
    service: {
      provider: key,
      server: isOwnServer ? undefined : service.server,
      path: isOther && !isElsewhere ? service.path : undefined,
    },
    settings: Object.fromEntries(
      Object.entries(update.settings).filter(
        ([name, value]) =>
          preset.settings[name] !== (typeof value === 'object' ? value.join(',') : String(value)),
      ),
    ),
  }
}
