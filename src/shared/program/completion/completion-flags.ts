import type { FlagsOf, FlagTable } from '../parse/flags.ts'

export const COMPLETION_FLAGS = {
  shell: {
    kind: 'choice',
    name: 'shell',
    choices: ['bash', 'zsh', 'fish'],
    describe: 'the shell that reads the script',
  },
} as const satisfies FlagTable
export type CompletionFlags = FlagsOf<typeof COMPLETION_FLAGS>
