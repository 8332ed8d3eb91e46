/** The file operations that the programs need. Paths are absolute or relative to the working directory. */
export interface Files {
  /** UTF-8. Undefined for a missing file; rejects for every other failure, with EFTYPE for a pipe, a socket or a device. */
  read(path: string): Promise<string | undefined>
  /** Atomic, also over a crash: temporary file, fsync, rename, fsync of the folder. Mode 0600. */
  replace(path: string, text: string): Promise<void>
  /**
   * Before it returns, and durable over a kill of this process only. Mode 0600. Returns whether the file was written: in a
   * folder that is missing or full it is not.
   */
  jot(path: string, text: string): boolean
  rename(from: string, to: string): Promise<void>
  /** Creates missing parents too, with mode 0700. */
  makeFolder(path: string): Promise<void>
  /**
   * The same below a folder that others can write to: rejects a link, a folder of another user, and one that others can
   * open.
   */
  makePrivateFolder(path: string): Promise<void>
  /**
   * Whether the folder exists and passes the checks of `makePrivateFolder`. Its files may be read, renamed or removed
   * only then.
   */
  isPrivateFolder(path: string): Promise<boolean>
  /** Also resolves for a missing file. */
  remove(path: string): Promise<void>
}
