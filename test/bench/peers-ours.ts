import { dirname, join } from 'node:path'
import type { Job } from './commands.ts'
import type { Errand } from './peers.ts'
import { LAUNCHER } from './service.ts'

/** Settings of this host and other daemons do not affect it. */
function beginning(node: string, command: string, { url, username, hostnames, folder }: Errand) {
  return [
    node,
    LAUNCHER,
    command,
    '--server',
    url,
    '--username',
    username,
    '--hostname',
    hostnames.join(','),
    '--state-dir',
    join(folder, 'state'),
    '--runtime-dir',
    join(folder, 'run'),
  ]
}

const environment = ({ password, folder }: Errand) => ({
  HOLDFAST_PASSWORD: password,
  HOLDFAST_VERIFY: 'no',
  CONFIGURATION_DIRECTORY: folder,
  // One for all runs: the program is compiled in the first, which does not count.
  CACHE_DIRECTORY: join(dirname(folder), 'code'),
})

/** Our own one-shot under a Node of our choice. */
export const update =
  (node: string) =>
  (errand: Errand): Job => ({
    argv: [...beginning(node, 'update', errand), '--myip', errand.address, '--no-ipv6'],
    env: environment(errand),
  })

/** The Holdfast daemon; its address comes from a file. */
export const daemon = (node: string, errand: Errand, more: readonly string[]): Job => ({
  argv: [
    ...beginning(node, 'run', errand),
    '--source',
    'command',
    '--command',
    '/bin/cat',
    '--command',
    addressFile(errand),
    // A thousand changes come within minutes here.
    '--pace',
    '10000',
    ...more,
  ],
  env: environment(errand),
})

export const addressFile = ({ folder }: Pick<Errand, 'folder'>): string => join(folder, 'address')
