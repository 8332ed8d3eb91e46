/** The few things the programs do with files. All paths are absolute or relative to the working folder. */
export interface Files {
  /** undefined where there is no such file; rejects for every other failure: with EFTYPE for a pipe, a socket or a device. UTF-8. */
  read(path: string): Promise<string | undefined>
  /** All or nothing, also over a crash: temporary file, fsync, rename, fsync of the folder. Mode 0600. */
  replace(path: string, text: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** Mode 0700 for folders it makes. */
  makeFolder(path: string): Promise<void>
  /** The same, in a place that others may write to: rejects a folder that is a link, another user's, or open to others. */
  makePrivateFolder(path: string): Promise<void>
  /** Whether it is there, and as `makePrivateFolder` would have it. What it holds may only then be read, renamed or removed. */
  isPrivateFolder(path: string): Promise<boolean>
  /** Resolves too where there is no such file. */
  remove(path: string): Promise<void>
}
