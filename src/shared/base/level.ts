/** Severity of a log line, in ascending order of LEVELS. */
export type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error'
export const LEVELS: readonly Level[] = ['trace', 'debug', 'info', 'warn', 'error']

/** Whether a line of this level is written by a log whose lowest level is `threshold`. */
export const isAtLeast = (level: Level, threshold: Level): boolean =>
  LEVELS.indexOf(level) >= LEVELS.indexOf(threshold)
