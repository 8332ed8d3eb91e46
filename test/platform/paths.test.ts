import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { dropRelativeFolders } from '../../src/platform/environment-folders.ts'
import { systemPaths } from '../../src/platform/paths.ts'

// env-paths reads the home folder of whoever runs this; only what depends on our own rules is asserted.
// biome-ignore format: a table
it.each([
  ['systemd gives the folders', { STATE_DIRECTORY: '/var/lib/x', CONFIGURATION_DIRECTORY: '/etc/x' },     false, '/etc/x',        '/var/lib/x'],
  ['systemd gives several',     { STATE_DIRECTORY: '/var/lib/x:/var/lib/y', CONFIGURATION_DIRECTORY: ':/etc/x' }, true, '/etc/x', '/var/lib/x'],
  ['root, on Linux',            {},                                                                       true,  '/etc/holdfast', '/var/lib/holdfast'],
])('%s', async (_, environment, isRoot, config, state) => {
  const paths = systemPaths(environment, isRoot)

  expect([await paths.config(), await paths.state()]).toEqual([config, state])
})

it('anybody else has folders of their own, named after the program and nothing else', async () => {
  const paths = systemPaths({}, false)

  expect([await paths.config(), await paths.state()].every((path) => path.endsWith('/holdfast'))).toBe(true)
})

it('a folder of the environment that is empty or relative counts as not given', () => {
  const environment = {
    HOME: '',
    XDG_CONFIG_HOME: 'config',
    XDG_DATA_HOME: './data',
    XDG_RUNTIME_DIR: '/run/user/1',
    OTHER: 'x',
  }
  dropRelativeFolders(environment)

  expect(environment).toEqual({ XDG_RUNTIME_DIR: '/run/user/1', OTHER: 'x' })
})

describe('a user without a home', () => {
  const withoutHome = async (): Promise<typeof systemPaths> => {
    vi.resetModules()
    vi.doMock('env-paths', () => {
      throw new Error('uv_os_homedir returned ENOENT')
    })
    onTestFinished(() => void vi.doUnmock('env-paths'))
    return (await import('../../src/platform/paths.ts')).systemPaths
  }

  it('has folders below the root', async () => {
    const paths = (await withoutHome())({}, false)

    expect([await paths.config(), await paths.state()]).toEqual([
      '/.config/holdfast',
      '/.local/share/holdfast',
    ])
  })

  it('needs none where systemd says the folders', async () =>
    expect(await (await withoutHome())({ STATE_DIRECTORY: '/var/lib/x' }, false).state()).toBe('/var/lib/x'))
})
