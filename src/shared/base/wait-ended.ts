/** The reason of an abort that ends a wait. Without one, each call of `abort()` makes an exception with its stack. */
export const WAIT_ENDED = new Error('ended')
