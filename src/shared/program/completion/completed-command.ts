/** What a shell completes of one command. */
export interface CompletedCommand {
  readonly name: string
  readonly summary: string
  /** Of its argument without a flag. */
  readonly words: readonly string[]
  readonly options: readonly CompletedOption[]
}

export interface CompletedOption {
  readonly flag: string
  readonly describe: string
  /** It has a value: one of these, a path, or any other. */
  readonly value?: { readonly values: readonly string[]; readonly isPath: boolean }
}
