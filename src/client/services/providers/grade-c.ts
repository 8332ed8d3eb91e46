import type { Provider } from './provider.ts'

const OWN = { username: 'the username of the account', password: 'the password of the account' }
const UNKNOWN = 'only lists mention this service; it may no longer exist'

/** Services that only lists name. */
// biome-ignore format: a table
export const GRADE_C = {
  'udmedia':     { name: 'udmedia', grade: 'C', names: { isSingle: true }, settings: { server: 'https://www.udmedia.de', families: 'apart', hostname_parameter: 'none', batch: '1' }, ...OWN, note: UNKNOWN },
  'schokokeks':  { name: 'schokokeks.org', grade: 'C', names: { isSingle: true }, settings: { server: 'https://dyndns.schokokeks.org', hostname_parameter: 'none', ipv6: 'false', batch: '1' }, ...OWN, note: UNKNOWN },
  'duiadns':     { name: 'DuiaDNS', grade: 'C', settings: { server: 'https://ipv4.duiadns.net', path: '/dyndns.duia', families: 'apart', ipv6_server: 'https://ipv6.duiadns.net', hostname_parameter: 'host', batch: '1' }, ...OWN, note: UNKNOWN },
  'citynetwork': { name: 'City Network', grade: 'C', settings: { server: 'https://dyndns.citynetwork.se', ipv6: 'false', batch: '1' }, ...OWN, note: UNKNOWN },
  'servercow':   { name: 'Servercow', grade: 'C', settings: { server: 'https://dyndns.servercow.de', ipv6: 'false', batch: '1' }, ...OWN,
    note: 'no source names this host; other clients use a service API with another protocol' },
  'mayddns':     { name: 'mayDDNS', grade: 'C', settings: { server: 'https://mayddns.com', ipv6: 'false', batch: '1' }, ...OWN, note: UNKNOWN },
  'ddnss':       { name: 'DDNSS.de', grade: 'C', names: { suffixes: ['ddnss.de', 'dyn-ip24.de'] }, settings: { server: 'https://ddnss.de', families: 'apart', batch: '1' }, ...OWN,
    note: 'other clients use /upd.php, which has another protocol; one client uses this path, but no report says that it works' },
  'xlhost':      { name: 'XLhost', grade: 'C', settings: { server: 'https://nsupdate.xlhost.de', ipv6: 'false', batch: '1' }, ...OWN, note: UNKNOWN },
  'dyndns-it':   { name: 'dyndns.it', grade: 'C', settings: { server: 'https://update.dyndns.it', parameters: 'system=dyndns', ipv6: 'false' }, ...OWN, note: UNKNOWN },
  'pubyun':      { name: '3322.org', grade: 'C', settings: { server: 'https://members.3322.org', path: '/dyndns/update', parameters: 'system=dyndns', ipv6: 'false', batch: '1' }, ...OWN, note: UNKNOWN },
  'oray':        { name: 'Oray', grade: 'C', settings: { server: 'https://ddns.oray.com', path: '/ph/update', ipv6: 'false', batch: '1' }, ...OWN, note: UNKNOWN },
} as const satisfies Record<string, Provider>
