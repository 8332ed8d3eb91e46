/** A container image (OCI image layout 1.0, as one archive): a minimal Debian, Node, the client and the service. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzip } from './deb.mjs'
import { tarOf } from './tar.mjs'
import { file, link, program } from './tree.mjs'
import { wholeFiles } from './parts.mjs'

/** What Node and the watchers of the client need. */
const PACKAGES = 'base-files,libc6,libstdc++6,libgcc-s1,libatomic1,netbase,tzdata,iproute2'
const USER = 8053
const ACCOUNTS = {
  'etc/passwd': file(
    `root:x:0:0:root:/root:/usr/sbin/nologin\nholdfast:x:${USER}:${USER}:Holdfast:/var/lib/holdfast:/usr/sbin/nologin\n`,
  ),
  'etc/group': file(`root:x:0:\nholdfast:x:${USER}:\n`),
  'etc/nsswitch.conf': file('passwd: files\ngroup: files\nhosts: files dns\n'),
}

/** Debian's files, without manual pages and translations. The same day gives the same octets. */
function baseLayer(epoch) {
  const mirror = execFileSync('apt-get', ['indextargets', '--format', '$(LABEL) $(REPO_URI)'], {
    encoding: 'utf8',
  })
  const [, uri] = /^Debian (\S+)$/m.exec(mirror) ?? []
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-base-'))
  try {
    const to = join(folder, 'base.tar')
    const without = ['man', 'locale', 'doc', 'info', 'lintian'].map(
      (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
    )
    const hooks = [
      // What scanners read where there is no dpkg.
      `--extract-hook=mkdir -p "$1/var/lib/dpkg/status.d"; for deb in "$1"/var/cache/apt/archives/*.deb; do dpkg-deb --field "$deb" > "$1/var/lib/dpkg/status.d/$(dpkg-deb --field "$deb" Package)"; done`,
    ]
    execFileSync(
      'mmdebstrap',
      [
        '--quiet',
        '--variant=extract',
        // The runtime makes the devices.
        '--skip=output/dev',
        `--include=${PACKAGES}`,
        ...without,
        '--dpkgopt=path-include=/usr/share/doc/*/copyright',
        ...hooks,
        'trixie',
        to,
        ...(uri === undefined ? [] : [uri]),
      ],
      { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) } },
    )
    // Of the builder; a runtime gives a container its own.
    execFileSync('tar', ['--delete', '-f', to, './etc/resolv.conf', './etc/hostname'])
    return readFileSync(to)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function programLayer({ root, node, nodeLicence, epoch }) {
  const place = 'usr/lib/holdfast'
  const files = wholeFiles(root, place)
  const launcher = `${place}/bin/holdfast.js`
  return tarOf(
    {
      ...files,
      ...ACCOUNTS,
      [launcher]: program(String(files[launcher].content).replace('#!/usr/bin/env node', '#!/usr/bin/node')),
      'usr/bin/node': program(node),
      'usr/bin/holdfast': link('../lib/holdfast/bin/holdfast.js'),
      'usr/share/doc/holdfast/LICENSE': file(readFileSync(join(root, 'LICENSE'))),
      'usr/share/doc/holdfast/LICENSE.node': file(nodeLicence),
    },
    epoch,
  )
}

/** The only folders that the program writes to. */
const stateLayer = (epoch) => {
  const paths = ['var/lib/holdfast', 'run/holdfast']
  return tarOf(Object.fromEntries(paths.map((path) => [`${path}/.keep`, file('')])), epoch, {
    owner: USER,
    paths,
  })
}

const sha256 = (content) => createHash('sha256').update(content).digest('hex')

const settingsOf = (version) => ({
  User: `${USER}:${USER}`,
  Env: [
    'PATH=/usr/sbin:/usr/bin:/sbin:/bin',
    'HOLDFAST_STATE_DIR=/var/lib/holdfast',
    'HOLDFAST_RUNTIME_DIR=/run/holdfast',
    // Of the service, and where its settings do not name another store.
    'STATE_DIRECTORY=/var/lib/holdfast/service',
    'CONFIGURATION_DIRECTORY=/etc/holdfast',
    // A container that ends is started again and again.
    'HOLDFAST_WHEN_STOPPED=idle',
  ],
  Entrypoint: ['/usr/bin/node', '/usr/lib/holdfast/bin/holdfast.js'],
  Cmd: ['run'],
  Volumes: { '/var/lib/holdfast': {}, '/run/holdfast': {} },
  WorkingDir: '/',
  StopSignal: 'SIGTERM',
  Labels: {
    'org.opencontainers.image.title': 'holdfast',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.licenses': 'MIT',
  },
})

export async function makeImage(to, about) {
  const { version, epoch, gzipLevel } = about
  const blobs = {}
  const put = (content, mediaType) => {
    const digest = sha256(content)
    blobs[`blobs/sha256/${digest}`] = file(content)
    return { mediaType, digest: `sha256:${digest}`, size: content.length }
  }
  const layers = [baseLayer(epoch), programLayer(about), stateLayer(epoch)]
  const created = new Date(epoch * 1000).toISOString()
  const config = {
    created,
    architecture: 'amd64',
    os: 'linux',
    config: settingsOf(version),
    rootfs: { type: 'layers', diff_ids: layers.map((layer) => `sha256:${sha256(layer)}`) },
    history: layers.map(() => ({ created, created_by: 'holdfast package' })),
  }
  const json = (value) => Buffer.from(JSON.stringify(value))
  const manifest = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: put(json(config), 'application/vnd.oci.image.config.v1+json'),
    layers: layers.map((layer) => put(gzip(layer, gzipLevel), 'application/vnd.oci.image.layer.v1.tar+gzip')),
  }
  const described = put(json(manifest), manifest.mediaType)
  const index = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    // The first is for podman and skopeo, the second for Docker.
    manifests: [
      {
        ...described,
        annotations: {
          'org.opencontainers.image.ref.name': `holdfast:${version}`,
          'io.containerd.image.name': `docker.io/library/holdfast:${version}`,
        },
      },
    ],
  }
  const layout = { 'oci-layout': file('{"imageLayoutVersion":"1.0.0"}'), 'index.json': file(json(index)) }
  writeFileSync(to, tarOf({ ...blobs, ...layout }, epoch))
}
