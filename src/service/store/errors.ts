/** This program must not touch the data. The message is for the operator. */
export class StoreRefused extends Error {}

/** The database cannot be reached, or accepts no writes now; the request may be tried again. */
export class StoreAway extends Error {}

/** Other requests used the same rows, and this one had to wait too long. */
export class StoreBusy extends Error {}

/** Another program writes, and no request can, as at an outage. */
export class StoreLocked extends StoreBusy {}

/** SQLite's SQLITE_IOERR and SQLITE_FULL: a disk that is full or ill takes no writes until the operator acts. */
const OF_THE_DISK: ReadonlySet<number> = new Set([10, 13])

const isOfTheDisk = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && OF_THE_DISK.has((error.errcode as number) & 0xff)

/** Another attempt later may succeed. */
export const isPassing = (error: unknown): boolean =>
  error instanceof StoreAway || error instanceof StoreBusy || isOfTheDisk(error)
