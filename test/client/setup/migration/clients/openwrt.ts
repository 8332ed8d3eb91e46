import { type ImportCase, lines } from '../import-case.ts'

/** One of several sections for the same hostname. */
const sectionOf = (ip: string): string =>
  `config service\n\toption enabled '1'\n\toption service_name 'no-ip.com'\n\toption domain 'home.ddns.net'\n\toption username 'u'\n\toption password 'p'\n\toption ip_${ip}\n`

export const OPENWRT_CASES: readonly ImportCase[] = [
  {
    name: 'OpenWrt: options in the URL, a comment behind a value, and a placeholder without counterpart',
    format: 'openwrt',
    text: lines(
      'config service "home"',
      "\toption enabled '1' # on",
      '\toption update_url "https://dyn.example.test/nic/update?hostname=[DOMAIN]&myip=[IP]&zone=[PARAMENC]&[PARAMOPT]"',
      "\toption param_enc 'a_b'",
      "\toption param_opt 'x=1'",
      '\toption domain home.example.test#old.example.test',
      "\toption username 'u'",
      "\toption password 'p#w'",
      'config service "other"',
      "\toption enabled '1'",
      '\toption update_url "https://dyn.example.test/nic/update?hostname=[DOMAIN]&myip=[IP]&ttl=[TTL]"',
      "\toption domain 'other.example.test'",
      "\toption username 'u'",
      "\toption password 'p'",
    ),
    toml: lines(
      'sources = ["interfaces"]',
      'agreement = "one"',
      'server = "https://dyn.example.test"',
      'username = "u"',
      'hostnames = ["home.example.test"]',
      'parameters = ["zone=a_b", "x=1"]',
      'ipv6 = false',
      'refresh = "3d"',
      'interval = "10m"',
      'when_stopped = "idle"',
    ),
    passwords: ['p#w'],
    remarks: [['not taken', 9, 'update_url has a placeholder that has no counterpart here']],
  },
  {
    name: 'OpenWrt: two sections for one host, and one that is off',
    format: 'openwrt',
    text: lines(
      'config service "home_ipv4"',
      "\toption enabled '1'",
      '\toption update_url\t"http://[USERNAME]:[PASSWORD]@your.provider.test/nic/update?hostname=[DOMAIN]&myip=[IP]"',
      "\toption use_https '1'",
      "\toption cacert '/etc/ssl/certs'",
      '\toption domain\t\t"yourhost.example.test"',
      '\toption username\t\t"your_username"',
      '\toption password\t\t"your_password"',
      '\toption ip_source\t"network"',
      '\toption ip_network\t"wan"',
      '',
      'config service "home_ipv6"',
      "\toption enabled '1'",
      '\toption update_url\t"http://[USERNAME]:[PASSWORD]@your.provider.test/nic/update?hostname=[DOMAIN]&myip=[IP]"',
      "\toption use_https '1'",
      '\toption domain\t\t"yourhost.example.test"',
      '\toption username\t\t"your_username"',
      '\toption password\t\t"your_password"',
      '\toption use_ipv6\t\t"1"',
      '\toption ip_source\t"network"',
      '\toption ip_network\t"wan6"',
      '',
      'config service "old"',
      "\toption enabled '0'",
      '\toption service_name "dyndns.org"',
      '\toption domain "gone.example.test"',
    ),
    toml: lines(
      'server = "https://your.provider.test"',
      'username = "your_username"',
      'hostnames = ["yourhost.example.test"]',
      'families = "apart"',
      'refresh = "3d"',
      'sources = ["interfaces"]',
      'agreement = "one"',
      'interval = "10m"',
      'when_stopped = "idle"',
    ),
    passwords: ['your_password'],
    remarks: [
      ['dropped', 23, 'service old is not enabled'],
      ['changed', 9, 'ubus call network.interface.wan status'],
    ],
  },
  {
    name: 'OpenWrt: a service by its name, in the form of uci show, with periods',
    format: 'openwrt',
    text: lines(
      'ddns.global=ddns',
      "ddns.global.upd_privateip='1'",
      'ddns.home=service',
      "ddns.home.enabled='1'",
      "ddns.home.service_name='no-ip.com'",
      "ddns.home.domain='home@example.test'",
      "ddns.home.username='abc1234'",
      "ddns.home.password='it'\\''s'",
      "ddns.home.check_interval='90'",
      "ddns.home.check_unit='seconds'",
      "ddns.home.force_interval='0'",
      "ddns.home.ip_source='interface'",
      "ddns.home.ip_interface='eth1'",
    ),
    toml: lines(
      'provider = "no-ip"',
      'username = "abc1234"',
      'hostnames = ["home.example.test"]',
      'ipv6 = false',
      'sources = ["interface:eth1"]',
      'agreement = "one"',
      'allow = ["private"]',
      'interval = "1m30s"',
      'when_stopped = "idle"',
    ),
    passwords: ["it's"],
    remarks: [['changed', 11, 'one update only']],
  },
  {
    name: 'OpenWrt: the times of a section that is not taken do not count',
    format: 'openwrt',
    text: lines(
      "config service 'a'",
      "\toption enabled '1'",
      "\toption service_name 'no-ip.com'",
      "\toption domain 'a.example.test'",
      "\toption username 'u'",
      "\toption password 'p'",
      "\toption check_interval '10'",
      "\toption check_unit 'minutes'",
      "config service 'b'",
      "\toption enabled '1'",
      "\toption use_ipv6 '1'",
      "\toption service_name 'no-ip.com'",
      "\toption domain 'b.example.test'",
      "\toption username 'u'",
      "\toption password 'p'",
      "\toption check_interval '2'",
      "\toption check_unit 'minutes'",
    ),
    toml: lines(
      'sources = ["interfaces"]',
      'agreement = "one"',
      'interval = "10m"',
      'refresh = "3d"',
      'provider = "no-ip"',
      'username = "u"',
      'hostnames = ["a.example.test"]',
      'ipv6 = false',
      'when_stopped = "idle"',
    ),
    passwords: ['p'],
    remarks: [['not taken', 9, 'b.example.test']],
  },
  {
    name: 'OpenWrt: only what is taken sets the times, and the shortest interval holds',
    format: 'openwrt',
    text: lines(
      "config service 'other'",
      "\toption enabled '1'",
      "\toption service_name 'aliyun.com'",
      "\toption domain 'x.example.test'",
      "\toption check_interval '5'",
      "config service 'first'",
      "\toption enabled '1'",
      "\toption service_name 'nsupdate.info'",
      "\toption domain 'a.example.test'",
      "\toption password 'p'",
      "\toption check_interval '30'",
      "\toption force_interval '24'",
      "config service 'second'",
      "\toption enabled '1'",
      "\toption service_name 'dynu.com'",
      "\toption domain 'b.example.test'",
      "\toption username 'u'",
      "\toption password 'q'",
      "\toption check_interval '15'",
      "\toption force_interval '24'",
    ),
    toml: lines(
      'sources = ["interfaces"]',
      'agreement = "one"',
      'refresh = "1d"',
      'interval = "15m"',
      'when_stopped = "idle"',
      '',
      '[[account]]',
      'name = "nsupdate"',
      'provider = "nsupdate"',
      'username = "a.example.test"',
      'hostnames = ["a.example.test"]',
      'ipv6 = false',
      '',
      '[[account]]',
      'name = "dynu"',
      'provider = "dynu"',
      'username = "u"',
      'hostnames = ["b.example.test"]',
      'ipv6 = false',
    ),
    passwords: ['p', 'q'],
    remarks: [
      ['not taken', 1, 'aliyun.com'],
      ['changed', 6, 'so a.example.test is written'],
      ['changed', 6, 'the address is checked every 15m'],
    ],
  },
  {
    name: 'OpenWrt: services of its scripts, and URLs of another form',
    format: 'openwrt',
    isIncomplete: true,
    text: `config ddns 'global'
	option ddns_loglines '250'

config service 'cf'
	option enabled '1'
	option service_name 'cloudflare.com-v4'
	option domain 'home@example.com'
	option lookup_host 'home.example.com'
	option username 'Bearer'
	option password 'cf-token'
	option param_opt 'zone_id=123'
	option use_https '1'

config service 'cf6'
	option enabled '1'
	option service_name 'cloudflare.com-v4'
	option domain 'home@example.com'
	option username 'Bearer'
	option password 'cf-token'
	option use_ipv6 '1'

config service 'do'
	option enabled '1'
	option service_name 'digitalocean.com-v2'
	option domain 'example.org'
	option username 'router'
	option password 'do-token'
	option param_opt '21694203'

config service 'duck'
	option enabled '1'
	option update_url 'http://www.duckdns.org/update?domains=[USERNAME]&token=[PASSWORD]&ip=[IP]'
	option domain 'foo.duckdns.org'
	option username 'foo'
	option password 'ducktoken'

config service 'nch'
	option enabled '1'
	option service_name 'namecheap.com'
	option domain 'example.us'
	option username 'www'
	option password 'ncpw'

config service 'mine'
	option enabled '1'
	option update_url 'http://ddns.example.test/up?h=[DOMAIN]&a=[IP]&user=[USERNAME]&pw=[PASSWORD]'
	option domain 'x.example.test'
	option username 'me'
	option password 'mypw'

config service 'r53'
	option enabled '1'
	option service_name 'route53-v1'
	option domain 'r.example.test'`,
    toml: `sources = ["interfaces"]\nagreement = "one"\nrefresh = "3d"
interval = "10m"
when_stopped = "idle"

[[account]]
name = "cloudflare"
provider = "cloudflare"
hostnames = ["home.example.com"]
zone = "example.com"

[[account]]
name = "digitalocean"
provider = "digitalocean"
hostnames = ["router.example.org"]
ipv6 = false
zone = "example.org"

[[account]]
name = "duckdns"
provider = "duckdns"
hostnames = ["foo.duckdns.org"]
ipv6 = false

[[account]]
name = "namecheap"
provider = "namecheap"
hostnames = ["www.example.us"]
zone = "example.us"

[[account]]
name = "mine"
username = "me"
hostnames = ["x.example.test"]
ipv6 = false
url = "https://ddns.example.test/up?h={hostname}&a={ip}&user={username}&pw={password}"`,
    passwords: ['cf-token', 'do-token', 'ducktoken', 'ncpw', 'mypw'],
    remarks: [
      ['dropped', 11, 'param_opt is not needed'],
      ['changed', 32, 'the service is asked with https; if it has only http, write url with h'],
      ['changed', 46, 'the service is asked with https; if it has only http, write url with h'],
      ['lost', 46, 'the answer of the service is not in this file; write success, such as '],
      ['not taken', 51, 'service r53: service_name route53-v1: Amazon Route 53 needs each request signed'],
    ],
  },
  {
    name: 'OpenWrt: services with two secrets, or a server of the user',
    format: 'openwrt',
    text: `config service 'nc'
	option enabled '1'
	option service_name 'netcup.com'
	option domain 'a.b.example.de'
	option username '12345'
	option password 'apipw'
	option param_enc 'apikey'
	option param_opt 'example.de'

config service 'pdns'
	option enabled '1'
	option service_name 'pdns'
	option domain 'example.net'
	option username 'home'
	option password 'pdnskey'
	option param_opt 'http://192.168.1.5:8081'`,
    toml: `sources = ["interfaces"]\nagreement = "one"\nrefresh = "3d"
interval = "10m"
when_stopped = "idle"

[[account]]
name = "netcup"
provider = "netcup"
username = "12345"
hostnames = ["a.b.example.de"]
ipv6 = false
zone = "example.de"
api_key_file = "/p/netcup.api-key"

[[account]]
name = "powerdns"
provider = "powerdns"
server = "http://192.168.1.5:8081"
hostnames = ["home.example.net"]
ipv6 = false
zone = "example.net"`,
    passwords: ['apipw', 'pdnskey'],
    remarks: [],
  },
  {
    name: 'OpenWrt: nsupdate',
    format: 'openwrt',
    text: `config service 'bind'
	option enabled '1'
	option service_name 'bind-nsupdate'
	option domain 'home.example.io'
	option username 'ddns-key'
	option password 'c2VjcmV0'
	option dns_server 'ns1.example.io'`,
    toml: `sources = ["interfaces"]\nagreement = "one"\nprovider = "rfc2136"
server = "dns://ns1.example.io"
username = "ddns-key"
hostnames = ["home.example.io"]
ipv6 = false
refresh = "3d"
interval = "10m"
when_stopped = "idle"`,
    passwords: ['c2VjcmV0'],
  },
  {
    name: 'OpenWrt: nsupdate with the algorithm before the key, and a server with a login',
    format: 'openwrt',
    isIncomplete: true,
    text: `config service 'bind'
	option enabled '1'
	option service_name 'bind-nsupdate'
	option domain 'home.example.io'
	option username 'hmac-sha512:ddns-key'
	option password 'c2VjcmV0'
	option dns_server 'user:SECRETB7@ns1.example.io/x?k=SECRETC3'`,
    toml: `sources = ["interfaces"]\nagreement = "one"\nprovider = "rfc2136"
username = "ddns-key"
hostnames = ["home.example.io"]
ipv6 = false
tsig_algorithm = "hmac-sha512"
refresh = "3d"
interval = "10m"
when_stopped = "idle"`,
    passwords: ['c2VjcmV0'],
    remarks: [['lost', 1, 'its server is not the address of a service']],
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
    name: 'OpenWrt: one hostname by three lines',
    format: 'openwrt',
    text: ['eth0', 'eth1', 'wwan0']
      .map((name) => sectionOf(`source 'interface'\n\toption ip_interface '${name}'`))
      .join('\n'),
    toml: 'sources = ["interfaces"]\nagreement = "one"\ninterval = "10m"\nwhen_stopped = "idle"\n\n[[account]]\nname = "no-ip"\nprovider = "no-ip"\nusername = "u"\nhostnames = ["home.ddns.net"]\nipv6 = false\nrefresh = "3d"\n\n[[account.host]]\nname = "home.ddns.net"\ninterface = ["eth0", "eth1", "wwan0"]',
    passwords: ['p'],
    remarks: [
      [
        'changed',
        10,
        'home.ddns.net: line 1 and this one become one order of lines: eth0, then eth1, then wwan0',
      ],
      [
        'changed',
        19,
        'home.ddns.net: line 1 and this one become one order of lines: eth0, then eth1, then wwan0',
      ],
    ],
  },
  {
    name: 'OpenWrt: one hostname by two networks, whose devices are not in the file',
    format: 'openwrt',
    text: ['wan', 'wanb']
      .map((name) => sectionOf(`source 'network'\n\toption ip_network '${name}'`))
      .join('\n'),
    toml: 'provider = "no-ip"\nusername = "u"\nhostnames = ["home.ddns.net"]\nipv6 = false\nrefresh = "3d"\nsources = ["interfaces"]\nagreement = "one"\ninterval = "10m"\nwhen_stopped = "idle"',
    passwords: ['p'],
    remarks: [
      [
        'not taken',
        10,
        'home.ddns.net: line 1 finds its address by wan, and this one by wanb; for both, write interface',
      ],
    ],
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
]
