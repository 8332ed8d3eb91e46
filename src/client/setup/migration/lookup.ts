import { parseAddress } from '../../../shared/base/address.ts'
import type { Lookup } from './imported.ts'

/** Hosts, with all below them, whose pages only return the address of the client: the default sources replace them. */
// biome-ignore format: a list
const ADDRESS_HOSTS: readonly string[] = [
  'dyndns.org', 'dyndns.com', 'dyn.com', 'no-ip.com', 'noip.com', 'ipify.org', 'ifconfig.me', 'ifconfig.co', 'ifconfig.io',
  'icanhazip.com', 'amazonaws.com', 'ident.me', 'ipinfo.io', 'ip-api.com', 'dedyn.io', 'desec.io', 'nsupdate.info', 'loopia.se',
  'dnspark.com', 'dynu.com', 'he.net', 'opendns.com', 'whatismyip.akamai.com', 'myip.dk', 'ipecho.net', 'wtfismyip.com',
  'google.com', 'googledomains.com', 'cloudflare.com', 'ip1.dynupdate.no-ip.com', 'freedns.afraid.org', 'afraid.org',
  'joker.com', 'dnsomatic.com', 'changeip.com', 'seeip.org', 'my-ip.io', 'ip6only.me', 'ip4only.me', 'domains.google',
  'ipv64.net', 'ddnss.de', 'spdyn.de', 'strato.com', 'ovh.com', 'zoneedit.com', 'namecheap.com', '3322.org', 'oray.com',
  'test-ipv6.com', 'myip.com', 'eurodyndns.org', 'variomedia.de', 'goip.de', 'dynv6.com', 'dnshome.de', 'selfhost.de',
]

export const DEFAULT_LOOKUP: Lookup = { kind: 'default' }

/**
 * Whether a page is a known one that returns the address. A name without a
 * dot is one that the other client has built in.
 */
export function isAddressPage(page: string): boolean {
  const full = /^[a-z]+:\/\//i.test(page) ? page : `https://${page}`
  if (!URL.canParse(full)) return true
  const { hostname } = new URL(full)
  return (
    // A name that the other client has built in.
    (!hostname.includes('.') && !/[:/ ]/.test(page)) ||
    ADDRESS_HOSTS.some((host) => hostname === host || hostname.endsWith(`.${host}`))
  )
}

/** A page without credentials and query, for remarks. */
export const shownPage = (page: string): string =>
  page.replace(/^([a-z]+:\/\/)?[^/@]*@/i, '$1').replace(/[?#].*$/, '')

export const interfaceLookup = (name: string | undefined): Lookup => ({
  kind: 'sources',
  sources: [name === undefined || name === '' ? 'interfaces' : `interface:${name}`],
})

export const commandLookup = (text: string): Lookup => ({
  kind: 'sources',
  sources: ['command'],
  command: ['/bin/sh', '-c', text],
})

export const routerLookup: Lookup = { kind: 'sources', sources: ['router'] }

/** Undefined where the text is no address. */
export function fixedLookup(text: string): Lookup | undefined {
  const address = parseAddress(text.trim())
  return address === undefined ? undefined : { kind: 'fixed', addresses: [address] }
}
