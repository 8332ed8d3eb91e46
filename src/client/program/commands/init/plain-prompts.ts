import { createInterface, type Interface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Cancelled, type ChoiceQuestion, type Prompts, type TextQuestion } from './prompts.ts'
import { writeOut } from '../../../../shared/program/streams.ts'
import { print } from '../../../../shared/program/output.ts'

/** Echoes what is typed unless it is a secret. */
class Echo extends Writable {
  isOn = true
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (this.isOn) writeOut(chunk.toString('utf8'))
    done()
  }
}

/** Questions line by line, for terminals without cursor movement and for screen readers. */
export class PlainPrompts implements Prompts {
  readonly #echo = new Echo()
  readonly #lines: Interface
  readonly #ended = new AbortController()

  constructor() {
    this.#lines = createInterface({ input: process.stdin, output: this.#echo, terminal: true })
    this.#lines.once('close', () => this.#ended.abort())
    this.#lines.once('SIGINT', () => this.#ended.abort())
  }

  readonly text = async (question: TextQuestion): Promise<string> => this.#askText(question, false)
  readonly secret = async (question: TextQuestion): Promise<string> => this.#askText(question, true)

  readonly choose = async <T extends string>(question: ChoiceQuestion<T>): Promise<T> => {
    const { message, choices, initial, isSearch = false, standsFor = () => undefined } = question
    print(message)
    if (!isSearch) for (const { value, label } of choices) print(`  ${value}: ${label}`)
    const values = choices.map(({ value }) => value)
    const isOne = (answer: string): answer is T => values.some((value) => value === answer)
    const found = await this.#askText(
      {
        message: isSearch ? 'its name, as holdfast providers lists it' : 'one of these words',
        initial,
        check: (answer) =>
          isOne(answer) || standsFor(answer) !== undefined ? undefined : similarTo(answer, values),
      },
      false,
    )
    return isOne(found) ? found : (standsFor(found) ?? this.choose(question))
  }

  readonly confirm = async (message: string, initial: boolean): Promise<boolean> => {
    const check = (text: string): string | undefined =>
      /^(?:y|yes|n|no)$/i.test(text) ? undefined : 'write yes or no'
    const question = { message: `${message} (yes/no)`, initial: initial ? 'yes' : 'no', check }
    return (await this.#askText(question, false)).toLowerCase().startsWith('y')
  }

  readonly note = (title: string, lines: readonly string[]): void =>
    print(title, ...lines.map((line) => `  ${line}`))

  readonly busy = async <T>(message: string, work: Promise<T>): Promise<T> => {
    print(message)
    return work
  }

  readonly end = (message: string): void => print(message)
  readonly close = (): void => this.#lines.close()

  async #askText({ message, initial, check }: TextQuestion, isSecret: boolean): Promise<string> {
    const shown = initial === undefined || initial === '' ? `${message}:` : `${message} [${initial}]:`
    for (;;) {
      const typed = await this.#ask(shown, isSecret)
      const text = isSecret ? typed : typed.trim()
      const answer = text.trim() === '' ? (initial ?? '') : text
      const problem = check(answer)
      if (problem === undefined) return answer
      print(`  ${problem}`)
    }
  }

  async #ask(message: string, isSecret: boolean): Promise<string> {
    writeOut(`${message} `)
    this.#echo.isOn = !isSecret
    try {
      return await this.#lines.question('', { signal: this.#ended.signal })
    } catch {
      throw new Cancelled()
    } finally {
      this.#echo.isOn = true
      if (isSecret) writeOut('\n')
    }
  }
}

function similarTo(answer: string, values: readonly string[]): string {
  const found = values.filter((value) => answer !== '' && value.includes(answer.toLowerCase())).slice(0, 8)
  return found.length === 0 ? `${answer} is not one of them` : `write one of ${found.join(', ')}`
}
