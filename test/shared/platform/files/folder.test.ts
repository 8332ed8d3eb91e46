import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeFolder } from '../../../../src/shared/platform/files/folder.ts'

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-folder-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('makeFolder', () => {
  it('makes missing parents with mode 0700, and accepts existing folders', async () => {
    const folder = scratch()
    for (const path of [join(folder, 'a/b/c'), join(folder, 'a/b/c/'), folder, '/', '.'])
      await makeFolder(path)

    for (const part of ['a', 'a/b', 'a/b/c']) expect(statSync(join(folder, part)).mode & 0o777).toBe(0o700)
  })

  it('succeeds for concurrent calls', async () => {
    const path = join(scratch(), 'a/b/c/d')
    await Promise.all(Array.from({ length: 20 }, async () => makeFolder(path)))

    expect(statSync(path).isDirectory()).toBe(true)
  })

  it('follows links to folders', async () => {
    const folder = scratch()
    mkdirSync(join(folder, 'real'))
    symlinkSync('real', join(folder, 'link'))
    await makeFolder(join(folder, 'link/below'))

    expect(statSync(join(folder, 'real/below')).isDirectory()).toBe(true)
  })

  it('rejects immediately where the folder cannot be made', async () => {
    const folder = scratch()
    writeFileSync(join(folder, 'file'), '')
    // biome-ignore format: a table
    for (const [path, code] of [
      ['/proc/x',                     'ENOENT'],
      ['/proc/1/nohome/.local/share', 'ENOENT'],
      [join(folder, 'a'.repeat(300)), 'ENAMETOOLONG'],
      ['a/'.repeat(5000),             'ENAMETOOLONG'],
      [join(folder, 'file'),          'EEXIST'],
      [join(folder, 'file/x/y'),      'ENOTDIR'],
      ['',                            'ENOENT'],
    ] as const)
      await expect(makeFolder(path), path).rejects.toMatchObject({ code })
  })
})
