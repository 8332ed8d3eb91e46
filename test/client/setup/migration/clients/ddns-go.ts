import { type ImportCase } from '../import-case.ts'

export const DDNS_GO_CASES: readonly ImportCase[] = [
  {
    name: 'ddns-go 6: its YAML',
    format: 'ddns-go',
    isIncomplete: true,
    text: `dnsconf:
    - name: ""
      ipv4:
        enable: true
        gettype: url
        url: https://myip.ipip.net, https://ddns.oray.com/checkip
        netinterface: eth0
        cmd: ""
        domains:
            - home:example.com
            - www.example.com
            - ""
      ipv6:
        enable: true
        gettype: netInterface
        url: https://speed.neu6.edu.cn/getIP.php
        netinterface: eth0
        cmd: ""
        ipv6reg: '@1'
        domains:
            - home:example.com
            - www.example.com
      dns:
        name: cloudflare
        id: ""
        secret: cf-token
        extparam: ""
      ttl: "600"
      httpinterface: ""
    - name: alid
      ipv4: {enable: true, gettype: url, url: "", domains: [a.example.cn?Line=x]}
      ipv6:
        enable: false
        domains: []
      dns:
        name: alidns
        id: LTAI
        secret: alisecret
      ttl: ""
    - name: hook
      ipv4:
        enable: true
        gettype: url
        domains: [c.example.test]
      ipv6: {enable: true, gettype: url, domains: [c.example.test]}
      dns:
        name: callback
        id: http://hook.example.test/set?h=#{domain}&ip=#{ip}&type=#{recordType}
        secret: '{"token":"verysecret","ttl":#{ttl},"name":"#{domain}"}'
      ttl: "120"
user:
    username: admin
    password: $2a$10$abcdefgh
webhook:
    webhookurl: https://hooks.example.test/x
    webhookrequestbody: ""
notallowwanaccess: true
lang: en`,
    toml: `[[account]]
name = "cloudflare"
provider = "cloudflare"
hostnames = ["home.example.com"]
ipv6 = false
zone = "example.com"

[[account]]
name = "cloudflare-2"
provider = "cloudflare"
hostnames = ["home.example.com"]
ipv4 = false
zone = "example.com"

[[account.host]]
name = "home.example.com"
interface = "eth0"

[[account]]
name = "cloudflare-3"
provider = "cloudflare"
hostnames = ["www.example.com"]
ipv6 = false

[[account]]
name = "cloudflare-4"
provider = "cloudflare"
hostnames = ["www.example.com"]
ipv4 = false

[[account.host]]
name = "www.example.com"
interface = "eth0"

[[account]]
name = "hook"
hostnames = ["c.example.test"]
url = "https://hook.example.test/set?h={hostname}&ip={ip}&type={type}"
method = "POST"
body = "{{\\"token\\":\\"{password}\\",\\"ttl\\":{ttl},\\"name\\":\\"{hostname}\\"}}"
ttl = "120s"`,
    passwords: ['cf-token', 'cf-token', 'cf-token', 'cf-token', 'verysecret'],
    remarks: [
      ['dropped', 6, 'ipv4.url: the default sources are used'],
      ['lost', 19, 'ipv6.ipv6reg: see ipv6_choice and ipv6_suffix in docs/settings.md'],
      ['changed', 24, 'home.example.com: the public address is looked up through eth0'],
      ['changed', 24, 'www.example.com: the public address is looked up through eth0'],
      ['changed', 28, 'ttl: it is kept as it is at the service'],
      ['lost', 31, 'the parameters behind a domain have no counterpart'],
      ['not taken', 36, 'alidns for a.example.cn: Alibaba Cloud DNS (Aliyun) needs each request signed'],
      ['dropped', 45, 'ipv6.url: the default sources are used'],
      ['changed', 47, 'the service is asked with https; if it has only http, write url with h'],
      ['lost', 47, 'the answer of the service is not in this file; write success, such as '],
      ['lost', 54, 'webhook: see webhook in docs/notify.md'],
    ],
  },
  {
    name: 'ddns-go: names with their zone',
    format: 'ddns-go',
    text: `dnsconf:
    - name: dp
      ipv4:
        enable: true
        gettype: cmd
        cmd: curl -s https://ip.example.test
        domains: ['@:example.cn', 'b:example.cn']
      ipv6:
        enable: false
      dns:
        name: dnspod
        id: "12345"
        secret: dptoken`,
    toml: `provider = "dnspod"
username = "12345"
hostnames = ["example.cn", "b.example.cn"]
ipv6 = false
zone = "example.cn"
sources = ["command"]
agreement = "one"
command = ["/bin/sh", "-c", "curl -s https://ip.example.test"]`,
    passwords: ['dptoken'],
    remarks: [],
  },
  {
    name: 'ddns-go 4: one entry for the document',
    format: 'ddns-go',
    text: `ipv4:
  enable: true
  gettype: url
  domains: [home.example.io]
ipv6:
  enable: false
dns:
  name: namecheap
  id: example.io
  secret: nc-password`,
    toml: `provider = "namecheap"
hostnames = ["home.example.io"]`,
    passwords: ['nc-password'],
    remarks: [['dropped', 1, 'ipv4.url: the default sources are used']],
  },
  {
    name: 'ddns-go: a text that is no YAML',
    format: 'ddns-go',
    text: `dnsconf:
  - dns:
      name: cloudflare
     secret: "canary-in-yaml`,
    toml: ``,
    passwords: [],
    remarks: [['not taken', 4, 'the YAML cannot be read from here (bad indent)']],
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
]
