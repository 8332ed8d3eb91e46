import { LAN_NET, LAN_PREFIXES, RESOLVER, serviceV4, serviceV6, UPDATE_HOST, UPDATE_PORT } from './plan.ts'

/** Each text replaces its table, or creates it. */
const table = (name: string, body: string): string => `table ${name}\ndelete table ${name}\n${body}\n`

/** Unlike masquerade, snat keeps its connections when the address is removed. */
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

/** The services run on the NAT machine itself, so it translates in the input hook. */
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

/** The tables that miniupnpd writes to, and does not create. */
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
 * Counts the packets of the host, without update requests, loopback, and packets of the kernel itself (group membership,
 * neighbour discovery). A packet with a TTL of 1 stays on the LAN, whatever its destination.
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

/** Drops everything except neighbour discovery, so that only the uplink is down. */
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

export const ROUTER_OFF = table(
  'inet power',
  `table inet power {
    chain in { type filter hook prerouting priority -350; iifname != "lo" drop; }
    chain out { type filter hook output priority -350; oifname != "lo" drop; }
  }`,
)

export const ROUTER_ON = table('inet power', '')

export const lossRules = (percent: number): string =>
  table(
    'inet loss',
    `table inet loss {
      chain through { type filter hook forward priority 0; numgen random mod 100 < ${percent} drop; }
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

/** What comes from these addresses has another one outside: that of the exit of a VPN, or one that a provider shares. */
export const exitRules = (inside: string, exit: string): string =>
  table(
    'ip exit',
    `table ip exit {
      chain in {
        type nat hook input priority 100
        ip saddr ${inside} snat to ${exit}
      }
    }`,
  )

/** A program on the router sends from this port; nftables rewrites it to the port of the port-mapping service. */
export const SPOOFED_PORT = 6351
export const SPOOFING = table(
  'ip spoof',
  `table ip spoof {
    chain raw { type filter hook output priority -300; udp sport ${SPOOFED_PORT} notrack; }
    chain out { type filter hook postrouting priority 300; udp sport ${SPOOFED_PORT} udp sport set 5351; }
  }`,
)
