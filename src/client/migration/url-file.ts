import { Secret } from '../../net/secret.ts'
import { validHostnames } from './hostnames.ts'
import { type Imported, type ImportContext, Remarks } from './imported.ts'
import { DEFAULT_LOOKUP } from './lookup.ts'
import { readUrlTemplate } from './services/url-template.ts'

/** Reads update URLs, one a line, as routers have them. */
export function importUrls(text: string, { file }: ImportContext): Imported {
  const remarks = new Remarks(file)
  // Some routers take two URLs in one field, with a blank between them.
  const urls = text
    .split(/\r?\n/)
    .flatMap((raw, at) =>
      raw.trim().startsWith('#')
        ? []
        : raw
            .split(/\s+(?=https?:)/)
            .flatMap((one) => (one.trim() === '' ? [] : [{ raw: one.trim(), line: at + 1 }])),
    )
  const updates = urls.flatMap(({ raw, line }) => {
    const template = readUrlTemplate(raw)
    if (!template.ok) {
      remarks.add('not taken', line, `the URL ${template.error}`)
      return []
    }
    const { service, isPlain, settings, hostnames, username, password, hasIpv6, hasAddress } = template.value
    if (isPlain)
      remarks.once(
        'changed',
        line,
        'the service is asked with https; if it has only http, ' +
          `write server = "${(service.server ?? '').replace('https:', 'http:')}"`,
      )
    const ofConnection = !hasAddress && !hasIpv6
    return [
      {
        place: { file, line },
        label: '',
        service,
        username,
        password: password === undefined ? undefined : new Secret(password),
        hostnames: validHostnames(hostnames, line, remarks),
        ipv4: hasAddress || !hasIpv6,
        ipv6: hasIpv6,
        lookup: DEFAULT_LOOKUP,
        settings: { ...settings, ...(ofConnection && { myip: 'connection' }) },
      },
    ]
  })
  return { settings: {}, updates, remarks: remarks.all }
}
