import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT, scratch } from './processes.ts'

const PACKAGE = `node-linux-${process.arch}`
const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, '.ci/node/package.json'), 'utf8')) as {
  optionalDependencies: Record<string, string>
}
const LOCKED = `v${optionalDependencies[PACKAGE]}`

/** A checkout whose Node is this shell script. */
function checkout(node?: string, folder = 'node_modules'): string {
  const root = scratch()
  for (const each of ['.build/with-node', '.ci/node/package.json']) cpSync(join(ROOT, each), join(root, each))
  if (node !== undefined) {
    const path = join(root, folder, PACKAGE, 'bin/node')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `#!/bin/sh\n${node}\n`, { mode: 0o755 })
  }
  return root
}

const withNode = (root: string, ...command: readonly string[]) =>
  spawnSync(join(root, '.build/with-node'), command, { encoding: 'utf8' })

it.each(['node_modules', '.ci/node/node_modules'])(
  'a command has the locked Node of %s first in its PATH',
  (folder) => {
    const root = checkout(`echo ${LOCKED}`, folder)

    expect(withNode(root, 'sh', '-c', 'command -v node; exit 7')).toMatchObject({
      status: 7,
      stdout: `${root}/${folder}/${PACKAGE}/bin/node\n`,
    })
  },
)

it('the command replaces the launcher process, so that signals reach it', () =>
  expect(withNode(checkout(`echo ${LOCKED}`), 'sh', '-c', 'kill -TERM $$').signal).toBe('SIGTERM'))

it.each([
  [undefined, `Node ${LOCKED} is not installed in this checkout; run: npm ci`],
  ['echo v20.19.2', `Node v20.19.2 is installed, and the checkout needs ${LOCKED}; run: npm ci`],
  [
    'echo "node: error while loading shared libraries: libatomic.so.1: cannot open" >&2; exit 127',
    `Node ${LOCKED} needs libatomic.so.1, which is not installed; run: apt install libatomic1`,
  ],
  ['echo "Illegal instruction" >&2; exit 132', `Node ${LOCKED} does not start: Illegal instruction`],
])('no other Node is used: %j is rejected with one sentence', (node, sentence) =>
  expect(withNode(checkout(node), 'true')).toMatchObject({
    status: 1,
    stdout: '',
    stderr: `with-node: ${sentence}\n`,
  }),
)
