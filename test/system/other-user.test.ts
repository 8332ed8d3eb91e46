import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT, scratch } from '../e2e/processes.ts'
import { shortTimers } from '../lab/short-timers.ts'

/** A file system in which /etc and /run are ours needs root, and a checkout that others may read. */
function canMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/run'], { stdio: 'pipe' })
    const launcher = join(ROOT, 'bin/holdfast.js')
    const nobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups']
    for (const [may, path] of [
      ['-x', process.execPath],
      ['-r', launcher],
    ] as const)
      execFileSync('setpriv', [...nobody, 'test', may, path], { stdio: 'pipe' })
    return true
  } catch {
    console.error(
      '\n!!! nothing can be mounted here (root, util-linux and a checkout that others may read are needed): these system tests are SKIPPED\n',
    )
    return false
  }
}

const PLACE = { config: '/etc/holdfast/holdfast.toml', runtime: '/run/holdfast' } as const

/** What a command says to the user "nobody" on a host with the configuration of the system's daemon. */
function said(
  command: readonly string[],
  { configMode = '644', runtimeMode = '700', runtimeOwner = '0' },
  env: readonly string[] = [],
) {
  const folder = scratch()
  cpSync('/etc', join(folder, 'etc'), {
    recursive: true,
    filter: (path) => /^\/etc(\/(passwd|group|hosts|nsswitch\.conf))?$/.test(path),
  })
  mkdirSync(join(folder, 'etc/holdfast'))
  writeFileSync(
    join(folder, 'etc/holdfast/holdfast.toml'),
    'server = "http://127.0.0.1:1"\nusername = "a"\nhostnames = ["a.test"]\npassword_file = "/etc/holdfast/password"\n',
  )
  const script = [
    // This host may have a state of its own.
    `mount --bind ${folder}/etc /etc && mount -t tmpfs none /var/lib && mount -t tmpfs none /run`,
    `mkdir -m ${runtimeMode} ${PLACE.runtime} && chown ${runtimeOwner} ${PLACE.runtime}`,
    `chmod ${configMode} ${PLACE.config}`,
    `exec setpriv --reuid 65534 --regid 65534 --clear-groups env -i HOME=/nonexistent ${env.join(' ')} ${process.execPath} ${join(ROOT, 'bin/holdfast.js')} ${command.join(' ')}`,
  ]
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    ['-m', '--propagation', 'private', 'sh', '-c', script.join(' && ')],
    { encoding: 'utf8' },
  )
  return { status, stdout, stderr }
}

describe.skipIf(!canMount())('a user without settings, on a host with a daemon of the system', () => {
  it('reads the status if its folders are readable', () =>
    expect(said(['status'], { runtimeMode: '755' })).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringContaining('a@127.0.0.1:1') as string,
    }))

  it.each(['status', 'explain', 'poke', 'resume'])(
    'reports that its folders are not readable: %s',
    (command) =>
      expect(said([command], {})).toEqual({
        status: 71,
        stdout: '',
        stderr: `holdfast: the system's daemon runs as another user, and ${PLACE.runtime} is readable by that user and root only; use sudo\n`,
      }),
  )

  it('reports that its settings are not readable', () =>
    expect(said(['status'], { configMode: '600' })).toEqual({
      status: 71,
      stdout: '',
      stderr: `holdfast: ${PLACE.config} is readable by the user of the system's daemon only; use sudo\n`,
    }))

  it.each(['update', 'run'])('sends nothing with its settings, and reports why: %s', (command) => {
    const { status, stderr } = said([command], { runtimeMode: '755' })

    expect(status).toBe(78)
    expect(stderr.trim().split('\n').at(-1)).toBe(
      `holdfast: ${PLACE.config} is the configuration of the system's daemon and is not used for another user; use sudo, or name it with --config`,
    )
  })

  it.each(['update', 'run', 'resume'])(
    'does not wait for a state folder that it may not enter: %s',
    (command) => {
      const { status, stderr } = said([command, '--state-dir', PLACE.runtime], {}, [
        'HOLDFAST_SERVER=http://127.0.0.1:1',
        'HOLDFAST_USERNAME=b',
        'HOLDFAST_HOSTNAMES=b.test',
        'HOLDFAST_PASSWORD=p',
        'HOLDFAST_VERIFY=no',
        // It would ask again and again.
        ...Object.entries(shortTimers(40)).map(([name, value]) => `${name}=${value}`),
      ])

      expect(status).toBe(78)
      expect(stderr).toMatch(/\/run\/holdfast\/state\.json cannot be read \(EACCES/)
    },
  )

  it.each([
    ['update', 78],
    ['run', 78],
    ['status', 78],
    ['config check', 78],
  ])('%s in a container whose volume belongs to another user says so', (command, code) => {
    const { status, stderr } = said(command.split(' '), { runtimeOwner: '1000' }, [
      `HOME=${PLACE.runtime}`,
      `HOLDFAST_STATE_DIR=${PLACE.runtime}`,
      'CONFIGURATION_DIRECTORY=/etc/absent',
      'HOLDFAST_SERVER=http://127.0.0.1:1',
      'HOLDFAST_USERNAME=b',
      'HOLDFAST_HOSTNAMES=b.test',
      'HOLDFAST_PASSWORD=p',
    ])
    expect([status, stderr]).toEqual([
      code,
      expect.stringContaining(
        `${PLACE.runtime} belongs to user 1000, and this program runs as user 65534; give it to user 65534 (chown), or run as user 1000`,
      ),
    ])
  })

  it('goes by its own settings where it has some', () =>
    expect(
      said(['status'], {}, ['HOLDFAST_SERVER=b.test', 'HOLDFAST_USERNAME=b', 'HOLDFAST_HOSTNAMES=b.test'])
        .stdout,
    ).toContain('b@b.test'))
})
