import { stat } from './promises.ts'

/** Whether every user of this host may read the file; a path without a file is not readable. */
export async function isReadableByOthers(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() === true && (found.mode & 0o004) !== 0
}

/** Whether the group or all others may do anything. */
export const isOpenToOthers = (mode: number): boolean => (mode & 0o077) !== 0
