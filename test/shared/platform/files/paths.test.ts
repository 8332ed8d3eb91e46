import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { dropRelativeFolders } from '../../../../src/shared/platform/files/environment-folders.ts'
import { systemPaths } from '../../../../src/shared/platform/files/paths.ts'

// env-paths reads the home folder of the user that runs the tests, so only the other rules are asserted.
// biome-ignore format: a table
it.each([
  ['with folders of systemd',   { STATE_DIRECTORY: '/var/lib/x', CONFIGURATION_DIRECTORY: '/etc/x' },     false, '/etc/x',        '/var/lib/x'],
  ['with several folders of systemd', { STATE_DIRECTORY: '/var/lib/x:/var/lib/y', CONFIGURATION_DIRECTORY: ':/etc/x' }, true, '/etc/x', '/var/lib/x'],
  ['for root on Linux',         {},                                                                       true,  '/etc/holdfast', '/var/lib/holdfast'],
])('systemPaths %s', async (_, environment, isRoot, config, state) => {
  const paths = systemPaths(environment, isRoot)

  expect([await paths.config(), await paths.state()]).toEqual([config, state])
})

it('systemPaths for other users end with the name of the program', async () => {
  const paths = systemPaths({}, false)

  expect([await paths.config(), await paths.state()].every((path) => path.endsWith('/holdfast'))).toBe(true)
})

it('dropRelativeFolders deletes empty and relative folders, and nothing else', () => {
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

describe('systemPaths for a user without a home folder', () => {
  const withoutHome = async (): Promise<typeof systemPaths> => {
    vi.resetModules()
    vi.doMock('env-paths', () => {
      throw new Error('uv_os_homedir returned ENOENT')
    })
    onTestFinished(() => {
      vi.doUnmock('env-paths')
      vi.resetModules()
    })
    return (await import('../../../../src/shared/platform/files/paths.ts')).systemPaths
  }

  it('are below the root folder', async () => {
    const paths = (await withoutHome())({}, false)

    expect([await paths.config(), await paths.state()]).toEqual([
      '/.config/holdfast',
      '/.local/share/holdfast',
    ])
  })

  it('do not need the home folder where systemd sets the folders', async () =>
    expect(await (await withoutHome())({ STATE_DIRECTORY: '/var/lib/x' }, false).state()).toBe('/var/lib/x'))
})
