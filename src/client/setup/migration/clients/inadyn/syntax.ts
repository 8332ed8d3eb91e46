import type { ImportContext } from '../../imported.ts'

/** A value of inadyn.conf, with its line. */
export interface InadynValue {
  readonly line: number
  readonly values: readonly string[]
}

export interface InadynSection {
  /** `provider` or `custom`, in lower case. */
  readonly kind: string
  readonly name: string
  readonly line: number
  readonly settings: ReadonlyMap<string, InadynValue>
  /** The files that this section includes. */
  readonly includes: readonly InadynValue[]
}

/** The text cannot be read from this line on. */
interface InadynFault {
  readonly line: number
  readonly problem: string
}

interface InadynFile {
  readonly top: InadynSection
  readonly sections: readonly InadynSection[]
  readonly faults: readonly InadynFault[]
}

interface Token {
  readonly text: string
  readonly line: number
  readonly isText: boolean
}

/** libConfuse: words, quoted strings, punctuation; comments with #, // and C comments. */
function tokensOf(text: string, variable: ImportContext['variable']): readonly Token[] {
  const tokens: Token[] = []
  const pattern =
    /\/\*[^]*?\*\/|\/\/[^\n]*|#[^\n]*|"((?:[^"\\]|\\[^])*)"|'((?:[^'\\]|\\[^])*)'|[={}(),]|[^\s={}(),"'#]+|\n/g
  let line = 1
  for (const match of text.replace(/^\uFEFF/, '').matchAll(pattern)) {
    const [whole, doubled, single] = match
    const isComment = /^(?:#|\/\/|\/\*)/.test(whole)
    if (doubled !== undefined)
      tokens.push({
        text: withVariables(doubled, variable),
        line,
        isText: true,
      })
    else if (single !== undefined)
      tokens.push({ text: single.replaceAll(/\\(['\\])/g, '$1'), line, isText: true })
    else if (!isComment && whole !== '\n')
      tokens.push({ text: whole, line, isText: !/^[={}(),]$/.test(whole) })
    line += whole.split('\n').length - 1
  }
  return tokens
}

/** Escapes, and ${NAME} or ${NAME:-default}, which libConfuse takes from the environment. */
const withVariables = (text: string, variable: ImportContext['variable']): string =>
  text.replaceAll(/\\[^]|\$\{[^}]+\}/g, (whole) => {
    if (whole.startsWith('\\')) return whole === '\\n' ? '\n' : whole.slice(1)
    const [, name = '', fallback = ''] = /^\$\{([^}:]+)(?::-([^}]*))?\}$/.exec(whole) ?? []
    return variable(name) ?? fallback
  })

/** Tokens in order, each read once. */
class TokenReader {
  readonly #tokens: readonly Token[]
  #at = 0
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }
  peek(ahead = 0): Token | undefined {
    return this.#tokens[this.#at + ahead]
  }
  /** Whether these marks follow, `ahead` tokens from here; `text` stands for any text. */
  follows(ahead: number, ...marks: readonly string[]): boolean {
    return marks.every((mark, index) => {
      const token = this.peek(ahead + index)
      return mark === 'text' ? token?.isText === true : token?.isText === false && token.text === mark
    })
  }
  skip(count: number): void {
    this.#at += count
  }
  /** One value, or a list in braces. */
  values(): readonly string[] {
    const isList = this.follows(0, '{')
    const values: string[] = []
    if (isList) this.skip(1)
    for (let token = this.peek(); token !== undefined; token = this.peek()) {
      if (isList && this.follows(0, '}')) break
      if (token.isText || !isList) values.push(token.text)
      if (!isList) break
      this.skip(1)
    }
    this.skip(1)
    return values
  }
}

/** Reads the text of inadyn 2: settings, and sections with settings. */
export function parseInadyn(text: string, variable: ImportContext['variable']): InadynFile {
  const tokens = new TokenReader(tokensOf(text, variable))
  const found: Found = { sections: [], faults: [] }
  const top = readBody(tokens, { kind: '', name: '', line: 1 }, found)
  return { top, ...found }
}

interface Found {
  readonly sections: InadynSection[]
  readonly faults: InadynFault[]
}

/** The settings of a section, to its closing brace. The top of the file has sections, too. */
function readBody(
  tokens: TokenReader,
  section: Pick<InadynSection, 'kind' | 'name' | 'line'>,
  found: Found,
): InadynSection {
  const settings = new Map<string, InadynValue>()
  const includes: InadynValue[] = []
  const isTop = section.kind === ''
  for (let token = tokens.peek(); token !== undefined; token = tokens.peek()) {
    const { text, line } = token
    const hasName = tokens.follows(0, 'text', 'text', '{')
    if (!isTop && tokens.follows(0, '}')) break
    if (tokens.follows(0, 'text', '=') || (tokens.peek(1)?.text === '+' && tokens.follows(2, '='))) {
      readSetting(tokens, settings)
    } else if (text === 'include' && tokens.follows(1, '(')) {
      includes.push({ line, values: [tokens.peek(2)?.text ?? ''] })
      tokens.skip(4)
    } else if (isTop && (hasName || tokens.follows(0, 'text', '{'))) {
      const name = hasName ? (tokens.peek(1)?.text ?? '') : ''
      tokens.skip(hasName ? 3 : 2)
      found.sections.push(readBody(tokens, { kind: text.toLowerCase(), name, line }, found))
      tokens.skip(1)
    } else {
      found.faults.push({ line, problem: 'a word is not expected here; text with blanks needs quotes' })
      tokens.skip(1)
    }
  }
  return { ...section, settings, includes }
}

/** `name = value`, or `name += value` for more values. */
function readSetting(tokens: TokenReader, settings: Map<string, InadynValue>): void {
  const { text = '', line = 0 } = tokens.peek() ?? {}
  const isMore = text.endsWith('+') || tokens.peek(1)?.text === '+'
  tokens.skip(tokens.peek(1)?.text === '+' ? 3 : 2)
  const name = text.replace(/\+$/, '').toLowerCase()
  const earlier = isMore ? (settings.get(name)?.values ?? []) : []
  settings.set(name, { line, values: [...earlier, ...tokens.values()] })
}
