import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { holdfast, ROOT, scratch, service } from './processes.ts'

/** The tests write nothing into the user's own folders. */
const NO_CACHE = { NODE_DISABLE_COMPILE_CACHE: '1', HOLDFAST_VERIFY: 'no' }

/** The files of dist/ that a command line loads. */
function chunksOf(args: readonly string[], env: Record<string, string> = {}): readonly string[] {
  const hook = join(scratch(), 'hook.cjs')
  writeFileSync(
    hook,
    `process.on('exit', () => require('fs').writeSync(3, Object.keys(require.cache).filter((f) => f.includes('/dist/')).map((f) => require('path').basename(f)).join(' ')))`,
  )
  const child = spawnSync(process.execPath, ['--require', hook, join(ROOT, 'bin/holdfast.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...NO_CACHE, ...env },
  })
  return String(child.output[3]).split(' ')
}
const sourceOf = (chunks: readonly string[]): string =>
  chunks.map((name) => readFileSync(join(ROOT, 'dist', name), 'utf8')).join('\n')

/** A string that only this package or part contains, even minified. */
const MARKS = {
  undici: 'UND_ERR_',
  pino: 'nestedKey',
  cron: 'missedExecutionTolerance',
  toml: 'TOMLTopLevelTable',
  sqlite: 'DatabaseSync',
  service: 'CREATE TABLE',
  yargs: 'recommendCommands',
  detection: 'ipv6_route',
} as const
const marksIn = (chunks: readonly string[]): readonly string[] =>
  Object.entries(MARKS).flatMap(([name, mark]) => (sourceOf(chunks).includes(mark) ? [name] : []))

const DRY = [
  'update',
  '--dry-run',
  '--server',
  'a.test',
  '--username',
  'a',
  '--hostname',
  'a.test',
  '--myip',
  '192.0.2.1',
  '--state-dir',
  '/nonexistent',
]

describe('a command loads only what it needs', () => {
  it('dist contains each string', () => {
    const all = readdirSync(join(ROOT, 'dist')).filter((name) => name.endsWith('.cjs'))

    expect(marksIn(all)).toEqual(Object.keys(MARKS))
  })

  it('--help: yargs, and none of the other packages', () =>
    expect(marksIn(chunksOf(['--help']))).toEqual(['yargs']))
  it.each(['--version', '-V'])('%s alone loads only itself', (line) =>
    expect(chunksOf([line])).toEqual(['holdfast.cjs', 'rolldown-runtime.cjs', 'start.cjs']),
  )
  it('--version in a longer line: yargs, with the same output', async () => {
    expect(marksIn(chunksOf(['update', '--version']))).toEqual(['yargs'])
    expect(await holdfast(['update', '--version'])).toEqual(await holdfast(['--version']))
  })

  it('update --myip: no package', () =>
    expect(marksIn(chunksOf(DRY, { HOLDFAST_PASSWORD: 'x' }))).toEqual([]))

  it('update with detection: the detection, and undici only for a web source', () => {
    const line = DRY.filter((word) => word !== '--myip' && word !== '192.0.2.1')
    const env = { HOLDFAST_PASSWORD: 'x' }

    expect(marksIn(chunksOf([...line, '--source', 'interfaces'], env))).toEqual(['detection'])
    expect(marksIn(chunksOf([...line, '--source', 'http://127.0.0.1:1/'], env))).toEqual([
      'undici',
      'detection',
    ])
  })

  it('serve: no client', () => {
    const chunks = chunksOf([
      'serve',
      '--dev',
      '--listen',
      '127.0.0.1:0/tls',
      '--tls-cert',
      '/nonexistent',
      '--tls-key',
      '/nonexistent',
    ])

    expect(marksIn(chunks)).toContain('service')
    expect(marksIn(chunks)).not.toContain('undici')
  })
})

describe('in a deleted working folder', () => {
  it.each([
    ['--help', 0],
    ['updtae', 64],
    ['update', 78],
    ['config schema', 0],
  ])('%s does not crash', (words, code) => {
    const folder = join(scratch(), 'gone')
    const ended = spawnSync(
      'sh',
      [
        '-c',
        `mkdir ${folder}; cd ${folder}; rmdir ${folder}; exec ${process.execPath} ${join(ROOT, 'bin/holdfast.js')} ${words}`,
      ],
      { encoding: 'utf8' },
    )

    expect([ended.status, ended.stderr]).toEqual([code, expect.not.stringContaining('bug')])
  })
})

describe('a Node that is too old', () => {
  const launch = (version: string, ...line: readonly string[]) => {
    const hook = join(scratch(), 'old.cjs')
    writeFileSync(
      hook,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`,
    )
    return spawnSync(process.execPath, ['--require', hook, join(ROOT, 'bin/holdfast.js'), ...line], {
      encoding: 'utf8',
      env: { HOME: '/nonexistent', ...NO_CACHE },
    })
  }

  it.each(['0.10.48', '12.22.12', '18.20.4', '20.18.3'])('%s gets one sentence and exit 78', (version) => {
    const { status, stderr, stdout } = launch(version, 'serve', '--dev')

    expect([status, stdout]).toEqual([78, ''])
    expect(stderr).toBe(`holdfast: needs Node 20.19 or newer; ${process.execPath} is Node ${version}\n`)
  })

  it.each([
    ['20.19.2', 'the service', ['serve', '--dev', '--listen', '127.0.0.1:1']],
    ['22.15.1', 'the service', ['serve', '--dev', '--listen', '127.0.0.1:1']],
    ['20.19.2', 'admin', ['admin', 'plan', 'add', 'x']],
    ['22.15.1', 'admin', ['admin']],
  ])('%s runs the client, and gets one sentence for %s', (version, subject, line) => {
    const { status, stderr } = launch(version, ...line)

    expect(status).toBe(78)
    expect(stderr).toBe(
      `holdfast: ${subject} needs Node 22.16 or newer for its embedded database; this is Node ${version}\n`,
    )
  })

  it('can parse the launcher, which is ES5', () => {
    const source = readFileSync(join(ROOT, 'bin/holdfast.js'), 'utf8')

    expect(source).not.toMatch(/\b(const|let|class|async|await|import|export)\b|=>|`|\?\.|\?\?|\.\.\./)
  })
})

