import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** What a command inside said, and how it ended. */
export interface Said {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A Debian whose systemd is process 1 of its own namespaces; it has no network but loopback. */
export interface Machine {
  /** A shell command, as root. */
  sh(command: string): Said
  /** A program of this host, with its files, in the network of the machine; it ends with the machine. */
  inNetwork(program: string, args: readonly string[]): void
  /** The end of every process in it, and nothing left of it. */
  stop(): Promise<void>
}

/** Where a file or folder of this host is found inside. */
export type Copies = Readonly<Record<string, string>>

const BOOT_TIMEOUT = 60_000

/**
 * Overlay: the root below stays as it is, what the machine writes is in memory and ends with it. Shared mounts: without
 * them systemd's credentials do not arrive in a service. No udev, no console: there are no devices.
 */
const BOOT = `
mount --make-rprivate /
mount -t tmpfs -o mode=755 machine "$UP"
mkdir "$UP/root" "$UP/upper" "$UP/work"
mount -t overlay -o "lowerdir=$LOWER,upperdir=$UP/upper,workdir=$UP/work" machine "$UP/root"
while read -r from to; do
  [ -n "$from" ] || continue
  mkdir -p "$UP/root/\${to%/*}"
  cp -RL "$from" "$UP/root/$to"
done <<END
$COPIES
END
cd "$UP/root"
for unit in console-getty systemd-udevd; do ln -sf /dev/null "etc/systemd/system/$unit.service"; done
echo machine > etc/hostname
mount -t proc proc proc
mount -t sysfs sysfs sys
umount -R sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 cgroup2 sys/fs/cgroup
for folder in run tmp dev; do mount -t tmpfs -o mode=755 "$folder" "$folder"; done
chmod 1777 tmp
for node in null zero full random urandom tty; do touch "dev/$node"; mount --bind "/dev/$node" "dev/$node"; done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ip link set lo up
hostname machine
mkdir -p mnt
pivot_root . mnt
umount -l /mnt
cd /
mount --make-rshared /
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd systemd.show_status=0
`

const cgroup2 = (): string | undefined =>
  readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, , type]) => type === 'cgroup2')?.[1]

/** Why no machine can be booted here; undefined where it can. */
export function whyNoMachine(): string | undefined {
  if (process.getuid?.() !== 0) return 'root is needed'
  if (cgroup2() === undefined) return 'cgroup2 is not mounted'
  for (const program of ['unshare', 'nsenter', 'setpriv', 'ip'])
    if (spawnSync('/bin/sh', ['-c', `command -v ${program}`]).status !== 0)
      return `${program} is not installed`
  if (!readFileSync('/proc/filesystems', 'utf8').includes('\toverlay\n')) return 'the kernel has no overlay'
  const made = spawnSync('unshare', ['--mount', '--pid', '--fork', '--net', 'true'])
  return made.status === 0 ? undefined : 'namespaces cannot be made'
}

export async function boot(lower: string, copies: Copies): Promise<Machine> {
  const up = mkdtempSync(join(tmpdir(), 'holdfast-machine-'))
  const group = join(cgroup2() ?? '', basename(up))
  mkdirSync(group)
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--cgroup', '--uts', '--ipc', '--net']
  // Should this process be killed, so is the machine.
  const outer = spawn(
    '/bin/sh',
    [
      '-c',
      `echo $$ > ${group}/cgroup.procs; exec setpriv --pdeathsig KILL unshare ${namespaces.join(' ')} /bin/bash -ec "$BOOT"`,
    ],
    {
      env: {
        PATH: process.env['PATH'],
        BOOT,
        UP: up,
        LOWER: lower,
        COPIES: Object.entries(copies)
          .map(([from, to]) => `${from} ${to}`)
          .join('\n'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let said = ''
  for (const stream of [outer.stdout, outer.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk))
  const beside: ChildProcess[] = []
  const stop = async (): Promise<void> => {
    for (const one of beside) one.kill('SIGKILL')
    await killed(outer)
    await removed(group)
    rmSync(up, { recursive: true, force: true })
  }
  try {
    const inside = await processOne(outer)
    const machine = {
      sh: (command: string) => sh(inside, command),
      inNetwork: (program: string, args: readonly string[]) =>
        void beside.push(
          spawn('nsenter', ['--target', String(inside), '--net', program, ...args], { stdio: 'ignore' }),
        ),
      stop,
    }
    await booted(machine)
    return machine
  } catch (error) {
    await stop()
    throw new Error(`the machine did not boot: ${said}`, { cause: error })
  }
}

const sh = (inside: number, command: string): Said => {
  const { status, stdout, stderr } = spawnSync(
    'nsenter',
    ['--target', String(inside), '--all', '/bin/sh', '-c', command],
    { encoding: 'utf8', env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }, timeout: 60_000 },
  )
  return { code: status, stdout, stderr }
}

/** The process that is number 1 inside, by its number here. */
async function processOne(outer: ChildProcess): Promise<number> {
  for (let tries = 0; tries < 100 && outer.exitCode === null; tries++) {
    const path = `/proc/${outer.pid}/task/${outer.pid}/children`
    const [first] = existsSync(path) ? readFileSync(path, 'utf8').split(' ') : []
    if (first !== undefined && first !== '') return Number(first)
    await sleep(50)
  }
  throw new Error('the machine did not start')
}

async function booted({ sh: run }: Pick<Machine, 'sh'>): Promise<void> {
  const end = performance.now() + BOOT_TIMEOUT
  let state = ''
  while (performance.now() < end) {
    state = run('test -S /run/systemd/private && systemctl is-system-running 2>&1').stdout.trim()
    if (state === 'running' || state === 'degraded') return
    await sleep(100)
  }
  throw new Error(`the machine is not up after a minute: ${state}`)
}

/** unshare's child, process 1, ends with it, and with that everything inside. */
async function killed(outer: ChildProcess): Promise<void> {
  if (outer.exitCode !== null || outer.signalCode !== null) return
  const ended = new Promise((done) => outer.on('close', done))
  outer.kill('SIGKILL')
  await ended
}

/** A control group is removed from the leaves on, as soon as the last process has left it. */
async function removed(group: string): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    try {
      removeTree(group)
      return
    } catch {
      await sleep(100)
    }
  }
}

function removeTree(group: string): void {
  for (const entry of readdirSync(group, { withFileTypes: true }))
    if (entry.isDirectory()) removeTree(join(group, entry.name))
  rmdirSync(group)
}
