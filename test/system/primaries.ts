import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type NameServer, nameServer } from './name-server-programs.ts'

export const ZONE = 'example.test'
export const KEY = 'Home-Key'
export const KEY_SECRET = Buffer.alloc(32, 9).toString('base64')

interface PrimaryPlace {
  readonly folder: string
  readonly port: number
}

const RECORDS = [
  ['@', 'SOA', `ns1.${ZONE}. hostmaster.${ZONE}. 1 3600 600 86400 60`],
  ['@', 'NS', `ns1.${ZONE}.`],
  ['ns1', 'A', '127.0.0.1'],
  ['home', 'A', '192.0.2.1'],
  ['several', 'A', '192.0.2.1'],
  ['several', 'A', '192.0.2.2'],
  ['alias', 'CNAME', `home.${ZONE}.`],
  ['*.wild', 'CNAME', `home.${ZONE}.`],
  ['below', 'NS', 'ns1.elsewhere.test.'],
  ['*.both', 'A', '192.0.2.1'],
  ['*.both', 'AAAA', '2001:db8::5'],
  ['*.several', 'A', '192.0.2.1'],
  ['*.several', 'A', '192.0.2.2'],
] as const
/** What the key may change at Knot. */
const CHANGEABLE = [
  'home',
  'new',
  'open',
  'several',
  'alias',
  'wild',
  'both',
  'none',
  'ns1',
  ...Array.from({ length: 99 }, (_, n) => `n${n}`),
]
const zoneText = RECORDS.map(([name, type, value]) => `${name} 1234 IN ${type} ${value}\n`).join('')
const zoneFile = (folder: string): string => {
  writeFileSync(join(folder, `${ZONE}.zone`), `$ORIGIN ${ZONE}.\n${zoneText}`)
  return join(folder, `${ZONE}.zone`)
}
const folderOf = (folder: string, name: string): string => {
  const own = join(folder, name)
  mkdirSync(own, { recursive: true })
  return own
}

/** Name servers of other projects that take updates with the key. At BIND and Knot it may not change `a.closed`. */
// biome-ignore format: configurations
export const PRIMARIES: Readonly<Record<'bind' | 'knot' | 'powerdns', (place: PrimaryPlace) => NameServer>> = {
  bind: ({ folder, port }) => {
    const own = folderOf(folder, 'bind')
    writeFileSync(join(own, 'named.conf'), `controls { };
options { directory "${own}"; pid-file "${own}/pid"; session-keyfile "${own}/session"; managed-keys-directory "${own}";
  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no; dnssec-validation no;
  allow-query { key ${KEY}; 127.0.0.1; }; };
key "${KEY}" { algorithm hmac-sha256; secret "${KEY_SECRET}"; };
zone "${ZONE}" { type primary; file "${zoneFile(own)}";
  update-policy { deny ${KEY} name a.closed.${ZONE} ANY; grant ${KEY} zonesub A AAAA; }; };
`)
    return nameServer('bind', port, { command: ['named', '-g', '-n', '1', '-c', join(own, 'named.conf')] })
  },
  knot: ({ folder, port }) => {
    const own = folderOf(folder, 'knot')
    zoneFile(own)
    writeFileSync(join(own, 'knot.conf'), `server:
    rundir: ${own}
    listen: 127.0.0.1@${port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
database:
    storage: ${own}
log:
  - target: stderr
    any: info
key:
  - id: ${KEY}
    algorithm: hmac-sha256
    secret: ${KEY_SECRET}
acl:
  - id: ddns
    key: ${KEY}
    action: update
    update-owner: name
    update-owner-match: sub-or-equal
    update-owner-name: [${CHANGEABLE.join(', ')}]
zone:
  - domain: ${ZONE}
    storage: ${own}
    acl: ddns
`)
    return nameServer('knot', port, { command: ['knotd', '-c', join(own, 'knot.conf')] })
  },
  powerdns: ({ folder, port }) => {
    const own = folderOf(folder, 'pdns')
    writeFileSync(join(own, 'pdns.conf'), `launch=lmdb
lmdb-filename=${own}/pdns.lmdb
local-address=127.0.0.1
local-port=${port}
socket-dir=${own}
dnsupdate=yes
allow-dnsupdate-from=127.0.0.1
cache-ttl=0
query-cache-ttl=0
zone-cache-refresh-interval=0
`)
    const run = (...args: readonly string[]): void => {
      const { status, stderr } = spawnSync('pdnsutil', [`--config-dir=${own}`, ...args], { encoding: 'utf8' })
      if (status !== 0) throw new Error(`pdnsutil ${args.join(' ')}: ${stderr}`)
    }
    run('load-zone', ZONE, zoneFile(own))
    run('set-kind', ZONE, 'native')
    run('import-tsig-key', KEY, 'hmac-sha256', KEY_SECRET)
    run('set-meta', ZONE, 'TSIG-ALLOW-DNSUPDATE', KEY.toLowerCase())
    return nameServer('powerdns', port, {
      command: ['pdns_server', `--config-dir=${own}`, '--daemon=no', '--guardian=no', '--disable-syslog'],
    })
  },
}