it('a bug is exit 70 with a request to report it', () => {
  const hook = join(scratch(), 'bug.cjs')
  writeFileSync(hook, `require('os').release = () => { throw new TypeError('as if by mistake') }`)

  const child = spawnSync(process.execPath, ['--require', hook, join(ROOT, 'bin/holdfast.js'), ...DRY], {
    encoding: 'utf8',
    env: { HOLDFAST_PASSWORD: 'x', HOME: '/nonexistent', ...NO_CACHE },
  })

  expect([child.status, child.stdout]).toEqual([70, ''])
  expect(child.stderr).toMatch(
    /^holdfast: this is a bug in Holdfast \d+\.\d+\.\d+; please report it with these lines\nTypeError: as if by mistake\n {4}at /,
  )
})

it('a checkout that is not built names the command to build it', () => {
  const folder = scratch()
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true })

  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'bin/holdfast.js')], {
    encoding: 'utf8',
  })

  expect([status, stderr]).toEqual([78, 'holdfast: this checkout is not built; run: npm run build\n'])
})

describe('the packed file', () => {
  const npm = (cwd: string, ...args: readonly string[]): string =>
    execFileSync('npm', [...args, '--offline', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  /** The relative link targets of a document. */
  const linksIn = (path: string): readonly string[] =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, to = '']) => to)
      .filter((to) => !/^[a-z]+:/.test(to))
  const pack = (): { folder: string; file: string; files: readonly string[] } => {
    const folder = scratch()
    const [packed] = JSON.parse(npm(ROOT, 'pack', '--json', '--pack-destination', folder)) as [
      { filename: string; files: { path: string }[] },
    ]
    return { folder, file: join(folder, packed.filename), files: packed.files.map(({ path }) => path) }
  }

  it('contains what a user needs and nothing else', () => {
    const { files } = pack()

    const strangers = files.filter(
      (path) =>
        !/^(bin\/|dist\/[a-z-]+\.(d\.cts|cjs|json)$|dist\/LICENSES\.txt$|config\/|docs\/(?!decisions\/)|systemd\/|README\.md$|LICENSE$|CHANGELOG\.md$|package\.json$)/.test(
          path,
        ),
    )
    expect(strangers).toEqual([])
    for (const needed of [
      'bin/holdfast.js',
      'dist/holdfast.cjs',
      'dist/holdfast-api.cjs',
      'dist/holdfast-api.d.cts',
      'dist/LICENSES.txt',
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'config/holdfast.toml',
    ])
      expect(files).toContain(needed)
  })

  /** What is shown where the project is, and would be a third of the documents. */
  const PICTURES = ['docs/console-phone.jpg', 'docs/console.jpg']

  it('links only to files that it contains, and to pictures', () => {
    const { files } = pack()
    const dead = files
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) => linksIn(path).map((link) => ({ path, link })))
      .filter(({ path, link }) => !files.includes(join(dirname(path), link)))

    expect([...new Set(dead.map(({ path, link }) => join(dirname(path), link)))].toSorted()).toEqual(PICTURES)
  })

  it('does not contain the path of the build folder', () => {
    for (const name of readdirSync(join(ROOT, 'dist')))
      expect(readFileSync(join(ROOT, 'dist', name), 'utf8'), name).not.toContain(ROOT)
  })

  it('has no install script', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }

    expect(Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([])
  })

  it('works when installed alone into an empty folder', async () => {
    const at = await service()
    const { folder, file } = pack()
    const home = join(folder, 'home')
    mkdirSync(home)
    writeFileSync(join(home, 'package.json'), '{"private":true}')
    npm(home, 'install', file)
    const program = join(home, 'node_modules/.bin/holdfast')

    const version = execFileSync(process.execPath, [program, '--version'], { encoding: 'utf8' })
    const update = spawnSync(
      process.execPath,
      [
        program,
        'update',
        '--server',
        at.url,
        '--username',
        at.username,
        '--hostname',
        'home.example.test',
        '--myip',
        '192.0.2.1',
        '--state-dir',
        join(home, 'state'),
      ],
      { encoding: 'utf8', env: { HOLDFAST_PASSWORD: at.password, HOME: home, ...NO_CACHE } },
    )

    expect(version.trim()).toMatch(/^\d+\.\d+\.\d+$/)
    expect([update.status, update.stdout], update.stderr).toEqual([
      0,
      'home.example.test: good 192.0.2.1 (update succeeded)\n',
    ])
    expect(readdirSync(join(home, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'holdfast',
    ])
  })
})

