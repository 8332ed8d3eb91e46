import { type ImportCase } from '../import-case.ts'

const TOKEN = 'cf-token-of-it'
const CLOUDFLARE = 'provider = "cloudflare"'

export const CLOUDFLARE_DDNS_CASES: readonly ImportCase[] = [
  {
    name: 'favonia: a compose file with a list',
    format: 'cloudflare-ddns',
    text: `services:\n  ddns:\n    image: favonia/cloudflare-ddns:1\n    environment:\n      - CLOUDFLARE_API_TOKEN=${TOKEN}\n      - DOMAINS=one.example,www.one.example,*.one.example\n      - PROXIED=!is(vpn.one.example)\n      - IP6_PROVIDER=none\n`,
    toml: `${CLOUDFLARE}\nhostnames = ["one.example", "www.one.example", "*.one.example"]\nipv6 = false`,
    passwords: [TOKEN],
    remarks: [['changed', 7, 'PROXIED: it is kept as it is at the service']],
  },
  {
    name: 'favonia: both families, every five minutes',
    format: 'cloudflare-ddns',
    text: `CF_API_TOKEN=${TOKEN}\nDOMAINS=one.example\nUPDATE_CRON=@every 5m\nTZ=Europe/Berlin\nDELETE_ON_STOP=true\n`,
    toml: `${CLOUDFLARE}\nhostnames = ["one.example"]\ninterval = "5m"`,
    passwords: [TOKEN],
    remarks: [
      ['dropped', 4, 'TZ is not needed'],
      ['lost', 5, 'DELETE_ON_STOP has no counterpart'],
    ],
  },
  {
    name: 'favonia: names for each family, and an interface',
    format: 'cloudflare-ddns',
    text: `environment:\n  CLOUDFLARE_API_TOKEN: ${TOKEN}\n  IP4_DOMAINS: a.one.example\n  IP6_DOMAINS: b.one.example\n  IP6_PROVIDER: local.iface:eth0\n`,
    toml: `[[account]]\nname = "cloudflare"\n${CLOUDFLARE}\nhostnames = ["a.one.example"]\nipv6 = false\n\n[[account]]\nname = "cloudflare-2"\n${CLOUDFLARE}\nhostnames = ["b.one.example"]\nipv4 = false\n\n[[account.host]]\nname = "b.one.example"\ninterface = "eth0"`,
    passwords: [TOKEN, TOKEN],
  },
  {
    name: 'favonia: the token in a file of the container',
    format: 'cloudflare-ddns',
    text: 'CLOUDFLARE_API_TOKEN_FILE=/run/secrets/token\nDOMAINS=one.example\nIP4_PROVIDER=url:https://ip.one.example\n',
    toml: `# the password is not in this file\n${CLOUDFLARE}\nhostnames = ["one.example"]`,
    passwords: [],
    remarks: [
      ['lost', 1, 'CLOUDFLARE_API_TOKEN_FILE: there is no such file'],
      ['changed', 3, 'the way url:https://ip.one.example: the default sources are used'],
    ],
  },
  {
    name: 'favonia: a way without a counterpart',
    format: 'cloudflare-ddns',
    text: `CF_API_TOKEN=${TOKEN}\nDOMAINS=one.example\nIP4_PROVIDER=static.empty\n`,
    toml: `${CLOUDFLARE}\nhostnames = ["one.example"]\nipv4 = false`,
    passwords: [TOKEN],
    remarks: [['not taken', 3, 'IP4_PROVIDER: this way to the address has no counterpart']],
  },
  {
    name: 'favonia: the token in a file that is here',
    format: 'cloudflare-ddns',
    text: 'CLOUDFLARE_API_TOKEN_FILE=token\nDOMAINS=one.example\nIP6_PROVIDER=none\n',
    includes: { token: `${TOKEN}\n` },
    toml: `${CLOUDFLARE}\nhostnames = ["one.example"]\nipv6 = false`,
    passwords: [TOKEN],
  },
]
