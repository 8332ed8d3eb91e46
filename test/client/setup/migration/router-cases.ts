import type { ImportCase } from './cases.ts'

/** The same for OpenWrt and ddns-updater. */
export const ROUTER_CASES: readonly ImportCase[] = [
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
      ['not taken', 51, 'service r53: service_name route53-v1: Amazon Route 53 signs'],
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
    name: 'ddns-updater: services of its other providers, and a request of its user',
    format: 'ddns-updater',
    text: `{
  "settings": [
    { "provider": "cloudflare", "zone_identifier": "abc", "domain": "a.example.com", "ttl": 600, "token": "cf-token", "ip_version": "ipv4" },
    { "provider": "cloudflare", "zone_identifier": "abc", "domain": "b.example.com", "ttl": 600, "email": "me@example.com", "key": "globalkey", "proxied": true },
    { "provider": "namecheap", "domain": "example.io", "owner": "www", "password": "ncpw", "provider_ip": true },
    { "provider": "custom", "domain": "h.example.com", "url": "http://ddns.example.test/update?domain=h.example.com&client_key=verysecret", "ipv4key": "ipv4", "ipv6key": "ipv6", "success_regex": "(?i)good", "ip_version": "ipv4" },
    { "provider": "gandi", "domain": "i.example.com", "personal_access_token": "pat", "ttl": 3600 },
    { "provider": "name.com", "domain": "j.example.com", "apikey": "k" }
  ]
}`,
    toml: `[[account]]
name = "cloudflare"
provider = "cloudflare"
hostnames = ["a.example.com"]
ipv6 = false

[[account]]
name = "cloudflare-2"
provider = "cloudflare"
hostnames = ["b.example.com"]

[[account]]
name = "namecheap"
provider = "namecheap"
hostnames = ["www.example.io"]

[[account]]
name = "ddns.example.test"
hostnames = ["h.example.com"]
ipv6 = false
url = "https://ddns.example.test/update?domain=h.example.com&client_key={password}&ipv4={ipv4}"
success = ["good"]

[[account]]
name = "gandi"
provider = "gandi"
hostnames = ["i.example.com"]`,
    passwords: ['cf-token', 'ncpw', 'verysecret', 'pat'],
    remarks: [
      ['dropped', 3, 'zone_identifier is not needed'],
      ['changed', 3, 'ttl: it is kept as it is at the service'],
      ['lost', 4, 'the secret of ddns-updater is not that of Holdfast at Cloudflare: it i'],
      ['dropped', 4, 'email is not needed'],
      ['dropped', 4, 'key is not needed'],
      ['changed', 4, 'proxied: it is kept as it is at the service'],
      ['lost', 4, 'the password is not in this file; write it into the password file (an '],
      ['changed', 5, 'provider_ip: the address is looked up here, and sent'],
      ['changed', 6, 'the service is asked with https; if it has only http, write url with h'],
      ['not taken', 8, 'provider name.com for j.example.com: name.com is not served'],
    ],
  },
  {
    name: 'ddns-updater: services with two secrets, or a server of the user',
    format: 'ddns-updater',
    text: `{
  "settings": [
    { "provider": "porkbun", "domain": "c.example.com", "api_key": "pk1", "secret_api_key": "sk1", "ip_version": "ipv4" },
    { "provider": "dnspod", "domain": "d.example.com", "token": "12345,abcdef" },
    { "provider": "netcup", "domain": "e.example.com", "api_key": "key", "password": "pw", "customer_number": "111111" },
    { "provider": "powerdns", "domain": "f.example.com", "server_url": "http://192.168.1.5:8081", "api_key": "pk", "server_id": "localhost", "ttl": 300 }
  ]
}`,
    toml: `[[account]]
name = "porkbun"
provider = "porkbun"
hostnames = ["c.example.com"]
ipv6 = false
api_key_file = "/p/porkbun.api-key"

[[account]]
name = "dnspod"
provider = "dnspod"
username = "12345"
hostnames = ["d.example.com"]

[[account]]
name = "netcup"
provider = "netcup"
username = "111111"
hostnames = ["e.example.com"]
api_key_file = "/p/netcup.api-key"

[[account]]
name = "powerdns"
provider = "powerdns"
server = "http://192.168.1.5:8081"
hostnames = ["f.example.com"]`,
    passwords: ['sk1', 'abcdef', 'pw', 'pk'],
    remarks: [
      ['changed', 6, 'ttl: it is kept as it is at the service'],
      ['lost', 6, 'server_id has no counterpart'],
    ],
  },
]
