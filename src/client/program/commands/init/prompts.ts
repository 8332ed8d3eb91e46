/** The user ended the questions: Ctrl+C, Esc, or the end of standard input. */
export class Cancelled extends Error {}

export interface TextQuestion {
  readonly message: string
  readonly initial?: string | undefined
  /** What is wrong with an answer. */
  readonly check: (answer: string) => string | undefined
}

interface Choice<T extends string> {
  readonly value: T
  readonly label: string
  readonly hint?: string
}

export interface ChoiceQuestion<T extends string> {
  readonly message: string
  readonly choices: readonly Choice<T>[]
  readonly initial?: T | undefined
  /** There are many: typed letters filter them. */
  readonly isSearch?: boolean
  /** The choice that a typed text stands for, where it is part of none. */
  readonly standsFor?: (typed: string) => T | undefined
}

/** Questions to the person at the terminal. Each rejects with Cancelled. */
export interface Prompts {
  readonly text: (question: TextQuestion) => Promise<string>
  /** The same, without showing what is typed. */
  readonly secret: (question: TextQuestion) => Promise<string>
  readonly choose: <T extends string>(question: ChoiceQuestion<T>) => Promise<T>
  readonly confirm: (message: string, initial: boolean) => Promise<boolean>
  readonly note: (title: string, lines: readonly string[]) => void
  /** Shows that something takes time. */
  readonly busy: <T>(message: string, work: Promise<T>) => Promise<T>
  readonly end: (message: string) => void
}
