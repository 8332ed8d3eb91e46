import { promisify } from 'node:util'

// Not an import, for which the bundle copies all of the module.
const fs = process.getBuiltinModule('node:fs')

/**
 * The functions of node:fs/promises that every command needs, on the callbacks of node:fs: that module also loads readline
 * and file watchers, which takes longer than reading the settings.
 */
export const access = promisify(fs.access)
export const chmod = promisify(fs.chmod)
export const link = promisify(fs.link)
export const lstat = promisify(fs.lstat)
export const mkdir = promisify(fs.mkdir)
export const readAll = promisify(fs.readFile)
export const readdir = promisify(fs.readdir)
export const rename = promisify(fs.rename)
export const rm = promisify(fs.rm)
export const rmdir = promisify(fs.rmdir)
export const stat = promisify(fs.stat)
export const unlink = promisify(fs.unlink)

/** A file descriptor, which `closeFile` must close. The functions below take one. */
export const openFile = promisify(fs.open)
export const closeFile = promisify(fs.close)
export const fchown = promisify(fs.fchown)
export const fstat = promisify(fs.fstat)
export const fsync = promisify(fs.fsync)
export const read = promisify(fs.read)
export const writeFile = promisify(fs.writeFile)
