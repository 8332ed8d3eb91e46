import type { ImportCase } from './cases.ts'

/** Services with another protocol than the update protocol, in files as their clients document them. */
export const SERVICE_CASES: readonly ImportCase[] = [
  {
    name: 'ddclient: services of its other protocols',
    format: 'ddclient',
    text: `daemon=300
ssl=yes
use=web
protocol=cloudflare, zone=example.com, ttl=1, login=token, password=cf-token example.com,www.example.com
protocol=cloudflare, zone=example.com, login=me@example.com, password=global-key old.example.com
protocol=duckdns, password=duck-token myhost,other
protocol=hetzner, zone=example.org, password=console-token a.example.org
protocol=gandi, zone=example.org, use-personal-access-token=yes, password=gandi-pat b.example.org
protocol=namecheap, login=example.io, password=nc-password @.example.io
protocol=zoneedit1, login=ze-user, password=ze-token c.example.org
protocol=dnsmadeeasy, login=dme-user, password=dme-password 1007,1008
protocol=cloudns, dynurl=https://ipv4.cloudns.net/api/dynamicURL/?q=SECRETQ l.example.co
protocol=nfsn, login=n, password=m zone.example.co`,
    toml: `interval = "5m"

[[account]]
name = "cloudflare"
provider = "cloudflare"
hostnames = ["example.com", "www.example.com"]
ipv6 = false
zone = "example.com"

[[account]]
name = "cloudflare-2"
provider = "cloudflare"
hostnames = ["old.example.com"]
ipv6 = false
zone = "example.com"

[[account]]
name = "duckdns"
provider = "duckdns"
hostnames = ["myhost.duckdns.org", "other.duckdns.org"]
ipv6 = false

[[account]]
name = "hetzner"
provider = "hetzner"
hostnames = ["a.example.org"]
ipv6 = false
zone = "example.org"

[[account]]
name = "gandi"
provider = "gandi"
hostnames = ["b.example.org"]
ipv6 = false
zone = "example.org"

[[account]]
name = "namecheap"
provider = "namecheap"
hostnames = ["example.io"]
zone = "example.io"

[[account]]
name = "zoneedit"
provider = "zoneedit"
username = "ze-user"
hostnames = ["c.example.org"]

[[account]]
name = "dnsmadeeasy"
provider = "dnsmadeeasy"
username = "dme-user"
record = "1007"`,
    passwords: ['cf-token', 'duck-token', 'gandi-pat', 'nc-password', 'ze-token', 'dme-password'],
    remarks: [
      ['changed', 4, 'ttl: it is kept as it is'],
      ['lost', 5, 'it is the global API key'],
      ['lost', 7, 'its API ended in May 2026'],
      ['dropped', 8, 'use-personal-access-token'],
      ['changed', 10, 'ddclient asks dynamic.zoneedit.com; Holdfast asks api.cp.zoneedit.com'],
      ['not taken', 11, 'the records 1008'],
      ['lost', 11, 'the hostnames are not in this file'],
      ['not taken', 12, 'write url with dynurl'],
      ['not taken', 13, 'protocol=nfsn for zone.example.co: NearlyFreeSpeech.NET signs'],
    ],
  },
  {
    name: 'ddclient: services with two secrets',
    format: 'ddclient',
    text: `daemon=300
ssl=yes
use=web
protocol=porkbun, apikey=pk1_a, secretapikey=sk1_b, root-domain=example.net, on-root-domain=no host.example.net
protocol=godaddy, login=gd-key, zone=example.biz, ttl=600, password=gd-secret e.example.biz`,
    toml: `interval = "5m"

[[account]]
name = "porkbun"
provider = "porkbun"
hostnames = ["host.example.net"]
ipv6 = false
zone = "example.net"
api_key_file = "/p/porkbun.api-key"

[[account]]
name = "godaddy"
provider = "godaddy"
hostnames = ["e.example.biz"]
ipv6 = false
zone = "example.biz"
api_key_file = "/p/godaddy.api-key"`,
    passwords: ['sk1_b', 'gd-secret'],
    remarks: [
      ['dropped', 4, 'on-root-domain'],
      ['changed', 5, 'ttl: it is kept'],
    ],
  },
  {
    name: 'ddclient: the key file of nsupdate',
    format: 'ddclient',
    text: `daemon=300
ssl=yes
protocol=nsupdate, server=ns1.example.com, zone=example.com, tcp=yes, password=/etc/ddns.key d.example.com`,
    includes: { '/etc/ddns.key': 'key "ddns-key" {\n  algorithm hmac-sha256;\n  secret "c2VjcmV0";\n};\n' },
    toml: `provider = "rfc2136"
server = "dns://ns1.example.com"
username = "ddns-key"
hostnames = ["d.example.com"]
ipv6 = false
zone = "example.com"
tsig_algorithm = "hmac-sha256"
interval = "5m"`,
    passwords: ['c2VjcmV0'],
    remarks: [['dropped', 3, 'tcp']],
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
]