it('bin/holdfast.js is executable in a checkout', () =>
  expect(statSync(join(ROOT, 'bin/holdfast.js')).mode & 0o111).toBe(0o111))

it('the client command of the README works in a checkout', async () =>
  expect((await holdfast(['update', '--help'])).code).toBe(0))

/** For example systemd's DynamicUser= without libnss-systemd, or the user of a container. */
const UNKNOWN = { uid: 64_999, gid: 64_999 }
const canBecome = process.getuid?.() === 0 && spawnSync(process.execPath, ['--version'], UNKNOWN).status === 0
it.skipIf(!canBecome)('a user without a passwd entry and without a home gets the missing settings', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'bin/holdfast.js'), 'update'], {
    ...UNKNOWN,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...NO_CACHE },
  })

  expect([status, stderr]).toEqual([78, expect.stringMatching(/^holdfast: server is missing/)])
})

it.each([
  ['serve', null],
  ['run', null],
  ['update', 'SIGHUP'],
] as const)('SIGHUP while %s loads ends it by %s', (command, signal) => {
  const folder = scratch()
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true })
  mkdirSync(join(folder, 'dist'))
  writeFileSync(
    join(folder, 'dist/holdfast.cjs'),
    `exports.start = () => { process.kill(process.pid, 'SIGHUP'); setTimeout(() => undefined, 100) }`,
  )
  const child = spawnSync(process.execPath, [join(folder, 'bin/holdfast.js'), command], { env: NO_CACHE })
  expect(child.signal).toBe(signal)
})
