/** Loaded only where it is called: a one-shot sets no flags. */
const setFlags = (flags: string): void => process.getBuiltinModule('node:v8').setFlagsFromString(flags)

/**
 * For a program that does little and stays: V8 keeps no machine code that it made for speed, and a small nursery. A
 * daemon runs each of its functions a few times in an hour; the optimising compilers leave memory behind that nothing
 * gives back, and wake up to clear it. Only flags that V8 bears while it runs: --single-threaded-gc aborts Node 22.
 */
export const tuneForDaemon = (): void =>
  setFlags('--no-opt --no-maglev --no-sparkplug --max-semi-space-size=1 --optimize-for-size')

/**
 * For the service: the heap grows to 1.6 times of what lives in it, and is cleared then. V8 would let it grow to four times,
 * because the machine has the memory; measured, it answers no slower for it.
 */
export const tuneForService = (): void => setFlags('--heap-growing-percent=60')
