/** Debian packages, made by dpkg-deb from a tree; the same input gives the same octets. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { file, plant, program } from './tree.mjs'

/** gzip without a name and a time (RFC 1952). The 10th octet names the system that made it. */
export function gzip(content, level = 9) {
  const packed = gzipSync(content, { level })
  packed[9] = 3
  return packed
}

const paragraph = (fields) =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')

/**
 * `control`: its fields but Installed-Size. `scripts`: the texts of preinst, postinst, prerm and postrm. `conffiles`: paths
 * whose changes by the administrator stay.
 */
export function makeDeb(
  to,
  { control, files, scripts, conffiles = [] },
  { epoch, compression = 'gzip', xzLevel },
) {
  const contents = Object.entries(files)
  const bytes = contents.reduce((sum, [, { content = '' }]) => sum + Buffer.byteLength(content), 0)
  const sums = contents
    .filter(([, { target }]) => target === undefined)
    .map(([path, { content }]) => `${createHash('md5').update(content).digest('hex')}  ${path}\n`)
    .sort((a, b) => (a.slice(34) < b.slice(34) ? -1 : 1))
  const root = mkdtempSync(join(tmpdir(), 'holdfast-deb-'))
  try {
    plant(
      root,
      {
        ...files,
        'DEBIAN/control': file(paragraph({ ...control, 'Installed-Size': Math.ceil(bytes / 1024) })),
        'DEBIAN/md5sums': file(sums.join('')),
        ...(conffiles.length > 0 && {
          'DEBIAN/conffiles': file(conffiles.map((path) => `${path}\n`).join('')),
        }),
        ...Object.fromEntries(
          Object.entries(scripts).map(([name, text]) => [`DEBIAN/${name}`, program(text)]),
        ),
      },
      epoch,
    )
    // Several threads give other octets than one.
    const how = compression === 'gzip' ? ['-Zgzip', '-z9'] : ['-Zxz', `-z${xzLevel}`, '--threads-max=1']
    execFileSync('dpkg-deb', [...how, '--root-owner-group', '--build', root, to], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch), LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
