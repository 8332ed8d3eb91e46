/** The client for routers with storage: unpacked at /, it has its init script and its hooks where OpenWrt expects them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTar } from './tar.mjs'
import { clientFiles } from './parts.mjs'
import { file, link, program } from './tree.mjs'

export function makeOpenwrt(to, { root, epoch }) {
  const read = (path) => readFileSync(join(root, path))
  makeTar(
    to,
    {
      ...clientFiles(root, 'usr/lib/holdfast'),
      'usr/bin/holdfast': link('../lib/holdfast/bin/holdfast.js'),
      'etc/init.d/holdfast': program(read('systemd/openwrt/holdfast.init')),
      // sysupgrade keeps what these name.
      'lib/upgrade/keep.d/holdfast': file('/etc/holdfast\n/etc/init.d/holdfast\n'),
      'usr/share/doc/holdfast/LICENSES.txt': file(read('dist/LICENSES.txt')),
      'usr/share/doc/holdfast/LICENSE': file(read('LICENSE')),
      'usr/share/doc/holdfast/client.md': file(read('docs/client.md')),
    },
    epoch,
  )
}
