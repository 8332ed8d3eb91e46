import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ROOT } from '../e2e/processes.ts'
import { build, fileIn, VERSION } from './built.ts'

const OLD_NODE = join(ROOT, `.ci/lts/node_modules/node20-${process.arch}/bin/node`)

let packages = ''
beforeAll(() => {
  packages = build({ only: ['npm', 'deb', 'openwrt', 'sbom'] })
})

const scratch = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-packages-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
const listed = (archive: string): readonly string[] =>
  execFileSync('tar', ['tzf', archive], { encoding: 'utf8' }).trim().split('\n')

it('the same commit gives the same packages, in another folder and with another Node', () => {
  const copy = scratch()
  for (const name of [
    '.build',
    'bin',
    'config',
    'docs',
    'systemd',
    'src',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'README.md',
    'CHANGELOG.md',
    'LICENSE',
    '.ci',
  ])
    cpSync(join(ROOT, name), join(copy, name), {
      recursive: true,
      filter: (from) => !from.includes('node_modules'),
    })
  const time = execFileSync('git', ['-C', ROOT, 'log', '-1', '--format=%ct'], { encoding: 'utf8' }).trim()
  mkdirSync(join(copy, 'node_modules'))
  const again = join(copy, 'again')
  const node = existsSync(OLD_NODE) ? OLD_NODE : process.execPath
  const only = ['npm', 'deb', 'openwrt', 'sbom'].map((one) => `--only ${one}`).join(' ')
  // A mount, not a link: the build follows links, and would find the packages in the old place.
  execFileSync(
    'unshare',
    [
      '--mount',
      'sh',
      '-ec',
      `mount --bind ${join(ROOT, 'node_modules')} node_modules; ${node} .build/build.mjs; ${node} .build/package.mjs --out ${again} ${only}`,
    ],
    { cwd: copy, stdio: 'pipe', env: { ...process.env, SOURCE_DATE_EPOCH: time } },
  )
  expect(readFileSync(join(again, 'SHA256SUMS'), 'utf8')).toBe(
    readFileSync(join(packages, 'SHA256SUMS'), 'utf8'),
  )
})

it('the checksums are those of the files', () =>
  expect(
    spawnSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: packages, encoding: 'utf8' }),
  ).toMatchObject({ status: 0, stdout: '' }))

it('the bill of materials names what is bundled, and nothing of the builder', () => {
  const text = readFileSync(fileIn(packages, '.cdx.json'), 'utf8')
  interface Component {
    readonly type: string
    readonly name: string
    readonly version: string
  }
  const { components } = JSON.parse(text) as { components: readonly Component[] }
  const licences = readFileSync(join(ROOT, 'dist/LICENSES.txt'), 'utf8')
  expect(components.length).toBeGreaterThan(20)
  for (const { name, version } of components.filter(({ type }) => type === 'library'))
    expect(licences).toContain(`${name} ${version} (`)
  // The packages of the service and the image contain Node.
  expect(components.filter(({ type }) => type !== 'library').map(({ name }) => name)).toEqual(['nodejs'])
  expect(licences).toContain('emoji-regex ')
  expect(text).not.toMatch(new RegExp(`${ROOT}|registry|localhost`))
})

describe('the package for npm', () => {
  it('has a manifest without scripts, and every file that its pages lead to', () => {
    const folder = scratch()
    execFileSync('tar', ['xzf', fileIn(packages, '.tgz'), '-C', folder])
    const top = join(folder, 'package')
    const manifest = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8')) as Record<string, unknown>
    expect(Object.keys(manifest).filter((key) => /scripts|dependencies|workspaces/i.test(key))).toEqual([])
    const targets = Object.values(manifest['exports'] as Readonly<Record<string, unknown>>).flatMap((one) =>
      typeof one === 'string' ? [one] : Object.values(one as Readonly<Record<string, string>>),
    )
    expect(targets.filter((to) => !existsSync(join(top, to)))).toEqual([])
    expect(targets).toHaveLength(3)
    expect(readdirSync(join(top, 'docs'))).not.toContain('decisions')
    const pages = [
      'README.md',
      ...readdirSync(join(top, 'docs'))
        .filter((name) => name.endsWith('.md'))
        .map((name) => `docs/${name}`),
    ]
    const dead = pages.flatMap((page) =>
      [...readFileSync(join(top, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].flatMap(
        ([, to = '']) => (existsSync(join(top, page, '..', to)) ? [] : [`${page}: ${to}`]),
      ),
    )
    expect(dead).toEqual([])
  })

  it.each(['9', '10', '11'])('is installed by npm %s without a network and without a warning', (major) => {
    const folder = scratch()
    const npm = npmOf(major)
    const { status, stdout, stderr } = spawnSync(
      'unshare',
      [
        '--net',
        process.execPath,
        npm,
        'install',
        '--global',
        '--prefix',
        join(folder, 'to'),
        '--cache',
        join(folder, 'cache'),
        '--userconfig',
        '/nonexistent',
        fileIn(packages, '.tgz'),
      ],
      { encoding: 'utf8', cwd: folder, env: { PATH: process.env['PATH'], HOME: folder } },
    )
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).not.toMatch(/warn/i)
    const at = { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: folder } } as const
    expect(spawnSync(join(folder, 'to/bin/holdfast'), ['--version'], at).stdout).toBe(`${VERSION}\n`)
    const npx = spawnSync(
      process.execPath,
      [
        npm,
        'exec',
        '--offline',
        '--cache',
        join(folder, 'cache'),
        '--package',
        fileIn(packages, '.tgz'),
        '--',
        'holdfast',
        '--version',
      ],
      { ...at, cwd: folder },
    )
    expect(npx.stdout, npx.stderr).toBe(`${VERSION}\n`)
  })
})

