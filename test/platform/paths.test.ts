import { expect, it } from 'vitest'
import { systemPaths } from '../../src/platform/paths.ts'

// env-paths reads the home folder of whoever runs this; only what depends on our own rules is asserted.
// biome-ignore format: a table
it.each([
  ['systemd gives the folders', { STATE_DIRECTORY: '/var/lib/x', CONFIGURATION_DIRECTORY: '/etc/x' },     false, '/etc/x',        '/var/lib/x'],
  ['systemd gives several',     { STATE_DIRECTORY: '/var/lib/x:/var/lib/y', CONFIGURATION_DIRECTORY: ':/etc/x' }, true, '/etc/x', '/var/lib/x'],
  ['root, on Linux',            {},                                                                       true,  '/etc/holdfast', '/var/lib/holdfast'],
])('%s', (_, environment, isRoot, config, state) => expect(systemPaths(environment, isRoot)).toMatchObject({ config, state }))

it('anybody else has folders of their own, named after the program and nothing else', () => {
  const { config, state } = systemPaths({}, false)

  expect([config, state].every((path) => path.endsWith('/holdfast'))).toBe(true)
})
