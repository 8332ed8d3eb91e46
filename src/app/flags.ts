/** What was given on the command line, by the flag's or the positional's name. */
export type Flags = Readonly<Record<string, unknown>>

/** A flag that is given once, as text. */
export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}
