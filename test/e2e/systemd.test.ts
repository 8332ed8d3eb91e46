import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { EXITS } from '../../src/shared/program/exit-codes.ts'
import { eventually } from '../eventually.ts'
import { lacks, lacksNamespaces } from '../lacks.ts'
import { clientOf, holdfast, ROOT, scratch, service } from './processes.ts'

const read = (path: string): string => readFileSync(join(ROOT, 'systemd', path), 'utf8')
const valueOf = (unit: string, key: string): string | undefined =>
  new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1]

describe('the unit', () => {
  const noRestart = Object.values(EXITS)
    .filter(({ restart }) => !restart)
    .map(({ code }) => code)
    .join(' ')

  it.each(['holdfast.service', 'holdfast.user.service'])(
    '%s excludes from restarts the exit codes that a restart cannot help',
    (name) => expect(valueOf(read(name), 'RestartPreventExitStatus')).toBe(noRestart),
  )

  it('of the one-shot counts 69 and 75 as success', () =>
    expect(valueOf(read('holdfast-update.service'), 'SuccessExitStatus')).toBe(
      `${EXITS.unreached.code} ${EXITS.waiting.code}`,
    ))

  it('starts after the network, and does not require it', () => {
    const unit = read('holdfast.service')

    expect(valueOf(unit, 'After')).toContain('network-online.target')
    expect(unit).not.toMatch(/^(Wants|Requires|BindsTo)=/m)
  })

  it('for one user uses the folders of that user', () =>
    expect(read('holdfast.user.service')).not.toMatch(/^(?:State|Configuration)Directory=/m))

  it('has a watchdog, a sandbox, and the password as a credential', () => {
    const unit = read('holdfast.service')

    for (const [key, value] of Object.entries({
      Type: 'notify',
      NotifyAccess: 'all',
      DynamicUser: 'yes',
      StateDirectory: 'holdfast',
      LoadCredential: 'password:/etc/holdfast/password',
      // The fallback for a missing file; without it systemd fails the unit before Holdfast can report the reason.
      SetCredential: 'password:\\n',
      WatchdogSec: '10min',
    }))
      expect([key, valueOf(unit, key)]).toEqual([key, value])
  })

  it('allows capset after the filter that forbids it, for ip monitor', () =>
    expect(read('holdfast.service')).toMatch(/^SystemCallFilter=~@privileged$[^]*^SystemCallFilter=capset$/m))

  it('of the one-shot has the same sandbox and credentials as the daemon', () => {
    const isShared = (line: string): boolean =>
      /^[A-Z]\w+=/.test(line) &&
      !/^(Description|Type|Exec\w+|NotifyAccess|RuntimeDirectory|Restart\w*|WatchdogSec|WantedBy)=|=(capset|setuid)$/.test(
        line,
      )
    const lines = read('holdfast-update.service').split('\n')

    expect(
      read('holdfast.service')
        .split('\n')
        .filter(isShared)
        .filter((line) => !lines.includes(line)),
    ).toEqual([])
    expect(lines).toContain('TimeoutStartSec=10min')
    // The daemon starts once, and has no use for it.
    expect(lines).toContain('CacheDirectory=holdfast')
    expect(read('holdfast.service')).not.toContain('CacheDirectory=')
  })

  describe.skipIf(lacks('systemd-analyze'))('with systemd itself', () => {
    // vitest collects a skipped describe too.
    const [, version] =
      /^systemd (\d+)/.exec(String(spawnSync('systemd-analyze', ['--version']).stdout)) ?? []
    /** systemd before 254 reports that it ignores ImportCredential; docs/client.md names the replacement. */
    const understood = (unit: string): string =>
      Number(version) < 254 ? unit.replaceAll(/^ImportCredential=.*\n/gm, '') : unit
    const copy = (name: string): string => {
      const folder = scratch()
      const program = join(folder, 'holdfast')
      writeFileSync(program, '#!/bin/sh\n')
      chmodSync(program, 0o755)
      for (const each of readdirSync(join(ROOT, 'systemd')).filter((one) => one.startsWith('holdfast')))
        writeFileSync(
          join(folder, each),
          understood(read(each)).replaceAll(/^(Exec\w+=)holdfast/gm, `$1${program}`),
        )
      return join(folder, name)
    }

    it.each(['holdfast.service', 'holdfast-update.service', 'holdfast-update.timer'])(
      '%s passes systemd-analyze verify without output',
      (name) => {
        const { status, stdout, stderr } = spawnSync(
          'systemd-analyze',
          ['verify', '--recursive-errors=one', copy(name)],
          { encoding: 'utf8' },
        )

        expect([status, stdout, stderr]).toEqual([0, '', ''])
      },
    )

    it.each([
      ['holdfast.service', 1.5],
      ['holdfast-update.service', 1.5],
      ['holdfast.user.service', 6],
    ] as const)('%s is exposed by %d or less', (name, most) => {
      const { stdout } = spawnSync(
        'systemd-analyze',
        ['security', '--offline=true', '--no-pager', copy(name)],
        { encoding: 'utf8' },
      )
      const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? []

      expect(Number(exposure)).toBeLessThanOrEqual(most)
    })
  })
})

