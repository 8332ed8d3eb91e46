import type { Duration } from '../base/time.ts'

export type HookOutcome =
  | { readonly kind: 'ended'; readonly code: number; readonly stderr: string }
  | { readonly kind: 'failed'; readonly because: string }

/**
 * Runs a program of the user without a shell, with these variables only, and without input and output. Its process group is
 * ended with the time limit or the signal. Keeps the last 500 characters of standard error. Never rejects.
 */
export type RunHook = (
  argv: readonly string[],
  limits: { readonly variables: Readonly<Record<string, string>>; readonly timeout: Duration },
  signal: AbortSignal,
) => Promise<HookOutcome>