/** npm of a major version, kept beside the other tools that tests fetch. */
function npmOf(major: string): string {
  const folder = join(
    process.env['XDG_CACHE_HOME'] ?? join(process.env['HOME'] ?? tmpdir(), '.cache'),
    'holdfast-ci',
    `npm-${major}`,
  )
  const program = join(folder, 'node_modules/npm/bin/npm-cli.js')
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true })
    execFileSync(
      'npm',
      ['install', '--prefix', folder, '--no-audit', '--no-fund', '--silent', `npm@${major}`],
      { cwd: folder, stdio: 'pipe' },
    )
  }
  return program
}

describe('the archive for OpenWrt', () => {
  it('has the client alone, with its init script', () => {
    const files = listed(fileIn(packages, '.tar.gz'))
    expect(files).toEqual(
      expect.arrayContaining([
        'etc/init.d/holdfast',
        'usr/bin/holdfast',
        'usr/lib/holdfast/dist/holdfast.cjs',
        'lib/upgrade/keep.d/holdfast',
      ]),
    )
    expect(files.filter((name) => /serve\.cjs|admin\.cjs|holdfast-service|holdfast-api/.test(name))).toEqual(
      [],
    )
  })

  it('runs under the shell of a router, from where it is unpacked', () => {
    const root = scratch()
    execFileSync('tar', ['xzf', fileIn(packages, '.tar.gz'), '-C', root])
    const config = join(root, 'etc/holdfast/holdfast.toml')
    mkdirSync(join(root, 'etc/holdfast'))
    writeFileSync(
      config,
      'server = "http://127.0.0.1:1"\nusername = "u"\npassword = "p"\nhostnames = ["h.example.test"]\n',
    )
    // What rc.common of OpenWrt gives a script; each call is printed.
    const stubs = [
      'procd_open_instance',
      'procd_set_param',
      'procd_close_instance',
      'procd_send_signal',
      'procd_add_raw_trigger',
    ]
      .map((name) => `${name}() { echo ${name} "$@"; }`)
      .join('\n')
    const said = execFileSync(
      'busybox',
      [
        'sh',
        '-c',
        `${stubs}\n. ${join(root, 'etc/init.d/holdfast')}\nstart_service\nreload_service\nservice_triggers`,
      ],
      { encoding: 'utf8' },
    )
    expect(said.trim().split('\n')).toEqual([
      'procd_open_instance',
      'procd_set_param command /usr/bin/holdfast run --when-stopped idle',
      'procd_set_param env HOLDFAST_CONFIG=/etc/holdfast/holdfast.toml HOLDFAST_STATE_DIR=/etc/holdfast/state HOLDFAST_RUNTIME_DIR=/var/run/holdfast',
      'procd_set_param respawn 3600 30 0',
      'procd_set_param stderr 1',
      'procd_set_param term_timeout 10',
      'procd_close_instance',
      'procd_send_signal holdfast * HUP',
      expect.stringMatching(
        /^procd_add_raw_trigger interface\.\*\.up 1000 \/usr\/bin\/env HOLDFAST_CONFIG=\S+ .* \/usr\/bin\/holdfast poke$/,
      ) as string,
    ])
    // The command that procd starts, with the variables that it gives, from the unpacked link.
    const run = spawnSync(
      'timeout',
      ['3', join(root, 'usr/bin/holdfast'), 'run', '--when-stopped', 'idle', '--no-watch'],
      {
        encoding: 'utf8',
        env: {
          PATH: process.env['PATH'],
          HOLDFAST_CONFIG: config,
          HOLDFAST_STATE_DIR: join(root, 'state'),
          HOLDFAST_RUNTIME_DIR: join(root, 'run'),
        },
      },
    )
    expect(run.stderr).toContain('keeping h.example.test current')
  })
})
