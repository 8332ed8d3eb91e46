import { type ImportCase, lines } from '../import-case.ts'

export const INADYN_CASES: readonly ImportCase[] = [
  {
    name: 'inadyn 2: a provider by its name',
    format: 'inadyn',
    text: lines(
      'period = 300',
      '',
      'provider ipv4@nsupdate.info {',
      '  ssl = true',
      '  username = my.nsupdate.info',
      '  password = mypassword',
      '  hostname = my.nsupdate.info',
      '}',
    ),
    toml: lines(
      'provider = "nsupdate"',
      'username = "my.nsupdate.info"',
      'hostnames = ["my.nsupdate.info"]',
      'ipv6 = false',
      'interval = "5m"',
    ),
    passwords: ['mypassword'],
  },
  {
    name: 'inadyn 2: a custom service with the URL of one that is known',
    format: 'inadyn',
    text: lines(
      'custom namecheap {',
      '  username = example.test',
      '  password = mypass',
      '  ddns-server = dynamicdns.park-your-domain.com',
      '  ddns-path = "/update?domain=%u&password=%p&host=%h"',
      '  hostname = { "@", "www" }',
      '}',
    ),
    toml: lines(
      'provider = "namecheap"',
      'hostnames = ["example.test", "www.example.test"]',
      'zone = "example.test"',
    ),
    passwords: ['mypass'],
  },
  {
    name: 'inadyn 2: two logins at one service, the families of one, an included password',
    format: 'inadyn',
    text: lines(
      '# comment',
      'period = 10',
      'forced-update = 2592000',
      'iface = eth0',
      'user-agent = Mozilla/4.0',
      'provider default@no-ip.com:1 {',
      '  username = "one"',
      '  include("~/.noip")',
      '  hostname = { a.example.test, "b.example.test" }',
      '  wildcard = true',
      '}',
      'provider ipv6@no-ip.com:1 { username = one include("~/.noip") hostname = a.example.test }',
      'provider no-ip.com:2 { username = two',
      " password = 'pw two' hostname = c.example.test }",
    ),
    includes: { '~/.noip': 'password = "of the file"' },
    toml: lines(
      'refresh = "30d"',
      'sources = ["interface:eth0"]',
      'agreement = "one"',
      'interval = "1m"',
      '',
      '[[account]]',
      'name = "no-ip-1"',
      'provider = "no-ip"',
      'username = "one"',
      'hostnames = ["a.example.test"]',
      '',
      '[[account]]',
      'name = "no-ip-2"',
      'provider = "no-ip"',
      'username = "two"',
      'hostnames = ["c.example.test"]',
      'ipv6 = false',
    ),
    passwords: ['of the file', 'pw two'],
    remarks: [
      ['changed', 2, '10s becomes 1m'],
      ['dropped', 5, 'user-agent'],
      ['not taken', 6, 'b.example.test: only IPv4, by interface:eth0, needs an account of its own'],
      ['lost', 10, 'wildcard'],
    ],
  },
  {
    name: 'inadyn 2: a custom service of this protocol, with and without specifiers',
    format: 'inadyn',
    text: lines(
      'custom one {',
      '  username = u',
      '  password = p',
      '  ddns-server = dyn.example.test',
      '  ddns-path = "/nic/update?hostname=%h&myip=%i"',
      '  hostname = a.example.test',
      '}',
      'custom two { ssl = false username = v password = q ddns-server = other.example.test:8080 ddns-path = "/up?system=dyndns&hostname=" hostname = b.example.test }',
    ),
    toml: lines(
      '[[account]]',
      'name = "one"',
      'server = "https://dyn.example.test"',
      'username = "u"',
      'hostnames = ["a.example.test"]',
      'ipv6 = false',
      '',
      '[[account]]',
      'name = "two"',
      'server = "https://other.example.test:8080"',
      'username = "v"',
      'hostnames = ["b.example.test"]',
      'ipv6 = false',
      'path = "/up"',
      'parameters = ["system=dyndns"]',
    ),
    passwords: ['p', 'q'],
    remarks: [['changed', 8, 'http://other.example.test:8080']],
  },
  {
    name: 'inadyn 2: all is taken but the certificate that is not checked',
    format: 'inadyn',
    text: lines(
      'secure-ssl = false',
      'broken-rtc = true',
      'custom home {',
      '  ddns-server = "dyn.example.test"',
      '  ddns-path = "/nic/update?hostname=%h&myip=%i"',
      '  username = u',
      '  password = p',
      '  hostname = a.example.test',
      '}',
    ),
    toml: lines(
      'server = "https://dyn.example.test"',
      'username = "u"',
      'hostnames = ["a.example.test"]',
      'ipv6 = false',
    ),
    passwords: ['p'],
    remarks: [
      ['changed', 1, 'secure-ssl = false: the certificate of the service is always checked'],
      ['changed', 2, 'broken-rtc: the certificate of the service is always checked'],
    ],
  },
  {
    name: 'inadyn 2: with a false address, nothing is taken',
    format: 'inadyn',
    text: lines(
      'provider no-ip.com { username = u password = p hostname = a.example.test fake-address = true }',
    ),
    toml: '',
    passwords: [],
    remarks: [['not taken', 1, 'fake-address']],
  },
  {
    name: 'inadyn 1',
    format: 'inadyn',
    text: lines(
      '# inadyn 1.99',
      'background',
      'period 600',
      'username u',
      'password p w',
      'system default@no-ip.com',
      'alias a.example.test',
      'alias b.example.test',
      'verbose 2',
    ),
    toml: lines(
      'provider = "no-ip"',
      'username = "u"',
      'hostnames = ["a.example.test", "b.example.test"]',
      'ipv6 = false',
      'interval = "10m"',
    ),
    passwords: ['p w'],
  },
  {
    name: 'inadyn 2: variables, escapes, and an included section',
    format: 'inadyn',
    text: lines(
      'include("more.conf")',
      "provider no-ip.com { username = \"${USER}\" password = 'it\\'s' hostname = a.example.test }",
    ),
    variables: { USER: 'bob' },
    includes: {
      'more.conf': 'provider dynu.com { username = v password = "${NONE:-q}" hostname = b.example.test }',
    },
    toml: lines(
      '[[account]]',
      'name = "no-ip"',
      'provider = "no-ip"',
      'username = "bob"',
      'hostnames = ["a.example.test"]',
      'ipv6 = false',
      '',
      '[[account]]',
      'name = "dynu"',
      'provider = "dynu"',
      'username = "v"',
      'hostnames = ["b.example.test"]',
      'ipv6 = false',
    ),
    passwords: ["it's", 'q'],
  },
  {
    name: 'inadyn 2: an included file with settings, a fault, and a file of its own, which includes the first',
    format: 'inadyn',
    text: lines(
      'include("more.conf")',
      'period = 600',
      'provider no-ip.com { username = u password = p hostname = a.example.test }',
    ),
    includes: {
      'more.conf': 'iface = eth7\nperiod = 300\nbogus\ninclude("inner.conf")',
      'inner.conf':
        'include("more.conf")\nprovider dynu.com { username = v password = q hostname = b.example.test }',
    },
    toml: lines(
      'sources = ["interface:eth7"]',
      'agreement = "one"',
      'interval = "10m"',
      '',
      '[[account]]',
      'name = "no-ip"',
      'provider = "no-ip"',
      'username = "u"',
      'hostnames = ["a.example.test"]',
      'ipv6 = false',
      '',
      '[[account]]',
      'name = "dynu"',
      'provider = "dynu"',
      'username = "v"',
      'hostnames = ["b.example.test"]',
      'ipv6 = false',
    ),
    passwords: ['p', 'q'],
    remarks: [
      ['lost', 1, 'include("more.conf"), line 3: a word is not expected here'],
      ['lost', 1, 'include("more.conf"): it includes itself'],
    ],
  },
  {
    name: 'inadyn 1: lines without a counterpart, and one that is none',
    format: 'inadyn',
    text: lines(
      'system default@no-ip.com',
      'username u',
      'password p',
      'alias a.example.test',
      'cache_file /var/x',
      'exec /usr/local/bin/hook',
      'proxy_server 10.0.0.1:3128',
      'weird_thing 5',
    ),
    toml: lines('provider = "no-ip"', 'username = "u"', 'hostnames = ["a.example.test"]', 'ipv6 = false'),
    passwords: ['p'],
    remarks: [
      ['dropped', 5, 'cache_file is not needed'],
      ['lost', 6, 'exec has no counterpart'],
      ['lost', 7, 'proxy_server has no counterpart'],
      ['lost', 8, 'this line is not one of inadyn 1'],
    ],
  },
  {
    name: 'inadyn 1: a service that wants the hostname as username',
    format: 'inadyn',
    text: lines(
      'period 600',
      'system default@nsupdate.info',
      'username bob',
      'password p',
      'alias a.example.test',
    ),
    toml: lines(
      'provider = "nsupdate"',
      'username = "bob"',
      'hostnames = ["a.example.test"]',
      'ipv6 = false',
      'interval = "10m"',
    ),
    passwords: ['p'],
    remarks: [['changed', 2, 'takes the full hostname as username']],
  },
  {
    name: 'services that have ended are named with their date',
    format: 'inadyn',
    text: lines(
      'provider domains.google.com { username = u password = p hostname = a.example.test }',
      'custom google { ddns-server = "domains.google.com" ddns-path = "/nic/update?hostname=%h&myip=%i" username = u password = p hostname = b.example.test }',
      'custom two { ddns-server = "update.twodns.de" ddns-path = "/update?hostname=%h&ip=%i" username = u password = p hostname = c.example.test }',
    ),
    toml: '',
    passwords: [],
    remarks: [
      ['not taken', 1, 'ended its dynamic DNS on 2024-07-10'],
      ['not taken', 2, 'ended its dynamic DNS on 2024-07-10'],
      ['not taken', 3, 'ended on 2024-12-20'],
    ],
  },
  {
    name: 'inadyn 2: services of its other plugins, and requests of its user',
    format: 'inadyn',
    text: `period = 600
allow-ipv6 = true
provider cloudflare.com {
    username = example.com
    password = cf-token
    hostname = { "example.com", "www.example.com" }
    ttl = 1
    proxied = true
}
provider duckdns.org { username = duck-token password = none hostname = YOURNAME.duckdns.org }
provider dynv6.com { username = v6-token password = none hostname = me.dynv6.net }
provider freedns.afraid.org { username = fu password = fd-password hostname = me.mooo.com }
provider ddnss.de { username = du password = ddnss-password hostname = me.ddnss.de }
provider default@dnsexit.com { username = du password = dp hostname = me.dnsexit.test }
custom mine {
    username      = me
    password      = mypassword
    ddns-server   = ddns.example.test
    ddns-path     = "/set?name=%h&addr=%i"
    ddns-response = "stored (ok)"
    hostname      = home.example.test
}
custom other {
    ddns-server   = ddns.example.test
    ddns-path     = "/u/%h/%i/?key=verysecret"
    hostname      = other.example.test
}`,
    toml: `interval = "10m"

[[account]]
name = "cloudflare"
provider = "cloudflare"
hostnames = ["example.com", "www.example.com"]
zone = "example.com"

[[account]]
name = "duckdns"
provider = "duckdns"
hostnames = ["yourname.duckdns.org"]

[[account]]
name = "dynv6-api"
provider = "dynv6-api"
hostnames = ["me.dynv6.net"]

[[account]]
name = "freedns"
provider = "freedns"
username = "fu"
hostnames = ["me.mooo.com"]

[[account]]
name = "ddnss-key"
provider = "ddnss-key"
hostnames = ["me.ddnss.de"]

[[account]]
name = "mine"
username = "me"
hostnames = ["home.example.test"]
url = "https://ddns.example.test/set?name={hostname}&addr={ip}"
headers = ["Authorization: Basic {basic}"]
success = ["stored \\\\(ok\\\\)"]

[[account]]
name = "other"
hostnames = ["other.example.test"]
url = "https://ddns.example.test/u/{hostname}/{ip}/?key={password}"
success = ["OK|good|true|updated"]`,
    passwords: ['cf-token', 'duck-token', 'v6-token', 'fd-password', 'mypassword', 'verysecret'],
    remarks: [
      ['changed', 7, 'ttl: it is kept as it is'],
      ['changed', 8, 'proxied: it is kept as it is'],
      ['changed', 12, 'inadyn asks freedns.afraid.org/api'],
      ['lost', 13, 'make the update key on its website'],
      ['not taken', 14, 'default@dnsexit.com: Holdfast does not know this service'],
      ['changed', 24, 'success is what inadyn looks for'],
    ],
  },
  {
    name: 'inadyn: a path as UniFi gateways write it',
    format: 'inadyn',
    text: 'iface = ppp0\ncustom 192.0.2.1:1 {\n  hostname = "home.one.example"\n  username = "user"\n  password = "pass"\n  ddns-server = "192.0.2.1"\n  ddns-path = "/\\/nic/update?hostname=%h&myip=%i"\n}\n',
    toml: 'server = "https://192.0.2.1"\nusername = "user"\nhostnames = ["home.one.example"]\nipv6 = false\nsources = ["interface:ppp0"]\nagreement = "one"',
    passwords: ['pass'],
  },
]
