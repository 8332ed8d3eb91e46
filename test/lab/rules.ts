import {
  LAN_NET,
  LAN_PREFIXES,
  RESOLVER,
  serviceV4,
  serviceV6,
  UPDATE_HOST,
  UPDATE_PORT,
  VPN_EXIT,
  VPN_NET,
} from './plan.ts'

/** Each text replaces its table, whether the table was there or not. */
const table = (name: string, body: string): string => `table ${name}\ndelete table ${name}\n${body}\n`

/** Unlike a masquerade, a fixed translation does not forget its connections when the address goes. */
export const natRules = (mode: 'masquerade' | 'snat', wan: string): string =>
  table(
    'ip nat_lab',
    `table ip nat_lab {
      chain post {
        type nat hook postrouting priority 90
        oifname "wan0" ${mode === 'snat' ? `snat to ${wan}` : 'masquerade'}
      }
    }`,
  )

/** The services live on the translating machine itself, so the translation is made where packets come in. */
export const cgnatRules = (outside: string): string =>
  table(
    'ip cgnat',
    `table ip cgnat {
    chain in {
      type nat hook input priority 100
      ip saddr 100.64.0.0/10 snat to ${outside}
    }
  }`,
  )

export const WITHOUT_CGNAT = table('ip cgnat', '')

/** The tables into which miniupnpd writes; it does not make them. */
export const IGD_RULES = table(
  'inet miniupnpd',
  `table inet miniupnpd {
    chain forward { type filter hook forward priority 0; }
    chain prerouting { type nat hook prerouting priority -100; jump prerouting_miniupnpd; }
    chain postrouting { type nat hook postrouting priority 100; jump postrouting_miniupnpd; }
    chain prerouting_miniupnpd { }
    chain postrouting_miniupnpd { }
  }`,
)

/**
 * Counts what the host says. Not counted: updates, itself, and what the kernel says unasked (group
 * membership, neighbours). A packet that may not live longer than the first hop stays on the LAN, wherever
 * it claims to go.
 */
export const COUNTING_RULES = table(
  'inet counting',
  `table inet counting {
    counter outside { }
    counter lan { }
    chain out {
      type filter hook output priority 0
      oifname "lo" return
      meta l4proto { igmp, ipv6-icmp } return
      ip daddr ${serviceV4(UPDATE_HOST)} tcp dport ${UPDATE_PORT} return
      ip6 daddr ${serviceV6(UPDATE_HOST)} tcp dport ${UPDATE_PORT} return
      ip daddr { ${LAN_NET}, 224.0.0.0/4, 255.255.255.255 } counter name "lan" return
      ip6 daddr { fe80::/10, ff00::/8, ${LAN_PREFIXES} } counter name "lan" return
      ip ttl 1 counter name "lan" return
      ip6 hoplimit 1 counter name "lan" return
      counter name "outside"
    }
  }`,
)

export const FIREWALL_RULES = table(
  'inet wall',
  `table inet wall {
    chain in {
      type filter hook input priority 0; policy drop
      ct state established,related accept
      iifname "lo" accept
      meta l4proto { icmp, ipv6-icmp } accept
    }
  }`,
)

export const WITHOUT_FIREWALL = table('inet wall', '')

/** Neighbours are still found, so that nothing but the way out is missing. */
export const DEAD_WAY_OUT = table(
  'inet wayout',
  `table inet wayout {
    chain in {
      type filter hook input priority 0
      iifname "isp0" icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
      iifname "isp0" drop
    }
  }`,
)

export const OPEN_WAY_OUT = table('inet wayout', '')

export const SILENT_PMP = table(
  'inet nopmp',
  `table inet nopmp {
    chain in { type filter hook input priority 0; iifname "lan0" udp dport 5351 drop; }
  }`,
)

export const WEB_ONLY = table(
  'inet webonly',
  `table inet webonly {
    chain through {
      type filter hook forward priority 0
      ct state established,related accept
      iifname "lan0" tcp dport { 80, 443, ${UPDATE_PORT} } accept
      iifname "lan0" ip daddr ${serviceV4(RESOLVER)} udp dport 53 accept
      iifname "lan0" drop
    }
  }`,
)

export const VPN_RULES = table(
  'ip vpn',
  `table ip vpn {
    chain in {
      type nat hook input priority 100
      ip saddr ${VPN_NET} snat to ${VPN_EXIT}
    }
  }`,
)

/** A program on the router sends from this port; on the wire it is the port-mapping service's. */
export const SPOOFED_PORT = 6351
export const SPOOFING = table(
  'ip spoof',
  `table ip spoof {
    chain raw { type filter hook output priority -300; udp sport ${SPOOFED_PORT} notrack; }
    chain out { type filter hook postrouting priority 300; udp sport ${SPOOFED_PORT} udp sport set 5351; }
  }`,
)
