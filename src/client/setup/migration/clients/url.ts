import { Secret } from '../../../../shared/base/secret.ts'
import { validHostnames } from '../hostnames.ts'
import {
  type FormatRow,
  type ImportContext,
  type Imported,
  type ImportedUpdate,
  Remarks,
} from '../imported.ts'
import { DEFAULT_LOOKUP } from '../lookup.ts'
import { readOwnRequest, remarkOnOwn, usesHttps } from '../services/own-template.ts'
import { readUrlTemplate } from '../services/url-template.ts'

interface UrlPlace {
  readonly file: string
  readonly line: number
  readonly remarks: Remarks
}

/** A placeholder, or a parameter with a name. */
const HAS_PLACE =
  /<[a-z0-9]+>|__[A-Z0-9]+__|\[[A-Z0-9]+\]|%[hia]|#\{|[?&](?:ip|myip|hosts?|hostnames?|h|domains?|subdomain|zone)=/i

/** Parameters that have hostnames, or their labels, with commas between them. */
const NAMED = /([?&](?:hostnames?|hosts?|h|domains?|subdomain)=)([a-z0-9_*][a-z0-9_.*,-]*)(?=&|#|$)/i

/** The URL with a place for the hostname, and the hostnames that it has there. */
function withoutNames(raw: string): { readonly url: string; readonly names: readonly string[] } {
  const [, , list] = NAMED.exec(raw) ?? []
  // A host and a domain parameter together give one hostname.
  const isApart = (raw.match(/[?&](?:hosts?|domains?)=/gi)?.length ?? 0) > 1
  if (list === undefined || isApart) return { url: raw, names: [] }
  return { url: raw.replace(NAMED, '$1<domain>'), names: list.split(',').filter((name) => name !== '') }
}

/** A URL of another protocol: of a service that is known by it, or with `url`. */
function ownUpdates(raw: string, { file, line, remarks }: UrlPlace): readonly ImportedUpdate[] {
  // Without a place for a name or an address, any part of it may be the secret.
  if (!HAS_PLACE.test(raw)) {
    remarks.add('not taken', line, 'the URL has no place for a hostname or an address, which is not read')
    return []
  }
  const { url, names: written } = withoutNames(raw)
  const own = readOwnRequest({ url })
  if (!own.ok) {
    remarks.add('not taken', line, `the URL ${own.error}`)
    return []
  }
  remarkOnOwn(own.value, line, remarks)
  const ipv6 = /<ip6|ipv6__|\[ipv?6\]/i.test(raw)
  // A name that the URL itself has.
  const names =
    written.length > 0
      ? own.value.namesOf(written)
      : own.value.namesOf(['{hostname}']).filter((name) => !name.includes('{'))
  return [
    {
      ...own.value,
      place: { file, line },
      label: '',
      hostnames: validHostnames(names, line, remarks),
      ipv4: !ipv6 || /<ipaddr>|__myip__|\[ip\]|%i/i.test(raw),
      ipv6,
      lookup: DEFAULT_LOOKUP,
    },
  ]
}

/** Reads update URLs, one a line, as routers have them. */
function importUrls(text: string, { file }: ImportContext): Imported {
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
    if (/^(?!https?:)[a-z]+:\/\//i.test(raw)) {
      remarks.add('not taken', line, 'the URL is neither http nor https, and is not read')
      return []
    }
    if (raw.includes('<ip6lanprefix>'))
      remarks.add(
        'changed',
        line,
        'the FRITZ!Box sends the prefix of its network; here the IPv6 address of this host is sent',
      )
    const template = readUrlTemplate(raw)
    if (!template.ok) return ownUpdates(raw, { file, line, remarks })
    const { service, isPlain, settings, hostnames, username, password, addresses } = template.value
    const { hasIpv6, hasAddress } = template.value
    if (isPlain)
      remarks.once(
        'changed',
        line,
        usesHttps(`server = "${(service.server ?? '').replace('https:', 'http:')}"`),
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
        lookup: addresses.length > 0 ? { kind: 'fixed' as const, addresses } : DEFAULT_LOOKUP,
        settings: { ...settings, ...(ofConnection && { myip: 'connection' }) },
      },
    ]
  })
  return { settings: {}, updates, remarks: remarks.all }
}

const isUrlLine = (line: string): boolean =>
  line
    .trim()
    .split(/\s+/)
    .every((word) => /^https?:\/\//i.test(word))

export const URL_FILE: FormatRow = {
  read: importUrls,
  matches: (text) => text.split('\n').every((line) => /^\s*(?:#|$)/.test(line) || isUrlLine(line)),
  files: [],
  stop: 'switch dynamic DNS off in the router',
}
