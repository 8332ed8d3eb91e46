import type { ChildProcess } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LAN_NET } from './plan.ts'
import { start, until } from './run.ts'

export interface Place {
  readonly namespace: string
  /** A folder for settings, logs and pid files. */
  readonly folder: string
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

export async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.pid === undefined || hasEnded(child)) return
  const gone = new Promise((done) => child.once('exit', done))
  child.kill('SIGKILL')
  await gone
}

function logged({ namespace, folder }: Place, program: string, args: readonly string[]): ChildProcess {
  const log = openSync(join(folder, `${program}.log`), 'a')
  try {
    return start({ namespace, program, args, stdio: ['ignore', log, log] })
  } finally {
    closeSync(log)
  }
}

const announcement = (prefix: string, preferred: number, valid: number): string =>
  `prefix ${prefix}::/64 { AdvPreferredLifetime ${preferred}; AdvValidLifetime ${valid}; };`

/** In seconds, between two advertisements: so that no test waits, and what radvd and routers do (RFC 4861 §6.2.1). */
const INTERVALS = { often: [3, 10], usual: [198, 600] } as const

/**
 * The router advertisements for the LAN. The former prefix stays valid for a minute, but deprecated.
 */
export function writeAnnouncements(
  folder: string,
  prefix: string,
  {
    former,
    interval = 'often',
  }: { readonly former?: string; readonly interval?: keyof typeof INTERVALS } = {},
): void {
  const [min, max] = INTERVALS[interval]
  const lines = [
    'interface lan0 {',
    `AdvSendAdvert on; MinRtrAdvInterval ${min}; MaxRtrAdvInterval ${max};`,
    announcement(prefix, 1800, 3600),
    former === undefined ? '' : announcement(former, 0, 60),
    '};',
  ]
  writeFileSync(join(folder, 'radvd.conf'), `${lines.join('\n')}\n`, { mode: 0o644 })
}

export const startAnnouncing = (place: Place): ChildProcess =>
  logged(place, 'radvd', [
    '-n',
    '--logmethod=stderr',
    '--username=root',
    `--config=${join(place.folder, 'radvd.conf')}`,
    `--pidfile=${join(place.folder, 'radvd.pid')}`,
  ])

/**
 * The names of the setting that enables NAT-PMP and PCP, renamed in miniupnpd 2.3.7; the one that works here first.
 */
let pmpNames: readonly string[] = ['enable_natpmp', 'enable_pcp_pmp']
const PMP_PORT = 5351
const UPNP_PORT = 5000

const igdSettings = (folder: string, pmp: string): string => `ext_ifname=wan0
listening_ip=lan0
http_port=${UPNP_PORT}
enable_upnp=yes
${pmp}
secure_mode=yes
system_uptime=yes
notify_interval=900
uuid=5f0c7a52-6d0e-4c39-9a41-2b1d7c5e9f10
serial=1
model_number=1
friendly_name=the router
upnp_table_name=miniupnpd
upnp_nat_table_name=miniupnpd
upnp_forward_chain=forward
upnp_nat_chain=prerouting_miniupnpd
upnp_nat_postrouting_chain=postrouting_miniupnpd
lease_file=${join(folder, 'leases')}
allow 1-65535 ${LAN_NET} 1-65535
deny 0-65535 0.0.0.0/0 0-65535
`

/** Whether a socket in the child's namespace is bound to the port. */
function isBound(child: ChildProcess, files: readonly string[], port: number): boolean {
  const mark = `:${port.toString(16).toUpperCase().padStart(4, '0')} `
  return files.some((file) => {
    try {
      const lines = readFileSync(`/proc/${child.pid}/net/${file}`, 'utf8').split('\n')
      return lines.some((line) => line.trim().split(/\s+/)[1]?.concat(' ').endsWith(mark))
    } catch {
      return false
    }
  })
}

async function tryIgd(place: Place, mode: 'all' | 'upnp', name: string): Promise<ChildProcess | undefined> {
  const settings = join(place.folder, 'miniupnpd.conf')
  writeFileSync(settings, igdSettings(place.folder, `${name}=${mode === 'all' ? 'yes' : 'no'}`))
  // It stays in the foreground only in debug mode.
  const child = logged(place, 'miniupnpd', ['-d', '-f', settings, '-P', join(place.folder, 'miniupnpd.pid')])
  const isReady = (): boolean =>
    isBound(child, ['tcp', 'tcp6'], UPNP_PORT) &&
    (mode === 'upnp' || isBound(child, ['udp', 'udp6'], PMP_PORT))
  await until(() => hasEnded(child) || isReady(), 'miniupnpd', 2000).catch(() => undefined)
  if (!hasEnded(child) && isReady()) return child
  await end(child)
  return undefined
}

/** Starts the port-mapping service of the router: UPnP, and with mode "all" also NAT-PMP and PCP. */
export async function startIgd(place: Place, mode: 'all' | 'upnp'): Promise<ChildProcess> {
  for (const name of pmpNames) {
    const child = await tryIgd(place, mode, name)
    if (child === undefined) continue
    pmpNames = [name, ...pmpNames.filter((other) => other !== name)]
    return child
  }
  throw new Error(`miniupnpd does not start: ${readFileSync(join(place.folder, 'miniupnpd.log'), 'utf8')}`)
}
