import { err, ok, type Result } from '../../../base/result.ts'
import { ACCOUNT_SETTINGS } from '../../../config/client-settings.ts'
import { presetLayer } from '../../../config/providers/preset.ts'
import { parseProvider } from '../../../config/providers/providers.ts'
import { readTable } from '../../../config/setting.ts'
import type { Family } from '../../../net/address.ts'
import { dialectOf } from '../../../protocol/dialect.ts'
import { relativeTo } from '../../../server/model/dns-name.ts'
import type { PathHandler } from '../../../server/http/dispatch.ts'
import type { Store } from '../../../server/store/store.ts'
import { handleUpdate, type UpdateDependencies } from '../../../server/update/handle.ts'
import {
  confirmedHostnames,
  dialectResponse,
  DELETING_SERVICES,
  plainRequest,
  type ServiceDialect,
} from './imitated-service.ts'

/** The service of a preset, by its name. The hostnames of its credentials are set later. */
export function readDialect(name: string): Result<Omit<ServiceDialect, 'hostnames'>, string> {
  const provider = parseProvider(name)
  if (!provider.ok) return err(`${name} ${provider.error}`)
  const layer = presetLayer([{ provider: { value: provider.value, where: '--dialect' } }])
  const { values } = readTable(ACCOUNT_SETTINGS, [layer], { subject: '', file: '' })
  return ok({
    path: values.path,
    form: {
      hostnameParameter: values.hostnameParameter,
      addressParameter: values.addressParameter,
      ipv6Parameter: values.ipv6Parameter,
      isApart: values.families === 'apart',
      absentFamily: values.absentFamily,
      parameters: values.parameters,
      minGap: values.minGap,
    },
    replies: dialectOf(provider.value),
    preservedBy: Object.hasOwn(DELETING_SERVICES, provider.value)
      ? DELETING_SERVICES[provider.value]
      : undefined,
  })
}

/** Answers at the path of the other service, as it does. */
export const dialectPart = (dependencies: UpdateDependencies, dialect: ServiceDialect): PathHandler => ({
  matches: (path) => path === dialect.path,
  handle: async (request) => {
    const plain = plainRequest(request, dialect)
    if (plain === undefined) return { status: 200, headers: TEXT, body: 'badsys\n' }
    const response = await handleUpdate(dependencies, plain.request)
    const confirmed = confirmedHostnames(response.body, plain.items, dialect)
    await deleteFamilies(dependencies.updater.store, confirmed, plain.deleted)
    return dialectResponse(response, dialect.replies)
  },
  logFields: (_, { body }) => ({ reply: body.slice(0, MAX_LOGGED_REPLY) }),
})

/** In characters. */
const MAX_LOGGED_REPLY = 100
const TEXT = { 'content-type': 'text/plain; charset=utf-8' } as const

/** What the other service deletes, because a request does not name it. */
async function deleteFamilies(
  store: Store,
  hostnames: readonly string[],
  families: readonly Family[],
): Promise<void> {
  if (families.length === 0) return
  const types = families.map((family) => (family === 'v4' ? 'A' : 'AAAA'))
  await store.write(async (w) => {
    for (const hostname of hostnames) {
      const zone = await w.zoneContaining(hostname)
      const name = zone && (await w.nameAt(zone.id, relativeTo(hostname, zone.name) ?? ''))
      if (name === undefined) continue
      const rrsets = name.rrsets.filter(({ dnsType }) => !types.some((type) => type === dnsType))
      if (rrsets.length < name.rrsets.length) await w.saveName({ ...name, rrsets }, name.updatedAt)
    }
  })
}
