import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SERVICE_SETTINGS } from '../../src/service/settings/service-settings.ts'
import { envOf } from '../../src/shared/settings/setting.ts'
import { answering } from '../e2e/servers.ts'
import { eventually } from '../eventually.ts'
import { lacks, lacksNamespaces } from '../lacks.ts'
import { build, fileIn, VERSION } from './built.ts'

const MAX_BYTES = 65 * 1024 * 1024

interface Descriptor {
  readonly digest: string
  readonly size: number
}
interface ImageConfig {
  readonly config: {
    readonly User: string
    readonly Env: readonly string[]
    readonly Entrypoint: readonly string[]
    readonly Cmd: readonly string[]
  }
  readonly rootfs: { readonly diff_ids: readonly string[] }
}

describe.skipIf(lacks('mmdebstrap') || lacks('crun') || lacksNamespaces())('the container image', () => {
  const work = mkdtempSync(join(tmpdir(), 'holdfast-image-'))
  const root = join(work, 'bundle/rootfs')
  let image = ''
  let config: ImageConfig
  afterAll(() => rmSync(work, { recursive: true, force: true }))

  const blob = ({ digest }: Descriptor): string => join(work, 'layout/blobs', digest.replace(':', '/'))
  const json = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))

  beforeAll(() => {
    image = fileIn(build({ only: ['openwrt'], image: true }), '.oci.tar')
    mkdirSync(join(work, 'layout'))
    mkdirSync(root, { recursive: true })
    execFileSync('tar', ['xf', image, '-C', join(work, 'layout')])
    const { manifests } = json(join(work, 'layout/index.json')) as { manifests: readonly [Descriptor] }
    const manifest = json(blob(manifests[0])) as { config: Descriptor; layers: readonly Descriptor[] }
    config = json(blob(manifest.config)) as ImageConfig
    for (const [at, layer] of manifest.layers.entries()) {
      const packed = readFileSync(blob(layer))
      expect([layer.size, layer.digest]).toEqual([
        packed.length,
        `sha256:${createHash('sha256').update(packed).digest('hex')}`,
      ])
      const plain = execFileSync('gzip', ['-dc', blob(layer)], { maxBuffer: 1024 ** 3 })
      expect(config.rootfs.diff_ids[at]).toBe(`sha256:${createHash('sha256').update(plain).digest('hex')}`)
      execFileSync('tar', ['x', '-C', root], { input: plain })
    }
  })

  /** The bundle of the runtime specification: as small as rights can be. */
  function bundle(args: readonly string[], env: readonly string[], mounts: readonly object[] = []): void {
    const [uid = 0, gid = 0] = config.config.User.split(':').map(Number)
    const none = { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] }
    const spec = {
      ociVersion: '1.0.2',
      process: {
        user: { uid, gid },
        args: [...config.config.Entrypoint, ...args],
        env: [...config.config.Env, ...env],
        cwd: '/',
        capabilities: none,
        noNewPrivileges: true,
      },
      root: { path: 'rootfs', readonly: true },
      mounts: [
        { destination: '/proc', type: 'proc', source: 'proc' },
        {
          destination: '/dev',
          type: 'tmpfs',
          source: 'tmpfs',
          options: ['nosuid', 'mode=755', 'size=65536k'],
        },
        {
          destination: '/run/holdfast',
          type: 'tmpfs',
          source: 'tmpfs',
          options: [`uid=${uid}`, 'mode=700'],
        },
        ...mounts,
      ],
      // The network of the host, as the documents say.
      linux: { namespaces: [{ type: 'pid' }, { type: 'ipc' }, { type: 'uts' }, { type: 'mount' }] },
    }
    writeFileSync(join(work, 'bundle/config.json'), JSON.stringify(spec))
  }

  /** The runtime wants cgroup2 alone, which it gets in a mount namespace. */
  const runtime = (words: string): readonly string[] => [
    '--mount',
    'sh',
    '-ec',
    `umount -R /sys/fs/cgroup 2>/dev/null || true; mount -t cgroup2 none /sys/fs/cgroup; exec crun --root ${work}/crun ${words}`,
  ]

  it('has no user with rights, and less than 65 MB', () => {
    expect(statSync(image).size).toBeLessThan(MAX_BYTES)
    expect(config.config.User).toBe('8053:8053')
    const writable = execFileSync(
      'find',
      [
        root,
        '-xdev',
        '-not',
        '-type',
        'l',
        '(',
        '-uid',
        '8053',
        '-o',
        '-perm',
        '-o+w',
        ')',
        '-not',
        '-path',
        '*/tmp',
        '-not',
        '-path',
        '*/var/lib/holdfast*',
        '-not',
        '-path',
        '*/run/holdfast*',
        '-not',
        '-path',
        '*/lock',
        '-not',
        '-path',
        '*/var/tmp',
      ],
      { encoding: 'utf8' },
    )
    expect(writable).toBe('')
  })

  it('has no setting of the service, which would win over its file', () => {
    const set = config.config.Env.map((one) => one.split('=')[0])
    const settings = Object.keys(SERVICE_SETTINGS).map(envOf)
    expect(set.filter((name) => settings.includes(name ?? ''))).toEqual([])
  })

  it('prints its version', () => {
    bundle(['--version'], [])
    const { stdout, stderr, status } = spawnSync(
      'unshare',
      runtime(`run --bundle ${work}/bundle version-${process.pid}`),
      { encoding: 'utf8' },
    )
    expect([status, stdout], stderr).toEqual([0, `${VERSION}\n`])
  })

  it('updates with a secret and a volume, is healthy, and ends when it is told to', async () => {
    const asked: string[] = []
    const service = await answering((target) => {
      asked.push(target)
      return { status: 200, body: 'good 203.0.113.9' }
    })
    const [state, secret] = [join(work, 'state'), join(work, 'secret')]
    mkdirSync(state)
    execFileSync('chown', ['8053:8053', state])
    writeFileSync(secret, 'swordfish\n')
    chmodSync(secret, 0o444)
    bundle(
      [...config.config.Cmd],
      [
        `HOLDFAST_SERVER=${service}`,
        'HOLDFAST_USERNAME=u',
        'HOLDFAST_HOSTNAMES=h.example.test',
        'HOLDFAST_MYIP=203.0.113.9',
        'HOLDFAST_IPV6=no',
        'HOLDFAST_VERIFY=no',
        'HOLDFAST_PASSWORD_FILE=/run/secrets/holdfast',
      ],
      [
        { destination: '/var/lib/holdfast', type: 'bind', source: state, options: ['rbind', 'rw'] },
        { destination: '/run/secrets/holdfast', type: 'bind', source: secret, options: ['bind', 'ro'] },
      ],
    )
    const name = `client-${process.pid}`
    const child = spawn('unshare', runtime(`run --bundle ${work}/bundle ${name}`), {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const ended = new Promise<number | null>((done) => child.once('close', done))
    await eventually(() => said).toContain('the service confirmed 203.0.113.9')
    expect(asked).toHaveLength(1)
    expect(readFileSync(join(state, 'state.json'), 'utf8')).toContain('203.0.113.9')

    const check = spawnSync(
      'unshare',
      runtime(`exec --user 8053:8053 ${name} /usr/bin/holdfast status --healthcheck`),
      {
        encoding: 'utf8',
      },
    )
    expect([check.status, check.stderr]).toEqual([0, ''])
    spawnSync('unshare', runtime(`kill ${name} TERM`))
    expect(await ended, said).toBe(0)
  })

  it('serves, too', () => {
    bundle(['serve', '--help'], [])
    const { stdout, status } = spawnSync(
      'unshare',
      runtime(`run --bundle ${work}/bundle serve-${process.pid}`),
      { encoding: 'utf8' },
    )
    expect([status, stdout]).toEqual([0, expect.stringContaining('holdfast serve')])
  })
})