describe('holdfast service', () => {
  it.skipIf(lacksNamespaces())(
    'is not installed from a folder closed to its user, and can read a home that it runs from',
    () => {
      const install = (mode: string) =>
        spawnSync(
          'unshare',
          [
            '--mount',
            'sh',
            '-ec',
            `mount -t tmpfs -o mode=755 x /home; mkdir -m ${mode} /home/me; cp -r ${['bin', 'dist', 'systemd', 'package.json'].map((each) => join(ROOT, each)).join(' ')} ${process.execPath} /home/me/
           exec /home/me/node /home/me/bin/holdfast.js service install --dry-run`,
          ],
          { encoding: 'utf8' },
        )

      expect(install('700')).toMatchObject({
        status: 78,
        stderr: expect.stringContaining(
          'holdfast: /home/me is closed to other users, so a system service cannot run from there; install Node and Holdfast for all users, or use --user\n',
        ) as string,
      })
      expect(install('755').stdout).toContain('ProtectHome=read-only')
    },
  )

  // biome-ignore format: a table
  it.each([
    [[],          ['/etc/systemd/system/holdfast.service'], 'run', 'enable --now holdfast.service'],
    [['--timer'], ['/etc/systemd/system/holdfast-update.service', '/etc/systemd/system/holdfast-update.timer'], 'update', 'enable --now holdfast-update.timer'],
    [['--user'],  ['/nonexistent/.config/systemd/user/holdfast.service'], 'run', '--user enable --now holdfast.service'],
  ])('install --dry-run %j prints the files and commands with real paths, and what is missing', async (more, files, verb, enables) => {
    const { code, stdout, stderr } = await holdfast(['service', 'install', '--dry-run', ...more], { node: process.execPath })

    expect(stdout.match(/^would write .*/gm)).toEqual(files.map((file) => `would write ${file}`))
    expect(stdout).toContain(`ExecStart=${process.execPath} ${join(ROOT, 'bin/holdfast.js')} ${verb}\n`)
    expect(stdout).toMatch(new RegExp(`would run systemctl .*daemon-reload\nwould run systemctl ${enables}\n`))
    expect(code).toBe(78)
    expect(stderr).toMatch(/holdfast: there is no .*\/holdfast\/holdfast\.toml; copy .*\/config\/holdfast\.toml and edit it/)
  })

  // biome-ignore format: a table
  it.each([
    [{ HOME: '' },                                 userInfo().homedir],
    [{ HOME: 'here' },                             userInfo().homedir],
    [{ HOME: '/some', XDG_CONFIG_HOME: 'config' }, '/some'],
    [{ HOME: '/some', XDG_CONFIG_HOME: '' },       '/some'],
  ])('never writes below the working folder: %j', async (env, home) =>
    expect((await holdfast(['service', 'install', '--user', '--dry-run'], { env })).stdout).toContain(
      `would write ${home}/.config/systemd/user/holdfast.service\n`,
    ))

  it('reports a missing systemctl', async () =>
    expect(
      await holdfast(['service', 'status'], { env: { PATH: scratch() }, node: process.execPath }),
    ).toMatchObject({
      code: 78,
      stdout: '',
      stderr: 'holdfast: systemctl show holdfast.service: this host has no systemctl\n',
    }))

  it('rejects --user with --timer', async () =>
    expect((await holdfast(['service', 'install', '--user', '--timer'])).code).toBe(64))

  it.each(['--dry-run', '--dry-run=1', '--dry-run=yes'])(
    'uninstall %s prints what would be removed',
    async (flag) =>
      expect((await holdfast(['service', 'uninstall', flag, '--timer'])).stdout).toBe(
        'would run systemctl disable --now holdfast-update.timer\nwould run systemctl stop holdfast-update.service\nwould remove /etc/systemd/system/holdfast-update.service\nwould remove /etc/systemd/system/holdfast-update.timer\nwould run systemctl daemon-reload\n',
      ),
  )

  /** A home with a configuration, and a systemctl and a systemd-run that record their arguments. */
  function stage({ check = 0, active = 'active' } = {}) {
    const home = scratch()
    const calls = join(home, 'calls')
    const unit = join(home, '.config/systemd/user/holdfast.service')
    const programs = {
      systemctl: `case "$*" in
        *" show "*) [ -e ${unit} ] && printf 'LoadState=loaded\\nFragmentPath=${unit}\\nActiveState=${active}\\nResult=success\\n' || echo LoadState=not-found ;;
        *) echo "$@" >> ${calls} ;; esac`,
      'systemd-run': `case "$*" in --version) echo systemd 257 ;; *) echo "systemd-run $*" >> ${calls}; echo holdfast: password is missing; exit ${check} ;; esac`,
    }
    mkdirSync(join(home, 'bin'))
    for (const [name, text] of Object.entries(programs))
      writeFileSync(join(home, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    mkdirSync(join(home, '.config/holdfast'), { recursive: true })
    writeFileSync(join(home, '.config/holdfast/holdfast.toml'), '')
    const env = { HOME: home, PATH: `${home}/bin:${process.env['PATH']}` }
    return {
      unit,
      calls: () => readFileSync(calls, 'utf8'),
      service: async (...words: readonly string[]) => holdfast(['service', ...words, '--user'], { env }),
    }
  }

  it('install --user checks, writes and enables the unit; uninstall removes it', async () => {
    const { unit, calls, service: run } = stage()

    expect((await run('status')).code).toBe(78)
    const installed = await run('install')
    expect([installed.code, installed.stdout]).toEqual([0, expect.stringContaining('loginctl enable-linger')])
    expect(readFileSync(unit, 'utf8')).toContain('Type=notify')
    expect(await run('status')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is installed') as string,
    })
    expect((await run('uninstall')).code).toBe(0)

    expect(() => readFileSync(unit)).toThrow('ENOENT')
    expect(calls()).toMatch(
      /^systemd-run --user --quiet --collect --wait --pipe .* config check\n--user daemon-reload\n--user enable --now holdfast.service\n--user status --no-pager holdfast.service\n--user disable --now holdfast.service\n--user daemon-reload\n$/,
    )
    expect(await run('uninstall')).toMatchObject({
      code: 78,
      stderr: 'holdfast: holdfast.service is not installed\n',
    })
  })

  it('install writes nothing when the configuration is wrong', async () => {
    const { unit, service: run } = stage({ check: 78 })

    expect(await run('install')).toMatchObject({
      code: 78,
      stdout: '',
      stderr: 'holdfast: password is missing\n',
    })
    expect(() => readFileSync(unit)).toThrow('ENOENT')
  })

  it('status fails for a unit that does not run', async () => {
    const { service: run } = stage({ active: 'failed' })
    await run('install')

    expect(await run('status')).toMatchObject({
      code: 69,
      stderr: 'holdfast: holdfast.service is failed (success)\n',
    })
  })
})

/** A folder with a systemd-notify that records its arguments; the real one needs a running systemd. */
function listener(folder: string): { readonly env: Record<string, string>; readonly heard: () => string } {
  const file = join(folder, 'heard')
  writeFileSync(file, '')
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$@" >> ${file}\n`)
  chmodSync(join(folder, 'systemd-notify'), 0o755)
  return {
    env: { PATH: `${folder}:${process.env['PATH']}`, NOTIFY_SOCKET: '/run/nowhere' },
    heard: () => readFileSync(file, 'utf8'),
  }
}

describe('a supervised daemon', () => {
  it('notifies READY, STATUS, WATCHDOG and STOPPING', async () => {
    const at = await service()
    const folder = scratch()
    const { env, heard } = listener(folder)
    const child = spawn(
      process.execPath,
      [
        join(ROOT, 'bin/holdfast.js'),
        'run',
        ...clientOf(at, folder),
        '--runtime-dir',
        folder,
        '--myip',
        '192.0.2.1',
        '--schedule',
        '* * * * * *',
      ],
      {
        env: { ...env, HOLDFAST_PASSWORD: at.password, HOME: folder, WATCHDOG_USEC: '3000000' },
        stdio: 'ignore',
      },
    )
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = new Promise((done) => child.on('close', done))

    await eventually(heard).toContain('WATCHDOG=1')
    await eventually(heard).toContain('--status=1 of 1 hostnames confirmed\n')
    // The heartbeat has a process of its own, so that nothing that is reported delays it.
    const reported = heard()
      .split('\n')
      .filter((line) => line !== 'WATCHDOG=1')
    expect(reported[0]).toBe('--ready')
    child.kill('SIGTERM')
    await ended
    expect(heard()).toContain('STOPPING=1')
  })

  it('does not notify READY when its state cannot be read', async () => {
    const folder = scratch()
    const { env, heard } = listener(folder)
    execFileSync('mkfifo', [join(folder, 'state.json')])

    const account = ['--server=https://127.0.0.1:1', '--username=a', '--hostname=a.test', '--myip=192.0.2.1']
    const folders = [`--state-dir=${folder}`, `--runtime-dir=${folder}`]
    const { code } = await holdfast(['run', ...account, ...folders], {
      env: { ...env, HOLDFAST_PASSWORD: 'x' },
    })

    expect(code).toBe(78)
    expect(heard()).not.toContain('--ready')
  })

  it('notifies WATCHDOG during an exchange that is longer than the watchdog interval', async () => {
    const at = await service('--fault', 'slow:30s')
    const folder = scratch()
    const { env, heard } = listener(folder)
    const child = spawn(
      process.execPath,
      [
        join(ROOT, 'bin/holdfast.js'),
        'run',
        ...clientOf(at, folder),
        '--runtime-dir',
        folder,
        '--myip',
        '192.0.2.1',
        '--response-timeout',
        '20s',
      ],
      {
        env: { ...env, HOLDFAST_PASSWORD: at.password, HOME: folder, WATCHDOG_USEC: '600000' },
        stdio: 'ignore',
      },
    )
    onTestFinished(() => void child.kill('SIGKILL'))
    await eventually(heard).toContain('--ready')
    await eventually(() => heard().split('WATCHDOG=1').length).toBeGreaterThan(5)
    child.kill('SIGSTOP')
    // A process that it has started may still say something.
    await new Promise((done) => setTimeout(done, 2000))
    const heardBefore = heard()
    await new Promise((done) => setTimeout(done, 1500))
    expect(heard()).toBe(heardBefore)
    await at.stop('SIGKILL')
  })
})

describe('a network hook pokes when its caller reports a change', () => {
  const HOOKS = join(ROOT, 'systemd/hooks')
  const pokesOf = async (
    hook: string,
    args: readonly string[],
    env: Record<string, string>,
    { isSourced, pokes }: { readonly isSourced: boolean; readonly pokes: number },
  ): Promise<string> => {
    const folder = scratch()
    const file = join(folder, 'pokes')
    writeFileSync(file, '')
    writeFileSync(join(folder, 'holdfast'), `#!/bin/sh\necho "$@" >> ${file}\n`)
    chmodSync(join(folder, 'holdfast'), 0o755)
    const command = isSourced
      ? ['-c', `set -e; . ${join(HOOKS, hook)}; echo after`]
      : [join(HOOKS, hook), ...args]
    const out = execFileSync('/bin/sh', command, {
      env: { PATH: `${folder}:/usr/bin:/bin`, ...env },
      encoding: 'utf8',
    })
    if (pokes > 0) await eventually(() => readFileSync(file, 'utf8')).not.toBe('')
    if (isSourced) expect(out).toBe('after\n') // a sourced hook must not exit its caller
    return readFileSync(file, 'utf8')
  }

  // biome-ignore format: a table
  it.each<[string, readonly string[], Record<string, string>, boolean, number]>([
    ['dhclient-exit', [], { reason: 'BOUND', interface: 'eth0', new_ip_address: '192.0.2.1' },                                       true, 1],
    ['dhclient-exit', [], { reason: 'RENEW', interface: 'eth0', new_ip_address: '192.0.2.1', old_ip_address: '192.0.2.1' },          true, 0],
    ['dhclient-exit', [], { reason: 'REBIND', interface: 'eth0', new_ip_address: '192.0.2.1', old_ip_address: '192.0.2.1' },         true, 0],
    ['dhclient-exit', [], { reason: 'BOUND6', interface: 'eth0', new_ip6_address: '2001:db8::1' },                                   true, 1],
    ['dhclient-exit', [], { reason: 'PREINIT', interface: 'eth0' },                                                                  true, 0],
    ['dhcpcd-exit',   [], { reason: 'BOUND', interface: 'eth0', if_up: 'true' },                                                     true, 1],
    ['dhcpcd-exit',   [], { reason: 'BOUND', interface: 'eth0', if_up: 'false' },                                                    true, 0],
    ['dhcpcd-exit',   [], { reason: 'ROUTERADVERT', interface: 'eth0', if_up: 'true' },                                              true, 1],
    ['dhcpcd-exit',   [], { reason: 'CARRIER', interface: 'eth0', if_up: 'true' },                                                   true, 0],
    ['ppp-ip-up',     ['ppp0', '/dev/ttyS0', '115200', '192.0.2.1', '192.0.2.254', 'isp'], { PPP_IFACE: 'ppp0' },                   false, 1],
    ['networkmanager-dispatcher', ['eth0', 'up'], { CONNECTION_ID: 'x' },                                                           false, 1],
    ['networkmanager-dispatcher', ['eth0', 'dhcp6-change'], {},                                                                     false, 1],
    ['networkmanager-dispatcher', ['eth0', 'pre-up'], {},                                                                           false, 0],
    ['networkmanager-dispatcher', ['none', 'hostname'], {},                                                                         false, 0],
  ])('%s %j %j', async (hook, args, env, isSourced, pokes) => expect(await pokesOf(hook, args, env, { isSourced, pokes })).toBe('poke\n'.repeat(pokes)))

  it('the OpenWrt script passes procd a valid command line', async () => {
    const calls = join(scratch(), 'calls')
    const stubs = [
      'procd_open_instance',
      'procd_set_param',
      'procd_close_instance',
      'procd_send_signal',
      'procd_add_raw_trigger',
    ]
      .map((name) => `${name}() { echo ${name} "$@" >> ${calls}; }`)
      .join('\n')
    execFileSync('/bin/sh', [
      '-c',
      `${stubs}\n. ${join(ROOT, 'systemd/openwrt/holdfast.init')}\nstart_service\nreload_service\nservice_triggers`,
    ])
    const said = readFileSync(calls, 'utf8')

    const [, command = ''] = /^procd_set_param command \/usr\/bin\/holdfast (.*)$/m.exec(said) ?? []
    expect(said).toContain('procd_send_signal holdfast * HUP')
    expect(said).toMatch(
      /procd_add_raw_trigger interface\.\*\.up \d+ \/usr\/bin\/env (HOLDFAST_\w+=\S+ ){3}\/usr\/bin\/holdfast poke$/m,
    )
    expect(
      (
        await holdfast(
          [
            ...command.split(' '),
            '--server',
            'a.test',
            '--username',
            'a',
            '--hostname',
            'a.test',
            '--schedule',
            'x',
          ],
          { env: { HOLDFAST_PASSWORD: 'x' } },
        )
      ).stderr,
    ).toContain('--schedule')
  })
})
