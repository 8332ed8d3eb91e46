import * as clack from '@clack/prompts'
import { Cancelled, type Prompts } from './prompts.ts'

function answered<T>(value: T): Exclude<T, symbol> {
  if (clack.isCancel(value)) throw new Cancelled()
  return value as Exclude<T, symbol>
}

/** Questions with a library, for terminals that can move the cursor. */
export const clackPrompts: Prompts = {
  text: async ({ message, initial, check }) =>
    answered(
      await clack.text({
        message,
        ...(initial !== undefined && { initialValue: initial }),
        validate: (value) => check(value ?? ''),
      }),
    ).trim(),
  secret: async ({ message, check }) =>
    answered(await clack.password({ message, validate: (value) => check(value ?? '') })),
  choose: async ({ message, choices, initial, isSearch = false, standsFor = () => undefined }) => {
    const options = choices.map(({ value, label, hint }) => ({
      value: value as string,
      label,
      ...(hint !== undefined && { hint }),
    }))
    const matching = (typed: string) => {
      const found = options.filter(({ value, label, hint = '' }) =>
        `${label}\n${hint}\n${value}`.toLowerCase().includes(typed.toLowerCase()),
      )
      const meant = standsFor(typed)
      return found.length > 0 ? found : options.filter(({ value }) => value === meant)
    }
    for (;;) {
      const chosen = isSearch
        ? await clack.autocomplete({
            message,
            options() {
              return matching(this.userInput)
            },
            filter: () => true,
            maxItems: 8,
            placeholder: 'type to search',
          })
        : await clack.select({
            message,
            options,
            ...(initial !== undefined && { initialValue: initial }),
          })
      const value = answered(chosen)
      const found = choices.find((one) => one.value === value)
      if (found !== undefined) return found.value
      // A search without a match gives nothing.
      clack.log.warn('nothing in the list matches; for a service that is not listed, choose the first entry')
    }
  },
  confirm: async (message, initial) => answered(await clack.confirm({ message, initialValue: initial })),
  note: (title, lines) => clack.note(lines.join('\n'), title, { format: (line) => line }),
  busy: async (message, work) => {
    const spinner = clack.spinner()
    spinner.start(message)
    try {
      return await work
    } finally {
      spinner.stop(message)
    }
  },
  end: (message) => clack.outro(message),
}
