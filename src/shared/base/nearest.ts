/** The known word closest to a mistyped one: an edit for each three letters, two at most. Undefined if none is close. */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  const ranked = known.map((word) => ({ word, distance: distance(typed.toLowerCase(), word.toLowerCase()) }))
  const best = ranked.toSorted((a, b) => a.distance - b.distance)[0]
  return best !== undefined && best.distance <= Math.min(2, Math.max(1, Math.floor(typed.length / 3)))
    ? best.word
    : undefined
}

/** Edit distance: substitutions, insertions, deletions and swaps of adjacent letters (optimal string alignment). */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      const steps = [cell(rows, i - 1, j) + 1, (row[j - 1] ?? 0) + 1, cell(rows, i - 1, j - 1) + same]
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(Math.min(...steps, swapped ? cell(rows, i - 2, j - 2) + 1 : Infinity))
    }
    rows.push(row)
  }
  return cell(rows, a.length, b.length)
}

const cell = (rows: readonly number[][], i: number, j: number): number => rows[i]?.[j] ?? Infinity
