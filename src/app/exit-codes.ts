/** sysexits.h where it has a word for it. `restart` is for supervisors: whether starting again can help. */
// biome-ignore format: a table
export const EXITS = {
  settled:       { code: 0,  restart: true,  meaning: 'everything is as it should be' },
  usage:         { code: 64, restart: false, meaning: 'the command line was not understood' },
  unreached:     { code: 69, restart: true,  meaning: 'the service, or every source of the address, was not reached' },
  bug:           { code: 70, restart: true,  meaning: 'a bug in Holdfast' },
  waiting:       { code: 75, restart: true,  meaning: 'told to wait; nothing is sent before the wait is over' },
  stopped:       { code: 77, restart: false, meaning: 'stopped until you act' },
  configuration: { code: 78, restart: false, meaning: 'the configuration is wrong or incomplete' },
} as const satisfies Record<string, { readonly code: number; readonly restart: boolean; readonly meaning: string }>

export type Exit = keyof typeof EXITS
