/** A public description of the requests of a service: its page, or a program that is maintained. */
export interface PresetSource {
  /** Host and path; the path alone for a program that runs on the user's own host. */
  readonly endpoint: string
  /** Parameters of an update, without those of the credentials. */
  readonly parameters: string
  readonly source: string
  /** A month, or the commit of the file. */
  readonly date: string
}

/** For each preset of grade A and B the source that its request is like, read in 2026-11. */
// biome-ignore format: a table
export const PRESET_SOURCES: Readonly<Record<string, PresetSource>> = {
  'no-ip':          { endpoint: 'dynupdate.no-ip.com/nic/update',          parameters: 'hostname myip',        source: 'developer.noip.com, reference/nic_update',   date: '2026-11' },
  'dyn':            { endpoint: 'members.dyndns.org/v3/update',            parameters: 'hostname myip',        source: 'help.dyn.com, remote-access-api',            date: '2026-11' },
  'dynu':           { endpoint: 'api.dynu.com/nic/update',                 parameters: 'hostname myip myipv6', source: 'ddclient#904',                               date: '2026-05' },
  'he':             { endpoint: 'dyn.dns.he.net/nic/update',               parameters: 'hostname myip',        source: 'ddclient#682',                               date: '2024-06' },
  'opendns':        { endpoint: 'updates.opendns.com/nic/update',          parameters: 'hostname myip',        source: 'OpenWrt, opendns.com.json',                  date: 'a333d71' },
  'desec':          { endpoint: 'update.dedyn.io/',                        parameters: 'hostname myip myipv6', source: 'desec-stack, docs/dyndns/update-api.rst',    date: '6f19247' },
  'nsupdate':       { endpoint: 'ipv4.nsupdate.info/nic/update',           parameters: 'hostname myip',        source: 'OpenWrt, nsupdate.info.json',                date: '3b3fa86' },
  'ovh':            { endpoint: 'dns.eu.ovhapis.com/nic/update',           parameters: 'system hostname myip', source: 'ovh/docs, dns_dynhost',                      date: '2026-11' },
  'strato':         { endpoint: 'dyndns.strato.com/nic/update',            parameters: 'hostname myip',        source: 'FAQ of the service, quoted in ddclient#391', date: '2022-02' },
  'spdyn':          { endpoint: 'update.spdyn.de/nic/update',              parameters: 'hostname myip',        source: 'wiki.securepoint.de, SPDyn',                 date: '2026-11' },
  'variomedia':     { endpoint: 'dyndns.variomedia.de/nic/update',         parameters: 'hostname myip',        source: 'dyndns.variomedia.de',                       date: '2026-11' },
  'inwx':           { endpoint: 'dyndns.inwx.com/nic/update',              parameters: 'myip myipv6',          source: 'ddclient#690',                               date: '2024-06' },
  'do':             { endpoint: 'ddns.do.de/',                             parameters: 'myip',                 source: 'do.de, wiki FlexDNS - Entwickler',           date: '2026-11' },
  'dynv6':          { endpoint: 'dynv6.com/nic/update',                    parameters: 'hostname myip',        source: 'ddclient#769',                               date: '2024-12' },
  'dyfi':           { endpoint: 'www.dy.fi/nic/update',                    parameters: 'hostname',             source: 'dy.fi, page/specification',                  date: '2026-11' },
  'nic-ru':         { endpoint: 'api.nic.ru/dyndns/update',                parameters: 'hostname myip ipv6',   source: 'nic.ru, help/dynamic-dns-for-developers',    date: '2026-11' },
  'ipv64':          { endpoint: 'ipv64.net/nic/update',                    parameters: 'hostname myip myipv6', source: 'ipv64.net, dyndns_updater_api',              date: '2026-11' },
  'easydns':        { endpoint: 'api.cp.easydns.com/dyn/generic.php',      parameters: 'hostname myip',        source: 'ddclient, nic_easydns_update',               date: 'ecf1a00' },
  'ydns':           { endpoint: 'ydns.io/api/v1/update/',                  parameters: 'host ip',              source: 'ydns bash-updater, updater.sh',              date: '50e8477' },
  'domeneshop':     { endpoint: 'api.domeneshop.no/v0/dyndns/update',      parameters: 'hostname myip',        source: 'api.domeneshop.no, docs v0',                 date: '2026-11' },
  'he-tunnel':      { endpoint: 'ipv4.tunnelbroker.net/nic/update',        parameters: 'hostname myip',        source: 'inadyn, plugins/dyndns.c',                   date: '0273782' },
  'all-inkl':       { endpoint: 'dyndns.kasserver.com/',                   parameters: 'myip myip6',           source: 'ddns-updater, allinkl/provider.go',          date: '05d566c' },
  'joker':          { endpoint: 'svc.joker.com/nic/update',                parameters: 'hostname myip',        source: 'IPFire ddns#6',                              date: '2015-03' },
  'infomaniak':     { endpoint: 'infomaniak.com/nic/update',               parameters: 'hostname myip',        source: 'ddns-updater, infomaniak/provider.go',       date: '05d566c' },
  'simply':         { endpoint: 'dyndns.simply.com/nic/update',            parameters: 'hostname myip',        source: 'ddclient#850',                               date: '2026-05' },
  'loopia':         { endpoint: 'dyndns.loopia.se/',                       parameters: 'hostname myip',        source: 'ddns-updater#842',                           date: '2024-10' },
  'selfhost':       { endpoint: 'carol.selfhost.de/nic/update',            parameters: 'hostname myip',        source: 'ddns-updater, selfhostde/provider.go',       date: '05d566c' },
  'hosting-de':     { endpoint: 'ddns.hosting.de/nic/update',              parameters: 'hostname myip',        source: 'OpenWrt, hosting.de.json',                   date: '3d2b5b7' },
  'eurodns':        { endpoint: 'update.eurodyndns.org/update/',           parameters: 'hostname myip',        source: 'OpenWrt, eurodns.com.json',                  date: '1437bc0' },
  'now-dns':        { endpoint: 'now-dns.com/update',                      parameters: 'hostname myip',        source: 'ddns-updater, nowdns/provider.go',           date: '05d566c' },
  'luadns':         { endpoint: 'app.luadns.com/nic/update',               parameters: 'hostname myip',        source: 'ddclient#925',                               date: '2026-05' },
  'websupport':     { endpoint: 'dyndns.websupport.sk/nic/update',         parameters: 'hostname myip',        source: 'ddclient#924',                               date: '2026-05' },
  'apertodns':      { endpoint: 'api.apertodns.com/nic/update',            parameters: 'hostname myip',        source: 'OpenWrt, apertodns.com.json',                date: 'bcaca2c' },
  'core-networks':  { endpoint: 'dyndns.core-networks.de/',                parameters: 'hostname myip',        source: 'OpenWrt, core-networks.de.json',             date: 'a00b79d' },
  'gigahost':       { endpoint: 'api.gigahost.no/api/v0/dns/dyndns',       parameters: 'hostname myip myipv6', source: 'gigahost.no, API documentation',             date: '2026-11' },
  'freedyn':        { endpoint: 'ipv4.api.freedyn.de/nic/update',          parameters: 'hostname myip myip2',  source: 'freedyn.de, dyndnsapi.php',                  date: '2026-11' },
  'dyn-rs':         { endpoint: 'dyn.rs/v3/update',                        parameters: 'hostname myip',        source: 'dyn.rs, doc/api/v3',                         date: '2026-11' },
  'dnshome':        { endpoint: 'www.dnshome.de/dyndns.php',               parameters: 'hostname ip ip6',      source: 'ddupdate, dnshome; inadyn, dnshome.c',       date: '416c256' },
  'powerdns-admin': { endpoint: '/nic/update',                             parameters: 'hostname myip',        source: 'PowerDNS-Admin, routes/index.py',            date: '2026-11' },
  'poweradmin':     { endpoint: '/dynamic_update.php',                     parameters: 'hostname myip myip6',  source: 'Poweradmin, DynamicDnsRequestFactory',       date: '2026-11' },
  'myonlineportal': { endpoint: 'myonlineportal.net/updateddns',           parameters: 'hostname ip ip6',      source: 'inadyn, plugins/myonlineportal.c',           date: '36b877d' },
  'freedns':        { endpoint: 'freedns.afraid.org/nic/update',           parameters: 'hostname myip',        source: 'OpenWrt, afraid.org-basicauth.json',         date: '8d6e1c0' },
  'changeip':       { endpoint: 'nic.changeip.com/nic/update',             parameters: 'hostname ip',          source: 'ddclient, nic_changeip_update',              date: 'ecf1a00' },
}
