import { expect, it } from 'vitest'
import { codeCacheFolder } from '../../src/platform/code-cache-folder.ts'

it.each([
  ['systemd’s, for every user', { CACHE_DIRECTORY: '/a:/b', HOME: '/h' }, 1000, '/a'],
  ['systemd’s, for root', { CACHE_DIRECTORY: '/a', HOME: '/h' }, 0, '/a'],
  ['the system’s for root, whose HOME may be another user’s', { HOME: '/h' }, 0, '/var/cache/holdfast'],
  ['that of XDG', { XDG_CACHE_HOME: '/x', HOME: '/h' }, 1000, '/x/holdfast'],
  ['below the home folder', { HOME: '/h' }, 1000, '/h/.cache/holdfast'],
  ['none where no home is named', {}, 1000, undefined],
  ['none where the user wants none', { NODE_DISABLE_COMPILE_CACHE: '1', HOME: '/h' }, 1000, undefined],
  [
    'an empty variable is no variable',
    { NODE_DISABLE_COMPILE_CACHE: '', CACHE_DIRECTORY: '' },
    0,
    '/var/cache/holdfast',
  ],
  ['none where it would be relative', { CACHE_DIRECTORY: 'a', HOME: '/h' }, 1000, undefined],
  ['none where files have no owner', { HOME: '/h' }, undefined, undefined],
])('the folder of compiled code is %s', (_, environment, uid, folder) =>
  expect(codeCacheFolder(environment, uid)).toBe(folder),
)
