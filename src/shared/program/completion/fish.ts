import type { CompletedCommand, CompletedOption } from './completed-command.ts'

export const fishScript = (commands: readonly CompletedCommand[]): string =>
  [
    '# Completion of holdfast for fish.',
    'complete -c holdfast -f',
    ...commands.map(
      ({ name, summary }) =>
        `complete -c holdfast -n __fish_use_subcommand -a ${name} -d ${fishQuoted(summary)}`,
    ),
    'complete -c holdfast -l help -s h -d "show help"',
    'complete -c holdfast -n __fish_use_subcommand -l version -s V -d "show the version"',
    ...commands.flatMap(commandLines),
  ].join('\n')

const commandLines = ({ name, words, options }: CompletedCommand): readonly string[] => {
  const when = `complete -c holdfast -n '__fish_seen_subcommand_from ${name}'`
  return [
    ...(words.length === 0 ? [] : [`${when} -a ${fishQuoted(words.join(' '))}`]),
    ...options.map((option) => `${when} ${optionOf(option)}`),
  ]
}

function optionOf({ flag, describe, value }: CompletedOption): string {
  const text = `-l ${flag} -d ${fishQuoted(describe)}`
  if (value === undefined) return text
  if (value.isPath) return `${text} -r -F`
  return value.values.length > 0 ? `${text} -x -a ${fishQuoted(value.values.join(' '))}` : `${text} -x`
}

const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
