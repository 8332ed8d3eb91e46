import { complaintsIn, type FileComplaint } from '../../../setup/file-complaints.ts'
import { diffLines } from '../../../setup/diff.ts'
import { changedConfig } from '../../../setup/draft-files.ts'
import { textAt, writeNewFiles } from '../../../setup/new-files.ts'
import type { SetupPaths } from '../../../setup/paths.ts'
import { type Repair, repairsOf, withTyped } from '../../../setup/repair.ts'
import { maskedConfiguration } from '../../../setup/shown.ts'
import { err, ok, type Result } from '../../../../shared/base/result.ts'
import { parseDocument } from '../../../../shared/settings/document.ts'
import type { Prompts } from './prompts.ts'

/** What became of a configuration that is there. */
export type RepairOutcome = 'no mistake' | 'mended' | 'mistakes stay'

/** Goes through the mistakes of the configuration, one at a time. The error is for the user: the file cannot be read. */
export async function askForRepair(
  prompts: Prompts,
  paths: SetupPaths,
): Promise<Result<RepairOutcome, string>> {
  const there = await textAt(paths.config)
  if (!there.ok) return there
  const existing = there.value ?? ''
  if (existing.trim() === '') return ok('no mistake')
  const parsed = parseDocument(existing, paths.config)
  // What cannot be read is not written to.
  if (!parsed.ok)
    return err(`${paths.config}:${parsed.error.line}: ${parsed.error.problem}; nothing is changed`)
  const { text, isWhole } = await mended(prompts, existing, paths.config)
  if (text === existing) return ok(isWhole ? 'no mistake' : 'mistakes stay')
  prompts.note('Changes', [
    `of ${paths.config}; the old one is saved with the ending .bak`,
    ...diffLines(maskedConfiguration(existing), maskedConfiguration(text)),
  ])
  if (!(await prompts.confirm('Write this?', true))) return ok('mistakes stay')
  const written = await writeNewFiles([changedConfig(text, paths, existing)])
  return written.ok ? ok(isWhole ? 'mended' : 'mistakes stay') : err(written.error)
}

interface Mended {
  readonly text: string
  /** No mistake is left. */
  readonly isWhole: boolean
}

async function mended(prompts: Prompts, existing: string, path: string): Promise<Mended> {
  const left = new Set<string>()
  let text = existing
  for (;;) {
    const complaints = await complaintsIn(text)
    const complaint = complaints.find(({ problem }) => !left.has(problem))
    if (complaint === undefined) return { text, isWhole: complaints.length === 0 }
    const { line, problem } = complaint
    const at = line === undefined ? path : `${path}:${line}`
    const shown = line === undefined ? [] : [maskedConfiguration(text).split('\n')[line - 1]?.trim() ?? '']
    prompts.note('The configuration has a mistake', [`${at}: ${problem}`, ...shown])
    const repairs = await usefulRepairs(text, complaint)
    const chosen = await prompts.choose({
      message: 'What should become of it?',
      choices: [
        ...repairs.map(({ label }) => ({ value: label, label })),
        ...(line === undefined ? [] : [{ value: TYPE, label: 'write another value' }]),
        { value: LEAVE, label: 'leave it as it is' },
      ],
    })
    if (chosen === LEAVE) left.add(problem)
    else if (chosen === TYPE && line !== undefined) text = await typed(prompts, text, line)
    else text = repairs.find(({ label }) => label === chosen)?.text ?? text
  }
}

const [TYPE, LEAVE] = ['type', 'leave']

const typed = async (prompts: Prompts, text: string, line: number): Promise<string> =>
  withTyped(
    text,
    line,
    await prompts.text({
      message: 'The value, without quotation marks; several with commas',
      check: (answer) => (answer.trim() === '' ? 'it is required' : undefined),
    }),
  )

/** Those after which this mistake is gone, and there are not more. */
export async function usefulRepairs(text: string, complaint: FileComplaint): Promise<readonly Repair[]> {
  const before = await complaintsIn(text)
  const useful: Repair[] = []
  for (const repair of repairsOf(text, complaint)) {
    if (!parseDocument(repair.text, 'holdfast.toml').ok) continue
    const after = await complaintsIn(repair.text)
    const isGone = !after.some(({ problem }) => problem === complaint.problem)
    if (isGone && after.length <= before.length) useful.push(repair)
  }
  return useful
}
