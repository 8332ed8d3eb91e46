/** This program must not touch the data. The message is for the operator. */
export class StoreRefused extends Error {}

/** The database cannot be reached, or takes no writes now: what was asked may be tried again. */
export class StoreAway extends Error {}

/** Others used the same rows, and this work did not get its turn in time. */
export class StoreBusy extends Error {}

/** Whoever asks again later may succeed. */
export const isPassing = (error: unknown): boolean => error instanceof StoreAway || error instanceof StoreBusy
