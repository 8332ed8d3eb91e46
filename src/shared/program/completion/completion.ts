import type { Exit } from '../exit-codes.ts'
import type { CompletedCommand, CompletedOption } from './completed-command.ts'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { zshScript } from './zsh.ts'
import type { CompletionFlags } from './completion-flags.ts'
import type { Command } from '../parse/command.ts'
import type { Option } from '../parse/flags.ts'
import { print } from '../output.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/** `holdfast completion`: the script for a shell. It knows the options, and runs nothing. */
export const completionFor =
  (commands: readonly Command[]) =>
  async ({ shell }: CompletionFlags): Promise<Exit> => {
    print(SCRIPTS[shell](await completed(commands)))
    return 'settled'
  }

const completed = async (commands: readonly Command[]): Promise<readonly CompletedCommand[]> =>
  Promise.all(
    commands.map(async ({ name, summary, positional, options }) => ({
      name,
      summary,
      words: (positional?.kind === 'choice' ? positional.choices : positional?.suggestions) ?? [],
      options: Object.entries(await options()).flatMap(([flag, option]) => completedOption(flag, option)),
    })),
  )

/** A switch that is on by default is completed by its negation too. */
function completedOption(flag: string, option: Option): readonly CompletedOption[] {
  const describe = firstClause(option.describe)
  if (option.kind === 'switch') {
    const negation = option.describe.endsWith('[on]')
      ? [{ flag: `no-${flag}`, describe: `not: ${describe}` }]
      : []
    return [{ flag, describe }, ...negation]
  }
  return [{ flag, describe, value: { values: option.values ?? [], isPath: option.isPath === true } }]
}

/** A menu has one short line for each. */
const firstClause = (text: string): string => text.replace(/ \[\w+\]$/, '').split(/[;:] /)[0] ?? text
