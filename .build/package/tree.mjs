/** A tree of files as it goes into an archive: contents, modes and links by path, and one time for all. */
import {
  chmodSync,
  lutimesSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

export const file = (content, mode = 0o644) => ({ content, mode })
export const program = (content) => file(content, 0o755)
export const link = (target) => ({ target })

/** A script is a program, whatever its mode in the checkout is. */
const fileOrProgram = (content) =>
  content.subarray(0, 2).toString() === '#!' ? program(content) : file(content)

/** The files below a folder, by their paths below `prefix`. */
export function folder(from, prefix, isWanted = () => true) {
  return Object.fromEntries(
    readdirSync(from, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => isWanted(path.slice(from.length + 1)))
      .map((path) => [join(prefix, path.slice(from.length + 1)), fileOrProgram(readFileSync(path))]),
  )
}

/** Writes the tree into an empty folder. `epoch`: the time of every file, in seconds since 1970. */
export function plant(root, files, epoch) {
  const folders = new Set([root])
  for (const path of Object.keys(files).sort()) {
    const full = join(root, path)
    for (let at = dirname(full); at !== root; at = dirname(at)) folders.add(at)
    mkdirSync(dirname(full), { recursive: true })
    const { content, mode, target } = files[path]
    if (target === undefined) {
      writeFileSync(full, content)
      chmodSync(full, mode)
      utimesSync(full, epoch, epoch)
    } else {
      symlinkSync(target, full)
      lutimesSync(full, epoch, epoch)
    }
  }
  // The umask of the builder must not show.
  for (const one of [...folders].toSorted((a, b) => b.length - a.length)) {
    chmodSync(one, 0o755)
    utimesSync(one, epoch, epoch)
  }
  return root
}
