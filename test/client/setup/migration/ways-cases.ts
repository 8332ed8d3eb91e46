import type { ImportCase } from './cases.ts'

const ddclient = (
  name: string,
  text: string,
  rest: Omit<ImportCase, 'name' | 'format' | 'text'>,
): ImportCase => ({
  name: `ddclient: ${name}`,
  format: 'ddclient',
  text: `ssl=yes, daemon=5m\nprotocol=dyndns2, server=dyn.one.example, login=u1, password=p1\n${text}\n`,
  ...rest,
})
const LISTED = `[[account]]\nname = "dyn.one.example"\n`
const ACCOUNT = 'server = "https://dyn.one.example"\nusername = "u1"'
const host = (name: string, interfaceName: string): string =>
  `\n\n[[account.host]]\nname = "${name}.one.example"\ninterface = "${interfaceName}"`
const BOUND = 'interval = "5m"\nsources = ["interfaces"]\nagreement = "one"\n\n'

/** Each hostname keeps its own way to its address, for each family, or is not taken. */
export const WAYS_CASES: readonly ImportCase[] = [
  ddclient(
    'two hostnames, an interface each',
    'use=if, if=eth1 a.one.example\nuse=if, if=eth2 b.one.example',
    {
      toml: `${BOUND}${LISTED}${ACCOUNT}\nhostnames = ["a.one.example", "b.one.example"]\nipv6 = false${host('a', 'eth1')}${host('b', 'eth2')}`,
      passwords: ['p1'],
    },
  ),
  ddclient('two hostnames of one interface', 'use=if, if=eth1 a.one.example\nuse=if, if=eth1 b.one.example', {
    toml: `${ACCOUNT}\nhostnames = ["a.one.example", "b.one.example"]\nipv6 = false\ninterval = "5m"\nsources = ["interface:eth1"]\nagreement = "one"`,
    passwords: ['p1'],
  }),
  ddclient(
    'a hostname with an interface for each family',
    'usev4=ifv4, ifv4=eth1, usev6=ifv6, ifv6=eth2 a.one.example',
    {
      toml: `${BOUND}${LISTED}${ACCOUNT}\nhostnames = ["a.one.example"]\nfamilies = "apart"${host('a', 'eth1')}\nipv6_interface = "eth2"`,
      passwords: ['p1'],
    },
  ),
  ddclient('a page and an interface', 'use=web a.one.example\nuse=if, if=eth2 b.one.example', {
    toml: `interval = "5m"\n\n${LISTED}${ACCOUNT}\nhostnames = ["a.one.example", "b.one.example"]\nipv6 = false${host('b', 'eth2')}`,
    passwords: ['p1'],
    remarks: [['changed', 4, 'b.one.example: the public address is looked up through eth2']],
  }),
  ddclient('a page for IPv4, and the interfaces for IPv6', 'usev4=webv4, usev6=ifv6 a.one.example', {
    toml: `${ACCOUNT}\nhostnames = ["a.one.example"]\ninterval = "5m"\nfamilies = "apart"`,
    passwords: ['p1'],
  }),
  ddclient(
    'a program and an interface',
    'use=if, if=eth1 a.one.example\nuse=cmd, cmd=/opt/ip b.one.example',
    {
      toml: `${BOUND}${LISTED}${ACCOUNT}\nhostnames = ["a.one.example"]\nipv6 = false${host('a', 'eth1')}`,
      passwords: ['p1'],
      remarks: [['not taken', 4, 'b.one.example: the address is found by /opt/ip, and that of other']],
    },
  ),
  ddclient('two programs', 'use=cmd, cmd=/opt/one a.one.example\nuse=cmd, cmd=/opt/two b.one.example', {
    toml: `${ACCOUNT}\nhostnames = ["a.one.example"]\nipv6 = false\ninterval = "5m"\nsources = ["command"]\nagreement = "one"\ncommand = ["/bin/sh", "-c", "/opt/one"]`,
    passwords: ['p1'],
    remarks: [['not taken', 4, 'b.one.example: the address is found by /opt/two, and that of other']],
  }),
  ddclient('one hostname in two ways', 'use=if, if=eth1 a.one.example\nuse=if, if=eth2 a.one.example', {
    toml: `${ACCOUNT}\nhostnames = ["a.one.example"]\nipv6 = false\ninterval = "5m"\nsources = ["interface:eth1"]\nagreement = "one"`,
    passwords: ['p1'],
    remarks: [['not taken', 4, 'a.one.example: line 3 finds its address by interface:eth1, and this one by']],
  }),
  ddclient('a router and a page', 'use=fritzbox a.one.example\nuse=web b.one.example', {
    toml: `${ACCOUNT}\nhostnames = ["a.one.example", "b.one.example"]\nipv6 = false\ninterval = "5m"`,
    passwords: ['p1'],
  }),
  ddclient('the whole URL as the server', 'server=dyn.one.example/update?ip=%i&hostname=%h a.one.example', {
    toml: `${ACCOUNT}\nhostnames = ["a.one.example"]\nipv6 = false\ninterval = "5m"\npath = "/update"\naddress_parameter = "ip"`,
    passwords: ['p1'],
  }),
  ddclient(
    'dynv6 over IPv6',
    'server=dynv6.com, login=none, usev4=disabled, usev6=ifv6, if=ens1 a.one.example',
    {
      toml: 'provider = "dynv6-api"\nhostnames = ["a.one.example"]\nipv4 = false\ninterval = "5m"\nsources = ["interface:ens1"]\nagreement = "one"',
      passwords: ['p1'],
      remarks: [['changed', 3, 'a.one.example: dynv6-api is used, which takes IPv6 addresses']],
    },
  ),
  ddclient('an address without a way', 'ip=11.22.99.9 a.one.example', {
    toml: `${ACCOUNT}\nhostnames = ["a.one.example"]\nipv6 = false\ninterval = "5m"\nmyip = ["11.22.99.9"]`,
    passwords: ['p1'],
  }),
  ddclient('an IPv6 address', 'use=ip, ip=2a00:1234::55 a.one.example', {
    toml: `${ACCOUNT}\nhostnames = ["a.one.example"]\nipv4 = false\ninterval = "5m"\nmyip = ["2a00:1234::55"]`,
    passwords: ['p1'],
  }),
  ddclient('an interface without its name', 'use=if a.one.example', {
    toml: `${ACCOUNT}\nhostnames = ["a.one.example"]\nipv6 = false\ninterval = "5m"\nsources = ["interface:ppp0"]\nagreement = "one"`,
    passwords: ['p1'],
  }),
  ddclient(
    'both families off, and the older way',
    'usev4=disabled, usev6=disabled, use=if, if=eth2 a.one.example',
    {
      toml: `${ACCOUNT}\nhostnames = ["a.one.example"]\nipv6 = false\ninterval = "5m"\nsources = ["interface:eth2"]\nagreement = "one"`,
      passwords: ['p1'],
    },
  ),
  {
    name: 'a URL with a fixed address',
    format: 'url',
    text: 'https://u:secret-of-it@dyn.one.example/nic/update?hostname=a.one.example&myip=11.22.33.44',
    toml: 'server = "https://dyn.one.example"\nusername = "u"\nhostnames = ["a.one.example"]\nipv6 = false\nmyip = ["11.22.33.44"]',
    passwords: ['secret-of-it'],
  },
  {
    name: 'OpenWrt: two networks',
    format: 'openwrt',
    text: ['wan', 'wanb']
      .map(
        (network) =>
          `config service '${network}'\n\toption enabled '1'\n\toption service_name 'no-ip.com'\n\toption domain '${network}.ddns.net'\n\toption username 'u'\n\toption password 'p'\n\toption ip_source 'network'\n\toption ip_network '${network}'\n`,
      )
      .join('\n'),
    toml: 'provider = "no-ip"\nusername = "u"\nhostnames = ["wan.ddns.net"]\nipv6 = false\nrefresh = "3d"\nsources = ["interfaces"]\nagreement = "one"\ninterval = "10m"\nwhen_stopped = "idle"',
    passwords: ['p'],
    remarks: [
      ['not taken', 10, 'wanb.ddns.net: the address is found by wanb, and that of other hostnames by wan'],
    ],
  },
  {
    name: 'OpenWrt: a line each, of one login',
    format: 'openwrt',
    text: ['a', 'b']
      .map(
        (name, at) =>
          `config service 'wan${at}'\n\toption enabled '1'\n\toption service_name 'no-ip.com'\n\toption domain '${name}.ddns.net'\n\toption username 'u'\n\toption password 'p'\n\toption ip_source 'interface'\n\toption ip_interface 'wan${at}'\n`,
      )
      .join('\n'),
    toml: 'sources = ["interfaces"]\nagreement = "one"\ninterval = "10m"\nwhen_stopped = "idle"\n\n[[account]]\nname = "no-ip"\nprovider = "no-ip"\nusername = "u"\nhostnames = ["a.ddns.net", "b.ddns.net"]\nipv6 = false\nrefresh = "3d"\n\n[[account.host]]\nname = "a.ddns.net"\ninterface = "wan0"\n\n[[account.host]]\nname = "b.ddns.net"\ninterface = "wan1"',
    passwords: ['p'],
  },
  {
    name: 'OpenWrt: FreeDNS by token, whose domain is none',
    format: 'openwrt',
    text: "config service 'd'\n\toption enabled '1'\n\toption service_name 'afraid.org-v2-token'\n\toption lookup_host 'home.chickenkiller.com'\n\toption domain 'none'\n\toption username 'none'\n\toption password 'AAAbbb123'\n\toption ip_source 'network'\n",
    toml: 'provider = "freedns-token"\nhostnames = ["home.chickenkiller.com"]\nipv6 = false\nrefresh = "3d"\nsources = ["interfaces"]\nagreement = "one"\ninterval = "10m"\nwhen_stopped = "idle"',
    passwords: ['AAAbbb123'],
    remarks: [['changed', 8, 'ip_source network wan: the addresses of all interfaces are used']],
  },
  {
    name: 'OpenWrt: DDNSS with the password of the account',
    format: 'openwrt',
    text: "config service 'd'\n\toption enabled '1'\n\toption domain 'home.one.example'\n\toption username 'u'\n\toption password 'account-pw'\n\toption update_url 'https://www.ddnss.de/upd.php?user=[USERNAME]&pwd=[PASSWORD]&host=[DOMAIN]&ip=[IP]'\n",
    toml: 'sources = ["interfaces"]\nagreement = "one"\nusername = "u"\nhostnames = ["home.one.example"]\nurl = "https://www.ddnss.de/upd.php?user={username}&pwd={password}&host={hostname}&ip={ip}"\nipv6 = false\nrefresh = "3d"\ninterval = "10m"\nwhen_stopped = "idle"',
    passwords: ['account-pw'],
    isIncomplete: true,
    remarks: [['lost', 6, 'the answer of the service is not in this file']],
  },
  {
    name: 'inadyn: a path as UniFi gateways write it',
    format: 'inadyn',
    text: 'iface = ppp0\ncustom 192.0.2.1:1 {\n  hostname = "home.one.example"\n  username = "user"\n  password = "pass"\n  ddns-server = "192.0.2.1"\n  ddns-path = "/\\/nic/update?hostname=%h&myip=%i"\n}\n',
    toml: 'server = "https://192.0.2.1"\nusername = "user"\nhostnames = ["home.one.example"]\nipv6 = false\nsources = ["interface:ppp0"]\nagreement = "one"',
    passwords: ['pass'],
  },
  {
    name: 'ddns-updater: DuckDNS of an older version',
    format: 'ddns-updater',
    text: '{"settings":[{"provider":"duckdns","host":"myhome","token":"0f1e-token"}]}',
    toml: 'provider = "duckdns"\nhostnames = ["myhome.duckdns.org"]',
    passwords: ['0f1e-token'],
  },
  {
    name: 'ddns-go: other names for IPv4 than for IPv6',
    format: 'ddns-go',
    text: 'dnsconf:\n  - ipv4:\n      enable: true\n      gettype: url\n      domains: [ home.one.example ]\n    ipv6:\n      enable: true\n      gettype: netInterface\n      netinterface: eth0\n      domains: [ nas.one.example ]\n    dns: { name: cloudflare, secret: cf-token }\n',
    toml: '[[account]]\nname = "cloudflare"\nprovider = "cloudflare"\nhostnames = ["home.one.example"]\nipv6 = false\n\n[[account]]\nname = "cloudflare-2"\nprovider = "cloudflare"\nhostnames = ["nas.one.example"]\nipv4 = false\n\n[[account.host]]\nname = "nas.one.example"\ninterface = "eth0"',
    passwords: ['cf-token', 'cf-token'],
  },
  {
    name: 'ddns-go: requests by one interface',
    format: 'ddns-go',
    text: 'dnsconf:\n  - ipv4:\n      enable: true\n      gettype: url\n      domains: [ home.one.example ]\n    ipv6: { enable: false, domains: [] }\n    dns: { name: cloudflare, secret: cf-token }\n    httpinterface: eth1\n',
    toml: '[[account]]\nname = "cloudflare"\nprovider = "cloudflare"\nhostnames = ["home.one.example"]\nipv6 = false\n\n[[account.host]]\nname = "home.one.example"\ninterface = "eth1"',
    passwords: ['cf-token'],
  },
  {
    name: 'URLs with their hostnames',
    format: 'url',
    text: 'https://dynv6.com/api/update?hostname=abc.dynv6.net&token=T1&ipv4=<ipaddr>&ipv6=<ip6addr>\nhttps://www.ddnss.de/upd.php?key=K1&host=abc.ddnss.de&ip=<ipaddr>&ip6=<ip6addr>\nhttps://www.duckdns.org/update?domains=abc,def&token=T2&ip=',
    toml: '[[account]]\nname = "dynv6-api"\nprovider = "dynv6-api"\nhostnames = ["abc.dynv6.net"]\n\n[[account]]\nname = "ddnss-key"\nprovider = "ddnss-key"\nhostnames = ["abc.ddnss.de"]\n\n[[account]]\nname = "duckdns"\nprovider = "duckdns"\nhostnames = ["abc.duckdns.org", "def.duckdns.org"]\nipv6 = false',
    passwords: ['T1', 'K1', 'T2'],
  },
]
