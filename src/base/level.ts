/** How much an event matters to its reader. */
export type Level = 'trace' | 'debug' | 'info' | 'warn' | 'error'
export const LEVELS: readonly Level[] = ['trace', 'debug', 'info', 'warn', 'error']
