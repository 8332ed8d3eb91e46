import { Secret } from '../../../../../shared/base/secret.ts'
import { rowOf, type ServiceRow } from '../../services/client-services.ts'
import { listedNames, validHostnames } from '../../hostnames.ts'
import type { ImportedService, ImportedUpdate, Remarks } from '../../imported.ts'
import { hasReplies, NO_SUCCESS, readOwnRequest, usesHttps } from '../../services/own-template.ts'
import { providerOfOpenwrt, noService } from '../../services/service-names.ts'
import { takeService } from '../../services/take-service.ts'
import type { UciSection } from './uci.ts'
import { readUrlTemplate } from '../../services/url-template.ts'

/** The error is why the section stays with ddns-scripts. */
export function openwrtService(section: UciSection, remarks: Remarks): ImportedService | string {
  const { options } = section
  const named = options.get('service_name')
  if (named !== undefined && named.value !== '' && named.value !== '-') {
    const row = rowOf('openwrt', named.value)
    if (typeof row === 'object') return rowService(row, section, remarks)
    const provider = providerOfOpenwrt(named.value)
    return provider === undefined
      ? `service_name ${named.value}: ${row ?? noService('ddns-scripts', named.value)}`
      : plainService(section, { service: { provider }, settings: {} }, remarks)
  }
  if (options.has('update_script')) return 'update_script is a separate program'
  const url = options.get('update_url')
  if (url === undefined) return 'neither service_name nor update_url is set'
  const text = withOptions(url.value, options)
  const template = readUrlTemplate(text)
  if (!template.ok) return ownService(section, text, remarks)
  if (template.value.isPlain)
    remarkOnHttps(
      section,
      `server = "${(template.value.service.server ?? '').replace('https:', 'http:')}"`,
      remarks,
    )
  return plainService(section, template.value, remarks)
}

function remarkOnHttps({ options }: UciSection, advice: string, remarks: Remarks): void {
  if (options.get('use_https')?.value === '1') return
  const line = options.get('update_url')?.line ?? 0
  remarks.once('changed', line, usesHttps(advice))
}

/** A service of the update protocol. */
function plainService(
  section: UciSection,
  found: Pick<ImportedUpdate, 'service' | 'settings'> & {
    readonly username?: string | undefined
    readonly password?: string | undefined
  },
  remarks: Remarks,
): ImportedService {
  const text = (key: string): string | undefined => section.options.get(key)?.value
  const password = text('password') ?? found.password
  return {
    service: found.service,
    settings: found.settings,
    username: text('username') ?? found.username,
    password: password === undefined ? undefined : new Secret(password),
    hostnames: validHostnames(openwrtNames(section), nameLine(section), remarks),
    read: new Set(),
  }
}

/** A service with a protocol of its own, by its name. */
function rowService(row: ServiceRow, section: UciSection, remarks: Remarks): ImportedService {
  const { options, line } = section
  const zone = /[^@]*@(.+)$/.exec(options.get('domain')?.value ?? '')?.[1]
  const valueOf = (key: string) =>
    key === '@zone' ? (zone === undefined ? undefined : { value: zone, line }) : options.get(key)
  const names = openwrtNames(section, row.keys?.names)
  const taken = takeService(row, { client: 'openwrt', line, names, remarks, valueOf })
  return { ...taken, hostnames: validHostnames(taken.namesOf(names), nameLine(section), remarks) }
}

/** A URL of another form: with `url`, or a service that is known by it. */
function ownService(section: UciSection, url: string, remarks: Remarks): ImportedService | string {
  const text = (key: string): string | undefined => section.options.get(key)?.value
  const own = readOwnRequest({ url, username: text('username'), password: text('password') })
  if (!own.ok) return `update_url ${own.error}`
  if (own.value.plain !== undefined) remarkOnHttps(section, `url with ${own.value.plain}`, remarks)
  if (!hasReplies(own.value)) remarks.add('lost', section.options.get('update_url')?.line ?? 0, NO_SUCCESS)
  return {
    ...own.value,
    hostnames: validHostnames(own.value.namesOf(openwrtNames(section)), nameLine(section), remarks),
    read: new Set(),
  }
}

/** ddns-scripts puts two options of the section into its URL: one encoded, one as it is. */
const withOptions = (url: string, options: UciSection['options']): string =>
  url
    .replaceAll('[PARAMENC]', encodeURIComponent(options.get('param_enc')?.value ?? ''))
    .replaceAll('[PARAMOPT]', options.get('param_opt')?.value ?? '')

/** `host@domain` means host.domain. */
const openwrtNames = ({ options }: UciSection, key = 'domain'): readonly string[] =>
  listedNames((options.get(key) ?? options.get('lookup_host'))?.value ?? '').map((one) =>
    one.replace(/^@/, '').replace('@', '.'),
  )

const nameLine = ({ options }: UciSection): number =>
  (options.get('domain') ?? options.get('lookup_host'))?.line ?? 0
