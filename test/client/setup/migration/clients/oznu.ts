import { type ImportCase } from '../import-case.ts'

const TOKEN = 'cf-token-of-it'
const CLOUDFLARE = 'provider = "cloudflare"'

export const OZNU_CASES: readonly ImportCase[] = [
  {
    name: 'oznu: a name of a zone',
    format: 'oznu',
    text: `docker run -d -e API_KEY=${TOKEN} -e ZONE=one.example -e SUBDOMAIN=home -e PROXIED=false oznu/cloudflare-ddns\n`,
    toml: `${CLOUDFLARE}\nhostnames = ["home.one.example"]\nzone = "one.example"\nipv6 = false`,
    passwords: [TOKEN],
  },
  {
    name: 'oznu: the zone itself, over IPv6, from an interface',
    format: 'oznu',
    text: `API_KEY=${TOKEN}\nZONE=one.example\nRRTYPE=AAAA\nINTERFACE=eth0\nCRON=*/10 * * * *\n`,
    toml: `${CLOUDFLARE}\nhostnames = ["one.example"]\nzone = "one.example"\nipv4 = false\nsources = ["interface:eth0"]\nagreement = "one"\ninterval = "10m"`,
    passwords: [TOKEN],
  },
  {
    name: 'oznu: the global key of the account',
    format: 'oznu',
    text: 'API_KEY=37-digits-of-the-global-key\nEMAIL=me@one.example\nZONE=one.example\n',
    toml: `# the password is not in this file\n${CLOUDFLARE}\nhostnames = ["one.example"]\nzone = "one.example"\nipv6 = false`,
    passwords: [],
    remarks: [['lost', 1, 'API_KEY is the global API key']],
  },
]
