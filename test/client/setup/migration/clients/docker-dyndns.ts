import { type ImportCase, lines } from '../import-case.ts'

export const DOCKER_DYNDNS_CASES: readonly ImportCase[] = [
  {
    name: 'docker-dynamic-dns: the variables of its container',
    format: 'docker-dyndns',
    text: lines(
      'services:',
      '  ddns:',
      '    environment:',
      '      - USER=abc1234',
      '      - PASSWORD=p=w',
      '      - HOSTNAME=home.example.test',
      '      - SERVICE=noip',
      '      - INTERVAL=5',
      '      - DETECTIP=1',
    ),
    toml: lines(
      'provider = "no-ip"',
      'username = "abc1234"',
      'hostnames = ["home.example.test"]',
      'ipv6 = false',
      'interval = "5m"',
    ),
    passwords: ['p=w'],
  },
  {
    name: 'docker-dynamic-dns: a fixed address, but where it is looked up',
    format: 'docker-dyndns',
    text: lines(
      'USER=u',
      'PASSWORD=p',
      'HOSTNAME=h.example.test',
      'SERVICE=noip',
      'IP=192.0.2.1',
      'DETECTIP=1',
    ),
    toml: lines('provider = "no-ip"', 'username = "u"', 'hostnames = ["h.example.test"]', 'ipv6 = false'),
    passwords: ['p'],
    remarks: [['lost', 5, 'DETECTIP is set, so IP is not used']],
  },
  {
    name: 'docker-dynamic-dns: a service of another protocol',
    format: 'docker-dyndns',
    text: lines('USER=u', 'PASSWORD=t', 'HOSTNAME=h.example.test', 'SERVICE=duckdns'),
    toml: '',
    passwords: [],
    remarks: [['not taken', 4, 'SERVICE duckdns is not a service of this protocol']],
  },
]
