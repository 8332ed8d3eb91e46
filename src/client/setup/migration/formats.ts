/** The other clients, in the order in which a text is compared with them. */
export const FORMATS = [
  'inadyn',
  'openwrt',
  'noip-duc',
  'ddns-updater',
  'ddns-go',
  'docker-dyndns',
  'cloudflare-ddns',
  'oznu',
  'url',
  'ddclient',
] as const
export type Format = (typeof FORMATS)[number]
