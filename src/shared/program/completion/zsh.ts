import type { CompletedCommand, CompletedOption } from './completed-command.ts'

export const zshScript = (commands: readonly CompletedCommand[]): string => `#compdef holdfast
# Completion of holdfast for zsh.
_holdfast() {
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    ${shellQuoted(`${name}:${summary}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    return
  fi
  case $words[2] in
${commands.map(commandCase).join('\n')}
  esac
}
if [ "$funcstack[1]" = _holdfast ]; then _holdfast "$@"; else compdef _holdfast holdfast; fi`

function commandCase({ name, words, options }: CompletedCommand): string {
  const specs = [
    ...(words.length === 0 ? [] : [`2:word:(${words.join(' ')})`]),
    ...options.map(specOf),
    '--help[show this help]',
  ]
  return `    ${name})\n      _arguments \\\n        ${specs.map(shellQuoted).join(' \\\n        ')} ;;`
}

/** zsh takes brackets and colons in a description for its own. */
function specOf({ flag, describe, value }: CompletedOption): string {
  const text = describe.replaceAll(/[[\]\\]/g, '').replaceAll(':', '\\:')
  if (value === undefined) return `--${flag}[${text}]`
  const action = value.isPath ? '_files' : value.values.length > 0 ? `(${value.values.join(' ')})` : ' '
  return `*--${flag}=[${text}]:value:${action}`
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
