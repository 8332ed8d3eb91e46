/** The lines of a text for a terminal: long ones are continued below, deeper than they begin. */
export const wrapped = (lines: readonly string[], width: number): readonly string[] =>
  lines.flatMap((line) => wrapLine(line, width))

function wrapLine(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line]
  const indent = /^ */.exec(line)?.[0] ?? ''
  const output: string[] = []
  let current = ''
  // Blanks within a line are those of a table.
  for (const word of line.slice(indent.length).split(' ')) {
    const start = output.length === 0 ? indent : `${indent}  `
    const longer = current === '' ? `${start}${word}` : `${current} ${word}`
    if (longer.length <= width || current === '') current = longer
    else {
      output.push(current)
      current = `${indent}  ${word}`
    }
  }
  return [...output, current]
}
