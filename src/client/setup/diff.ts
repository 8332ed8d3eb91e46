/** The lines that differ between two texts, with "-" and "+", and up to two lines around them. */
export function diffLines(before: string, after: string): readonly string[] {
  const [a, b] = [linesOf(before), linesOf(after)]
  const marked = compare(a, b)
  const isNear = (at: number): boolean =>
    marked.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ mark }) => mark !== ' ')
  return marked.flatMap(({ mark, text }, at) => {
    if (isNear(at)) return [`${mark} ${text}`]
    return at > 0 && isNear(at - 1) ? ['  ...'] : []
  })
}

const CONTEXT = 2

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

interface MarkedLine {
  readonly mark: ' ' | '-' | '+'
  readonly text: string
}

/** The longest common subsequence of lines; configuration files are short. */
function compare(a: readonly string[], b: readonly string[]): readonly MarkedLine[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1))
  const lengthAt = (i: number, j: number): number => lengths[i]?.[j] ?? 0
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = lengths[i] ?? new Uint32Array()
      row[j] = a[i] === b[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1))
    }
  const marked: MarkedLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const isSame = i < a.length && j < b.length && a[i] === b[j]
    const isRemoved = !isSame && i < a.length && (j >= b.length || lengthAt(i + 1, j) >= lengthAt(i, j + 1))
    if (isSame) marked.push({ mark: ' ', text: a[i] ?? '' })
    else if (isRemoved) marked.push({ mark: '-', text: a[i] ?? '' })
    else marked.push({ mark: '+', text: b[j] ?? '' })
    if (isSame || isRemoved) i += 1
    if (isSame || !isRemoved) j += 1
  }
  return marked
}
