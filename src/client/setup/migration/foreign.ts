interface ForeignRow {
  readonly whose: string
  /** All of them are in the file. */
  readonly marks: readonly RegExp[]
}

/** Files of other programs that nothing is read from; the first that matches wins. */
// biome-ignore format: a table
const FOREIGN: readonly ForeignRow[] = [
  { whose: 'Holdfast itself: holdfast config check --config FILE checks it', marks: [/^[ \t]*(?:\[\[account\]\]|hostnames[ \t]*=[ \t]*\[)/m] },
  { whose: 'pfSense or OPNsense: take each update URL with holdfast import --url',           marks: [/<(?:dyndns|DynDNS|dyndnses)>/] },
  { whose: 'Caddy (dynamic_dns)',                                                            marks: [/^[ \t]*dynamic_dns[ \t]*\{/m] },
  { whose: 'Home Assistant',                                                                 marks: [/^[ \t]*(?:no_ip|duckdns|dynu|namecheapdns|freedns)[ \t]*:[ \t]*\r?$/m, /^[ \t]+(?:domain|access_token)[ \t]*:/m] },
  { whose: 'Synology DSM: take its query URL with holdfast import --url',                    marks: [/^[ \t]*(?:modulepath|queryurl)[ \t]*=/m] },
  { whose: 'a router of ASUS',                                                               marks: [/^(?:nvram set )?ddns_(?:server|hostname|passwd|enable)_x=/m] },
  { whose: 'Kubernetes',                                                                     marks: [/^kind:[ \t]*(?:Deployment|DNSEndpoint|DNSRecord)\b/m] },
  { whose: 'ddclient, but its cache: the settings are in ddclient.conf',                     marks: [/^[ \t]*atime=\d+,/m] },
]

/** Whose file this is that cannot be read; undefined where one cannot tell. */
export function foreignTo(text: string): string | undefined {
  const uncommented = text.replaceAll(/^[ \t]*#.*$/gm, '')
  return FOREIGN.find(({ marks }) => marks.every((mark) => mark.test(uncommented)))?.whose
}
