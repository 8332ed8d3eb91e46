import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { found, type Job } from './commands.ts'

/** What a client is to do, and with what. */
export interface Errand {
  readonly url: string
  readonly username: string
  readonly password: string
  readonly hostnames: readonly string[]
  readonly address: string
  /** An empty private folder for the state of the client, so that it has none. */
  readonly folder: string
}

export interface Peer {
  /** Brings the names up to date and ends. */
  readonly once: (errand: Errand) => Job
  /** Stays, and looks each five minutes. */
  readonly daemon?: (errand: Errand) => Job
}

/** Seconds. Our own daemon looks as often. */
const INTERVAL = 300

function written(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

const updateUrl = ({ url, hostnames, address }: Errand): string =>
  `${url}/nic/update?hostname=${hostnames.join(',')}&myip=${address}`

function curl(errand: Errand): Job {
  const { folder, username, password } = errand
  const config = `url = "${updateUrl(errand)}"\nuser = "${username}:${password}"\n`
  const file = written(join(folder, 'curlrc'), config)
  return { argv: ['curl', '-q', '-sS', '--noproxy', '*', '-m', '60', '--fail-with-body', '-K', file] }
}

function ddclientFile({ url, username, password, hostnames, address, folder }: Errand): string {
  const settings = {
    syslog: 'no',
    ssl: 'no',
    cache: join(folder, 'cache'),
    use: `ip, ip=${address}`,
    protocol: 'dyndns2',
    server: new URL(url).host,
    login: username,
    password,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  return written(join(folder, 'ddclient.conf'), [...lines, hostnames.join(','), ''].join('\n'))
}

const ddclient = (interval: number) => (errand: Errand) => ({
  argv: ['ddclient', '-foreground', `-daemon=${interval}`, '-timeout=60', '-file', ddclientFile(errand)],
})

/** Without a cache file, inadyn looks up each name in the DNS; this address is not one of the test. */
const INADYN_BEFORE = '198.51.100.1\n'
/** inadyn silently ignores further names of a section (DDNS_MAX_ALIAS_NUMBER). */
const INADYN_MOST = 50

function inadyn({ url, username, password, hostnames, address, folder }: Errand): readonly string[] {
  const cache = join(folder, 'cache')
  for (const name of hostnames) written(join(cache, `${name}.cache`), INADYN_BEFORE)
  const starts = hostnames.flatMap((_, at) => (at % INADYN_MOST === 0 ? [at] : []))
  const sections = starts.map(
    (at) => `custom bench:${at} {
  ssl = false
  ddns-server = "${new URL(url).host}"
  ddns-path = "/nic/update?hostname=%h&myip=%i"
  username = "${username}"
  password = "${password}"
  hostname = { ${hostnames
    .slice(at, at + INADYN_MOST)
    .map((name) => `"${name}"`)
    .join(', ')} }
  checkip-command = "/bin/echo ${address}"
}
`,
  )
  const file = written(
    join(folder, 'inadyn.conf'),
    `period = ${INTERVAL}
allow-ipv6 = false
verify-address = false
${sections.join('')}`,
  )
  return ['inadyn', '-n', '--no-pidfile', `--cache-dir=${cache}`, '-f', file]
}

/** As its plugins for services of this protocol are written. */
const DDUPDATE_PLUGIN = `from ddupdate.ddplugin import ServiceError, ServicePlugin
from ddupdate.ddplugin import get_response, http_basic_auth_setup


class BenchPlugin(ServicePlugin):
    """Updates at the URL of the option url="""

    _name = 'bench'
    _oneliner = 'Updates at a service that is measured'

    def register(self, log, hostname, ip, options):
        url = f'{options[0]}/nic/update?hostname={hostname}&myip={ip.v4}'
        http_basic_auth_setup(url)
        reply = get_response(log, url)
        if not reply.startswith('good'):
            raise ServiceError(reply)
`

/**
 * One of the plugins that it loads at each start ends the program where python3-requests is missing, and the package
 * does not depend on that. This one will do, and loads faster.
 */
const REQUESTS = `import sys
sys.modules['requests.auth'] = sys.modules[__name__]
Request = Session = AuthBase = object
`

/** One name per run: it does not support lists. */
function ddupdate({ url, username, password, hostnames, address, folder }: Errand): Job {
  written(join(folder, 'share/ddupdate/plugins/bench.py'), DDUPDATE_PLUGIN)
  written(join(folder, '.netrc'), `machine ${new URL(url).hostname} login ${username} password ${password}\n`)
  const file = written(
    join(folder, 'ddupdate.conf'),
    `[update]
hostname = ${hostnames[0]}
address-plugin = hardcoded-ip
address-options = ip=${address}
service-plugin = bench
service-options = ${url}
loglevel = warning
`,
  )
  const env = {
    HOME: folder,
    PYTHONPATH: dirname(written(join(folder, 'python/requests.py'), REQUESTS)),
    XDG_CACHE_HOME: join(folder, 'cache'),
    XDG_DATA_HOME: join(folder, 'share'),
  }
  return { argv: ['ddupdate', '-c', file], env }
}

/** Other clients, configured as in their manual pages, with only the service and an address. */
export const PEERS = {
  curl: { once: curl },
  ddclient: { once: ddclient(0), daemon: ddclient(INTERVAL) },
  inadyn: {
    once: (errand) => ({ argv: [...inadyn(errand), '-1', '--force'] }),
    daemon: (errand) => ({ argv: inadyn(errand) }),
  },
  ddupdate: { once: ddupdate },
} as const satisfies Readonly<Record<string, Peer>>

export type PeerName = keyof typeof PEERS

/** Those that are there, and a line on each that is not. */
export function installed<N extends PeerName>(
  wanted: readonly N[],
): { readonly names: readonly N[]; readonly notes: readonly string[] } {
  const missing = wanted.filter((name) => found(name) === undefined)
  return {
    names: wanted.filter((name) => !missing.includes(name)),
    notes: missing.map((name) => `${name} is not installed: skipped. On Debian: apt-get install ${name}`),
  }
}
