/** The client for routers with storage: unpacked at /, it has its init script and its hooks where OpenWrt expects them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTar } from './tar.mjs'
import { clientFiles, isClientDocument } from './parts.mjs'
import { file, folder, program } from './tree.mjs'

/** Every command has the state of the daemon: /var is gone after a restart, and a stop must stay. */
const COMMAND = `#!/bin/sh
: "\${HOLDFAST_STATE_DIR:=/etc/holdfast/state}" "\${HOLDFAST_RUNTIME_DIR:=/var/run/holdfast}"
export HOLDFAST_STATE_DIR HOLDFAST_RUNTIME_DIR
exec node "$(dirname "$(readlink -f "$0")")/../lib/holdfast/bin/holdfast.js" "$@"
`

export function makeOpenwrt(to, { root, epoch }) {
  const read = (path) => readFileSync(join(root, path))
  makeTar(
    to,
    {
      ...clientFiles(root, 'usr/lib/holdfast'),
      'usr/bin/holdfast': program(COMMAND),
      'etc/init.d/holdfast': program(read('systemd/openwrt/holdfast.init')),
      // sysupgrade keeps what these name.
      'lib/upgrade/keep.d/holdfast': file(
        '/etc/holdfast\n/etc/init.d/holdfast\n/lib/upgrade/keep.d/holdfast\n',
      ),
      'usr/share/doc/holdfast/LICENSES.txt': file(read('dist/LICENSES.txt')),
      'usr/share/doc/holdfast/LICENSE': file(read('LICENSE')),
      ...folder(join(root, 'docs'), 'usr/share/doc/holdfast', isClientDocument),
    },
    // On a router, /lib and others may be links.
    { epoch, hasFolders: false },
  )
}
