import { type ImportCase, lines } from '../import-case.ts'

export const DDNS_UPDATER_CASES: readonly ImportCase[] = [
  {
    name: 'ddns-updater: its JSON',
    format: 'ddns-updater',
    text: lines(
      '{',
      '  "settings": [',
      '    { "provider": "noip", "domain": "a.example.test,b.example.test", "username": "u", "password": "p", "ip_version": "ipv4" },',
      '    { "provider": "name.com", "domain": "c.example.test", "token": "t" },',
      '    { "provider": "dynu", "host": "@,www", "domain": "example.test", "username": "v", "password": "q", "ip_version": "ipv4 or ipv6", "ipv6_suffix": "::1/64" }',
      '  ]',
      '}',
    ),
    toml: lines(
      '[[account]]',
      'name = "no-ip"',
      'provider = "no-ip"',
      'username = "u"',
      'hostnames = ["a.example.test", "b.example.test"]',
      'ipv6 = false',
      '',
      '[[account]]',
      'name = "dynu"',
      'provider = "dynu"',
      'username = "v"',
      'hostnames = ["example.test", "www.example.test"]',
      '',
      '[[account.host]]',
      'name = "example.test"',
      'suffix = "::1/64"',
      '',
      '[[account.host]]',
      'name = "www.example.test"',
      'suffix = "::1/64"',
    ),
    passwords: ['p', 'q'],
    remarks: [['not taken', 4, 'provider name.com for c.example.test']],
  },
  {
    name: 'ddns-updater: two families of one host with a suffix',
    format: 'ddns-updater',
    text: lines(
      '{ "settings": [',
      '    { "provider": "dynu", "domain": "a.example.test", "username": "v", "password": "q", "ip_version": "ipv4", "ipv6_suffix": "::2/64" },',
      '    { "provider": "dynu", "domain": "a.example.test", "username": "v", "password": "q", "ip_version": "ipv6", "ipv6_suffix": "::1/64" }',
      '] }',
    ),
    toml: lines(
      '[[account]]',
      'name = "dynu"',
      'provider = "dynu"',
      'username = "v"',
      'hostnames = ["a.example.test"]',
      '',
      '[[account.host]]',
      'name = "a.example.test"',
      'suffix = "::1/64"',
    ),
    passwords: ['q'],
  },
  {
    name: 'ddns-updater: entries that are none keep the lines of the others, and variables are named',
    format: 'ddns-updater',
    text: lines(
      'CONFIG={"settings": [{"domain": "x.example.test"}, "text", {"provider": "noip", "domain": "@.s.example.test", "username": "u", "password": "p", "provider_ip": true}]}',
      'PUBLICIP_FETCHERS=http',
      'HTTPS_PROXY=http://10.0.0.1:3128',
      'LOG_LEVEL=debug',
    ),
    toml: lines('provider = "no-ip"', 'username = "u"', 'hostnames = ["s.example.test"]'),
    passwords: ['p'],
    remarks: [
      ['not taken', 1, 'an entry without provider for x.example.test'],
      ['not taken', 1, 'number 2 of settings is not an object'],
      ['changed', 1, 'provider_ip'],
      ['changed', 2, 'PUBLICIP_FETCHERS'],
      ['lost', 3, 'HTTPS_PROXY'],
      ['dropped', 4, 'LOG_LEVEL'],
    ],
  },
  {
    name: 'ddns-updater: a service that takes the domain as username',
    format: 'ddns-updater',
    text: '{"settings": [{"provider": "strato", "domain": "home.example.test", "password": "p"}]}',
    toml: lines('provider = "strato"', 'username = "example.test"', 'hostnames = ["home.example.test"]'),
    passwords: ['p'],
    remarks: [['changed', 1, 'so example.test is written']],
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
  {
    name: 'ddns-updater: DuckDNS of an older version',
    format: 'ddns-updater',
    text: '{"settings":[{"provider":"duckdns","host":"myhome","token":"0f1e-token"}]}',
    toml: 'provider = "duckdns"\nhostnames = ["myhome.duckdns.org"]',
    passwords: ['0f1e-token'],
  },
]
