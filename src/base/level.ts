/** How much an event matters to its reader. */
export type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error'
export const LEVELS: readonly Level[] = ['trace', 'debug', 'info', 'warn', 'error']

/** Whether a log that begins at one level has a line of another. */
export const isHeard = (line: Level, from: Level): boolean => LEVELS.indexOf(line) >= LEVELS.indexOf(from)
