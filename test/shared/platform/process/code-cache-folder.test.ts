import { expect, it } from 'vitest'
import { codeCacheFolder } from '../../../../src/shared/platform/process/code-cache-folder.ts'

it.each([
  ['systemd’s, for every user', { CACHE_DIRECTORY: '/a:/b', HOME: '/h' }, 1000, '/a'],
  ['systemd’s, for root', { CACHE_DIRECTORY: '/a', HOME: '/h' }, 0, '/a'],
  [
    'the system’s for root, because HOME can belong to another user',
    { HOME: '/h' },
    0,
    '/var/cache/holdfast',
  ],
  ['that of XDG', { XDG_CACHE_HOME: '/x', HOME: '/h' }, 1000, '/x/holdfast'],
  ['below the home folder', { HOME: '/h' }, 1000, '/h/.cache/holdfast'],
  ['none without a home folder', {}, 1000, undefined],
  ['none if the user turns it off', { NODE_DISABLE_COMPILE_CACHE: '1', HOME: '/h' }, 1000, undefined],
  [
    'the system’s if the variables are empty',
    { NODE_DISABLE_COMPILE_CACHE: '', CACHE_DIRECTORY: '' },
    0,
    '/var/cache/holdfast',
  ],
  ['none if the path is relative', { CACHE_DIRECTORY: 'a', HOME: '/h' }, 1000, undefined],
  ['none on systems without file owners', { HOME: '/h' }, undefined, undefined],
])('the folder of compiled code is %s', (_, environment, uid, folder) =>
  expect(codeCacheFolder(environment, uid)).toBe(folder),
)
