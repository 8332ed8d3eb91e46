import type { CompletedCommand } from './completed-command.ts'

/** All values are plain words, and none is a reserved word of the shell. */
export const bashScript = (
  commands: readonly CompletedCommand[],
): string => `# Completion of holdfast for bash.
_holdfast() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} command= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    case $word in ${commands.map(({ name }) => name).join('|')}) command=$word; break ;; esac
  done
  COMPREPLY=()
  case $command,$prev in
${commands.flatMap(valueCases).join('\n')}
  esac
  case $command in
    '') COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')} --help --version' -- "$cur")) ;;
${commands.map(optionCase).join('\n')}
  esac
}
complete -o bashdefault -F _holdfast holdfast`

/** After an option that needs a value. */
function valueCases({ name, options }: CompletedCommand): readonly string[] {
  const valued = options.filter(({ value }) => value !== undefined)
  const paths = valued.filter(({ value }) => value?.isPath)
  const others = valued.filter(({ value }) => value?.isPath === false && value.values.length === 0)
  const fixed = valued.filter(({ value }) => (value?.values.length ?? 0) > 0)
  const pattern = (list: typeof valued): string => list.map(({ flag }) => `${name},--${flag}`).join('|')
  const files = paths.some(({ flag }) => flag === 'config') ? `${pattern(paths)}|${name},-c` : pattern(paths)
  return [
    ...(paths.length === 0 ? [] : [`    ${files}) COMPREPLY=($(compgen -f -- "$cur")); return ;;`]),
    ...fixed.map(
      ({ flag, value }) =>
        `    ${name},--${flag}) COMPREPLY=($(compgen -W '${value?.values.join(' ') ?? ''}' -- "$cur")); return ;;`,
    ),
    ...(others.length === 0 ? [] : [`    ${pattern(others)}) return ;;`]),
  ]
}

const optionCase = ({ name, words, options }: CompletedCommand): string => {
  const all = [...words, ...options.map(({ flag }) => `--${flag}`), '--help']
  return `    ${name}) COMPREPLY=($(compgen -W '${all.join(' ')}' -- "$cur")) ;;`
}
