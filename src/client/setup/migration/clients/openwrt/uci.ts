interface UciOption {
  readonly value: string
  readonly line: number
}
export interface UciSection {
  readonly type: string
  readonly name: string
  readonly line: number
  readonly options: Map<string, UciOption>
}

/** The first word. Outside quotes, "#" begins a comment and ";" another statement. */
const unquoted = (text: string): string =>
  [...(WORD.exec(text)?.[0] ?? '').matchAll(PIECE)]
    .map(
      ([, single, double, escaped, bare]) =>
        single ?? double?.replaceAll(/\\(.)/g, '$1') ?? escaped ?? bare ?? '',
    )
    .join('')

const PIECE = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\#;]+)/g
const WORD = /^\s*(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\#;])*/

/** UCI: `config TYPE 'NAME'`, `option NAME 'VALUE'`, `list NAME 'VALUE'`, or the lines of `uci show`. */
export function uciSections(text: string): readonly UciSection[] {
  const sections: UciSection[] = []
  const named = new Map<string, UciSection>()
  for (const [at, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = at + 1
    const header = /^\s*config\s+(\S+)(?:\s+(.+))?$/.exec(raw)
    if (header?.[1] !== undefined) {
      sections.push({ type: unquoted(header[1]), name: unquoted(header[2] ?? ''), line, options: new Map() })
      continue
    }
    const option = /^\s*(?:option|list)\s+(\S+)\s+(.*)$/.exec(raw)
    if (option?.[1] !== undefined) {
      add(sections.at(-1), unquoted(option[1]), {
        value: unquoted(option[2] ?? ''),
        line,
        isList: /^\s*list/.test(raw),
      })
      continue
    }
    const shown = /^ddns\.([^.=]+)(?:\.([^=]+))?=(.*)$/.exec(raw.trim())
    if (shown?.[1] === undefined) continue
    if (shown[2] === undefined) {
      const section = { type: unquoted(shown[3] ?? ''), name: shown[1], line, options: new Map() }
      named.set(shown[1], section)
      sections.push(section)
    } else add(named.get(shown[1]), shown[2], { value: unquoted(shown[3] ?? ''), line })
  }
  return sections
}

function add(
  section: UciSection | undefined,
  name: string,
  { isList = false, ...option }: UciOption & { readonly isList?: boolean },
): void {
  const earlier = isList ? section?.options.get(name) : undefined
  section?.options.set(
    name,
    earlier === undefined ? option : { ...option, value: `${earlier.value},${option.value}` },
  )
}
